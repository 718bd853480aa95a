/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/http-client.h"

#include <string.h>

#include "engine/base/pipe-signal.h"
#include "engine/base/set-error.h"
#include "engine/hub/curl-library.h"
#include "engine/hub/http-answer.h"
#include "engine/hub/system-proxy.h"

#define MAX_REDIRECTS 10
/* Of the heads of one answer, and of the body of an answer that is not wanted. */
#define MAX_HEAD (256 * 1024)
#define MAX_UNWANTED (1024 * 1024)
/* Repetitions of a short request, and how often whoever waits looks whether to stop. */
#define MAX_ATTEMPTS 4
#define LOOK_MS 50
/* Slower than this is standing still. */
#define MIN_BYTES_S 16L

struct _PtHttp {
  CURLM *multi;
  const PtHubEndpoint *endpoint;
  PtHttpTimes times;
  const char *agent;
  char *proxy;               /* of the system; NULL: as the environment says, or none */
  struct curl_slist *secret; /* the header with the token; NULL: there is none */
  GPtrArray *requests;
};

struct _PtHttpRequest {
  PtHttp *http;
  CURL *easy;
  PtHttpAnswer answer;
  char *location;
  guint n_redirects;
  gsize n_head, n_unwanted;
  GError *error; /* of whoever got bytes */
  PtHttpDataFunc data;
  PtHttpDoneFunc done;
  gpointer user_data;
  char reason[CURL_ERROR_SIZE];
};

gboolean
pt_hub_is_stopped (GCancellable *cancellable, GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return FALSE;
  pt_fail (error, PT_ERROR_CANCELLED,
           "Stopped. What has arrived is kept, and the next download of "
           "the same model goes on with it.");
  return TRUE;
}

/* ---- certificates ---- */

#ifdef G_OS_UNIX

/* A bundle of libraries runs where the certificates lie elsewhere than where it was made. */
static const char *
certificates (void)
{
  static const char *const FILES[] = { "/etc/ssl/certs/ca-certificates.crt",
                                       "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                       "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                       "/etc/ssl/cert.pem" };
  const char *chosen = g_getenv ("SSL_CERT_FILE");
  const curl_version_info_data *info = pt_curl.version_info (CURLVERSION_NOW);

  if (chosen != NULL && *chosen != '\0')
    return chosen;
  if (info->cainfo != NULL && g_file_test (info->cainfo, G_FILE_TEST_EXISTS))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (FILES); i++)
    if (g_file_test (FILES[i], G_FILE_TEST_EXISTS))
      return FILES[i];
  return NULL;
}

#else

static const char *
certificates (void)
{
  return NULL;
}

#endif

PtHttp *
pt_http_new (const PtHubEndpoint *endpoint, const char *token, PtHttpTimes times,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHttp) self = NULL;
  gsize length = token != NULL ? strlen (token) : 0;

  if (!pt_curl_load (error))
    return NULL;
  for (gsize i = 0; i < length; i++) {
    if (!g_ascii_isgraph (token[i])) {
      pt_fail (error, PT_ERROR_ARGUMENT,
               "The token holds something else than letters, digits and "
               "signs. Copy it again from the settings of the hub.");
      return NULL;
    }
  }
  self = g_new0 (PtHttp, 1);
  self->endpoint = endpoint;
  self->times = times;
  self->agent = "pteris/" PTERIS_VERSION;
  self->requests = g_ptr_array_new ();
  /* A hub on this computer is reached without a proxy. */
  if (!endpoint->plain)
    self->proxy = pt_hub_system_proxy (endpoint->base, cancellable);
  self->multi = pt_curl.multi_init ();
  if (length > 0) {
    g_autofree char *line = g_strconcat ("Authorization: Bearer ", token, NULL);

    self->secret = pt_curl.slist_append (NULL, line);
  }
  if (self->multi == NULL || (length > 0 && self->secret == NULL)) {
    pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory for a download.");
    return NULL;
  }
  return g_steal_pointer (&self);
}

