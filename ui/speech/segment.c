/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/segment.h"

#include <stdio.h>
#include <string.h>

struct _PterisSegment {
  GObject parent_instance;

  gint64 id;
  double start, end;
  guint speaker; /* 0: not known */
  char *text;
  GArray *doubts; /* PtWord; NULL: none */
};

G_DEFINE_FINAL_TYPE (PterisSegment, pteris_segment, G_TYPE_OBJECT)

static void
pteris_segment_finalize (GObject *object)
{
  PterisSegment *self = PTERIS_SEGMENT (object);

  g_free (self->text);
  g_clear_pointer (&self->doubts, g_array_unref);
  G_OBJECT_CLASS (pteris_segment_parent_class)->finalize (object);
}

static void
pteris_segment_class_init (PterisSegmentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_segment_finalize;
}

static void
pteris_segment_init (PterisSegment *self)
{
}

PterisSegment *
pteris_segment_new (gint64 id, double start, double end, const char *text)
{
  PterisSegment *self = g_object_new (PTERIS_TYPE_SEGMENT, NULL);

  self->id = id;
  self->start = start;
  self->end = end;
  self->text = g_strstrip (g_utf8_make_valid (text, -1));
  return self;
}

/* ---- words in doubt ---- */

static gboolean
is_boundary (const char *text, gsize offset)
{
  return ((guchar) text[offset] & 0xc0) != 0x80;
}

static void
add_doubt (PterisSegment *self, const PtWord *word)
{
  gsize length = strlen (self->text);

  if (word->length == 0 || word->start > length || word->length > length - word->start ||
      !is_boundary (self->text, word->start) ||
      !is_boundary (self->text, word->start + word->length))
    return;
  if (self->doubts == NULL)
    self->doubts = g_array_new (FALSE, FALSE, sizeof (PtWord));
  g_array_append_vals (self->doubts, word, 1);
}

void
pteris_segment_take_words (PterisSegment *self, const PtWord *words, guint n)
{
  for (guint i = 0; i < n; i++)
    if (words[i].probability < PTERIS_SEGMENT_DOUBT)
      add_doubt (self, &words[i]);
}

const PtWord *
pteris_segment_get_doubts (PterisSegment *self, guint *n)
{
  *n = self->doubts != NULL ? self->doubts->len : 0;
  return *n > 0 ? (const PtWord *) self->doubts->data : NULL;
}

char *
pteris_segment_write_doubts (PterisSegment *self)
{
  GString *out;

  if (self->doubts == NULL)
    return NULL;
  out = g_string_new (NULL);
  for (guint i = 0; i < self->doubts->len; i++) {
    const PtWord *word = &g_array_index (self->doubts, PtWord, i);

    g_string_append_printf (out, "%s%u+%u@%d", i > 0 ? " " : "", word->start, word->length,
                            (int) (100 * word->probability));
  }
  return g_string_free (out, FALSE);
}

void
pteris_segment_read_doubts (PterisSegment *self, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", " ", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    unsigned start, length;
    int percent;

    if (sscanf (parts[i], "%u+%u@%d", &start, &length, &percent) == 3)
      add_doubt (self, &(PtWord){ start, length, (float) percent / 100 });
  }
}

/* ---- properties ---- */

void
pteris_segment_set_speaker (PterisSegment *self, guint speaker)
{
  self->speaker = speaker;
}

guint
pteris_segment_get_speaker (PterisSegment *self)
{
  return self->speaker;
}

gint64
pteris_segment_get_id (PterisSegment *self)
{
  return self->id;
}

double
pteris_segment_get_start (PterisSegment *self)
{
  return self->start;
}

double
pteris_segment_get_end (PterisSegment *self)
{
  return self->end;
}

const char *
pteris_segment_get_text (PterisSegment *self)
{
  return self->text;
}
