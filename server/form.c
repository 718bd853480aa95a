/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/form.h"

#include <string.h>

#include "server/json-fields.h"
#include "server/multipart.h"

#define MOST_PARTS 64
#define MOST_TEXT (64 << 10)

void
pteris_form_clear (PterisForm *self)
{
  g_clear_pointer (&self->file, g_bytes_unref);
  g_clear_pointer (&self->file_extension, g_free);
  json_decref (self->members);
  self->members = NULL;
}

/* The value of a member by its kind; a text that is none stays one, and is refused later. */
static json_t *
value_of (const char *name, const char *text, const PterisFormKind *kinds)
{
  for (; kinds->name != NULL; kinds++) {
    json_t *value;

    if (strcmp (kinds->name, name) != 0)
      continue;
    value = json_loads (text, JSON_DECODE_ANY, NULL);
    if (kinds->kind == PTERIS_FORM_NUMBER ? json_is_number (value) : json_is_boolean (value))
      return value;
    json_decref (value);
  }
  return json_string (text);
}

static gboolean
take_text (PterisForm *self, const char *name, GBytes *bytes, const PterisFormKind *kinds,
           GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autofree char *text = NULL;
  json_t *value;

  if (size > MOST_TEXT || (size > 0 && !g_utf8_validate (data, (gssize) size, NULL)))
    return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, name,
                             "“%s” is too long, or not valid UTF-8.", name);
  text = g_strndup (data, size);
  if (g_str_has_suffix (name, "[]")) {
    g_autofree char *plain = g_strndup (name, strlen (name) - strlen ("[]"));
    json_t *list = json_object_get (self->members, plain);

    if (!json_is_array (list)) {
      list = json_array ();
      json_object_set_new (self->members, plain, list);
    }
    json_array_append_new (list, json_string (text));
    return TRUE;
  }
  if (json_object_get (self->members, name) != NULL)
    return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, name, "“%s” is there twice.", name);
  value = value_of (name, text, kinds);
  json_object_set_new (self->members, name, value);
  return TRUE;
}

static gboolean
take_file (PterisForm *self, const char *name, const char *file_name, GBytes *bytes, GError **error)
{
  const char *dot = file_name != NULL ? strrchr (file_name, '.') : NULL;

  if (self->file != NULL)
    return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, name, "“%s” is there twice.", name);
  self->file = g_bytes_ref (bytes);
  self->file_extension = g_strdup (dot != NULL ? dot + 1 : "");
  return TRUE;
}

static char *
boundary_of (SoupMessageHeaders *headers)
{
  g_autoptr (GHashTable) parameters = NULL;
  const char *type = soup_message_headers_get_content_type (headers, &parameters);

  if (type == NULL || g_ascii_strcasecmp (type, "multipart/form-data") != 0 || parameters == NULL)
    return NULL;
  return g_strdup (g_hash_table_lookup (parameters, "boundary"));
}

gboolean
pteris_form_read (PterisForm *self, SoupMessageHeaders *headers, GBytes *body, const char *file,
                  const PterisFormKind *kinds, GError **error)
{
  g_autofree char *boundary = boundary_of (headers);
  g_autoptr (GPtrArray) parts = NULL;

  *self = (PterisForm){ .members = json_object () };
  if (boundary == NULL)
    return pteris_fault_set (error, 400, NULL, NULL,
                             "The body must be a form: Content-Type multipart/form-data.");
  parts = pteris_multipart_read (body, boundary, MOST_PARTS, error);
  for (guint i = 0; parts != NULL && i < parts->len; i++) {
    const PterisPart *part = parts->pdata[i];
    gboolean taken = strcmp (part->name, file) == 0
                         ? take_file (self, part->name, part->file_name, part->bytes, error)
                         : take_text (self, part->name, part->bytes, kinds, error);

    if (!taken)
      return FALSE;
  }
  if (parts != NULL && self->file == NULL)
    return pteris_fault_set (error, 400, PTERIS_FAULT_MISSING, file, "“%s” is missing.", file);
  return parts != NULL;
}
