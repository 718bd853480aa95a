/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <windows.h>
#include <wincred.h>

#include "engine/base/set-error.h"
#include "engine/hub/secret.h"

/* Names of entries: this and the origin. */
#define PREFIX "org.pteris.Pteris:"
/* The user name of each entry: a token has none. */
#define USER L"token"

static wchar_t *
name_of (const char *origin)
{
  g_autofree char *name = g_strconcat (PREFIX, origin, NULL);

  return (wchar_t *) g_utf8_to_utf16 (name, -1, NULL, NULL, NULL);
}

/* FALSE with an error; the vault is unknown in a session that nobody logged on to. */
static gboolean
fail (DWORD code, GError **error)
{
  g_autofree char *reason = g_win32_error_message ((int) code);

  if (code == ERROR_NO_SUCH_LOGON_SESSION)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The credential vault of Windows is not available in this session.");
  return pt_fail (error, PT_ERROR_FILE,
                  "The credential vault of Windows refuses: %s Look at the credential manager in "
                  "the control panel.",
                  reason);
}

gboolean
pt_secret_has_store (GCancellable *cancellable)
{
  PCREDENTIALW entry = NULL;
  g_autofree wchar_t *name = name_of ("");

  if (CredReadW (name, CRED_TYPE_GENERIC, 0, &entry)) {
    CredFree (entry);
    return TRUE;
  }
  return GetLastError () == ERROR_NOT_FOUND;
}

char *
pt_secret_load (const char *origin, gboolean may_ask, GCancellable *cancellable, GError **error)
{
  PCREDENTIALW entry = NULL;
  g_autofree wchar_t *name = name_of (origin);
  char *secret;

  if (!CredReadW (name, CRED_TYPE_GENERIC, 0, &entry)) {
    DWORD code = GetLastError ();

    if (code != ERROR_NOT_FOUND)
      fail (code, error);
    return NULL;
  }
  secret = g_strndup ((const char *) entry->CredentialBlob, entry->CredentialBlobSize);
  CredFree (entry);
  return secret;
}

gboolean
pt_secret_keep (const char *origin, const char *secret, GCancellable *cancellable, GError **error)
{
  g_autofree wchar_t *name = name_of (origin);
  wchar_t user[] = USER;
  CREDENTIALW entry = {
    .Type = CRED_TYPE_GENERIC,
    .TargetName = name,
    .UserName = user,
    .CredentialBlobSize = (DWORD) strlen (secret),
    .CredentialBlob = (LPBYTE) (gpointer) secret,
    .Persist = CRED_PERSIST_LOCAL_MACHINE, /* of this user, on this computer only */
  };

  return CredWriteW (&entry, 0) || fail (GetLastError (), error);
}

gboolean
pt_secret_forget (const char *origin, GCancellable *cancellable, GError **error)
{
  g_autofree wchar_t *name = name_of (origin);
  DWORD code;

  if (CredDeleteW (name, CRED_TYPE_GENERIC, 0))
    return TRUE;
  code = GetLastError ();
  return code == ERROR_NOT_FOUND || fail (code, error);
}

char **
pt_secret_list (GCancellable *cancellable, GError **error)
{
  g_autoptr (GStrvBuilder) origins = g_strv_builder_new ();
  g_autofree wchar_t *filter = name_of ("*");
  PCREDENTIALW *entries = NULL;
  DWORD n = 0, code;

  if (!CredEnumerateW (filter, 0, &n, &entries)) {
    code = GetLastError ();
    if (code != ERROR_NOT_FOUND) {
      fail (code, error);
      return NULL;
    }
    n = 0;
  }
  for (DWORD i = 0; i < n; i++) {
    g_autofree char *name =
        g_utf16_to_utf8 ((const gunichar2 *) entries[i]->TargetName, -1, NULL, NULL, NULL);

    /* The filter looks for its letters in either case. */
    if (name != NULL && g_str_has_prefix (name, PREFIX))
      g_strv_builder_add (origins, name + strlen (PREFIX));
  }
  if (entries != NULL)
    CredFree (entries);
  return g_strv_builder_end (origins);
}
