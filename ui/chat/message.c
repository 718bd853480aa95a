/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/message.h"

#include <pteris/chat.h>

struct _PterisMessage {
  GObject parent_instance;

  gint64 id, parent;
  guint version, n_versions;
  char *author;
  gboolean answer;
  GString *text;
  PterisMessageState state;
  char *status;
  gboolean may_go_first;
  PtReason reason;
  char *error;
  PtError code;
  char *alternative;
  char *report;
  GPtrArray *attachments; /* or NULL */
  PtStats stats;
  gint64 begin; /* time of the first text while it may be a thought; else 0 */
  double thinking_time;
  PterisMessagePlace place;
  gboolean aloud;
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
  g_free (self->error);
  g_free (self->alternative);
  g_free (self->report);
  g_clear_pointer (&self->attachments, g_ptr_array_unref);
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

gboolean
pteris_message_may_go_on (PterisMessage *self)
{
  if (pteris_message_get_text (self)[0] == '\0')
    return FALSE;
  return self->state == PTERIS_MESSAGE_STOPPED || self->state == PTERIS_MESSAGE_FAILED ||
         (self->state == PTERIS_MESSAGE_DONE &&
          (self->reason == PT_REASON_LENGTH || self->reason == PT_REASON_LOOP));
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

PtReason
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

GPtrArray *
pteris_message_get_attachments (PterisMessage *self)
{
  return self->attachments;
}

void
pteris_message_set_attachments (PterisMessage *self, GPtrArray *list)
{
  g_autoptr (GPtrArray) copy = NULL;

  if (list != NULL && list->len > 0) {
    copy = g_ptr_array_new_with_free_func (g_object_unref);
    for (guint i = 0; i < list->len; i++)
      g_ptr_array_add (copy, g_object_ref (list->pdata[i]));
  }
  g_clear_pointer (&self->attachments, g_ptr_array_unref);
  self->attachments = g_steal_pointer (&copy);
}

const char *
pteris_message_get_report (PterisMessage *self)
{
  return self->report;
}

void
pteris_message_set_report (PterisMessage *self, const char *path)
{
  replace (&self->report, path);
}

const char *
pteris_message_get_alternative (PterisMessage *self)
{
  return self->alternative;
}

void
pteris_message_set_alternative (PterisMessage *self, const char *path)
{
  replace (&self->alternative, path);
}

double
pteris_message_get_thinking_time (PterisMessage *self)
{
  return self->thinking_time;
}

void
pteris_message_set_thinking_time (PterisMessage *self, double seconds)
{
  self->thinking_time = seconds;
}

gboolean
pteris_message_is_aloud (PterisMessage *self)
{
  return self->aloud;
}

void
pteris_message_set_aloud (PterisMessage *self, gboolean aloud)
{
  if (self->aloud == aloud)
    return;
  self->aloud = aloud;
  changed (self);
}

PterisMessagePlace
pteris_message_get_place (PterisMessage *self)
{
  return self->place;
}

void
pteris_message_set_place (PterisMessage *self, PterisMessagePlace place)
{
  if (self->place == place)
    return;
  self->place = place;
  changed (self);
}

void
pteris_message_resume (PterisMessage *self)
{
  self->state = PTERIS_MESSAGE_WAITING;
  self->reason = PT_REASON_NONE;
  replace (&self->error, NULL);
  changed (self);
}

/* Measures the duration of a thought that has just ended. */
static void
measure_thinking (PterisMessage *self)
{
  PtThought thinking;

  if (self->thinking_time > 0)
    return;
  if (self->begin == 0)
    self->begin = g_get_monotonic_time ();
  thinking = pt_thinking_split (self->text->str);
  if (thinking.thought != NULL && !thinking.open)
    self->thinking_time = (double) (g_get_monotonic_time () - self->begin) / G_USEC_PER_SEC;
}

void
pteris_message_append (PterisMessage *self, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append (self->text, valid);
  measure_thinking (self);
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
  self->may_go_first = FALSE;
  changed (self);
}

void
pteris_message_set_may_go_first (PterisMessage *self)
{
  self->may_go_first = TRUE;
  changed (self);
}

gboolean
pteris_message_may_go_first (PterisMessage *self)
{
  return self->may_go_first;
}

void
pteris_message_set_stats (PterisMessage *self, const PtStats *stats)
{
  self->stats = *stats;
  changed (self);
}

void
pteris_message_finish (PterisMessage *self, PterisMessageState state, PtReason reason)
{
  self->state = state;
  self->reason = reason;
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
