/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Consent to native code. A CUDA program carries a library that runs with the user's rights, and
 * one for OpenVINO is read by a library that does not check it. It is used only after the user has
 * allowed this very file, which is identified by its SHA-256.
 * Allowed files are stored in pteris/trusted in the user's data folder, one line each in the format
 * of sha256sum. That file is ignored when other users may write to it. pt_trusted_list() and
 * pt_trusted_forget() in pteris/trust.h list and revoke consent.
 *
 * Any thread and process; changes of the file are made under a PtLock.
 */

/** Whether the user has allowed the file with @digest: 64 hex digits in lower case. */
gboolean pt_trust_is_remembered (const char *digest);

/**
 * Store the consent to the file with @digest. @path is stored only for people to read. Storing the
 * same consent again succeeds.
 */
gboolean pt_trust_remember (const char *digest, const char *path, GError **error);

/**
 * Check whether native code of the program file @path may be loaded. Call it before any byte of the
 * code is loaded.
 *
 * @digest: the SHA-256 of the bytes that were read.
 * @why: what there is to consent to, for the message: PT_TRUST_LIBRARY, or another end of "NAME …".
 * @given: the user's consent of this job (PtModelOptions.trust): the SHA-256 that was shown,
 * PT_TRUST_AS_READ, or NULL. When it applies to this file, the consent is stored.
 *
 * Returns: FALSE with PT_ERROR_UNTRUSTED when there is no consent. The message names the file and
 * its SHA-256; pt_error_get_digest() returns the SHA-256.
 */
gboolean pt_trust_check (const char *digest, const char *path, const char *why, const char *given,
                         GError **error);

#define PT_TRUST_LIBRARY                                                                 \
  "contains native code: a library that runs with your permissions and can do whatever " \
  "you can"

G_END_DECLS
