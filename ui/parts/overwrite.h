/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/base/output.h"

G_BEGIN_DECLS

/** Check an export to @file. FALSE with a translated error if it would overwrite @input (or NULL),
 * or a file that is not of @kind, such as a recording. Blocking; any thread. */
gboolean pteris_check_overwrite (GFile *file, PtOutputKind kind, const char *input, GError **error);

/** Write @text to @file after that check. A file of this computer is complete or unchanged at any
 * time, and leaves nothing else when the program is killed (engine/base/output.h). Blocking; any
 * thread. */
gboolean pteris_write_text (GFile *file, const char *text, const char *input, GError **error);

/** The same for a new file: G_IO_ERROR_EXISTS if there is one. */
gboolean pteris_write_new_text (GFile *file, const char *text, GError **error);

G_END_DECLS