static void
request_free (PtHttpRequest *self)
{
  if (self->easy != NULL) {
    pt_curl.multi_remove_handle (self->http->multi, self->easy);
    pt_curl.easy_cleanup (self->easy);
  }
  pt_http_answer_clear (&self->answer);
  g_clear_error (&self->error);
  g_free (self->location);
  g_free (self);
}

void
pt_http_free (PtHttp *self)
{
  PtSignalMask before;

  if (self == NULL)
    return;
  pt_pipe_signal_block (&before);
  for (guint i = 0; i < self->requests->len; i++)
    request_free (self->requests->pdata[i]);
  g_ptr_array_unref (self->requests);
  if (self->multi != NULL)
    pt_curl.multi_cleanup (self->multi);
  pt_pipe_signal_restore (&before);
  pt_curl.slist_free_all (self->secret);
  g_free (self->proxy);
  g_free (self);
}

const PtHttpTimes *
pt_http_times (const PtHttp *self)
{
  return &self->times;
}

void
pt_http_set_agent (PtHttp *self, const char *agent)
{
  self->agent = agent;
}

/* ---- what comes ---- */

static guint
status_of (PtHttpRequest *self)
{
  long status = 0;

  pt_curl.easy_getinfo (self->easy, CURLINFO_RESPONSE_CODE, &status);
  return status > 0 && status < 1000 ? (guint) status : 0;
}

static size_t
on_head (char *line, size_t size, size_t n, void *user_data)
{
  PtHttpRequest *self = user_data;
  gsize length = size * n;

  self->n_head += length;
  if (self->n_head > MAX_HEAD)
    return 0;
  if (length > 5 && memcmp (line, "HTTP/", 5) == 0) {
    g_clear_pointer (&self->location, g_free);
    pt_http_answer_begin (&self->answer,
                          pt_hub_is_own (self->http->endpoint, self->answer.address));
  } else {
    pt_http_answer_line (&self->answer, line, length, &self->location);
  }
  return length;
}

static size_t
on_body (char *bytes, size_t size, size_t n, void *user_data)
{
  PtHttpRequest *self = user_data;
  gsize length = size * n;

  self->answer.status = status_of (self);
  if (self->answer.status != 200 && self->answer.status != 206) {
    self->n_unwanted += length;
    return self->n_unwanted <= MAX_UNWANTED ? length : 0;
  }
  if (self->data (&self->answer, bytes, length, self->user_data, &self->error))
    return length;
  return 0;
}

/* ---- asking ---- */

static gboolean
set_address (PtHttpRequest *self, const char *address)
{
  PtHttp *http = self->http;
  gboolean own = pt_hub_is_own (http->endpoint, address);

  g_free (self->answer.address);
  self->answer.address = g_strdup (address);
  self->n_head = self->n_unwanted = 0;
  return pt_curl.easy_setopt (self->easy, CURLOPT_URL, address) == CURLE_OK &&
         pt_curl.easy_setopt (self->easy, CURLOPT_HTTPHEADER, own ? http->secret : NULL) ==
             CURLE_OK &&
         pt_curl.multi_add_handle (http->multi, self->easy) == CURLM_OK;
}

