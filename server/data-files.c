/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/data-files.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#define MOST_EXTENSION 8

struct _PterisDataFiles {
  char *folder; /* NULL: there is no file yet */
  GPtrArray *paths;
};

PterisDataFiles *
pteris_data_files_new (void)
{
  PterisDataFiles *self = g_new0 (PterisDataFiles, 1);

  self->paths = g_ptr_array_new_with_free_func (g_free);
  return self;
}

void
pteris_data_files_free (PterisDataFiles *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->paths->len; i++)
    g_unlink (self->paths->pdata[i]);
  if (self->folder != NULL)
    g_rmdir (self->folder);
  g_ptr_array_unref (self->paths);
  g_free (self->folder);
  g_free (self);
}

static char *
clean_extension (const char *extension)
{
  g_autoptr (GString) clean = g_string_new (NULL);

  for (const char *at = extension; *at != '\0' && clean->len < MOST_EXTENSION; at++)
    if (g_ascii_isalnum (*at))
      g_string_append_c (clean, g_ascii_tolower (*at));
  return g_string_free (g_steal_pointer (&clean), FALSE);
}

const char *
pteris_data_files_add (PterisDataFiles *self, gconstpointer data, gsize size, const char *extension,
                       GError **error)
{
  g_autofree char *clean = clean_extension (extension), *name = NULL;
  g_autoptr (GError) cause = NULL;
  char *path;

  if (self->folder == NULL)
    self->folder = g_dir_make_tmp ("pteris-request-XXXXXX", &cause);
  if (self->folder == NULL) {
    pteris_fault_set (error, 500, NULL, NULL,
                      "No folder can be made for the files of the request: %s.", cause->message);
    return NULL;
  }
  name = g_strdup_printf ("%u.%s", self->paths->len + 1, *clean != '\0' ? clean : "bin");
  path = g_build_filename (self->folder, name, NULL);
  g_ptr_array_add (self->paths, path);
  if (g_file_set_contents_full (path, data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, &cause))
    return path;
  pteris_fault_set (error, 500, NULL, NULL, "A file of the request cannot be written: %s.",
                    cause->message);
  return NULL;
}

static gboolean
is_base64 (const char *text)
{
  gsize n = strspn (text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\r\n");

  return strspn (text + n, "=\r\n") == strlen (text + n) && *text != '\0';
}

const char *
pteris_data_files_add_base64 (PterisDataFiles *self, const char *text, const char *extension,
                              const char *field, GError **error)
{
  g_autofree guchar *bytes = NULL;
  gsize size;

  if (!is_base64 (text)) {
    pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, field, "“%s” is not valid base64.", field);
    return NULL;
  }
  bytes = g_base64_decode (text, &size);
  if (size > 0)
    return pteris_data_files_add (self, bytes, size, extension, error);
  pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, field, "“%s” is empty.", field);
  return NULL;
}

const char *
pteris_data_files_add_url (PterisDataFiles *self, const char *url, const char *field,
                           GError **error)
{
  const char *comma = strchr (url, ','), *slash = strchr (url, '/');
  g_autofree char *extension = NULL;

  if (!g_str_has_prefix (url, "data:") || comma == NULL || slash == NULL || slash > comma ||
      g_strstr_len (url, comma - url, ";base64") == NULL) {
    pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, field,
                      "“%s” must be a URL of the form data:image/png;base64,…: this server fetches "
                      "nothing.",
                      field);
    return NULL;
  }
  extension = g_strndup (slash + 1, strcspn (slash + 1, ";,+"));
  return pteris_data_files_add_base64 (self, comma + 1, extension, field, error);
}
