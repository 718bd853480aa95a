/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

G_BEGIN_DECLS

/** pt_library_examine() with what is registered: see there. */
PtModelDetails *pt_examine (const char *path, const char *const *data, GError **error);

G_END_DECLS
