/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/* Functions that make errors of the domain PT_ERROR. */

/**
 * Set @error and return FALSE, so that a check is one statement. The arguments may contain any
 * bytes: the message becomes one line of valid UTF-8 without control characters.
 *
 *     if (n > max)
 *       return pt_fail (error, PT_ERROR_PROGRAM, "...");
 */
gboolean pt_fail (GError **error, PtError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/**
 * Prepend the place of the error to the message of @error, if it is set. The whole message is
 * cleaned as in pt_fail(). The engine and the command line make errors only with this and
 * pt_fail(), because GLib's own functions do not clean text that comes from files.
 */
void pt_prefix_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * Store in @error, a PT_ERROR_UNTRUSTED, the file that needs consent. Later prefixes of the message
 * keep it. @digest: SHA-256 of the file, 64 hex digits.
 */
void pt_error_set_digest (GError *error, const char *digest);

/** The code for GLib's error of opening or reading a file: PT_ERROR_MEMORY or PT_ERROR_FILE. */
PtError pt_file_error_code (const GError *cause);

G_END_DECLS
