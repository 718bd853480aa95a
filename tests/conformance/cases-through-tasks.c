/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <math.h>
#include <string.h>

#include "case-files.h"
#include "engine/init.h"
#include "engine/kernels/kernel-tables.h"

/*
 * cases-through-tasks FOLDER...: take every case.json below the folders, recognise what the program
 * is, and do with it what the application does. Prints TAP. An argument that begins with '$' names
 * an environment variable with folders, as PATH has them.
 */

#define MAX_CASE (16 << 20)
/* Reasons in one line. */
#define MAX_WHY 400

static const struct {
  PtFamily family;
  gboolean (*run) (TaskCase *c);
  const char
      *expects; /* in a case.json; without it, a case is only about single calls. NULL: any */
} FAMILIES[] = {
  { PT_FAMILY_TEXT_LLM, task_text_llm },
  { PT_FAMILY_CLASSIFIER, task_classifier, "top" },
  { PT_FAMILY_DETECTOR, task_look, "steps" },
  { PT_FAMILY_IMAGE_EMBEDDING, task_look, "steps" },
  { PT_FAMILY_VISION_CHAT, task_multimodal },
  { PT_FAMILY_AUDIO_CHAT, task_multimodal },
  { PT_FAMILY_GEMMA4, task_multimodal },
  { PT_FAMILY_LFM2_VL, task_multimodal },
  { PT_FAMILY_GEMMA4_LAYERS, task_multimodal },
  { PT_FAMILY_WHISPER, task_whisper },
  { PT_FAMILY_WHISPER_SAMPLES, task_whisper },
  { PT_FAMILY_SPLIT_WHISPER, task_whisper },
  { PT_FAMILY_VOXTRAL_REALTIME, task_realtime },
  { PT_FAMILY_TRANSDUCER, task_transducer },
  { PT_FAMILY_VAD, task_vad },
  { PT_FAMILY_FSMN_VAD, task_vad, "stream" },
  { PT_FAMILY_TEXT_EMBEDDING, task_embedding },
  { PT_FAMILY_TOKEN_EMBEDDING, task_embedding, "embeddings" },
  { PT_FAMILY_TOKEN_CLASSIFIER, task_privacy, "privacy" },
};

/* ---- what all families need ---- */

gboolean
task_fail (TaskCase *c, const char *format, ...)
{
  va_list args;

  if (c->why->len > 0)
    g_string_append (c->why, "; ");
  va_start (args, format);
  g_string_append_vprintf (c->why, format, args);
  va_end (args);
  return FALSE;
}

char *
task_path (const TaskCase *c, const json_t *name)
{
  return json_is_string (name) ? g_build_filename (c->folder, json_string_value (name), NULL)
                               : NULL;
}

gboolean
task_reopen (TaskCase *c)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&c->module, pt_module_free);
  c->module = pt_module_open (c->set->program, (const char *const *) c->set->data, NULL, &error);
  if (c->module != NULL)
    pt_module_choose_method (
        c->module,
        json_string_value (json_object_get (json_object_get (c->root, "generate"), "method")),
        NULL);
  return c->module != NULL || task_fail (c, "%s", error->message);
}

GArray *
task_ids (const json_t *list)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  for (gsize i = 0; i < json_array_size (list); i++) {
    gint32 id = (gint32) json_integer_value (json_array_get (list, i));

    g_array_append_val (ids, id);
  }
  return ids;
}

static char *
ids_to_text (const GArray *ids)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < ids->len; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? " " : "", g_array_index (ids, gint32, i));
  return g_string_free (text, FALSE);
}

gboolean
task_same_ids (TaskCase *c, const char *what, const GArray *ids, const json_t *list)
{
  g_autoptr (GArray) want = task_ids (list);
  g_autofree char *got_text = NULL, *want_text = NULL;

  if (ids->len == want->len && memcmp (ids->data, want->data, ids->len * sizeof (gint32)) == 0)
    return TRUE;
  got_text = ids_to_text (ids);
  want_text = ids_to_text (want);
  return task_fail (c, "%s: %s and not %s", what, got_text, want_text);
}

static double
number_at (gconstpointer numbers, PtDType dtype, gsize i)
{
  guint32 bits;
  float value;

  switch (dtype) {
  case PT_DTYPE_F32: return ((const float *) numbers)[i];
  case PT_DTYPE_F16:
    pt_vector_kernels ()->f16_to_f32 (1, (const guint16 *) numbers + i, &value);
    return value;
  case PT_DTYPE_BF16:
    bits = (guint32) ((const guint16 *) numbers)[i] << 16;
    memcpy (&value, &bits, sizeof value);
    return value;
  default: return (double) NAN;
  }
}

/* By how much a number may differ from @want. */
static double
tolerance_at (const TaskCase *c, double want)
{
  const json_t *tolerance = json_object_get (c->root, "tolerance");

  return json_number_value (json_object_get (tolerance, "atol")) +
         json_number_value (json_object_get (tolerance, "rtol")) * fabs (want);
}

gboolean
task_as_likely (TaskCase *c, gconstpointer logits, PtDType dtype, gsize n, gint32 id, gint32 other)
{
  double a, b;

  if (id < 0 || (gsize) id >= n || other < 0 || (gsize) other >= n)
    return FALSE;
  a = number_at (logits, dtype, (gsize) id);
  b = number_at (logits, dtype, (gsize) other);
  return fabs (a - b) <= tolerance_at (c, a);
}

