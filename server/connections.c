/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/connections.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <winsock2.h>
#else
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#endif

#include "server/fault.h"

/* Seconds until the headers of the first request have to be there. */
#define FIRST_SECONDS 20
/* How long a client may take to read why its request is refused. */
#define REFUSAL_MS 500
/* How long the SoupServer may take to notice that a connection was cut. */
#define CUT_MS 5000
#define BACKLOG 128
/* How many ports are tried from the usual one on. */
#define MOST_PORTS 32
/* The connection of a remote address. */
#define ADDRESS_KEY "pteris-connection"

struct _PterisConnection {
  gatomicrefcount references;
  PterisConnections *owner;  /* NULL: it is closed */
  GSocketConnection *stream; /* not a reference: it belongs to the SoupServer; NULL: closed */
  guint64 number;
  gint64 deadline; /* monotonic time; 0: none */
  GSource *watch;  /* of the socket, or NULL */
  GSource *closing;
  SoupServerMessage *refused; /* reference: the SoupServer does not read it; or NULL */
  PterisGoneFunc gone;
  gpointer user_data;
};

struct _PterisConnections {
  SoupServer *soup;
  GSocketListener *listener;
  GCancellable *cancellable;
  GHashTable *open; /* PterisConnection, with a reference */
  GSource *sweep;
  guint most, port;
  guint64 last;
};

/* ---- one connection ---- */

