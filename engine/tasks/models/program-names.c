/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/program-names.h"

#include <string.h>

#include "engine/base/program-labels.h"

/* Words between the other parts of a name. */
#define SEPARATORS "-_. "
/* Sides of pictures in names: least, most, and the step. */
#define MIN_SIDE 128
#define MAX_SIDE 4096
#define SIDE_STEP 32

static const char *const BACKENDS[] = { "xnnpack", "cpu",   "portable", "vulkan", "coreml",  "mlx",
                                        "mps",     "metal", "qnn",      "cuda",   "openvino" };

/* Parts of a model of several programs. */
static const char *const PARTS[] = { "encoder", "decoder", "synthesizer", "predictor", "duration",
                                     "text",    "image",   "unet",        "vae",       "codec" };

static gboolean
is_one_of (const char *word, const char *const *words, gsize n, gsize *at)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (word, words[i]) == 0) {
      if (at != NULL)
        *at = i;
      return TRUE;
    }
  return FALSE;
}

#define IS_ONE_OF(word, words) is_one_of (word, words, G_N_ELEMENTS (words), NULL)

/* "qat", "lora", "qlora" and "eo8" are pieces of the names of quantisations. */
static const char *
quantisation_of (const char *word)
{
  static const struct {
    const char *word, *precision;
  } PIECES[] = { { "lora", "qlora" }, { "qat", "qlora" }, { "eo8", "" }, { "quant", "quantized" } };

  for (gsize i = 0; i < G_N_ELEMENTS (PIECES); i++)
    if (strcmp (word, PIECES[i].word) == 0)
      return PIECES[i].precision;
  return pt_label_is_precision (word) || strcmp (word, "original") == 0 ? word : NULL;
}

/* Takes @word as a label of @name; FALSE: it is none. */
static gboolean
take_label (PtProgramName *name, const char *word)
{
  const char *precision = quantisation_of (word);

  if (pt_label_capability (word) > 0) {
    if (name->target == NULL)
      name->target = g_strdup (word);
    return TRUE;
  }
  if (IS_ONE_OF (word, BACKENDS)) {
    if (name->backend == NULL)
      name->backend = g_strdup (word);
    return TRUE;
  }
  if (precision == NULL)
    return FALSE;
  /* "INT4" with "SpinQuant" or "QLORA" in the same name is a part of these. */
  if (*precision != '\0' &&
      (name->precision == NULL || g_str_has_prefix (name->precision, "int"))) {
    g_free (name->precision);
    name->precision = g_strdup (precision);
  }
  return TRUE;
}

/* Parts of a model have the side after the part ("encoder_384"); models before the backend
 * ("yolo26n_384_xnnpack_fp32"), because in "room-384" the number may be the name. */
static gboolean
is_side_place (gboolean after_part, const char *next)
{
  return after_part || (next != NULL && IS_ONE_OF (next, BACKENDS));
}

static gboolean
is_side (const char *word)
{
  guint64 side;

  return g_ascii_string_to_unsigned (word, 10, MIN_SIDE, MAX_SIDE, &side, NULL) &&
         side % SIDE_STEP == 0;
}

/* Reads the words of a file or folder; what is no label goes to @key. @is_file: parts of models are
 * left out, too. Returns whether there was anything for the key. */
static gboolean
read_words (PtProgramName *name, const char *text, gboolean is_file, GString *key)
{
  g_autofree char *lower = g_ascii_strdown (text, -1);
  g_auto (GStrv) words = g_strsplit_set (lower, SEPARATORS, -1);
  gsize begin = key->len;
  gboolean was_part = FALSE;

  for (guint i = 0; words[i] != NULL; i++) {
    gboolean is_part = is_file && IS_ONE_OF (words[i], PARTS);

    if (words[i][0] == '\0' || take_label (name, words[i]))
      continue;
    if (is_file && (was_part || key->len > begin) && is_side (words[i]) && name->extra == NULL &&
        is_side_place (was_part, words[i + 1]))
      name->extra = g_strdup (words[i]);
    else if (!is_part)
      g_string_append_printf (key, "%s%s", key->len > begin ? "_" : "", words[i]);
    was_part = is_part;
  }
  return key->len > begin;
}

void
pt_program_name_read (PtProgramName *name, const char *path)
{
  g_auto (GStrv) parts = g_strsplit_set (path, "/\\", -1);
  g_autoptr (GString) key = g_string_new (NULL);
  guint n = g_strv_length (parts);
  char *file = n > 0 ? parts[n - 1] : NULL;

  *name = (PtProgramName){ 0 };
  if (file != NULL && g_str_has_suffix (file, ".pte"))
    file[strlen (file) - strlen (".pte")] = '\0';
  /* The file's own words say more than those of its folders. */
  if (file != NULL)
    read_words (name, file, TRUE, key);
  for (guint i = n > 0 ? n - 1 : 0; i-- > 0;) {
    g_autoptr (GString) folder = g_string_new (NULL);

    if (!read_words (name, parts[i], FALSE, folder))
      continue;
    g_string_prepend_c (key, '/');
    g_string_prepend (key, folder->str);
  }
  name->key = g_string_free (g_steal_pointer (&key), FALSE);
}

void
pt_program_name_clear (PtProgramName *name)
{
  g_clear_pointer (&name->key, g_free);
  g_clear_pointer (&name->backend, g_free);
  g_clear_pointer (&name->precision, g_free);
  g_clear_pointer (&name->target, g_free);
  g_clear_pointer (&name->extra, g_free);
}

gboolean
pt_name_is_label (const char *name)
{
  g_autoptr (GString) key = g_string_new (NULL);
  g_auto (PtProgramName) labels = { 0 };

  return !read_words (&labels, name, FALSE, key) &&
         (labels.backend != NULL || labels.precision != NULL || labels.target != NULL);
}
