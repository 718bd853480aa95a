/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <curl/curl.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * libcurl, opened when the first address is asked: it brings 24 other libraries, which every start
 * of a program would pay for. Windows links it.
 */

/* clang-format off */
#define PT_CURL_FUNCTIONS(X) \
  X (global_init) X (version_info) X (free) X (easy_init) X (easy_setopt) X (easy_getinfo) \
  X (easy_strerror) X (easy_cleanup) X (multi_init) X (multi_add_handle) \
  X (multi_remove_handle) X (multi_perform) X (multi_poll) X (multi_info_read) \
  X (multi_strerror) X (multi_cleanup) X (slist_append) X (slist_free_all) X (url) \
  X (url_get) X (url_set) X (url_cleanup)
/* clang-format on */

/** The functions used here, named as in libcurl without "curl_", of the types in its headers. Valid
 * after pt_curl_load(). */
typedef struct {
#define PT_CURL_MEMBER(name) __typeof__ (curl_##name) *name;
  PT_CURL_FUNCTIONS (PT_CURL_MEMBER)
} PtCurl;

extern PtCurl pt_curl;

/** Open and initialise libcurl, once. FALSE with PT_ERROR_NETWORK: it is missing or too old. Any
 * thread. */
gboolean pt_curl_load (GError **error);

G_END_DECLS
