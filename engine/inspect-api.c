/* SPDX-License-Identifier: BSD-3-Clause */

/* Public functions that read the tables of a program outside the engine thread. */

#include <pteris/inspect.h>
#include <pteris/models.h>

#include "engine/init.h"
#include "engine/tasks/inspect/examine.h"
#include "engine/tasks/inspect/inspect-job.h"
#include "engine/tasks/models/model-set.h"

PtInspectReport *
pt_inspect_read (const char *model, const char *const *data, GError **error)
{
  pt_init ();
  return pt_inspect (model, data, error);
}

PtInspectReport *
pt_inspect_read_model (const PtModelOptions *model, GError **error)
{
  const PtModelQuery query = { model->path,   model->data,    model->tokenizer, model->preprocessor,
                               model->family, model->variant, model->backend };
  g_autoptr (PtModelSet) set = NULL;
  g_autoptr (GError) problem = NULL;

  pt_init ();
  set = pt_model_set_search (&query, &problem);
  if (set != NULL)
    return pt_inspect_set (set, model->data, error);
  if (model->variant == NULL && !g_file_test (model->path, G_FILE_TEST_IS_DIR))
    return pt_inspect (model->path, model->data, error);
  g_propagate_error (error, g_steal_pointer (&problem));
  return NULL;
}

PtModelDetails *
pt_library_examine (const char *path, const char *const *data, GError **error)
{
  pt_init ();
  return pt_examine (path, data, error);
}
