/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/signature.h"

#ifdef PT_HAVE_GNUTLS

#include <dlfcn.h>

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

/* Opened when a list is there to be verified; most starts of the program need none of it. */

/* clang-format off */
#define FUNCTIONS(X) \
  X (global_init) X (pubkey_init) X (pubkey_deinit) X (pubkey_import_ecc_raw) \
  X (pubkey_verify_data2) X (encode_rs_value) X (free)
/* clang-format on */

/* gnutls_free is a variable that holds a function. */
typedef __typeof__ (gnutls_free) FreeVariable;

static struct {
  __typeof__ (gnutls_global_init) *global_init;
  __typeof__ (gnutls_pubkey_init) *pubkey_init;
  __typeof__ (gnutls_pubkey_deinit) *pubkey_deinit;
  __typeof__ (gnutls_pubkey_import_ecc_raw) *pubkey_import_ecc_raw;
  __typeof__ (gnutls_pubkey_verify_data2) *pubkey_verify_data2;
  __typeof__ (gnutls_encode_rs_value) *encode_rs_value;
  FreeVariable *free;
} gnutls;

/* dlopen() and not g_module_open(): as libcurl, in engine/hub/curl-library.c. */
static gboolean
open_library (void)
{
  void *library = dlopen ("libgnutls.so.30", RTLD_LAZY | RTLD_LOCAL);

#define FUNCTION(name)                                                                         \
  if (library == NULL || (*(void **) &gnutls.name = dlsym (library, "gnutls_" #name)) == NULL) \
    return FALSE;
  FUNCTIONS (FUNCTION)
  return gnutls.global_init () == GNUTLS_E_SUCCESS;
}

static gboolean
load (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, open_library () ? 1 : 2);
  return once == 1;
}

static gboolean
verify (gnutls_pubkey_t key, const PtSignature *signature, gconstpointer data, gsize size)
{
  const gnutls_datum_t r = { (guint8 *) signature->r, sizeof signature->r };
  const gnutls_datum_t s = { (guint8 *) signature->s, sizeof signature->s };
  const gnutls_datum_t text = { (guint8 *) data, (guint) size };
  gnutls_datum_t encoded = { NULL, 0 };
  gboolean right =
      gnutls.encode_rs_value (&encoded, &r, &s) == GNUTLS_E_SUCCESS &&
      gnutls.pubkey_verify_data2 (key, GNUTLS_SIGN_ECDSA_SECP256R1_SHA256, 0, &text, &encoded) >= 0;

  (*gnutls.free) (encoded.data);
  return right;
}

PtSignatureResult
_pt_signature_compute (const PtPublicKey *key, const PtSignature *signature, gconstpointer data,
                       gsize size)
{
  const gnutls_datum_t x = { (guint8 *) key->x, sizeof key->x };
  const gnutls_datum_t y = { (guint8 *) key->y, sizeof key->y };
  gnutls_pubkey_t public_key = NULL;
  gboolean right;

  if (!load () || gnutls.pubkey_init (&public_key) != GNUTLS_E_SUCCESS)
    return PT_SIGNATURE_NO_LIBRARY;
  right = size <= G_MAXUINT &&
          gnutls.pubkey_import_ecc_raw (public_key, GNUTLS_ECC_CURVE_SECP256R1, &x, &y) ==
              GNUTLS_E_SUCCESS &&
          verify (public_key, signature, data, size);
  gnutls.pubkey_deinit (public_key);
  return right ? PT_SIGNATURE_RIGHT : PT_SIGNATURE_WRONG;
}

#else

PtSignatureResult
_pt_signature_compute (const PtPublicKey *key, const PtSignature *signature, gconstpointer data,
                       gsize size)
{
  return PT_SIGNATURE_NO_LIBRARY;
}

#endif
