/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <libsoup/soup.h>

G_BEGIN_DECLS

/**
 * PterisConnections: accepts connections for a SoupServer, and closes those that take too long, are
 * too many, or do not read what they asked for. Server thread.
 */
typedef struct _PterisConnections PterisConnections;
/** One connection, with reference count. */
typedef struct _PterisConnection PterisConnection;

/** The client has closed its connection. */
typedef void (*PterisGoneFunc) (gpointer user_data);

/** @soup: gets the connections. @most: how many there may be at a time. */
PterisConnections *pteris_connections_new (SoupServer *soup, guint most);
/** Closes all of them. */
void pteris_connections_free (PterisConnections *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisConnections, pteris_connections_free)

/**
 * Listen on @address. @port: 0: @usual or one of the next ports that are free. PTERIS_FAULT with
 * status 0: there is none, or @address is no address of this machine.
 */
gboolean pteris_connections_listen (PterisConnections *self, const char *address, guint port,
                                    guint usual, GError **error);

/** Accept no more connections. */
void pteris_connections_stop_listening (PterisConnections *self);

guint pteris_connections_get_port (const PterisConnections *self);
guint pteris_connections_count (const PterisConnections *self);

/** The connection of @message; NULL: it is closed. Not a new reference. */
PterisConnection *pteris_connection_of (SoupServerMessage *message);

PterisConnection *pteris_connection_ref (PterisConnection *self);
void pteris_connection_unref (PterisConnection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisConnection, pteris_connection_unref)

/** Number of the connection, from 1. */
guint64 pteris_connection_get_number (const PterisConnection *self);

/** Close it in @seconds unless another deadline is set; 0: there is none. */
void pteris_connection_set_deadline (PterisConnection *self, guint seconds);

/** Call @func once when the client closes the connection; NULL: not any more. */
void pteris_connection_watch (PterisConnection *self, PterisGoneFunc func, gpointer user_data);

/** Close it. */
void pteris_connection_cut (PterisConnection *self);

/**
 * Send a response around the SoupServer, and close it: the rest of the request @message is not
 * read. NULL: the SoupServer does not know the connection yet.
 */
void pteris_connection_refuse (PterisConnection *self, SoupServerMessage *message, guint status,
                               const char *json);

G_END_DECLS
