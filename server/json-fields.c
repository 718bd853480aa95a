/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/json-fields.h"

#include <string.h>

void
pteris_fields_begin (PterisFields *self, const json_t *object, const char *path, GError **error)
{
  *self = (PterisFields){ .object = object, .path = path, .error = error };
  if (!json_is_object (object))
    pteris_fault_set (error, 400, PTERIS_FAULT_TYPE, path, "%s must be an object.",
                      path != NULL ? path : "The body of the request");
}

char *
pteris_fields_path (const PterisFields *self, const char *name)
{
  return self->path != NULL ? g_strdup_printf ("%s.%s", self->path, name) : g_strdup (name);
}

gboolean
pteris_fields_failed (const PterisFields *self)
{
  return *self->error != NULL;
}

void
pteris_fields_fail (PterisFields *self, const char *name, const char *code, const char *format, ...)
{
  g_autofree char *path = pteris_fields_path (self, name), *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pteris_fault_set (self->error, 400, code, path, "“%s” %s", path, text);
}

static void
mark_read (PterisFields *self, const char *name)
{
  for (guint i = 0; i < self->n_read; i++)
    if (strcmp (self->read[i], name) == 0)
      return;
  g_assert (self->n_read < G_N_ELEMENTS (self->read));
  self->read[self->n_read++] = name;
}

const json_t *
pteris_fields_any (PterisFields *self, const char *name)
{
  const json_t *value;

  mark_read (self, name);
  if (pteris_fields_failed (self))
    return NULL;
  value = json_object_get (self->object, name);
  return json_is_null (value) ? NULL : value;
}

static gboolean
was_read (const PterisFields *self, const char *name)
{
  for (guint i = 0; i < self->n_read; i++)
    if (strcmp (self->read[i], name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
pteris_fields_end (PterisFields *self)
{
  json_t *value;
  const char *name;

  if (pteris_fields_failed (self))
    return FALSE;
  json_object_foreach ((json_t *) self->object, name, value) {
    if (!json_is_null (value) && !was_read (self, name)) {
      pteris_fields_fail (self, name, PTERIS_FAULT_UNKNOWN, "is not known. Leave it out.");
      return FALSE;
    }
  }
  return TRUE;
}

const char *
pteris_fields_text (PterisFields *self, const char *name)
{
  const json_t *value = pteris_fields_any (self, name);

  if (value == NULL)
    return NULL;
  if (!json_is_string (value)) {
    pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be a text.");
    return NULL;
  }
  if (strlen (json_string_value (value)) != json_string_length (value)) {
    pteris_fields_fail (self, name, PTERIS_FAULT_VALUE, "has a zero byte. Remove it.");
    return NULL;
  }
  return json_string_value (value);
}

gboolean
pteris_fields_bool (PterisFields *self, const char *name, gboolean fallback)
{
  const json_t *value = pteris_fields_any (self, name);

  if (value == NULL)
    return fallback;
  if (!json_is_boolean (value))
    pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be true or false.");
  return json_is_true (value);
}

gint64
pteris_fields_int (PterisFields *self, const char *name, gint64 least, gint64 most, gint64 fallback)
{
  const json_t *value = pteris_fields_any (self, name);
  gint64 number;

  if (value == NULL)
    return fallback;
  if (!json_is_integer (value)) {
    pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be a whole number.");
    return fallback;
  }
  number = json_integer_value (value);
  if (number >= least && number <= most)
    return number;
  pteris_fields_fail (self, name, PTERIS_FAULT_VALUE,
                      "must be a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ".",
                      least, most);
  return fallback;
}

double
pteris_fields_number (PterisFields *self, const char *name, double least, double most,
                      double fallback)
{
  const json_t *value = pteris_fields_any (self, name);
  double number;

  if (value == NULL)
    return fallback;
  if (!json_is_number (value)) {
    pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be a number.");
    return fallback;
  }
  number = json_number_value (value);
  if (number >= least && number <= most)
    return number;
  pteris_fields_fail (self, name, PTERIS_FAULT_VALUE, "must be a number from %g to %g.", least,
                      most);
  return fallback;
}

const json_t *
pteris_fields_array (PterisFields *self, const char *name)
{
  const json_t *value = pteris_fields_any (self, name);

  if (value == NULL || json_is_array (value))
    return value;
  pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be a list.");
  return NULL;
}

const json_t *
pteris_fields_object (PterisFields *self, const char *name)
{
  const json_t *value = pteris_fields_any (self, name);

  if (value == NULL || json_is_object (value))
    return value;
  pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be an object.");
  return NULL;
}

void
pteris_fields_need (PterisFields *self, const char *name)
{
  if (pteris_fields_any (self, name) == NULL)
    pteris_fields_fail (self, name, PTERIS_FAULT_MISSING, "is missing.");
}

/* json_equal() tells 1 from 1.0. */
static gboolean
is_same (const json_t *a, const json_t *b)
{
  if (json_is_number (a) && json_is_number (b))
    return !(json_number_value (a) < json_number_value (b)) &&
           !(json_number_value (a) > json_number_value (b));
  return json_equal (a, b);
}

void
pteris_fields_refuse (PterisFields *self, const char *name, json_t *usual, const char *why)
{
  const json_t *value = pteris_fields_any (self, name);

  if (value != NULL && (usual == NULL || !is_same (value, usual))) {
    if (why != NULL)
      pteris_fields_fail (self, name, PTERIS_FAULT_UNSUPPORTED, "is not supported: %s", why);
    else
      pteris_fields_fail (self, name, PTERIS_FAULT_UNSUPPORTED, "is not supported. Leave it out.");
  }
  json_decref (usual);
}

void
pteris_fields_skip (PterisFields *self, const char *name)
{
  mark_read (self, name);
}

static gboolean
add_text (PterisFields *self, const char *name, const json_t *value, GPtrArray *texts)
{
  if (!json_is_string (value))
    pteris_fields_fail (self, name, PTERIS_FAULT_TYPE, "must be a text or a list of texts.");
  else if (strlen (json_string_value (value)) != json_string_length (value))
    pteris_fields_fail (self, name, PTERIS_FAULT_VALUE, "has a zero byte. Remove it.");
  else
    g_ptr_array_add (texts, (char *) json_string_value (value));
  return !pteris_fields_failed (self);
}

const char **
pteris_fields_texts (PterisFields *self, const char *name, guint most)
{
  const json_t *value = pteris_fields_any (self, name);
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  if (value == NULL)
    return NULL;
  if (!json_is_array (value)) {
    add_text (self, name, value, texts);
  } else if (json_array_size (value) > most) {
    pteris_fields_fail (self, name, PTERIS_FAULT_VALUE, "may have at most %u texts.", most);
  } else {
    for (gsize i = 0; i < json_array_size (value); i++)
      if (!add_text (self, name, json_array_get (value, i), texts))
        break;
  }
  if (pteris_fields_failed (self))
    return NULL;
  g_ptr_array_add (texts, NULL);
  return (const char **) g_ptr_array_steal (texts, NULL);
}
