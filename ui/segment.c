/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/segment.h"

struct _PterisSegment {
  GObject parent_instance;

  gint64 id;
  double start, end;
  char *text;
};

G_DEFINE_FINAL_TYPE (PterisSegment, pteris_segment, G_TYPE_OBJECT)

static void
pteris_segment_finalize (GObject *object)
{
  g_free (PTERIS_SEGMENT (object)->text);
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
