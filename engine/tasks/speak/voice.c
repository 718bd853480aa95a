/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/voice.h"

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/model-root.h"

#define ROW_BYTES (PT_VOICE_WIDTH * sizeof (float))
/* A folder with more voices than this is not read to its end. */
#define MAX_VOICES 1000

PtVoice *
pt_voice_read (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *name = g_path_get_basename (path);
  PtVoice *voice;
  gsize size;

  text = pt_text_load (path, PT_VOICE_MAX_ROWS * ROW_BYTES, &size, error);
  if (text == NULL)
    return NULL;
  if (size == 0 || size % ROW_BYTES != 0) {
    pt_fail (error, PT_ERROR_FORMAT,
             "“%s” is not a voice: it has %" G_GSIZE_FORMAT " bytes, and a voice has rows of %u. "
             "Download it again.",
             name, size, (guint) ROW_BYTES);
    return NULL;
  }
  for (gsize i = 0; i < size; i += sizeof (float)) {
    guint32 bits;
    float value;

    memcpy (&bits, text + i, sizeof bits);
    bits = GUINT32_FROM_LE (bits);
    memcpy (&value, &bits, sizeof value);
    memcpy (text + i, &value, sizeof value);
    if (!isfinite (value)) {
      pt_fail (error, PT_ERROR_FORMAT,
               "“%s” is not a voice: it contains invalid numbers (NaN). Download it again.", name);
      return NULL;
    }
  }
  voice = g_new (PtVoice, 1);
  voice->n_rows = (guint) (size / ROW_BYTES);
  voice->rows = (float *) (gpointer) g_steal_pointer (&text);
  return voice;
}

void
pt_voice_free (PtVoice *voice)
{
  if (voice == NULL)
    return;
  g_free (voice->rows);
  g_free (voice);
}

const float *
pt_voice_row (const PtVoice *voice, gsize n_phonemes, gsize n_tokens)
{
  gsize row = MIN (MIN (n_phonemes, n_tokens), voice->n_rows) - 1;

  return voice->rows + row * PT_VOICE_WIDTH;
}

/* ---- the voices of a model ---- */

static gboolean
is_voice_file (const char *path)
{
  GStatBuf status;

  return g_str_has_suffix (path, ".bin") && g_stat (path, &status) == 0 && status.st_size > 0 &&
         (guint64) status.st_size % ROW_BYTES == 0 &&
         (guint64) status.st_size / ROW_BYTES <= PT_VOICE_MAX_ROWS &&
         g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static void
add_voices (GPtrArray *paths, const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while (paths->len < MAX_VOICES && (name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (name[0] != '.' && is_voice_file (path))
      g_ptr_array_add (paths, g_steal_pointer (&path));
  }
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
pt_voice_paths (const char *folder)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) folders = pt_model_folders (folder);

  for (guint i = 0; paths->len == 0 && folders[i] != NULL; i++) {
    g_autofree char *voices = g_build_filename (folders[i], "voices", NULL);

    add_voices (paths, voices);
    if (paths->len == 0)
      add_voices (paths, folders[i]);
  }
  g_ptr_array_sort (paths, compare_paths);
  return paths;
}

char *
pt_voice_name (const char *path)
{
  char *name = g_path_get_basename (path);

  if (g_str_has_suffix (name, ".bin"))
    name[strlen (name) - strlen (".bin")] = '\0';
  return name;
}
