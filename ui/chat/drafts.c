/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/drafts.h"

#include <gio/gio.h>

#include "ui/history/history-store.h"

struct _PterisDrafts {
  GObject parent_instance;

  GHashTable *texts; /* gint64 -> text */
};

G_DEFINE_FINAL_TYPE (PterisDrafts, pteris_drafts, G_TYPE_OBJECT)

enum { SIGNAL_READY, N_SIGNALS };
static guint signals[N_SIGNALS];

const char *
pteris_drafts_get (PterisDrafts *self, gint64 conversation)
{
  const char *text = g_hash_table_lookup (self->texts, &conversation);

  return text != NULL ? text : "";
}

void
pteris_drafts_set (PterisDrafts *self, gint64 conversation, const char *text)
{
  if (g_str_equal (pteris_drafts_get (self, conversation), text))
    return;
  if (text[0] != '\0') {
    g_hash_table_replace (self->texts, g_memdup2 (&conversation, sizeof conversation),
                          g_strdup (text));
    pteris_store_write ("INSERT OR REPLACE INTO draft (conversation, text) VALUES (?1, ?2)", "is",
                        conversation, text);
  } else {
    g_hash_table_remove (self->texts, &conversation);
    pteris_store_write ("DELETE FROM draft WHERE conversation = ?1", "i", conversation);
  }
}

static GHashTable *
make_table (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
}

static void
take_row (const PterisRow *row, gpointer texts)
{
  gint64 id = pteris_row_int (row, 0);
  const char *text = pteris_row_text (row, 1);

  if (text != NULL)
    g_hash_table_replace (texts, g_memdup2 (&id, sizeof id), g_strdup (text));
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GHashTable *texts = make_table ();

  pteris_store_read (
      NULL, take_row, texts,
      "SELECT conversation, text FROM draft WHERE conversation = 0 OR conversation IN"
      " (SELECT id FROM conversation)",
      "");
  g_task_return_pointer (task, texts, (GDestroyNotify) g_hash_table_unref);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisDrafts *self = PTERIS_DRAFTS (source);
  g_autoptr (GHashTable) texts = g_task_propagate_pointer (G_TASK (result), NULL);
  GHashTableIter iter;
  gpointer id, text;

  /* Texts written during the reading are newer. */
  g_hash_table_iter_init (&iter, texts);
  while (g_hash_table_iter_next (&iter, &id, &text))
    if (!g_hash_table_contains (self->texts, id))
      g_hash_table_insert (self->texts, g_memdup2 (id, sizeof (gint64)), g_strdup (text));
  g_signal_emit (self, signals[SIGNAL_READY], 0);
}

static void
pteris_drafts_finalize (GObject *object)
{
  g_hash_table_unref (PTERIS_DRAFTS (object)->texts);
  G_OBJECT_CLASS (pteris_drafts_parent_class)->finalize (object);
}

static void
pteris_drafts_class_init (PterisDraftsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_drafts_finalize;
  signals[SIGNAL_READY] = g_signal_new ("ready", PTERIS_TYPE_DRAFTS, G_SIGNAL_RUN_LAST, 0, NULL,
                                        NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_drafts_init (PterisDrafts *self)
{
  self->texts = make_table ();
}

PterisDrafts *
pteris_drafts_new (void)
{
  PterisDrafts *self = g_object_new (PTERIS_TYPE_DRAFTS, NULL);
  g_autoptr (GTask) task = g_task_new (self, NULL, on_read, NULL);

  g_task_set_source_tag (task, pteris_drafts_new);
  g_task_run_in_thread (task, read_in_thread);
  return self;
}
