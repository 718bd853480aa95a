/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/privacy/found-name.h"

#include "ui/i18n.h"
#include "ui/privacy/label-name.h"

struct _PterisFoundName {
  GObject parent_instance;

  char *label, *text;
  guint n;
  gboolean active;
};

G_DEFINE_FINAL_TYPE (PterisFoundName, pteris_found_name, G_TYPE_OBJECT)

enum { PROP_ACTIVE = 1, N_PROPS };
static GParamSpec *props[N_PROPS];

const char *
pteris_found_name_get_text (PterisFoundName *self)
{
  return self->text;
}

char *
pteris_found_name_describe (PterisFoundName *self)
{
  g_autofree char *name = pteris_label_name (self->label);

  /* TRANSLATORS: %s is a kind of a name or secret: "Person". */
  return g_strdup_printf (ngettext ("%s · once", "%s · %u times", self->n), name, self->n);
}

/* ---- all of a report ---- */

/* The key of a finding: two findings with the same key are one. */
static char *
key_of (const PtPrivacyText *text, const PtPrivacySpan *span)
{
  g_autofree char *part = g_strndup (text->text + span->start, span->end - span->start);
  g_autofree char *folded = g_utf8_casefold (part, -1);
  g_auto (GStrv) words = g_strsplit_set (folded, " \t\r\n", -1);
  GString *key = g_string_new (span->label);

  for (char **word = words; *word != NULL; word++)
    if (**word != '\0')
      g_string_append_printf (key, "\n%s", *word);
  return g_string_free (key, FALSE);
}

static PterisFoundName *
add (GListStore *list, GHashTable *by_key, const PtPrivacyText *text, const PtPrivacySpan *span)
{
  char *key = key_of (text, span);
  PterisFoundName *self = g_hash_table_lookup (by_key, key);

  if (self != NULL) {
    g_free (key);
    return self;
  }
  self = g_object_new (PTERIS_TYPE_FOUND_NAME, NULL);
  self->label = g_strdup (span->label);
  self->text = g_strndup (text->text + span->start, span->end - span->start);
  g_list_store_append (list, self);
  g_hash_table_insert (by_key, key, self);
  g_object_unref (self);
  return self;
}

/* The table has no references; @findings has. */
static GHashTable *
make_table (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

GListModel *
pteris_found_names_new (const PtPrivacyReport *report)
{
  g_autoptr (GHashTable) by_key = make_table ();
  GListStore *list = g_list_store_new (PTERIS_TYPE_FOUND_NAME);

  for (guint i = 0; i < report->n_texts; i++)
    for (guint j = 0; j < report->texts[i].n_spans; j++)
      add (list, by_key, &report->texts[i], &report->texts[i].spans[j])->n++;
  return G_LIST_MODEL (list);
}

/* The keys of what is not to be replaced. */
static GHashTable *
find_left_out (GListModel *findings, const PtPrivacyReport *report)
{
  GHashTable *left_out = make_table ();
  guint n = 0;
  g_autoptr (GHashTable) seen = make_table ();

  /* Findings are in the order of their first places. */
  for (guint i = 0; i < report->n_texts; i++)
    for (guint j = 0; j < report->texts[i].n_spans; j++) {
      char *key = key_of (&report->texts[i], &report->texts[i].spans[j]);
      g_autoptr (PterisFoundName) finding = NULL;

      if (g_hash_table_contains (seen, key)) {
        g_free (key);
        continue;
      }
      finding = g_list_model_get_item (findings, n++);
      if (finding != NULL && !finding->active)
        g_hash_table_add (left_out, g_strdup (key));
      g_hash_table_add (seen, key);
    }
  return left_out;
}

static char *
replace (const PtPrivacyText *text, GHashTable *left_out)
{
  g_autofree PtPrivacySpan *spans = g_new (PtPrivacySpan, MAX (text->n_spans, 1));
  PtPrivacyText own = *text;

  own.n_spans = 0;
  own.spans = spans;
  for (guint i = 0; i < text->n_spans; i++) {
    g_autofree char *key = key_of (text, &text->spans[i]);

    if (!g_hash_table_contains (left_out, key))
      spans[own.n_spans++] = text->spans[i];
  }
  return pt_privacy_replace (&own);
}

char **
pteris_found_names_replace (GListModel *findings, const PtPrivacyReport *report)
{
  g_autoptr (GHashTable) left_out = find_left_out (findings, report);
  char **texts = g_new0 (char *, report->n_texts + 1);

  for (guint i = 0; i < report->n_texts; i++)
    texts[i] = replace (&report->texts[i], left_out);
  return texts;
}

/* ---- life ---- */

static void
pteris_found_name_get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  g_value_set_boolean (value, PTERIS_FOUND_NAME (object)->active);
}

static void
pteris_found_name_set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  PTERIS_FOUND_NAME (object)->active = g_value_get_boolean (value);
}

static void
pteris_found_name_finalize (GObject *object)
{
  PterisFoundName *self = PTERIS_FOUND_NAME (object);

  g_free (self->label);
  g_free (self->text);
  G_OBJECT_CLASS (pteris_found_name_parent_class)->finalize (object);
}

static void
pteris_found_name_class_init (PterisFoundNameClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = pteris_found_name_get_property;
  object_class->set_property = pteris_found_name_set_property;
  object_class->finalize = pteris_found_name_finalize;
  props[PROP_ACTIVE] =
      g_param_spec_boolean ("active", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
pteris_found_name_init (PterisFoundName *self)
{
  self->active = TRUE;
}
