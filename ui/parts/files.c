/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/files.h"

#include <string.h>

#include "ui/i18n.h"

/* What libsndfile reads, */
#define OWN                                                                                     \
  "wav", "flac", "ogg", "oga", "opus", "mp3", "aiff", "aif", "aifc", "au", "snd", "caf", "w64", \
      "rf64", "voc"
/* and what GStreamer adds. */
#define ADDED                                                                                \
  "wv", "m4a", "m4b", "mp4", "m4v", "aac", "mka", "mkv", "webm", "mov", "wma", "wmv", "asf", \
      "avi", "amr", "3gp", "3gpp", "3g2", "flv", "ogv", "mpg", "mpeg", "ape", "mpc", "tta", "dsf"

/* One that cannot be read is taken, too, so that the engine can say why not. */
static const char *const RECORDINGS[] = { OWN, ADDED, NULL };

const char *const *
pteris_recording_suffixes (void)
{
#ifdef PT_HAVE_GSTREAMER
  return RECORDINGS;
#else
  static const char *const READABLE[] = { OWN, NULL };

  return READABLE;
#endif
}

PterisFileKind
pteris_file_kind (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  const char *path = g_file_peek_path (file);
  const char *dot = name != NULL ? strrchr (name, '.') : NULL;
  g_autofree char *suffix = g_ascii_strdown (dot != NULL ? dot + 1 : "", -1);

  if (g_str_equal (suffix, "pte") || g_str_equal (suffix, "ptd"))
    return PTERIS_FILE_MODEL;
  if (g_strv_contains (RECORDINGS, suffix))
    return PTERIS_FILE_RECORDING;
  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_DIR))
    return PTERIS_FILE_FOLDER;
  return PTERIS_FILE_OTHER;
}

char *
pteris_files_describe (GSList *files)
{
  guint n[PTERIS_FILE_OTHER + 1] = { 0 };

  for (GSList *l = files; l != NULL; l = l->next)
    n[pteris_file_kind (l->data)]++;
  if (n[PTERIS_FILE_FOLDER] > 0 && n[PTERIS_FILE_MODEL] == 0)
    return g_strdup (n[PTERIS_FILE_FOLDER] == 1 ? _ ("Open this folder of models or recordings")
                                                : _ ("Open these folders"));
  if (n[PTERIS_FILE_MODEL] > 0)
    return g_strdup (n[PTERIS_FILE_MODEL] == 1 ? _ ("Add to the library and load")
                                               : _ ("Add to the library"));
  if (n[PTERIS_FILE_RECORDING] == 1)
    return g_strdup (_ ("Transcribe this recording"));
  if (n[PTERIS_FILE_RECORDING] > 1)
    return g_strdup_printf (
        ngettext ("Transcribe %u recording", "Transcribe %u recordings", n[PTERIS_FILE_RECORDING]),
        n[PTERIS_FILE_RECORDING]);
  return g_strdup (_ ("Not a model or recording"));
}
