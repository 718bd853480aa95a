/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/signature.h"

#include <string.h>
#include <windows.h>
#include <bcrypt.h>

#define SHA256_BYTES 32

/* A key in the form of CNG. */
typedef struct {
  BCRYPT_ECCKEY_BLOB head;
  PtPublicKey point;
} KeyBlob;

static gboolean
hash (gconstpointer data, gsize size, guint8 *digest)
{
  BCRYPT_ALG_HANDLE algorithm = NULL;
  BCRYPT_HASH_HANDLE state = NULL;
  gboolean done = size <= G_MAXUINT32 &&
                  BCryptOpenAlgorithmProvider (&algorithm, BCRYPT_SHA256_ALGORITHM, NULL, 0) >= 0 &&
                  BCryptCreateHash (algorithm, &state, NULL, 0, NULL, 0, 0) >= 0 &&
                  BCryptHashData (state, (PUCHAR) data, (ULONG) size, 0) >= 0 &&
                  BCryptFinishHash (state, digest, SHA256_BYTES, 0) >= 0;

  if (state != NULL)
    BCryptDestroyHash (state);
  if (algorithm != NULL)
    BCryptCloseAlgorithmProvider (algorithm, 0);
  return done;
}

static PtSignatureResult
verify (BCRYPT_ALG_HANDLE algorithm, const PtPublicKey *key, const PtSignature *signature,
        const guint8 *digest)
{
  KeyBlob blob = { { BCRYPT_ECDSA_PUBLIC_P256_MAGIC, PT_SIGNATURE_NUMBER }, *key };
  BCRYPT_KEY_HANDLE public_key = NULL;
  NTSTATUS status;

  if (BCryptImportKeyPair (algorithm, NULL, BCRYPT_ECCPUBLIC_BLOB, &public_key, (PUCHAR) &blob,
                           sizeof blob, 0) < 0)
    return PT_SIGNATURE_WRONG;
  status = BCryptVerifySignature (public_key, NULL, (PUCHAR) digest, SHA256_BYTES,
                                  (PUCHAR) signature, sizeof *signature, 0);
  BCryptDestroyKey (public_key);
  return status >= 0 ? PT_SIGNATURE_RIGHT : PT_SIGNATURE_WRONG;
}

PtSignatureResult
_pt_signature_compute (const PtPublicKey *key, const PtSignature *signature, gconstpointer data,
                       gsize size)
{
  guint8 digest[SHA256_BYTES];
  BCRYPT_ALG_HANDLE algorithm = NULL;
  PtSignatureResult result;

  if (!hash (data, size, digest) ||
      BCryptOpenAlgorithmProvider (&algorithm, BCRYPT_ECDSA_P256_ALGORITHM, NULL, 0) < 0)
    return PT_SIGNATURE_NO_LIBRARY;
  result = verify (algorithm, key, signature, digest);
  BCryptCloseAlgorithmProvider (algorithm, 0);
  return result;
}
