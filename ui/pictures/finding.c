/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/finding.h"

#include "engine/base/clean.h"
#include "ui/i18n.h"
#include "ui/parts/format.h"

struct _PterisFinding {
  GObject parent_instance;

  char *name, *value, *detail;
  double share;
  gint64 colour;
};

G_DEFINE_FINAL_TYPE (PterisFinding, pteris_finding, G_TYPE_OBJECT)

const char *
pteris_finding_get_name (PterisFinding *self)
{
  return self->name;
}

const char *
pteris_finding_get_value (PterisFinding *self)
{
  return self->value;
}

const char *
pteris_finding_get_detail (PterisFinding *self)
{
  return self->detail;
}

double
pteris_finding_get_share (PterisFinding *self)
{
  return self->share;
}

gint64
pteris_finding_get_colour (PterisFinding *self)
{
  return self->colour;
}

static void
pteris_finding_finalize (GObject *object)
{
  PterisFinding *self = PTERIS_FINDING (object);

  g_free (self->name);
  g_free (self->value);
  g_free (self->detail);
  G_OBJECT_CLASS (pteris_finding_parent_class)->finalize (object);
}

static void
pteris_finding_class_init (PterisFindingClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_finding_finalize;
}

static void
pteris_finding_init (PterisFinding *self)
{
}

/* ---- in words ---- */

static char *
format_share (double share)
{
  return g_strdup_printf (_ ("%.1f %%"), share * 100);
}

/* Texts come from files: they are shown as one line without control characters. */
static char *
clean_label (const char *label, guint index)
{
  return label != NULL ? pt_clean_text (label, NULL, ' ')
                       : g_strdup_printf (_ ("Class %lld"), (long long) index);
}

static PterisFinding *
make (char *name, char *value, char *detail, double share, gint64 colour)
{
  PterisFinding *self = g_object_new (PTERIS_TYPE_FINDING, NULL);

  self->name = name;
  self->value = value;
  self->detail = detail;
  self->share = share;
  self->colour = colour;
  return self;
}

static PterisFinding *
from_class (const PtClass *one)
{
  return make (clean_label (one->label, one->index), format_share (one->probability), NULL,
               one->probability, -1);
}

static PterisFinding *
from_object (const PtObject *object, guint i)
{
  char *detail = NULL;
  guint n_found = 0;

  for (guint k = 0; k < object->n_points; k++)
    n_found += object->points[k].is_found;
  if (object->n_points > 0)
    detail = g_strdup_printf (_ ("%u of %u points"), n_found, object->n_points);
  return make (clean_label (object->label, object->index), format_share (object->score), detail, -1,
               pt_look_colour (i));
}

static PterisFinding *
from_region (const PtRegion *region)
{
  return make (clean_label (region->label, region->index), format_share (region->share), NULL,
               region->share, region->index > 0 ? (gint64) pt_look_colour (region->index - 1) : -1);
}

static PterisFinding *
from_line (const PtTextLine *line, guint i)
{
  char *name = line->text == NULL    ? g_strdup (_ ("Text"))
               : *line->text == '\0' ? g_strdup (_ ("Not readable"))
                                     : pt_clean_text (line->text, NULL, ' ');

  return make (name, line->text != NULL ? format_share (line->confidence) : g_strdup (""), NULL, -1,
               pt_look_colour (i));
}

static PterisFinding *
from_similarity (const PtSimilarity *one)
{
  /* Translators: of a text and a picture, as the cosine of an angle. */
  char *detail = g_strdup_printf (_ ("Similarity %.3f"), one->similarity);

  return make (pt_clean_text (one->text, NULL, ' '), format_share (one->probability), detail,
               one->probability, -1);
}

static guint
count_all (const PtLookPicture *picture, PtLookKind kind)
{
  switch (kind) {
  case PT_LOOK_CLASSES: return picture->n_classes;
  case PT_LOOK_OBJECTS:
  case PT_LOOK_POSES:
  case PT_LOOK_INSTANCES: return picture->n_objects;
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: return picture->n_regions;
  case PT_LOOK_WRITING: return picture->n_lines;
  case PT_LOOK_EMBEDDING: return picture->n_similarities;
  case PT_LOOK_STYLE:
  case PT_N_LOOK_KINDS: break;
  }
  return 0;
}

PterisFinding *
pteris_finding_new (const PtLookPicture *picture, PtLookKind kind, guint i)
{
  switch (kind) {
  case PT_LOOK_CLASSES: return from_class (&picture->classes[i]);
  case PT_LOOK_SEGMENTS:
  case PT_LOOK_PERSON: return from_region (&picture->regions[i]);
  case PT_LOOK_WRITING: return from_line (&picture->lines[i], i);
  case PT_LOOK_EMBEDDING: return from_similarity (&picture->similarities[i]);
  default: return from_object (&picture->objects[i], i);
  }
}

/* Objects are sorted by their score. */
guint
pteris_findings_count (const PtLookPicture *picture, PtLookKind kind, double least)
{
  guint n = count_all (picture, kind);

  if (kind == PT_LOOK_OBJECTS || kind == PT_LOOK_POSES || kind == PT_LOOK_INSTANCES)
    while (n > 0 && picture->objects[n - 1].score < least)
      n--;
  return n;
}

GListStore *
pteris_findings_new (const PtLookPicture *picture, PtLookKind kind, guint n)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);
  GListStore *store = g_list_store_new (PTERIS_TYPE_FINDING);

  for (guint i = 0; i < MIN (n, count_all (picture, kind)); i++)
    g_ptr_array_add (all, pteris_finding_new (picture, kind, i));
  g_list_store_splice (store, 0, 0, all->pdata, all->len);
  return store;
}

char *
pteris_findings_get_text (const PtLookPicture *picture)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < picture->n_lines; i++) {
    const char *text = picture->lines[i].text;
    g_autofree char *clean = text != NULL ? pt_clean_text (text, NULL, ' ') : NULL;

    if (clean != NULL && *clean != '\0')
      g_string_append_printf (out, "%s%s", out->len > 0 ? "\n" : "", clean);
  }
  return g_string_free (out, FALSE);
}

char *
pteris_findings_describe (const PtLookPicture *picture, PtLookKind kind, guint n)
{
  g_autofree char *time = pteris_format_duration (picture->elapsed_s);

  if (kind == PT_LOOK_STYLE)
    return g_strdup_printf (_ ("Drawn in %s"), time);
  if (kind == PT_LOOK_EMBEDDING && n == 0)
    return g_strdup_printf (ngettext ("%u number describes this picture.",
                                      "%u numbers describe this picture.", picture->n_vector),
                            picture->n_vector);
  if (n == 0)
    return g_strdup (_ ("Nothing was found."));
  return g_strdup_printf (ngettext ("%u found in %s", "%u found in %s", n), n, time);
}
