/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** Called several times a second with the bytes that are in the folder now. */
typedef void (*RunProgress) (guint64 bytes, gpointer user_data);

/** Where a program puts what it fetches. */
typedef struct {
  const char *folder; /* what grows; also the program's folder for temporary files */
  RunProgress progress;
  gpointer user_data;
} RunWatch;

/**
 * Run @argv in @folder (NULL: in the present one) until it ends; it ends with us. @watch: NULL when
 * nothing is fetched. @messages: what it said on standard error, NULL when it could not be run.
 * FALSE with an error then, and without one when it ends badly. Blocks.
 */
gboolean run_program (const char *const *argv, const char *folder, const RunWatch *watch,
                      char **messages, GError **error);

G_END_DECLS
