/* SPDX-License-Identifier: BSD-3-Clause */

/* Public functions that read the tables of a program outside the engine thread. */

#include <pteris/inspect.h>
#include <pteris/models.h>

#include "engine/init.h"
#include "engine/tasks/inspect/examine.h"
#include "engine/tasks/inspect/inspect.h"

PtInspectReport *
pt_inspect_read (const char *model, const char *const *data, GError **error)
{
  pt_init ();
  return pt_inspect (model, data, error);
}

PtModelDetails *
pt_library_examine (const char *path, const char *const *data, GError **error)
{
  pt_init ();
  return pt_examine (path, data, error);
}
