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

/* Recordings of unsupported formats are accepted, too, so that the engine can report the error. */
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

/* Lower case; free with g_free(). */
static char *
suffix_of (const char *name)
{
  const char *dot = name != NULL ? strrchr (name, '.') : NULL;

  return g_ascii_strdown (dot != NULL ? dot + 1 : "", -1);
}

static const char *const PICTURES[] = { "png", "jpg",  "jpeg", "webp", "gif",
                                        "bmp", "tiff", "tif",  "avif", NULL };

const char *const *
pteris_picture_suffixes (void)
{
  return PICTURES;
}

gboolean
pteris_file_is_picture (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *suffix = suffix_of (name);

  return g_strv_contains (PICTURES, suffix);
}

/* Models of other programs. A tokenizer may also be called “.bin”. */
static const struct {
  const char *suffix, *sentence;
} FOREIGN[] = {
#define GGUF                                                                                       \
  N_ ("“%s” is a GGUF model, made for llama.cpp: open this model's ExecuTorch version (.pte) " \
      "instead.")
#define PYTORCH \
  N_ ("“%s” is a PyTorch checkpoint: open this model's ExecuTorch version (.pte) instead.")
  { "gguf", GGUF },
  { "ggml", GGUF },
  { "safetensors", N_ ("“%s” contains only a model's weights (Safetensors): open this model's "
                       "ExecuTorch version (.pte) instead.") },
  { "onnx", N_ ("“%s” is an ONNX model: open this model's ExecuTorch version (.pte) instead.") },
  { "pt", PYTORCH },
  { "pth", PYTORCH },
  { "ckpt", PYTORCH },
  { "bin", PYTORCH },
};

static const char *
foreign_sentence (const char *name, const char *suffix)
{
  gboolean tokenizer = g_str_equal (suffix, "bin") && strstr (name, "tokenizer") != NULL;

  for (guint i = 0; i < G_N_ELEMENTS (FOREIGN) && !tokenizer; i++)
    if (g_str_equal (FOREIGN[i].suffix, suffix))
      return _ (FOREIGN[i].sentence);
  return NULL;
}

char *
pteris_file_explain_foreign (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *suffix = suffix_of (name);
  g_autofree char *shown = name != NULL ? g_filename_display_name (name) : NULL;

  if (pteris_file_kind (file) != PTERIS_FILE_FOREIGN)
    return NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return g_strdup_printf (foreign_sentence (name, suffix), shown);
#pragma GCC diagnostic pop
}

PterisFileKind
pteris_file_kind (GFile *file)
{
  g_autofree char *name = g_file_get_basename (file);
  const char *path = g_file_peek_path (file);
  g_autofree char *suffix = suffix_of (name);

  if (g_str_equal (suffix, "pte") || g_str_equal (suffix, "ptd"))
    return PTERIS_FILE_MODEL;
  if (g_strv_contains (RECORDINGS, suffix))
    return PTERIS_FILE_RECORDING;
  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_DIR))
    return PTERIS_FILE_FOLDER;
  if (name != NULL && foreign_sentence (name, suffix) != NULL)
    return PTERIS_FILE_FOREIGN;
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
  if (n[PTERIS_FILE_FOREIGN] > 0)
    return g_strdup (_ ("Not an ExecuTorch model"));
  return g_strdup (_ ("Not a model or recording"));
}
