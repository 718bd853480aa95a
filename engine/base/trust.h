/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Consent to native code. A program for CUDA carries a library that runs with the user's rights,
 * so it is loaded only after the user has said yes to this very file: to its SHA-256, which is
 * remembered in the user's data folder, in pteris/trusted (a line for each, as sha256sum writes
 * them). The file counts only while nobody else may write to it. What is remembered is listed and
 * forgotten through pteris/trust.h: pt_trusted_list(), pt_trusted_forget().
 *
 * Any thread and process; who changes the file has it alone meanwhile.
 */

/** @digest: 64 hex digits in lower case. */
gboolean pt_trust_is_remembered (const char *digest);

/** @path: named in the file for people. What is remembered already is no error. */
gboolean pt_trust_remember (const char *digest, const char *path, GError **error);

/**
 * Whether native code of the program file @path may be loaded. To be asked before any byte of it
 * is.
 *
 * @digest: the SHA-256 of the bytes that were read.
 * @given: what the user agrees to now (PtModelOptions.trust): the SHA-256 that was shown,
 * PT_TRUST_AS_READ or NULL. When it means this file, the file is remembered.
 *
 * Returns: FALSE with PT_ERROR_UNTRUSTED, which names the file and its SHA-256, also for
 * pt_error_get_digest()
 */
gboolean pt_trust_check (const char *digest, const char *path, const char *given, GError **error);

G_END_DECLS
