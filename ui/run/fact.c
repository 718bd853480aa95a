/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/fact.h"

#include <string.h>

struct _PterisFact {
  GObject parent_instance;

  PterisFactKind kind;
  char *name, *value;
  char *folded; /* both, for searching */
};

G_DEFINE_FINAL_TYPE (PterisFact, pteris_fact, G_TYPE_OBJECT)

static void
pteris_fact_finalize (GObject *object)
{
  PterisFact *self = PTERIS_FACT (object);

  g_free (self->name);
  g_free (self->value);
  g_free (self->folded);
  G_OBJECT_CLASS (pteris_fact_parent_class)->finalize (object);
}

static void
pteris_fact_class_init (PterisFactClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_fact_finalize;
}

static void
pteris_fact_init (PterisFact *self)
{
}

PterisFact *
pteris_fact_new (PterisFactKind kind, const char *name, const char *value)
{
  PterisFact *self = g_object_new (PTERIS_TYPE_FACT, NULL);
  g_autofree char *both = g_strconcat (name, " ", kind == PTERIS_FACT_SECTION ? NULL : value, NULL);

  self->kind = kind;
  self->name = g_strdup (name);
  self->value = g_strdup (value);
  self->folded = g_utf8_casefold (both, -1);
  return self;
}

PterisFactKind
pteris_fact_get_kind (PterisFact *self)
{
  return self->kind;
}

const char *
pteris_fact_get_name (PterisFact *self)
{
  return self->name;
}

const char *
pteris_fact_get_value (PterisFact *self)
{
  return self->value;
}

GPtrArray *
pteris_facts_search (GPtrArray *facts, const char *text)
{
  GPtrArray *found = g_ptr_array_new_with_free_func (g_object_unref);
  g_autofree char *folded = g_utf8_casefold (text, -1);
  PterisFact *section = NULL, *shown = NULL;
  gboolean whole = FALSE;

  for (guint i = 0; i < facts->len; i++) {
    PterisFact *fact = facts->pdata[i];
    gboolean matches = strstr (fact->folded, folded) != NULL;

    if (fact->kind == PTERIS_FACT_SECTION) {
      section = fact;
      /* A heading that is meant brings all of its section. */
      whole = matches;
    }
    if (!matches && !whole)
      continue;
    if (section != NULL && shown != section)
      g_ptr_array_add (found, g_object_ref (section));
    shown = section;
    if (fact != section)
      g_ptr_array_add (found, g_object_ref (fact));
  }
  return found;
}

char *
pteris_facts_write (GPtrArray *facts)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < facts->len; i++) {
    PterisFact *fact = facts->pdata[i];

    if (fact->kind == PTERIS_FACT_SECTION)
      g_string_append_printf (out, "%s%s\n", i > 0 ? "\n" : "", fact->name);
    else if (fact->value == NULL || *fact->value == '\0')
      g_string_append_printf (out, "  %s\n", fact->name);
    else
      g_string_append_printf (out, "  %s: %s\n", fact->name, fact->value);
  }
  return g_string_free (out, FALSE);
}
