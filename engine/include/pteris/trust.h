/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * Consent to native code. A program for CUDA carries a library that runs with the user's rights:
 * it is loaded only after the user has agreed to this very file. A job that needs consent FAILS
 * with PT_ERROR_UNTRUSTED; its event has the SHA-256 to show and, when the user agrees, to give
 * to the next job as PtModelOptions.trust. What was agreed to is remembered.
 *
 *     case PT_EVENT_FAILED:
 *       if (event->code == PT_ERROR_UNTRUSTED && the_user_agrees_to (event->digest)) {
 *         job.model.trust = event->digest;
 *         pt_engine_submit (engine, &job);
 *       }
 */

/** As PtModelOptions.trust: consent to the named programs, whatever they contain when they are
 * read. */
#define PT_TRUST_AS_READ "as-read"

/** A program that the user has agreed to. */
typedef struct {
  char *digest; /* SHA-256 of the program's file, 64 hex digits */
  char *name;   /* path of the file when the user agreed, for people; "": unknown */
} PtTrustedFile;

/** Free @file. Any thread. */
PT_API void pt_trusted_file_free (PtTrustedFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTrustedFile, pt_trusted_file_free)

/** Programs whose native code may run: a GPtrArray of PtTrustedFile, which belong to it, the oldest
 * first. Never NULL; free with g_ptr_array_unref(). Reads a small file; any thread. */
PT_API GPtrArray *pt_trusted_list (void);

/** Revoke consent. A loaded model stays loaded. No error if there was no consent. @digest: 64 hex
 * digits. FALSE with PT_ERROR_FILE when the list cannot be written. Any thread. */
PT_API gboolean pt_trusted_forget (const char *digest, GError **error);

G_END_DECLS
