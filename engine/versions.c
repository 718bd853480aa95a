/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/engine.h>

#include <jansson.h>
#include <samplerate.h>
#include <sndfile.h>
#include <zlib.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "engine/hub/curl-library.h"

char *
pt_engine_versions (void)
{
  const char *curl =
      pt_curl_load (NULL) ? pt_curl.version_info (CURLVERSION_NOW)->version : "missing";
  char pcre2[64] = "";

  pcre2_config (PCRE2_CONFIG_VERSION, pcre2);
  pcre2[strcspn (pcre2, " ")] = '\0';
  return g_strdup_printf ("GLib %u.%u.%u, jansson %s, PCRE2 %s, %s, %s, zlib %s, "
                          "libcurl %s",
                          glib_major_version, glib_minor_version, glib_micro_version,
                          jansson_version_str (), pcre2, sf_version_string (), src_get_version (),
                          zlibVersion (), curl);
}
