/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** Called several times a second with the number of bytes in the folder. */
typedef void (*RunProgress) (guint64 bytes, gpointer user_data);

/** The folder to which a program downloads. */
typedef struct {
  const char *folder; /* the growing folder; also the program's folder for temporary files */
  RunProgress progress;
  gpointer user_data;
} RunWatch;

/**
 * Run @argv in @folder (NULL: in the present one) until it ends; it ends with us. @watch: NULL
 * without a download. @messages: its standard error; NULL if it could not be started. FALSE with an
 * error if it could not be started; FALSE without one if it failed. Blocks.
 */
gboolean run_program (const char *const *argv, const char *folder, const RunWatch *watch,
                      char **messages, GError **error);

G_END_DECLS
