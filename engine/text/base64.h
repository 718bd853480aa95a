/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Append the bytes that @text stands for to @bytes; FALSE unless it is base64 without flaws. */
gboolean pt_base64_decode (const char *text, gsize length, GString *bytes);

G_END_DECLS
