/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/message.h"

struct _PterisMessage {
  GObject parent_instance;

  gint64 id, parent;
  guint version, n_versions;
  char *author;
  gboolean answer;
  GString *text;
  PterisMessageState state;
  char *status;
  char *reason;
  char *error;
  PtError code;
  PtStats stats;
};

G_DEFINE_FINAL_TYPE (PterisMessage, pteris_message, G_TYPE_OBJECT)

enum { SIGNAL_APPENDED, SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisMessage *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
replace (char **field, const char *value)
{
  char *copy = g_strdup (value);

  g_free (*field);
  *field = copy;
}

static void
pteris_message_finalize (GObject *object)
{
  PterisMessage *self = PTERIS_MESSAGE (object);

  g_free (self->author);
  g_string_free (self->text, TRUE);
  g_free (self->status);
  g_free (self->reason);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_message_parent_class)->finalize (object);
}

static void
pteris_message_class_init (PterisMessageClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_message_finalize;

  signals[SIGNAL_APPENDED] = g_signal_new ("appended", PTERIS_TYPE_MESSAGE, G_SIGNAL_RUN_LAST, 0,
                                           NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_MESSAGE, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_message_init (PterisMessage *self)
{
  self->text = g_string_new (NULL);
  self->n_versions = 1;
}

PterisMessage *
pteris_message_new (const char *author, const char *text)
{
  PterisMessage *self = g_object_new (PTERIS_TYPE_MESSAGE, NULL);

  self->answer = author != NULL;
  self->author = g_strdup (author);
  self->state = self->answer ? PTERIS_MESSAGE_WAITING : PTERIS_MESSAGE_DONE;
  if (text != NULL)
    g_string_append (self->text, text);
  return self;
}

gboolean
pteris_message_is_answer (PterisMessage *self)
{
  return self->answer;
}

gint64
pteris_message_get_id (PterisMessage *self)
{
  return self->id;
}

gint64
pteris_message_get_parent (PterisMessage *self)
{
  return self->parent;
}

void
pteris_message_set_ids (PterisMessage *self, gint64 id, gint64 parent)
{
  self->id = id;
  self->parent = parent;
}

void
pteris_message_set_version (PterisMessage *self, guint index, guint count)
{
  if (self->version == index && self->n_versions == count)
    return;
  self->version = index;
  self->n_versions = count;
  changed (self);
}

guint
pteris_message_get_version (PterisMessage *self, guint *count)
{
  *count = self->n_versions;
  return self->version;
}

const char *
pteris_message_get_author (PterisMessage *self)
{
  return self->author;
}

const char *
pteris_message_get_text (PterisMessage *self)
{
  return self->text->str;
}

PterisMessageState
pteris_message_get_state (PterisMessage *self)
{
  return self->state;
}

const char *
pteris_message_get_status (PterisMessage *self)
{
  return self->status;
}

const char *
pteris_message_get_reason (PterisMessage *self)
{
  return self->reason;
}

const PtStats *
pteris_message_get_stats (PterisMessage *self)
{
  return &self->stats;
}

const char *
pteris_message_get_error (PterisMessage *self, PtError *code)
{
  if (code != NULL)
    *code = self->code;
  return self->error;
}

void
pteris_message_append (PterisMessage *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append (self->text, valid);
  if (self->state == PTERIS_MESSAGE_WAITING) {
    self->state = PTERIS_MESSAGE_STREAMING;
    changed (self);
  }
  g_signal_emit (self, signals[SIGNAL_APPENDED], 0);
}

void
pteris_message_set_author (PterisMessage *self, const char *author)
{
  replace (&self->author, author);
  changed (self);
}

void
pteris_message_set_status (PterisMessage *self, const char *status)
{
  if (g_strcmp0 (self->status, status) == 0)
    return;
  replace (&self->status, status);
  changed (self);
}

void
pteris_message_set_stats (PterisMessage *self, const PtStats *stats)
{
  self->stats = *stats;
  changed (self);
}

void
pteris_message_finish (PterisMessage *self, PterisMessageState state, const char *reason)
{
  self->state = state;
  replace (&self->reason, reason);
  changed (self);
}

void
pteris_message_fail (PterisMessage *self, PtError code, const char *sentence)
{
  self->state = PTERIS_MESSAGE_FAILED;
  self->code = code;
  replace (&self->error, sentence);
  changed (self);
}
