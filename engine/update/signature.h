/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Verifies signatures: ECDSA on the curve P-256 with SHA-256. The computation is a library's:
 * GnuTLS on Linux, opened when it is needed, and CNG (bcrypt.dll) on Windows. Any thread.
 */

#define PT_SIGNATURE_NUMBER 32 /* bytes of a number, the most significant first */

/** A point of the curve. */
typedef struct {
  guint8 x[PT_SIGNATURE_NUMBER], y[PT_SIGNATURE_NUMBER];
} PtPublicKey;

/** The two numbers of a signature. */
typedef struct {
  guint8 r[PT_SIGNATURE_NUMBER], s[PT_SIGNATURE_NUMBER];
} PtSignature;

/**
 * Read a public key: the text of a PEM file "PUBLIC KEY", as "openssl ec -pubout" writes it, or the
 * base64 of it without its first and last line. PT_ERROR_ARGUMENT: it is another key, or none.
 */
gboolean pt_public_key_read (const char *pem, PtPublicKey *key, GError **error);

/** Read 128 hex digits, of r and of s. FALSE: @text does not begin with these. */
gboolean pt_signature_read (const char *text, gsize length, PtSignature *signature);

/** FALSE with PT_ERROR_DATA: @signature is not by @key, or not of @data; with
 * PT_ERROR_UNSUPPORTED: there is no library that could say so. */
gboolean pt_signature_verify (const PtPublicKey *key, const PtSignature *signature,
                              gconstpointer data, gsize size, GError **error);

/** What the library of this system says. */
typedef enum {
  PT_SIGNATURE_RIGHT,
  PT_SIGNATURE_WRONG,
  PT_SIGNATURE_NO_LIBRARY,
} PtSignatureResult;

/** signature-gnutls.c, signature-cng.c */
PtSignatureResult _pt_signature_compute (const PtPublicKey *key, const PtSignature *signature,
                                         gconstpointer data, gsize size);

G_END_DECLS
