/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <curl/curl.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * libcurl, opened when the first address is asked: it brings 24 other libraries, which every start
 * of a program would pay for. Windows links it.
 */

/** The functions used here, named as in libcurl without "curl_". Valid after pt_curl_load(). */
typedef struct {
  CURLcode (*global_init) (long flags);
  curl_version_info_data *(*version_info) (CURLversion age);
  void (*free) (void *memory);
  CURL *(*easy_init) (void);
  CURLcode (*easy_setopt) (CURL *easy, CURLoption option, ...);
  CURLcode (*easy_getinfo) (CURL *easy, CURLINFO info, ...);
  const char *(*easy_strerror) (CURLcode code);
  void (*easy_cleanup) (CURL *easy);
  CURLM *(*multi_init) (void);
  CURLMcode (*multi_add_handle) (CURLM *multi, CURL *easy);
  CURLMcode (*multi_remove_handle) (CURLM *multi, CURL *easy);
  CURLMcode (*multi_perform) (CURLM *multi, int *n_running);
  CURLMcode (*multi_poll) (CURLM *multi, struct curl_waitfd *others, unsigned int n_others,
                           int wait_ms, int *n_ready);
  CURLMsg *(*multi_info_read) (CURLM *multi, int *n_left);
  const char *(*multi_strerror) (CURLMcode code);
  CURLMcode (*multi_cleanup) (CURLM *multi);
  struct curl_slist *(*slist_append) (struct curl_slist *list, const char *text);
  void (*slist_free_all) (struct curl_slist *list);
  CURLU *(*url) (void);
  CURLUcode (*url_get) (const CURLU *url, CURLUPart part, char **text, unsigned int flags);
  CURLUcode (*url_set) (CURLU *url, CURLUPart part, const char *text, unsigned int flags);
  void (*url_cleanup) (CURLU *url);
} PtCurl;

extern PtCurl pt_curl;

/** Open and initialise libcurl, once. FALSE with PT_ERROR_NETWORK: it is missing or too old. Any
 * thread. */
gboolean pt_curl_load (GError **error);

G_END_DECLS
