/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/update-request.h"

#include "engine/base/set-error.h"

#define LOOK_MS 50

typedef struct {
  GByteArray *bytes;
  gsize max_bytes;
  gboolean is_done;
  guint status;
  GError *error;
} Request;

static gboolean
on_bytes (const PtHttpAnswer *answer, gconstpointer data, gsize size, gpointer user_data,
          GError **error)
{
  Request *self = user_data;

  if (size > self->max_bytes - self->bytes->len)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "The list of versions is longer than %" G_GSIZE_FORMAT
                    " KB, and none is. Check the address.",
                    self->max_bytes / 1024);
  g_byte_array_append (self->bytes, data, (guint) size);
  return TRUE;
}

static void
on_done (const PtHttpAnswer *answer, const GError *error, gpointer user_data)
{
  Request *self = user_data;

  self->is_done = TRUE;
  self->status = answer->status;
  if (error != NULL)
    self->error = g_error_copy (error);
}

/* FALSE with an error: it did not come to its end. */
static gboolean
wait_for (Request *self, PtHttp *http, const char *host, guint seconds, GCancellable *cancellable,
          GError **error)
{
  gint64 end = g_get_monotonic_time () + (gint64) seconds * G_USEC_PER_SEC;

  while (!self->is_done) {
    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if (g_get_monotonic_time () > end)
      return pt_fail (error, PT_ERROR_NETWORK,
                      "%s took longer than %u seconds for the list of versions. Try again later.",
                      host, seconds);
    if (!pt_http_step (http, LOOK_MS, error))
      return FALSE;
  }
  if (self->error != NULL) {
    g_propagate_error (error, g_steal_pointer (&self->error));
    return FALSE;
  }
  return self->status == 200 ||
         pt_fail (error, PT_ERROR_NETWORK,
                  "%s does not give the list of versions (status %u). Try again later.", host,
                  self->status);
}

static gboolean
ask (Request *self, const PtHubEndpoint *server, const char *address, PtUpdateTimes times,
     GCancellable *cancellable, GError **error)
{
  g_autoptr (PtHttp) http = pt_http_new (server, NULL, times.http, cancellable, error);

  if (http == NULL)
    return FALSE;
  pt_http_set_agent (http, "pteris");
  return pt_http_start (http, address, 0, on_bytes, on_done, self, error) != NULL &&
         wait_for (self, http, server->host, times.whole_s, cancellable, error);
}

GBytes *
pt_update_request (const char *address, gsize max_bytes, PtUpdateTimes times,
                   GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (PtHubEndpoint) server = pt_hub_endpoint_new (address, &problem);
  Request self = { .max_bytes = max_bytes };
  gboolean whole;

  if (server == NULL && !g_error_matches (problem, PT_ERROR, PT_ERROR_ARGUMENT)) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  }
  if (server == NULL) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "“%.200s” is not the address of a list of versions: it must begin with https:// and "
             "hold no password.",
             address);
    return NULL;
  }
  self.bytes = g_byte_array_new ();
  whole = ask (&self, server, address, times, cancellable, error);
  g_clear_error (&self.error);
  if (whole)
    return g_byte_array_free_to_bytes (self.bytes);
  g_byte_array_unref (self.bytes);
  return NULL;
}
