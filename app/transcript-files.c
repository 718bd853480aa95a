/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/transcript-files.h"

#include <string.h>

/* Names that differ in case alone are one name on many disks. */
static char *
make_key (const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);

  return g_utf8_casefold (valid, -1);
}

/* "x.txt", or with the first number that makes it new; notes it in @taken. */
static char *
choose_name (GHashTable *taken, const char *stem, const char *suffix)
{
  char *name = g_strdup_printf ("%s.%s", stem, suffix);

  for (guint i = 2; !g_hash_table_add (taken, make_key (name)); i++) {
    g_free (name);
    name = g_strdup_printf ("%s-%u.%s", stem, i, suffix);
  }
  return name;
}

char **
pteris_transcript_files (const char *output, const char *const *recordings, PtSubtitleFormat format)
{
  static const char *const SUFFIXES[] = { "txt", "srt", "vtt", "json" };
  g_autoptr (GHashTable) taken = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();
  gboolean is_folder = g_file_test (output, G_FILE_TEST_IS_DIR);

  for (; *recordings != NULL; recordings++) {
    g_autofree char *stem = g_path_get_basename (*recordings);
    g_autofree char *name = NULL, *path = NULL;
    char *dot = strrchr (stem, '.');

    if (dot != NULL && dot != stem)
      *dot = '\0';
    name = choose_name (taken, stem, SUFFIXES[format]);
    path = g_build_filename (output, name, NULL);
    g_strv_builder_add (files, is_folder ? path : output);
  }
  return g_strv_builder_end (files);
}

static void
add (GStrvBuilder *files, const char *path)
{
  if (path != NULL)
    g_strv_builder_add (files, path);
}

static void
add_model (GStrvBuilder *files, const PterisOptions *options)
{
  g_autofree char *path = pt_library_find (options->arguments[0], NULL, NULL);
  g_autoptr (PtModelInfo) info =
      path != NULL
          ? pt_library_probe_set (path, (const char *const *) options->data, options->tokenizer,
                                  options->preprocessor, options->family, NULL)
          : NULL;

  /* Loading the model reports a model that is not found. */
  if (info == NULL)
    return;
  add (files, info->path);
  add (files, info->tokenizer);
  add (files, info->preprocessor);
  for (guint i = 0; info->data != NULL && info->data[i] != NULL; i++)
    add (files, info->data[i]);
}

char **
pteris_transcript_inputs (const PterisOptions *options)
{
  g_autoptr (GStrvBuilder) files = g_strv_builder_new ();

  g_strv_builder_addv (files, (const char **) options->arguments + 1);
  add_model (files, options);
  return g_strv_builder_end (files);
}