PterisConnection *
pteris_connection_ref (PterisConnection *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

static void
drop_source (GSource **source)
{
  if (*source == NULL)
    return;
  g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

void
pteris_connection_unref (PterisConnection *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  drop_source (&self->watch);
  drop_source (&self->closing);
  g_clear_object (&self->refused);
  g_free (self);
}

guint64
pteris_connection_get_number (const PterisConnection *self)
{
  return self->number;
}

void
pteris_connection_set_deadline (PterisConnection *self, guint seconds)
{
  self->deadline = seconds > 0 ? g_get_monotonic_time () + seconds * G_USEC_PER_SEC : 0;
}

static GSocket *
socket_of (PterisConnection *self)
{
  return self->stream != NULL ? g_socket_connection_get_socket (self->stream) : NULL;
}

/* Sources of the SoupServer notice that the socket is closed. */
static gboolean
on_closing (gpointer data)
{
  PterisConnection *self = data;
  GSocket *socket = socket_of (self);

  drop_source (&self->watch);
  if (socket != NULL)
    g_socket_close (socket, NULL);
  if (socket != NULL && self->refused != NULL)
    soup_server_message_unpause (self->refused);
  g_clear_object (&self->refused);
  return G_SOURCE_REMOVE;
}

/* Never within a callback of the SoupServer. */
static void
close_in (PterisConnection *self, guint ms)
{
  self->closing = g_timeout_source_new (ms);
  g_source_set_callback (self->closing, on_closing, pteris_connection_ref (self),
                         (GDestroyNotify) pteris_connection_unref);
  g_source_attach (self->closing, g_main_context_get_thread_default ());
}

void
pteris_connection_cut (PterisConnection *self)
{
  if (self->closing != NULL || self->stream == NULL)
    return;
  /* The SoupServer notices this, and closes the socket itself. */
  g_socket_shutdown (socket_of (self), TRUE, TRUE, NULL);
  close_in (self, CUT_MS);
}

/* A client that goes on sending gets an error when the socket is closed; without this it may wait
 * for a minute. */
static void
set_abort (GSocket *socket)
{
  struct linger linger = { .l_onoff = 1, .l_linger = 0 };

  setsockopt (g_socket_get_fd (socket), SOL_SOCKET, SO_LINGER, (const void *) &linger,
              sizeof linger);
}

void
pteris_connection_refuse (PterisConnection *self, SoupServerMessage *message, guint status,
                          const char *json)
{
  g_autofree char *response = NULL;

  if (self->stream == NULL || self->closing != NULL)
    return;
  response = g_strdup_printf ("HTTP/1.1 %u %s\r\nContent-Type: application/json\r\n"
                              "Content-Length: %" G_GSIZE_FORMAT "\r\nConnection: close\r\n\r\n%s",
                              status, soup_status_get_phrase (status), strlen (json), json);
  /* If it does not fit into the buffer of a new connection, nobody reads. */
  g_socket_send_with_blocking (socket_of (self), response, strlen (response), FALSE, NULL, NULL);
  g_socket_shutdown (socket_of (self), FALSE, TRUE, NULL);
  set_abort (socket_of (self));
  /* It would read as long as there is something to read: a fast sender would hold the thread. */
  if (message != NULL) {
    soup_server_message_pause (message);
    self->refused = g_object_ref (message);
  }
  close_in (self, REFUSAL_MS);
}

static void
tell_gone (PterisConnection *self)
{
  PterisGoneFunc gone = self->gone;

  drop_source (&self->watch);
  self->gone = NULL;
  if (gone != NULL)
    gone (self->user_data);
}

/* What can be read while a request is answered is the end, or the next request. */
static gboolean
on_readable (GSocket *socket, GIOCondition condition, gpointer data)
{
  PterisConnection *self = data;
  GInputVector vector;
  char byte;
  int flags = G_SOCKET_MSG_PEEK;
  gssize n = 1;

  vector.buffer = &byte;
  vector.size = 1;
  if ((condition & (G_IO_HUP | G_IO_ERR)) == 0)
    n = g_socket_receive_message (socket, NULL, &vector, 1, NULL, NULL, &flags, NULL, NULL);
  else
    n = 0;
  g_clear_pointer (&self->watch, g_source_unref);
  if (n <= 0)
    tell_gone (self);
  return G_SOURCE_REMOVE;
}

void
pteris_connection_watch (PterisConnection *self, PterisGoneFunc func, gpointer user_data)
{
  drop_source (&self->watch);
  self->gone = func;
  self->user_data = user_data;
  if (func == NULL || self->stream == NULL || g_socket_is_closed (socket_of (self)))
    return;
  self->watch = g_socket_create_source (socket_of (self), G_IO_IN | G_IO_HUP | G_IO_ERR, NULL);
  g_source_set_callback (self->watch, G_SOURCE_FUNC (on_readable), pteris_connection_ref (self),
                         (GDestroyNotify) pteris_connection_unref);
  g_source_attach (self->watch, g_main_context_get_thread_default ());
}

/* ---- all of them ---- */

/* The SoupServer has given the connection up. */
static void
on_stream_gone (gpointer data, GObject *stream)
{
  PterisConnection *self = data;
  PterisConnections *owner = self->owner;

  self->stream = NULL;
  self->owner = NULL;
  drop_source (&self->watch);
  if (owner != NULL)
    g_hash_table_remove (owner->open, self);
  pteris_connection_unref (self);
}

static void
take_stream (PterisConnections *self, GSocketConnection *stream)
{
  g_autoptr (GSocketAddress) local = g_socket_connection_get_local_address (stream, NULL);
  g_autoptr (GSocketAddress) remote = g_socket_connection_get_remote_address (stream, NULL);
  g_autoptr (GError) error = NULL;
  PterisConnection *connection;

  if (local == NULL || remote == NULL)
    return;
  connection = g_new0 (PterisConnection, 1);
  g_atomic_ref_count_init (&connection->references);
  connection->owner = self;
  connection->stream = stream;
  connection->number = ++self->last;
  pteris_connection_set_deadline (connection, FIRST_SECONDS);
  g_object_weak_ref (G_OBJECT (stream), on_stream_gone, pteris_connection_ref (connection));
  g_hash_table_add (self->open, connection);
  if (g_hash_table_size (self->open) > self->most) {
    pteris_connection_refuse (connection, NULL, 503,
                              "{\"error\": {\"message\": \"There are too many connections. Close "
                              "some, and try again.\", \"type\": \"server_error\", \"param\": "
                              "null, \"code\": \"too_many_connections\"}}");
    g_socket_close (g_socket_connection_get_socket (stream), NULL);
    return;
  }
  g_tcp_connection_set_graceful_disconnect (G_TCP_CONNECTION (stream), FALSE);
  g_socket_set_option (g_socket_connection_get_socket (stream), IPPROTO_TCP, TCP_NODELAY, 1, NULL);
  g_object_set_data_full (G_OBJECT (remote), ADDRESS_KEY, pteris_connection_ref (connection),
                          (GDestroyNotify) pteris_connection_unref);
  soup_server_accept_iostream (self->soup, G_IO_STREAM (stream), local, remote, &error);
}

static void accept_next (PterisConnections *self);

static void
on_accepted (GObject *source, GAsyncResult *result, gpointer data)
{
  PterisConnections *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnection) stream =
      g_socket_listener_accept_finish (G_SOCKET_LISTENER (source), result, NULL, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
      g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CLOSED))
    return;
  if (stream != NULL)
    take_stream (self, stream);
  accept_next (self);
}

static void
accept_next (PterisConnections *self)
{
  g_socket_listener_accept_async (self->listener, self->cancellable, on_accepted, self);
}

