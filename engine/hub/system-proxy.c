/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/system-proxy.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#include <winhttp.h>

#include "engine/hub/hub-address.h"
#endif

static gboolean
is_bypassed (const char *bypass, const char *host)
{
  g_auto (GStrv) patterns = g_strsplit_set (bypass != NULL ? bypass : "", "; ", -1);

  for (guint i = 0; patterns[i] != NULL; i++) {
    if (strcmp (patterns[i], "<local>") == 0 ? strchr (host, '.') == NULL
                                             : g_pattern_match_simple (patterns[i], host))
      return TRUE;
  }
  return FALSE;
}

char *
pt_hub_proxy_in_list (const char *proxies, const char *bypass, const char *host)
{
  g_auto (GStrv) entries = g_strsplit_set (proxies != NULL ? proxies : "", "; ", -1);

  if (is_bypassed (bypass, host))
    return NULL;
  for (guint i = 0; entries[i] != NULL; i++) {
    const char *entry = entries[i], *equals = strchr (entry, '=');

    if (g_str_has_prefix (entry, "https="))
      entry = equals + 1;
    else if (equals != NULL)
      continue;
    if (*entry != '\0')
      return strstr (entry, "://") != NULL ? g_strdup (entry)
                                           : g_strconcat ("http://", entry, NULL);
  }
  return NULL;
}

#ifdef G_OS_WIN32

static char *
to_utf8 (const wchar_t *text)
{
  return text != NULL ? g_utf16_to_utf8 ((const gunichar2 *) text, -1, NULL, NULL, NULL) : NULL;
}

static char *
ask_system (const char *address, GCancellable *cancellable)
{
  WINHTTP_CURRENT_USER_IE_PROXY_CONFIG config = { 0 };
  g_autofree char *host = pt_hub_host_of (address);
  g_autofree char *proxies = NULL, *bypass = NULL;

  if (!WinHttpGetIEProxyConfigForCurrentUser (&config))
    return NULL;
  proxies = to_utf8 (config.lpszProxy);
  bypass = to_utf8 (config.lpszProxyBypass);
  if (config.lpszProxy != NULL)
    GlobalFree (config.lpszProxy);
  if (config.lpszProxyBypass != NULL)
    GlobalFree (config.lpszProxyBypass);
  if (config.lpszAutoConfigUrl != NULL)
    GlobalFree (config.lpszAutoConfigUrl);
  return pt_hub_proxy_in_list (proxies, bypass, host);
}

#else

static char *
ask_system (const char *address, GCancellable *cancellable)
{
  g_auto (GStrv) found =
      g_proxy_resolver_lookup (g_proxy_resolver_get_default (), address, cancellable, NULL);

  if (found == NULL || found[0] == NULL || g_str_has_prefix (found[0], "direct:"))
    return NULL;
  return g_strdup (found[0]);
}

#endif

char *
pt_hub_system_proxy (const char *address, GCancellable *cancellable)
{
  static const char *const VARIABLES[] = { "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                           "ALL_PROXY" };

  for (gsize i = 0; i < G_N_ELEMENTS (VARIABLES); i++)
    if (g_getenv (VARIABLES[i]) != NULL)
      return NULL;
  return ask_system (address, cancellable);
}
