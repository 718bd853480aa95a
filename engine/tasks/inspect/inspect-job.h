/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>
#include <pteris/inspect.h>

#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/** pt_inspect_read() with what is registered: see there. The engine thread. */
PtInspectReport *pt_inspect (const char *model, const char *const *data, GError **error);

/** The same for the program of @set; the report lists the files of the set, too. */
PtInspectReport *pt_inspect_set (const PtModelSet *set, const char *const *data, GError **error);

G_END_DECLS