gboolean
task_same_numbers (TaskCase *c, const char *what, gconstpointer numbers, PtDType dtype, gsize n,
                   const json_t *value)
{
  double worst = 0;
  g_autofree char *path = task_path (c, json_object_get (value, "file"));
  const char *name = json_string_value (json_object_get (value, "dtype"));
  PtDType want_dtype = g_strcmp0 (name, "bfloat16") == 0  ? PT_DTYPE_BF16
                       : g_strcmp0 (name, "float16") == 0 ? PT_DTYPE_F16
                                                          : PT_DTYPE_F32;
  g_autofree char *bytes = NULL;
  gsize length, at = 0;

  if (path == NULL || !g_file_get_contents (path, &bytes, &length, NULL))
    return task_fail (c, "%s: the expected numbers cannot be read", what);
  if (length != n * pt_dtype_size (want_dtype))
    return task_fail (c, "%s: %" G_GSIZE_FORMAT " numbers, and %" G_GSIZE_FORMAT " bytes expected",
                      what, n, length);
  for (gsize i = 0; i < n; i++) {
    double want = number_at (bytes, want_dtype, i);
    double far = fabs (number_at (numbers, dtype, i) - want) - tolerance_at (c, want);

    if (!(far <= worst)) {
      worst = far;
      at = i;
    }
  }
  return worst <= 0 ||
         task_fail (c, "%s: number %" G_GSIZE_FORMAT " is %g, too far from %g", what, at,
                    number_at (numbers, dtype, at), number_at (bytes, want_dtype, at));
}

/* ---- cases ---- */

static gboolean
open_case (TaskCase *c)
{
  g_autofree char *named = task_path (c, json_object_get (c->root, "program"));
  g_autofree char *program =
      named != NULL ? g_steal_pointer (&named) : g_build_filename (c->folder, "model.pte", NULL);
  g_autofree char *tokenizer = task_path (c, json_object_get (c->root, "tokenizer"));
  g_autoptr (GError) error = NULL;

  /* A copy of a case may leave its tokenizer out, for its size. */
  if (tokenizer != NULL && !g_file_test (tokenizer, G_FILE_TEST_EXISTS))
    g_clear_pointer (&tokenizer, g_free);
  c->set = pt_model_set_find (program, NULL, tokenizer, NULL, NULL, &error);
  if (c->set == NULL ||
      ((c->set->lacks & ~(guint) PT_MODEL_TOKENIZER) != 0 && !pt_model_set_check (c->set, &error)))
    return task_fail (c, "%s", error->message);
  if (tokenizer != NULL) {
    c->tokenizer = pt_tokenizer_open (c->set->tokenizer, &error);
    if (c->tokenizer == NULL)
      return task_fail (c, "%s", error->message);
  }
  return task_reopen (c);
}

static void
close_case (TaskCase *c)
{
  g_clear_pointer (&c->module, pt_module_free);
  g_clear_pointer (&c->tokenizer, pt_tokenizer_free);
  g_clear_pointer (&c->set, pt_model_set_free);
  g_string_free (c->why, TRUE);
}

static void
report (const TaskCase *c, guint number, const char *name, const char *skip)
{
  const PtFamilyInfo *info = pt_family_info (c->set != NULL ? c->set->family : PT_FAMILY_UNKNOWN);

  g_string_truncate (c->why, MIN (c->why->len, MAX_WHY));
  g_print ("%sok %u %s (%s)%s%s\n", c->why->len > 0 ? "not " : "", number, name, info->id,
           skip != NULL ? " # SKIP " : "", skip != NULL ? skip : "");
  if (c->why->len > 0)
    g_print ("# %s\n", c->why->str);
}

static gboolean
run_case (const char *folder, const json_t *root, guint number)
{
  g_autofree char *name = g_path_get_basename (folder);
  TaskCase c = { .folder = folder, .root = root, .why = g_string_new (NULL) };
  const char *skip = "nothing but its methods";
  gboolean ok = open_case (&c);

  for (gsize i = 0; ok && i < G_N_ELEMENTS (FAMILIES); i++)
    if (FAMILIES[i].family == c.set->family &&
        (FAMILIES[i].expects == NULL || json_object_get (root, FAMILIES[i].expects) != NULL)) {
      skip = NULL;
      FAMILIES[i].run (&c);
    }
  ok = c.why->len == 0;
  report (&c, number, name, ok ? skip : NULL);
  close_case (&c);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) cases = case_files_find (argc - 1, argv + 1);
  guint n_failed = 0;

  if (cases->len == 0) {
    g_print ("1..0 # SKIP no cases\n");
    return 0;
  }
  pt_init ();
  g_print ("1..%u\n", cases->len);
  for (guint i = 0; i < cases->len; i++) {
    const char *path = cases->pdata[i];
    g_autofree char *folder = g_path_get_dirname (path);
    g_autoptr (GError) error = NULL;
    g_autoptr (json_t) root = pt_json_load (path, MAX_CASE, &error);

    if (root == NULL)
      g_print ("not ok %u %s\n# %s\n", i + 1, path, error->message);
    n_failed += root == NULL || !run_case (folder, root, i + 1);
  }
  return n_failed > 0 ? 1 : 0;
}