static void
set_policy (PtHttpRequest *self)
{
  PtHttp *http = self->http;
  CURL *easy = self->easy;
  const char *protocols = http->endpoint->plain ? "http,https" : "https";
  const char *bundle = certificates ();

  pt_curl.easy_setopt (easy, CURLOPT_PROTOCOLS_STR, protocols);
  pt_curl.easy_setopt (easy, CURLOPT_FOLLOWLOCATION, 0L);
  pt_curl.easy_setopt (easy, CURLOPT_NOSIGNAL, 1L);
  pt_curl.easy_setopt (easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  pt_curl.easy_setopt (easy, CURLOPT_CONNECTTIMEOUT, (long) http->times.connect_s);
  pt_curl.easy_setopt (easy, CURLOPT_LOW_SPEED_LIMIT, MIN_BYTES_S);
  pt_curl.easy_setopt (easy, CURLOPT_LOW_SPEED_TIME, (long) http->times.stall_s);
  pt_curl.easy_setopt (easy, CURLOPT_SSLVERSION, (long) CURL_SSLVERSION_TLSv1_2);
  /* Revocation servers are often not reachable, which is no error. */
  pt_curl.easy_setopt (easy, CURLOPT_SSL_OPTIONS, (long) CURLSSLOPT_REVOKE_BEST_EFFORT);
#if LIBCURL_VERSION_NUM >= 0x075700
  pt_curl.easy_setopt (easy, CURLOPT_QUICK_EXIT, 1L);
#endif
  if (bundle != NULL)
    pt_curl.easy_setopt (easy, CURLOPT_CAINFO, bundle);
  if (http->proxy != NULL)
    pt_curl.easy_setopt (easy, CURLOPT_PROXY, http->proxy);
}

static void
set_wishes (PtHttpRequest *self, guint64 offset)
{
  CURL *easy = self->easy;

  pt_curl.easy_setopt (easy, CURLOPT_USERAGENT, self->http->agent);
  /* Also decodes what comes compressed nevertheless. */
  pt_curl.easy_setopt (easy, CURLOPT_ACCEPT_ENCODING, "identity");
  if (offset > 0) {
    g_autofree char *range = g_strdup_printf ("%" G_GUINT64_FORMAT "-", offset);

    pt_curl.easy_setopt (easy, CURLOPT_RANGE, range);
  }
  pt_curl.easy_setopt (easy, CURLOPT_HEADERFUNCTION, on_head);
  pt_curl.easy_setopt (easy, CURLOPT_HEADERDATA, self);
  pt_curl.easy_setopt (easy, CURLOPT_WRITEFUNCTION, on_body);
  pt_curl.easy_setopt (easy, CURLOPT_WRITEDATA, self);
  pt_curl.easy_setopt (easy, CURLOPT_ERRORBUFFER, self->reason);
  pt_curl.easy_setopt (easy, CURLOPT_PRIVATE, self);
}

PtHttpRequest *
pt_http_start (PtHttp *http, const char *address, guint64 offset, PtHttpDataFunc data,
               PtHttpDoneFunc done, gpointer user_data, GError **error)
{
  PtHttpRequest *self = g_new0 (PtHttpRequest, 1);

  self->http = http;
  self->data = data;
  self->done = done;
  self->user_data = user_data;
  pt_http_answer_init (&self->answer);
  self->easy = pt_curl.easy_init ();
  if (self->easy != NULL) {
    set_policy (self);
    set_wishes (self, offset);
  }
  if (self->easy == NULL || !set_address (self, address)) {
    request_free (self);
    pt_fail (error, PT_ERROR_NETWORK, "“%.200s” cannot be asked for.", address);
    return NULL;
  }
  g_ptr_array_add (http->requests, self);
  return self;
}

/* ---- how it ends ---- */

static gboolean
is_redirect (guint status)
{
  return status >= 300 && status < 400 && status != 304;
}

/* TRUE: it goes on elsewhere. */
static gboolean
redirect (PtHttpRequest *self, GError **error)
{
  g_autofree char *host = pt_hub_host_of (self->answer.address);
  g_autofree char *address = NULL;

  if (self->location == NULL)
    return pt_fail (error, PT_ERROR_NETWORK, "%s leads to nowhere. Try again later.", host);
  if (++self->n_redirects > MAX_REDIRECTS)
    return pt_fail (error, PT_ERROR_NETWORK,
                    "%s leads from one address to the next without an end. Try again later.", host);
  address = pt_hub_follow (self->http->endpoint, self->answer.address, self->location, error);
  g_clear_pointer (&self->location, g_free);
  return address != NULL &&
         (set_address (self, address) ||
          pt_fail (error, PT_ERROR_NETWORK, "“%.200s” cannot be asked for.", address));
}

static const char *
reason_of (const PtHttpRequest *self, CURLcode code)
{
  return self->reason[0] != '\0' ? self->reason : pt_curl.easy_strerror (code);
}

/* What the user can do about an error of @code. */
static const char *
advice_for (CURLcode code)
{
  switch (code) {
  case CURLE_COULDNT_RESOLVE_HOST:
  case CURLE_COULDNT_CONNECT: return "Check the network connection, and try again.";
  case CURLE_COULDNT_RESOLVE_PROXY:
  case CURLE_PROXY: return "Check the proxy in the settings of the network, or in https_proxy.";
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_SSL_CACERT_BADFILE:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_ISSUER_ERROR:
    return "Nothing was sent or taken. Check the date of this computer, and whether something "
           "reads its connections; the certificates of a company can be named in SSL_CERT_FILE.";
  default: return "Try again; what has arrived is kept.";
  }
}

static void
fail_transport (PtHttpRequest *self, CURLcode code, GError **error)
{
  g_autofree char *host = pt_hub_host_of (self->answer.address);
  const char *advice = advice_for (code);

  switch (code) {
  case CURLE_COULDNT_RESOLVE_HOST:
    pt_fail (error, PT_ERROR_NETWORK, "The address of %s cannot be found. %s", host, advice);
    break;
  case CURLE_COULDNT_CONNECT:
    pt_fail (error, PT_ERROR_NETWORK, "%s cannot be reached. %s", host, advice);
    break;
  case CURLE_OPERATION_TIMEDOUT:
    pt_fail (error, PT_ERROR_NETWORK, "%s does not answer. %s", host, advice);
    break;
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CONNECT_ERROR:
    pt_fail (error, PT_ERROR_NETWORK, "The connection to %s is not secure: %s. %s", host,
             reason_of (self, code), advice);
    break;
  default:
    pt_fail (error, PT_ERROR_NETWORK, "The connection to %s failed: %s. %s", host,
             reason_of (self, code), advice);
  }
}

/* Errors that a retry does not mend. */
static gboolean
is_lasting (CURLcode code)
{
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_ISSUER_ERROR ||
         code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_PROXY;
}

static void
finish (PtHttpRequest *self, CURLcode code)
{
  g_autoptr (GError) error = NULL;
  guint status = status_of (self);
  gboolean answered = code == CURLE_OK || (code == CURLE_WRITE_ERROR && status != 0 &&
                                           self->error == NULL && self->n_head <= MAX_HEAD);

  pt_curl.multi_remove_handle (self->http->multi, self->easy);
  self->answer.status = status;
  if (self->error != NULL) {
    error = g_steal_pointer (&self->error);
  } else if (answered && is_redirect (status)) {
    if (redirect (self, &error))
      return;
  } else if (!answered) {
    self->answer.is_passing = !is_lasting (code);
    fail_transport (self, code, &error);
  } else {
    self->answer.is_passing = pt_http_is_passing_status (status);
  }
  self->done (&self->answer, error, self->user_data);
  g_ptr_array_remove_fast (self->http->requests, self);
  request_free (self);
}

static gboolean
step (PtHttp *self, guint wait_ms, GError **error)
{
  int n_running = 0, n_left = 0;
  CURLMcode code = pt_curl.multi_perform (self->multi, &n_running);
  CURLMsg *message;
  gboolean any = FALSE;

  while (code == CURLM_OK && (message = pt_curl.multi_info_read (self->multi, &n_left)) != NULL) {
    PtHttpRequest *request = NULL;
    CURLcode result = message->data.result;

    if (message->msg != CURLMSG_DONE)
      continue;
    pt_curl.easy_getinfo (message->easy_handle, CURLINFO_PRIVATE, &request);
    finish (request, result);
    any = TRUE;
  }
  if (code == CURLM_OK && !any)
    code = pt_curl.multi_poll (self->multi, NULL, 0, (int) wait_ms, NULL);
  return code == CURLM_OK || pt_fail (error, PT_ERROR_NETWORK, "The network cannot be used: %s.",
                                      pt_curl.multi_strerror (code));
}

gboolean
pt_http_step (PtHttp *self, guint wait_ms, GError **error)
{
  PtSignalMask before;
  gboolean going;

  pt_pipe_signal_block (&before);
  going = step (self, wait_ms, error);
  pt_pipe_signal_restore (&before);
  return going;
}

/* ---- short answers ---- */

typedef struct {
  const char *address;
  gsize max_bytes;
  GByteArray *bytes;
  PtHttpRefuseFunc refuse;
  gpointer user_data;
  char *next;
  gboolean done, is_passing;
  guint64 wait_s;
  GError *error;
} Reading;

static gboolean
on_piece (const PtHttpAnswer *answer, gconstpointer data, gsize size, gpointer user_data,
          GError **error)
{
  Reading *self = user_data;
  g_autofree char *host = NULL;

  if (size <= self->max_bytes - self->bytes->len) {
    g_byte_array_append (self->bytes, data, (guint) size);
    return TRUE;
  }
  host = pt_hub_host_of (answer->address);
  return pt_fail (error, PT_ERROR_FORMAT,
                  "An answer of %s is longer than %" G_GSIZE_FORMAT
                  " MB, and no answer of a hub is. Check the address of the hub.",
                  host, self->max_bytes >> 20);
}

static void
on_end (const PtHttpAnswer *answer, const GError *error, gpointer user_data)
{
  Reading *self = user_data;

  self->done = TRUE;
  self->is_passing = answer->is_passing;
  self->wait_s = answer->wait_s;
  self->next = g_strdup (answer->next);
  if (error != NULL)
    self->error = g_error_copy (error);
  else if (answer->status < 200 || answer->status >= 300)
    self->refuse (answer, self->user_data, &self->error);
}

static gboolean
pause_for (guint64 ms, GCancellable *cancellable, GError **error)
{
  gint64 end = g_get_monotonic_time () + (gint64) ms * 1000;

  while (g_get_monotonic_time () < end) {
    if (pt_hub_is_stopped (cancellable, error))
      return FALSE;
    g_usleep (LOOK_MS * 1000);
  }
  return TRUE;
}

static gboolean
read_once (PtHttp *self, Reading *reading, GCancellable *cancellable, GError **error)
{
  reading->done = FALSE;
  g_clear_error (&reading->error);
  g_clear_pointer (&reading->next, g_free);
  g_byte_array_set_size (reading->bytes, 0);
  if (pt_http_start (self, reading->address, 0, on_piece, on_end, reading, error) == NULL)
    return FALSE;
  while (!reading->done)
    if (pt_hub_is_stopped (cancellable, error) || !pt_http_step (self, LOOK_MS, error))
      return FALSE;
  return TRUE;
}

/* Whether to ask once more, after a while. */
static gboolean
shall_repeat (PtHttp *self, const Reading *reading, guint attempt, guint64 *pause_ms)
{
  *pause_ms = (guint64) self->times.pause_ms << attempt;
  if (reading->error == NULL || !reading->is_passing || attempt + 1 >= MAX_ATTEMPTS)
    return FALSE;
  if (reading->wait_s != G_MAXUINT64)
    *pause_ms = reading->wait_s * 1000;
  return *pause_ms <= (guint64) self->times.patience_s * 1000;
}

GBytes *
pt_http_read (PtHttp *self, const char *address, gsize max_bytes, char **next,
              PtHttpRefuseFunc refuse, gpointer user_data, GCancellable *cancellable,
              GError **error)
{
  Reading reading = {
    .address = address, .max_bytes = max_bytes, .refuse = refuse, .user_data = user_data
  };
  guint64 pause_ms = 0;
  gboolean whole;

  reading.bytes = g_byte_array_new ();
  whole = read_once (self, &reading, cancellable, error);
  for (guint i = 0; whole && shall_repeat (self, &reading, i, &pause_ms); i++)
    whole =
        pause_for (pause_ms, cancellable, error) && read_once (self, &reading, cancellable, error);
  if (whole && reading.error != NULL) {
    g_propagate_error (error, g_steal_pointer (&reading.error));
    whole = FALSE;
  }
  g_clear_error (&reading.error);
  if (whole && next != NULL)
    *next = g_steal_pointer (&reading.next);
  g_free (reading.next);
  if (whole)
    return g_byte_array_free_to_bytes (reading.bytes);
  g_byte_array_unref (reading.bytes);
  return NULL;
}
