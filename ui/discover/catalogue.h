/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** A program of a repository that can be downloaded. Texts belong to it. */
typedef struct {
  char *name;      /* "0.6 B"; "" where there is only one */
  char *file;      /* its path in the repository */
  char *precision; /* "8da4w", or NULL */
  guint64 bytes;   /* of its files, about; 0: unknown */
  guint context;   /* tokens; 0: unknown */
  gboolean usual;  /* the one that is suggested */
} PterisOfferVariant;

/**
 * PterisOffer: an entry of the catalogue: a repository of published models. It never changes.
 * Everything returned belongs to it.
 */
#define PTERIS_TYPE_OFFER (pteris_offer_get_type ())
G_DECLARE_FINAL_TYPE (PterisOffer, pteris_offer, PTERIS, OFFER, GObject)

const char *pteris_offer_get_title (PterisOffer *self);
const char *pteris_offer_get_about (PterisOffer *self); /* a sentence, translated */
const char *pteris_offer_get_repository (PterisOffer *self);
const char *pteris_offer_get_revision (PterisOffer *self);
const char *pteris_offer_get_license (PterisOffer *self);
/** Codes with spaces ("en de"), "many" or "any". */
const char *pteris_offer_get_languages (PterisOffer *self);
/** "chat", "transcribe", "speak", "embed", "look", "companion". */
const char *pteris_offer_get_task (PterisOffer *self);

/** Files that its models need from other repositories: for each a repository, a revision and a
 * path, one after the other; NULL-terminated; NULL: none. */
const char *const *pteris_offer_get_also (PterisOffer *self);

/** Its variants; at least one. */
const PterisOfferVariant *pteris_offer_get_variants (PterisOffer *self, guint *n);
/** The suggested one; never NULL. */
const PterisOfferVariant *pteris_offer_get_usual (PterisOffer *self);

/** The catalogue that the program brings: a list of PterisOffer. */
GListModel *pteris_catalogue_new (void);

/** The same from JSON @text (for tests). Invalid entries are left out. */
GListModel *pteris_catalogue_new_for_text (const char *text, gsize length);

/**
 * The best chat model of @catalogue that takes at most @bytes: the one with most weights. @variant:
 * set to the one of its variants. NULL when none fits. Not a new reference.
 */
PterisOffer *pteris_catalogue_best_chat (GListModel *catalogue, guint64 bytes,
                                         const PterisOfferVariant **variant);

G_END_DECLS
