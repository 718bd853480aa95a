/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/turns.h"

/* Clients without items are forgotten when there are more. */
#define MOST_CLIENTS 256

typedef struct {
  gpointer item;
  guint64 number;
} Entry;

typedef struct {
  double clock;
  GQueue entries; /* Entry */
} Client;

struct _PterisTurns {
  GHashTable *clients; /* name -> Client */
  double clock;        /* of the client of the last item */
  guint64 last;
  guint n_items;
};

static void
client_free (gpointer data)
{
  Client *client = data;

  g_queue_clear_full (&client->entries, g_free);
  g_free (client);
}

PterisTurns *
pteris_turns_new (void)
{
  PterisTurns *self = g_new0 (PterisTurns, 1);

  self->clients = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, client_free);
  return self;
}

void
pteris_turns_free (PterisTurns *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->clients);
  g_free (self);
}

static gboolean
is_idle (gpointer name, gpointer value, gpointer data)
{
  const Client *client = value;
  const PterisTurns *self = data;

  return g_queue_is_empty ((GQueue *) &client->entries) && client->clock <= self->clock;
}

static Client *
find_client (PterisTurns *self, const char *name)
{
  Client *client = g_hash_table_lookup (self->clients, name);

  if (client != NULL)
    return client;
  if (g_hash_table_size (self->clients) >= MOST_CLIENTS)
    g_hash_table_foreach_remove (self->clients, is_idle, self);
  client = g_new0 (Client, 1);
  client->clock = self->clock;
  g_queue_init (&client->entries);
  g_hash_table_insert (self->clients, g_strdup (name), client);
  return client;
}

void
pteris_turns_push (PterisTurns *self, const char *client, gpointer item)
{
  Client *found = find_client (self, client);
  Entry *entry = g_new (Entry, 1);

  if (g_queue_is_empty (&found->entries))
    found->clock = MAX (found->clock, self->clock);
  *entry = (Entry){ item, ++self->last };
  g_queue_push_tail (&found->entries, entry);
  self->n_items++;
}

/* The oldest item of @client that @func accepts; NULL: there is none. */
static GList *
find_accepted (const Client *client, PterisTurnsFunc func, gconstpointer user_data)
{
  GList *link = client->entries.head;

  while (link != NULL && func != NULL && !func (((Entry *) link->data)->item, user_data))
    link = link->next;
  return link;
}

static gboolean
is_before (const Client *a, const GList *item_a, const Client *b, const GList *item_b)
{
  if (a->clock < b->clock || a->clock > b->clock)
    return a->clock < b->clock;
  return ((Entry *) item_a->data)->number < ((Entry *) item_b->data)->number;
}

gpointer
pteris_turns_pop (PterisTurns *self, PterisTurnsFunc func, gconstpointer user_data)
{
  Client *next = NULL;
  GList *found = NULL;
  GHashTableIter iter;
  gpointer value, item;

  g_hash_table_iter_init (&iter, self->clients);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Client *client = value;
    GList *link = find_accepted (client, func, user_data);

    if (link != NULL && (next == NULL || is_before (client, link, next, found))) {
      next = client;
      found = link;
    }
  }
  if (next == NULL)
    return NULL;
  self->clock = MAX (self->clock, next->clock);
  self->n_items--;
  item = ((Entry *) found->data)->item;
  g_free (found->data);
  g_queue_delete_link (&next->entries, found);
  return item;
}

gboolean
pteris_turns_remove (PterisTurns *self, gpointer item)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->clients);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    Client *client = value;

    for (GList *link = client->entries.head; link != NULL; link = link->next)
      if (((Entry *) link->data)->item == item) {
        g_free (link->data);
        g_queue_delete_link (&client->entries, link);
        self->n_items--;
        return TRUE;
      }
  }
  return FALSE;
}

void
pteris_turns_charge (PterisTurns *self, const char *client, double seconds)
{
  find_client (self, client)->clock += MAX (seconds, 0);
}

void
pteris_turns_collect (PterisTurns *self, GPtrArray *items)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->clients);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    for (GList *link = ((Client *) value)->entries.head; link != NULL; link = link->next)
      g_ptr_array_add (items, ((Entry *) link->data)->item);
  }
}

guint
pteris_turns_count (const PterisTurns *self)
{
  return self->n_items;
}
