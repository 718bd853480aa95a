/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "server/fault.h"

G_BEGIN_DECLS

/**
 * PterisFields: reads the members of an object of a request, and notices those that nobody reads.
 *
 *     PterisFields fields;
 *
 *     pteris_fields_begin (&fields, object, NULL, error);
 *     self->model = pteris_fields_text (&fields, "model");
 *     self->seed = pteris_fields_int (&fields, "seed", 0, G_MAXINT64, 0);
 *     return pteris_fields_end (&fields);
 *
 * The first fault is kept: functions that are called after it return their fallback. A member with
 * the value null counts as missing. What they return belongs to the object. Any thread.
 */
typedef struct {
  const json_t *object;
  const char *path;     /* of the object in the request: "messages[0]"; NULL: it is the request */
  GError **error;       /* never NULL */
  guint n_read;         /* of @read */
  const char *read[48]; /* names that were asked for */
} PterisFields;

/** Begin with @object, which is refused if it is no object. @path, @error: kept. */
void pteris_fields_begin (PterisFields *self, const json_t *object, const char *path,
                          GError **error);

/** FALSE: there was a fault, such as a member that was not asked for. */
gboolean pteris_fields_end (PterisFields *self);

/** The member as it is; NULL: missing. */
const json_t *pteris_fields_any (PterisFields *self, const char *name);
/** A text without zero bytes; NULL: missing. */
const char *pteris_fields_text (PterisFields *self, const char *name);
gboolean pteris_fields_bool (PterisFields *self, const char *name, gboolean fallback);
/** A whole number from @least to @most. */
gint64 pteris_fields_int (PterisFields *self, const char *name, gint64 least, gint64 most,
                          gint64 fallback);
double pteris_fields_number (PterisFields *self, const char *name, double least, double most,
                             double fallback);
const json_t *pteris_fields_array (PterisFields *self, const char *name);
const json_t *pteris_fields_object (PterisFields *self, const char *name);

/** A member that has to be there. */
void pteris_fields_need (PterisFields *self, const char *name);
/** A member that is not supported, unless it has the value @usual, which changes nothing; NULL:
 * there is no such value. @usual: consumed. @why: the end of the sentence; or NULL. */
void pteris_fields_refuse (PterisFields *self, const char *name, json_t *usual, const char *why);
/** A member that changes nothing of the answer, such as a note for the sender's own bookkeeping.
 * Any value is accepted. */
void pteris_fields_skip (PterisFields *self, const char *name);
/** Texts of a member that is a text or a list of at most @most texts; NULL: missing. Free with
 * g_free(); the texts belong to the object. */
const char **pteris_fields_texts (PterisFields *self, const char *name, guint most);

/** The path of member @name, "messages[0].role". Free with g_free(). */
char *pteris_fields_path (const PterisFields *self, const char *name);

/** Say that member @name has a fault. */
void pteris_fields_fail (PterisFields *self, const char *name, const char *code, const char *format,
                         ...) G_GNUC_PRINTF (4, 5);

/** Whether there was a fault. */
gboolean pteris_fields_failed (const PterisFields *self);

G_END_DECLS
