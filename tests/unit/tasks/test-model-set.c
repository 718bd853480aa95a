/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/error.h>
#include <pteris/models.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "engine/init.h"
#include "engine/runtime/backend.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/model-set.h"
#include "tests/unit/tasks/fixtures.h"

static char *
data_file (const char *folder, const char *model, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, model, file, NULL);
}

static char *
make_folder (void)
{
  char *folder = g_dir_make_tmp ("pteris-model-XXXXXX", NULL);

  g_assert_nonnull (folder);
  return folder;
}

static void
put (const char *folder, const char *name, const char *source)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) from = g_file_new_for_path (source), to = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  g_file_copy (from, to, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

static void
put_chat (const char *folder, const char *name, const char *model, const char *file)
{
  g_autofree char *source = data_file ("chat", model, file);

  put (folder, name, source);
}

#define QWEN "qwen3_xnnpack_8da4w"
#define EXTERNAL "qwen3_external_xnnpack_8da4w"

static void
check_missing (const char *path, const char *const *data, PtError code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_find (path, data, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_false (pt_model_set_check (set, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static void
check_refused (const char *path, PtError code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_model_set_find (path, NULL, NULL, NULL, NULL, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static void
test_complete (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *base = g_path_get_basename (folder);
  g_autoptr (GError) error = NULL;

  put_chat (folder, "model.pte", EXTERNAL, "model.pte");
  put_chat (folder, "model.ptd", EXTERNAL, "model.ptd");
  put_chat (folder, "tokenizer.json", QWEN, "tokenizer.json");
  for (int by_program = 0; by_program < 2; by_program++) {
    g_autoptr (PtModelSet) set =
        pt_model_set_find (by_program ? program : folder, NULL, NULL, NULL, NULL, &error);

    g_assert_no_error (error);
    g_assert_true (pt_model_set_check (set, &error));
    g_assert_cmpint (set->task, ==, PT_TASK_CHAT);
    g_assert_cmpstr (set->name, ==, base);
    g_assert_cmpstr (set->program, ==, program);
    g_assert_cmpuint (g_strv_length (set->data), ==, 1);
    g_assert_nonnull (set->tokenizer);
    g_assert_null (set->preprocessor);
    g_assert_cmpuint (set->bytes, >, 200000);
  }
  remove_folder (folder);
}

/* Languages in model cards, in the formats that occur. */
static void
test_languages (void)
{
  static const struct {
    const char *card, *languages;
  } cases[] = {
    { "---\nlanguage:\n- en\nlicense: mit\n---\n", "en" },
    { "---\nlicense: mit\nlanguage: de\n---\n", "de" },
    { "---\nlanguage: [en, \"fr\", 'de']\n---\n", "en fr de" },
    { "---\nlanguage:\n  - en\n  - zho\ntags:\n  - fr\n---\n", "en zho" },
    { "---\nlanguage: multilingual\n---\n", NULL },
    { "---\nlicense: mit\n---\nlanguage: en\n", NULL },
    { "language: en\n", NULL },
    { "---\nlanguage:\n- \xff\xfe\n- E\n---\n", NULL },
  };
  g_autofree char *folder = make_folder ();
  g_autofree char *card = g_build_filename (folder, "README.md", NULL);

  put_chat (folder, "model.pte", QWEN, "model.pte");
  put_chat (folder, "tokenizer.json", QWEN, "tokenizer.json");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtModelInfo) info = NULL;

    g_assert_true (g_file_set_contents (card, cases[i].card, -1, NULL));
    info = pt_library_probe (folder, &error);
    g_assert_no_error (error);
    g_assert_cmpstr (info->languages, ==, cases[i].languages);
  }
  remove_folder (folder);
}

static void
test_missing (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *wrong = NULL;
  g_autofree char *gone = g_build_filename (folder, "gone.ptd", NULL);
  const char *data[] = { gone, NULL };

  check_refused (folder, PT_ERROR_MISSING_FILE, "contains no model");
  check_refused ("/nowhere/model.pte", PT_ERROR_FILE, "There is no model");

  put_chat (folder, "model.pte", EXTERNAL, "model.pte");
  check_missing (folder, NULL, PT_ERROR_MISSING_FILE, "there is none beside it");

  /* Data of another model: both are named. */
  wrong = data_file ("tiny", "external_weights", "weights.ptd");
  put (folder, "other.ptd", wrong);
  check_missing (folder, NULL, PT_ERROR_DATA, "“other.ptd” belongs to another model");
  check_missing (folder, NULL, PT_ERROR_DATA, "“model.pte”");
  check_missing (folder, data, PT_ERROR_FILE, "gone.ptd");

  put_chat (folder, "model.ptd", EXTERNAL, "model.ptd");
  check_missing (folder, NULL, PT_ERROR_MISSING_FILE, "needs its tokenizer");
  remove_folder (folder);
}

static void
test_two_programs (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *one = g_build_filename (folder, "one.pte", NULL);
  g_autofree char *name = NULL;
  g_autoptr (PtModelSet) set = NULL;

  put_chat (folder, "one.pte", QWEN, "model.pte");
  put_chat (folder, "two.pte", EXTERNAL, "model.pte");
  put_chat (folder, "two.ptd", EXTERNAL, "model.ptd");
  put_chat (folder, "tokenizer.json", QWEN, "tokenizer.json");
  check_refused (folder, PT_ERROR_ARGUMENT, "“one.pte” and “two.pte”");
  set = pt_model_set_find (one, NULL, NULL, NULL, NULL, NULL);
  g_assert_true (pt_model_set_check (set, NULL));
  g_assert_cmpstr (set->name, ==, "one");
  remove_folder (folder);
}

/* A folder with a program for the GPU and the same for the CPU is one model. */
static void
test_cpu_variant (void)
{
  g_autofree char *gpu = data_file ("cuda", "names", "model.pte");
  g_autofree char *cpu = data_file ("tiny", "xnnpack_linear", "model.pte");
  g_autofree char *folder = make_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *variant = g_build_filename (folder, "model.cpu.pte", NULL);
  g_autofree char *other = g_build_filename (folder, "a-xnnpack-q8.pte", NULL);
  g_autoptr (PtModelSet) set = NULL, on_gpu = NULL;
  g_autofree char *none = NULL, *third = NULL, *second = NULL, *first = NULL, *back = NULL;

  put (folder, "model.pte", gpu);
  none = pt_backend_choice_find_cpu (program, NULL);
  g_assert_null (none);
  /* Named so, but it needs a GPU as well. */
  put (folder, "b-xnnpack.pte", gpu);
  third = pt_backend_choice_find_cpu (program, NULL);
  g_assert_null (third);
  put (folder, "a-xnnpack-q8.pte", cpu);
  second = pt_backend_choice_find_cpu (program, NULL);
  g_assert_cmpstr (second, ==, other);
  put (folder, "model.cpu.pte", cpu);
  first = pt_backend_choice_find_cpu (program, NULL);
  g_assert_cmpstr (first, ==, variant);
  back = pt_backend_choice_find_cpu (variant, NULL);
  g_assert_null (back);
  /* Without a GPU the one for the CPU is chosen, unless somebody asks for the other. */
  set = pt_model_set_find (folder, NULL, NULL, NULL, NULL, NULL);
  g_assert_nonnull (set);
  g_assert_cmpstr (set->program, ==,
                   pt_backend_find ("CudaBackend")->is_available (NULL) ? program : variant);
  g_assert_cmpuint (set->variants->len, ==, 2);
  on_gpu =
      pt_model_set_search (&(PtModelQuery){ .path = folder, .backend = PT_BACKEND_CUDA }, NULL);
  g_assert_nonnull (on_gpu);
  g_assert_cmpstr (on_gpu->program, ==, program);
  remove_folder (folder);
}

static void
test_preprocessor (void)
{
  g_autofree char *folder =
      g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", "whisper-base", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_find (folder, NULL, NULL, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (set->task, ==, PT_TASK_TRANSCRIBE);
  g_assert_true (g_str_has_suffix (set->program, "model.pte"));
  g_assert_true (g_str_has_suffix (set->preprocessor, "preprocessor.pte"));
  g_assert_false (pt_model_set_check (set, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MISSING_FILE);
}

static void
test_not_a_program (void)
{
  g_autofree char *folder = make_folder ();
  g_autofree char *path = g_build_filename (folder, "notes.pte", NULL);

  g_assert_true (
      g_file_set_contents (path, "These are my notes, and no program at all.", -1, NULL));
  check_refused (path, PT_ERROR_FORMAT, "notes.pte");
  check_refused (folder, PT_ERROR_FORMAT, "notes.pte");
  remove_folder (folder);
}

static const PtModelInfo *
find_info (GPtrArray *infos, const char *name)
{
  for (guint i = 0; i < infos->len; i++)
    if (strcmp (((PtModelInfo *) infos->pdata[i])->name, name) == 0)
      return infos->pdata[i];
  return NULL;
}

static void
test_library (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "resources", "starter", NULL);
  const char *folders[] = { folder, NULL };
  g_autoptr (GPtrArray) infos = pt_library_scan (folders);
  const PtModelInfo *info = find_info (infos, "smollm2-135m-instruct");
  g_autofree char *found = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (info);
  g_assert_cmpstr (info->title, ==, "SmolLM2 135M Instruct");
  g_assert_cmpstr (info->license, ==, "Apache-2.0");
  g_assert_cmpstr (info->task, ==, "chat");
  g_assert_nonnull (info->missing);
  g_assert_nonnull (find_info (infos, "whisper-base"));

  found = pt_library_find ("SmolLM2", folders, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (found, ==, info->path);
  g_assert_null (pt_library_find ("-", folders, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (pt_library_find ("mistral", folders, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "whisper-base"));
}

int
main (int argc, char **argv)
{
  g_autofree char *empty = g_dir_make_tmp ("pteris-library-XXXXXX", NULL);
  int status;

  g_setenv ("PTERIS_MODELS", empty, TRUE);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/tasks/model-set/complete", test_complete);
  g_test_add_func ("/tasks/model-set/languages", test_languages);
  g_test_add_func ("/tasks/model-set/missing", test_missing);
  g_test_add_func ("/tasks/model-set/two-programs", test_two_programs);
  g_test_add_func ("/tasks/model-set/cpu-variant", test_cpu_variant);
  g_test_add_func ("/tasks/model-set/preprocessor", test_preprocessor);
  g_test_add_func ("/tasks/model-set/not-a-program", test_not_a_program);
  g_test_add_func ("/tasks/library", test_library);
  status = g_test_run ();
  g_rmdir (empty);
  return status;
}
