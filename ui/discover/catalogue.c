/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/discover/catalogue.h"

#include <string.h>

#include "engine/base/json.h"
#include "ui/i18n.h"

/* Tokens; less is too little for a conversation. */
#define MIN_CONTEXT 4096
#define CATALOGUE "/org/pteris/Pteris/catalogue.json"

struct _PterisOffer {
  GObject parent_instance;

  char *title, *about, *repository, *revision, *license, *languages, *task;
  char **also;      /* repository, revision, path, … */
  GArray *variants; /* PterisOfferVariant */
  guint usual;
};

G_DEFINE_FINAL_TYPE (PterisOffer, pteris_offer, G_TYPE_OBJECT)

const char *
pteris_offer_get_title (PterisOffer *self)
{
  return self->title;
}

const char *
pteris_offer_get_about (PterisOffer *self)
{
  return *self->about != '\0' ? _ (self->about) : "";
}

const char *
pteris_offer_get_repository (PterisOffer *self)
{
  return self->repository;
}

const char *
pteris_offer_get_revision (PterisOffer *self)
{
  return self->revision;
}

const char *
pteris_offer_get_license (PterisOffer *self)
{
  return self->license;
}

const char *
pteris_offer_get_languages (PterisOffer *self)
{
  return self->languages;
}

const char *
pteris_offer_get_task (PterisOffer *self)
{
  return self->task;
}

const char *const *
pteris_offer_get_also (PterisOffer *self)
{
  return (const char *const *) self->also;
}

const PterisOfferVariant *
pteris_offer_get_variants (PterisOffer *self, guint *n)
{
  *n = self->variants->len;
  return (const PterisOfferVariant *) (gconstpointer) self->variants->data;
}

const PterisOfferVariant *
pteris_offer_get_usual (PterisOffer *self)
{
  return &g_array_index (self->variants, PterisOfferVariant, self->usual);
}

static void
clear_variant (gpointer data)
{
  PterisOfferVariant *variant = data;

  g_free (variant->name);
  g_free (variant->file);
  g_free (variant->precision);
}

static void
pteris_offer_finalize (GObject *object)
{
  PterisOffer *self = PTERIS_OFFER (object);

  g_free (self->title);
  g_free (self->about);
  g_free (self->repository);
  g_free (self->revision);
  g_free (self->license);
  g_free (self->languages);
  g_free (self->task);
  g_strfreev (self->also);
  g_array_unref (self->variants);
  G_OBJECT_CLASS (pteris_offer_parent_class)->finalize (object);
}

static void
pteris_offer_class_init (PterisOfferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_offer_finalize;
}

static void
pteris_offer_init (PterisOffer *self)
{
  self->variants = g_array_new (FALSE, TRUE, sizeof (PterisOfferVariant));
  g_array_set_clear_func (self->variants, clear_variant);
}

/* ---- parsing ---- */

static char *
text_of (const json_t *object, const char *key)
{
  const char *text = pt_json_string (object, key);

  return g_strdup (text != NULL ? text : "");
}

static void
add_variant (PterisOffer *self, const json_t *row)
{
  gint64 bytes = pt_json_int (row, "bytes", 0), context = pt_json_int (row, "context", 0);
  PterisOfferVariant variant = {
    .name = text_of (row, "name"),
    .file = text_of (row, "file"),
    .precision = g_strdup (pt_json_string (row, "precision")),
    .bytes = (guint64) MAX (bytes, 0),
    .context = (guint) CLAMP (context, 0, G_MAXINT),
    .usual = pt_json_bool (row, "default", FALSE),
  };

  if (*variant.file == '\0') {
    clear_variant (&variant);
    return;
  }
  if (variant.usual)
    self->usual = self->variants->len;
  g_array_append_val (self->variants, variant);
}

static char **
read_also (const json_t *rows)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (json_array_size (rows) == 0)
    return NULL;
  for (size_t i = 0; i < json_array_size (rows); i++) {
    const json_t *row = json_array_get (rows, i), *files = json_object_get (row, "files");
    g_autofree char *repository = text_of (row, "repository");
    g_autofree char *revision = text_of (row, "revision");

    for (size_t j = 0; j < json_array_size (files); j++) {
      const json_t *file = json_array_get (files, j);

      if (!json_is_string (file))
        continue;
      g_strv_builder_add (builder, repository);
      g_strv_builder_add (builder, revision);
      g_strv_builder_add (builder, json_string_value (file));
    }
  }
  return g_strv_builder_end (builder);
}

