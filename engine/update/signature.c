/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/signature.h"

#include <string.h>

#include "engine/base/set-error.h"

#define BEGIN "-----BEGIN PUBLIC KEY-----"
#define END "-----END PUBLIC KEY-----"

/* RFC 5480: a key of ecPublicKey on prime256v1, then 0x04 for a point with both coordinates. A DER
 * encoding has one form only, so that these bytes are the same for all keys. */
static const guint8 HEAD[] = {
  0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
  0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
};

/* What is between the lines BEGIN and END; all of @pem where these are not there. */
static char *
body_of (const char *pem)
{
  const char *begin = strstr (pem, BEGIN), *end;

  if (begin == NULL)
    return g_strdup (pem);
  begin += strlen (BEGIN);
  end = strstr (begin, END);
  return end != NULL ? g_strndup (begin, (gsize) (end - begin)) : g_strdup ("");
}

gboolean
pt_public_key_read (const char *pem, PtPublicKey *key, GError **error)
{
  g_autofree char *body = body_of (pem);
  gsize length = 0;
  g_autofree guint8 *bytes = g_base64_decode (body, &length);

  if (length != sizeof HEAD + sizeof *key || memcmp (bytes, HEAD, sizeof HEAD) != 0)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The key for the list of versions is not a public key for ECDSA on the curve "
                    "P-256. packaging/sign-versions makes one.");
  memcpy (key->x, bytes + sizeof HEAD, PT_SIGNATURE_NUMBER);
  memcpy (key->y, bytes + sizeof HEAD + PT_SIGNATURE_NUMBER, PT_SIGNATURE_NUMBER);
  return TRUE;
}

static gboolean
read_number (const char *text, guint8 *bytes)
{
  for (guint i = 0; i < PT_SIGNATURE_NUMBER; i++) {
    int high = g_ascii_xdigit_value (text[2 * i]), low = g_ascii_xdigit_value (text[2 * i + 1]);

    if (high < 0 || low < 0)
      return FALSE;
    bytes[i] = (guint8) (high << 4 | low);
  }
  return TRUE;
}

gboolean
pt_signature_read (const char *text, gsize length, PtSignature *signature)
{
  return length >= 4 * PT_SIGNATURE_NUMBER && read_number (text, signature->r) &&
         read_number (text + 2 * PT_SIGNATURE_NUMBER, signature->s);
}

gboolean
pt_signature_verify (const PtPublicKey *key, const PtSignature *signature, gconstpointer data,
                     gsize size, GError **error)
{
  switch (_pt_signature_compute (key, signature, data, size)) {
  case PT_SIGNATURE_RIGHT: return TRUE;
  case PT_SIGNATURE_NO_LIBRARY:
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "Signatures cannot be verified here, so the list of versions is not used. On "
                    "Linux install GnuTLS (libgnutls.so.30) with the package manager.");
  default:
    return pt_fail (error, PT_ERROR_DATA,
                    "The signature of the list of versions is not right, so the list is not used. "
                    "Something may have changed it on its way: try again in another network, and "
                    "report it if it stays so.");
  }
}
