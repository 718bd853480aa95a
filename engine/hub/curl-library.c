/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/curl-library.h"

#ifndef G_OS_WIN32
#include <dlfcn.h>
#endif

#include "engine/base/set-error.h"

/* With CURLOPT_PROTOCOLS_STR, without which addresses other than https could be followed. */
#define OLDEST_VERSION 0x075500

PtCurl pt_curl;

#ifdef G_OS_WIN32

static gboolean
open_library (void)
{
#define FUNCTION(name) pt_curl.name = curl_##name;
  PT_CURL_FUNCTIONS (FUNCTION)
  return TRUE;
}

#else

/* dlopen() and not g_module_open(): in a bundle, libcurl is where this program's own libraries
 * are. The second is Debian's name of the one with GnuTLS. */
static gboolean
open_library (void)
{
  void *library = dlopen ("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);

  if (library == NULL)
    library = dlopen ("libcurl-gnutls.so.4", RTLD_LAZY | RTLD_LOCAL);
#define FUNCTION(name)                                                                        \
  if (library == NULL || (*(void **) &pt_curl.name = dlsym (library, "curl_" #name)) == NULL) \
    return FALSE;
  PT_CURL_FUNCTIONS (FUNCTION)
  return TRUE;
}

#endif

static gboolean
start_library (void)
{
  return open_library () && pt_curl.version_info (CURLVERSION_NOW)->version_num >= OLDEST_VERSION &&
         pt_curl.global_init (CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

gboolean
pt_curl_load (GError **error)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, start_library () ? 1 : 2);
  return once == 1 || pt_fail (error, PT_ERROR_NETWORK,
                               "Downloads need the library libcurl (libcurl.so.4, 7.85 or newer), "
                               "which cannot be opened. Install it with the package manager.");
}