static gboolean
on_sweep (gpointer data)
{
  PterisConnections *self = data;
  gint64 now = g_get_monotonic_time ();
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    PterisConnection *connection = key;

    if (connection->deadline != 0 && connection->deadline < now)
      pteris_connection_cut (connection);
  }
  return G_SOURCE_CONTINUE;
}

/* A SoupServer closes each connection behind its first response unless it has a listener of its
 * own. This one never gets a connection: it is a datagram socket whose only peer is itself. */
static gboolean
add_listener (SoupServer *soup)
{
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) any = g_inet_socket_address_new (loopback, 0), own = NULL;
  g_autoptr (GSocket) socket =
      g_socket_new (G_SOCKET_FAMILY_IPV4, G_SOCKET_TYPE_DATAGRAM, G_SOCKET_PROTOCOL_UDP, NULL);

  if (socket == NULL || !g_socket_bind (socket, any, FALSE, NULL))
    return FALSE;
  own = g_socket_get_local_address (socket, NULL);
  return own != NULL && g_socket_connect (socket, own, NULL, NULL) &&
         soup_server_listen_socket (soup, socket, 0, NULL);
}

PterisConnections *
pteris_connections_new (SoupServer *soup, guint most)
{
  PterisConnections *self = g_new0 (PterisConnections, 1);

  self->soup = soup;
  self->most = most;
  if (!add_listener (soup))
    g_info ("Each connection is closed behind its first response.");
  self->listener = g_socket_listener_new ();
  g_socket_listener_set_backlog (self->listener, BACKLOG);
  self->cancellable = g_cancellable_new ();
  self->open = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) pteris_connection_unref, NULL);
  self->sweep = g_timeout_source_new_seconds (1);
  g_source_set_callback (self->sweep, on_sweep, self, NULL);
  g_source_attach (self->sweep, g_main_context_get_thread_default ());
  return self;
}

void
pteris_connections_stop_listening (PterisConnections *self)
{
  g_cancellable_cancel (self->cancellable);
  g_socket_listener_close (self->listener);
}

void
pteris_connections_free (PterisConnections *self)
{
  GHashTableIter iter;
  gpointer key;

  if (self == NULL)
    return;
  pteris_connections_stop_listening (self);
  g_hash_table_iter_init (&iter, self->open);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    PterisConnection *connection = key;

    connection->owner = NULL;
    pteris_connection_cut (connection);
    /* Windows says nothing of a socket that was shut down here until the other side answers. */
    tell_gone (connection);
  }
  g_hash_table_unref (self->open);
  drop_source (&self->sweep);
  g_object_unref (self->listener);
  g_object_unref (self->cancellable);
  g_free (self);
}

static gboolean
try_port (PterisConnections *self, GInetAddress *address, guint port, GError **error)
{
  g_autoptr (GSocketAddress) wanted = g_inet_socket_address_new (address, (guint16) port);
  g_autoptr (GSocketAddress) got = NULL;

  if (!g_socket_listener_add_address (self->listener, wanted, G_SOCKET_TYPE_STREAM,
                                      G_SOCKET_PROTOCOL_TCP, NULL, &got, error))
    return FALSE;
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (got));
  accept_next (self);
  return TRUE;
}

gboolean
pteris_connections_listen (PterisConnections *self, const char *address, guint port, guint usual,
                           GError **error)
{
  g_autoptr (GInetAddress) inet = g_inet_address_new_from_string (address);

  if (inet == NULL)
    return pteris_fault_set (error, 0, NULL, NULL,
                             "“%s” is not an address. Use one of this machine, such as 127.0.0.1.",
                             address);
  for (guint i = 0; i < (port != 0 ? 1 : MOST_PORTS); i++) {
    guint wanted = port != 0 ? port : usual + i;
    g_autoptr (GError) cause = NULL;

    if (try_port (self, inet, wanted, &cause))
      return TRUE;
    if (port != 0 || !g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_ADDRESS_IN_USE))
      return pteris_fault_set (error, 0, NULL, NULL,
                               "Cannot listen on port %u of %s: %s. Use another port.", wanted,
                               address, cause->message);
  }
  return pteris_fault_set (error, 0, NULL, NULL,
                           "The ports %u to %u of %s are in use. Use another port.", usual,
                           usual + MOST_PORTS - 1, address);
}

guint
pteris_connections_get_port (const PterisConnections *self)
{
  return self->port;
}

guint
pteris_connections_count (const PterisConnections *self)
{
  return g_hash_table_size (self->open);
}

PterisConnection *
pteris_connection_of (SoupServerMessage *message)
{
  GSocketAddress *remote = soup_server_message_get_remote_address (message);

  return remote != NULL ? g_object_get_data (G_OBJECT (remote), ADDRESS_KEY) : NULL;
}