/* Whether @row is for this system: some programs are compiled for one. */
static gboolean
is_for_here (const json_t *row)
{
  const char *system = pt_json_string (row, "system");

#ifdef G_OS_WIN32
  return system == NULL || g_str_equal (system, "windows");
#else
  return system == NULL || g_str_equal (system, "linux");
#endif
}

/* NULL: the entry lacks what an offer needs, or is for another system. */
static PterisOffer *
read_offer (const json_t *row)
{
  g_autoptr (PterisOffer) self = g_object_new (PTERIS_TYPE_OFFER, NULL);
  const json_t *variants = json_object_get (row, "variants");

  self->title = text_of (row, "title");
  self->about = text_of (row, "about");
  self->repository = text_of (row, "repository");
  self->revision = text_of (row, "revision");
  self->license = text_of (row, "license");
  self->languages = text_of (row, "languages");
  self->task = text_of (row, "task");
  self->also = read_also (json_object_get (row, "also"));
  for (size_t i = 0; i < json_array_size (variants); i++)
    add_variant (self, json_array_get (variants, i));
  if (!is_for_here (row) || *self->title == '\0' || strchr (self->repository, '/') == NULL ||
      self->variants->len == 0)
    return NULL;
  return g_steal_pointer (&self);
}

GListModel *
pteris_catalogue_new_for_text (const char *text, gsize length)
{
  g_autoptr (GListStore) offers = g_list_store_new (PTERIS_TYPE_OFFER);
  g_autoptr (json_t) root = pt_json_parse ("catalogue.json", text, length, NULL);
  const json_t *rows = json_object_get (root, "models");

  for (size_t i = 0; i < json_array_size (rows); i++) {
    g_autoptr (PterisOffer) offer = read_offer (json_array_get (rows, i));

    if (offer != NULL)
      g_list_store_append (offers, offer);
  }
  return G_LIST_MODEL (g_steal_pointer (&offers));
}

GListModel *
pteris_catalogue_new (void)
{
  g_autoptr (GBytes) bytes =
      g_resources_lookup_data (CATALOGUE, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : "";

  return pteris_catalogue_new_for_text (text, length);
}

/* The number of weights that the name of a variant says, "1.7 B" or "360 M"; 0: none. */
static double
weights_of (const PterisOfferVariant *variant)
{
  char *end;
  double number = g_ascii_strtod (variant->name, &end);

  if (g_str_has_prefix (end, " B"))
    return number * 1e9;
  return g_str_has_prefix (end, " M") ? number * 1e6 : 0;
}

/* Files with tables of 32 bits are large for what they know, so that their size counts last. */
static gboolean
is_better (const PterisOfferVariant *variant, const PterisOfferVariant *than)
{
  double weights = weights_of (variant), others = than != NULL ? weights_of (than) : 0;

  return than == NULL || weights > others || (!(weights < others) && variant->bytes > than->bytes);
}

PterisOffer *
pteris_catalogue_best_chat (GListModel *catalogue, guint64 bytes,
                            const PterisOfferVariant **variant)
{
  PterisOffer *best = NULL;

  *variant = NULL;
  for (guint i = 0; i < g_list_model_get_n_items (catalogue); i++) {
    g_autoptr (PterisOffer) offer = g_list_model_get_item (catalogue, i);

    if (!g_str_equal (offer->task, "chat"))
      continue;
    for (guint j = 0; j < offer->variants->len; j++) {
      const PterisOfferVariant *row = &g_array_index (offer->variants, PterisOfferVariant, j);

      /* 16-bit weights take more memory and time for little more quality. */
      if (row->bytes == 0 || row->bytes > bytes || g_strcmp0 (row->precision, "8da4w") != 0 ||
          (row->context > 0 && row->context < MIN_CONTEXT) || !is_better (row, *variant))
        continue;
      *variant = row;
      best = offer;
    }
  }
  return best;
}
