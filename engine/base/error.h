/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/* Making errors of PT_ERROR. */

/**
 * Set @error and return FALSE, so that a check is one statement. What the message quotes from a
 * file may be any bytes: it becomes one line of valid UTF-8 without control characters.
 *
 *     if (n > max)
 *       return pt_fail (error, PT_ERROR_PROGRAM, "...");
 */
gboolean pt_fail (GError **error, PtError code, const char *format, ...) G_GNUC_PRINTF (3, 4);

/**
 * Say in front of @error, if there is one, where it happened. The whole message becomes what
 * pt_fail() makes of one. This and pt_fail() are how the engine and the command line make errors;
 * GLib's own functions would let through what files say.
 */
void pt_prefix_error (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/** Note in @error, a PT_ERROR_UNTRUSTED, what consent is asked for; it stays whatever is said in
 * front of the message. @digest: SHA-256 of the file, 64 hex digits. */
void pt_error_set_digest (GError *error, const char *digest);

/** What GLib's error of opening or reading a file is: PT_ERROR_MEMORY or PT_ERROR_FILE. */
PtError pt_file_error_code (const GError *cause);

G_END_DECLS
