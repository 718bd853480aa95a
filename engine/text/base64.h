/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Decode @text and append the bytes to @bytes. FALSE: @text is not valid base64. */
gboolean pt_base64_decode (const char *text, gsize length, GString *bytes);

G_END_DECLS
