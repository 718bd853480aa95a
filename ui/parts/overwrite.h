/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/base/output.h"

G_BEGIN_DECLS

/** Check an export to @file. FALSE with a translated error if it would overwrite @input (or NULL),
 * or a file that is not of @kind, such as a recording. Blocking; any thread. */
gboolean pteris_check_overwrite (GFile *file, PtOutputKind kind, const char *input, GError **error);

G_END_DECLS
