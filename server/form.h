/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <libsoup/soup.h>

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * A form with a file, as /v1/audio/transcriptions takes it (multipart/form-data). Its other members
 * become a JSON object, so that they are read as those of other requests: numbers, true and false
 * become values of JSON where @kinds says so; names that end in [] become lists.
 */
typedef struct {
  GBytes *file;         /* or NULL */
  char *file_extension; /* of its name, "wav"; "" without */
  json_t *members;
} PterisForm;

/** What a member is that is no text. */
typedef struct {
  const char *name; /* NULL: the end */
  enum { PTERIS_FORM_NUMBER, PTERIS_FORM_BOOL } kind;
} PterisFormKind;

/** FALSE with 400: the request has no such form, or it has two files. @file: name of the member
 * with the file. */
gboolean pteris_form_read (PterisForm *self, SoupMessageHeaders *headers, GBytes *body,
                           const char *file, const PterisFormKind *kinds, GError **error);
void pteris_form_clear (PterisForm *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PterisForm, pteris_form_clear)

G_END_DECLS
