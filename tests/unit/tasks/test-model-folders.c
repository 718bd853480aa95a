/* SPDX-License-Identifier: BSD-3-Clause */

/* Folders of models as they are on the hub: which files belong together. */

#include <string.h>
#include <pteris/error.h>
#include <pteris/inspect.h>
#include <pteris/models.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#ifdef G_OS_UNIX
#include <unistd.h>
#endif

#include "engine/base/program-labels.h"
#include "engine/init.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-parts.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-set.h"
#include "engine/tasks/models/model-tree.h"

/* Programs of tests/data; only their methods and shapes matter. */
#define TEXT_MODEL "chat/qwen3_xnnpack_8da4w/model.pte"
#define WHISPER "whisper-mini/model.pte"
#define EMBEDDING "published/rne_text_embedding/model.pte"
#define CLIP "published/rne_image_embedding/model.pte"
#define FSMN "published/rne_fsmn_vad/model.pte"
#define DETECTOR "published/rne_detector/model.pte"
#define CLASSIFIER "classifiers/vit_xnnpack_q8/model.pte"

static char *root;

/* Writes the file @path below the root: a copy of tests/data/@source, or the text @text. */
static void
put (const char *path, const char *source, const char *text)
{
  g_autofree char *to = g_build_filename (root, path, NULL), *folder = g_path_get_dirname (to);
  g_autofree char *from = NULL, *contents = NULL;
  gsize length;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  if (source == NULL) {
    g_assert_true (g_file_set_contents (to, text, -1, NULL));
    return;
  }
  from = g_test_build_filename (G_TEST_DIST, "data", source, NULL);
  g_assert_true (g_file_get_contents (from, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (to, contents, (gssize) length, NULL));
}

static void
remove_below (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      remove_below (path);
    else
      g_remove (path);
  }
  g_rmdir (folder);
}

static void
begin (void)
{
  root = g_dir_make_tmp ("pteris-hub-XXXXXX", NULL);
  g_assert_nonnull (root);
}

static void
end (void)
{
  remove_below (root);
  g_clear_pointer (&root, g_free);
}

static char *
below (const char *path)
{
  return g_build_filename (root, path, NULL);
}

static PtModelSet *
search (const char *path, const char *variant, GError **error)
{
  g_autofree char *full = below (path);
  const PtModelQuery query = { .path = full, .variant = variant };

  return pt_model_set_search (&query, error);
}

/* Checks that @path opens the program called @program, of @family. */
static PtModelSet *
check_opens (const char *path, const char *program, PtFamily family)
{
  g_autoptr (GError) error = NULL;
  PtModelSet *set = search (path, NULL, &error);

  g_assert_no_error (error);
  if (!g_str_has_suffix (set->program, program))
    g_error ("“%s” opens “%s” instead of “%s”", path, set->program, program);
  g_assert_cmpint (set->family, ==, family);
  return set;
}

static void
check_refused (const char *path, const char *variant, PtError code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (search (path, variant, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” is not in “%s”", part, error->message);
}

static void
test_names (void)
{
  static const struct {
    const char *path, *key, *backend, *precision, *extra;
  } cases[] = {
    { "1b/xnnpack/llama_3_2_1b_xnnpack_spinquant.pte", "1b/llama_3_2_1b", "xnnpack", "spinquant" },
    { "1b/xnnpack/llama_3_2_1b_xnnpack_bf16.pte", "1b/llama_3_2_1b", "xnnpack", "bf16" },
    { "e2b/vulkan/gemma_4_e2b_vulkan_8da4w.pte", "e2b/gemma_4_e2b", "vulkan", "8da4w" },
    { "llama-3.2-1B/QLoRA/llama3_2_qat_lora.pte", "llama_3_2_1b/llama3_2", NULL, "qlora" },
    { "Llama-3.2-1B-Instruct-SpinQuant_INT4_EO8.pte", "llama_3_2_1b_instruct", NULL, "spinquant" },
    { "Llama-3.2-1B-Instruct-QLORA_INT4_EO8.pte", "llama_3_2_1b_instruct", NULL, "qlora" },
    { "model.cpu.pte", "model", "cpu", NULL },
    { "a-xnnpack-q8.pte", "a", "xnnpack", "q8" },
    { "xnnpack/bk_sdm_tiny_unet_256_xnnpack_fp32.pte", "bk_sdm_tiny", "xnnpack", "fp32", "256" },
    { "xnnpack/bk_sdm_tiny_vae_xnnpack_fp32.pte", "bk_sdm_tiny", "xnnpack", "fp32" },
    { "xnnpack/clip_image_xnnpack_int8.pte", "clip", "xnnpack", "int8" },
    { "xnnpack/standard/duration_predictor_std.pte", "standard/std", "xnnpack", NULL },
    { "xnnpack/standard/synthesizer_std.pte", "standard/std", "xnnpack", NULL },
    { "cuda/sm80/model.pte", "model", "cuda", NULL },
    { "sm90a/model.pte", "model", NULL, NULL },
    { "n/xnnpack/yolo26n_384_xnnpack_fp32.pte", "n/yolo26n", "xnnpack", "fp32", "384" },
    { "xnnpack/yolo26n_pose_640_xnnpack_fp32.pte", "yolo26n_pose", "xnnpack", "fp32", "640" },
    { "voxtral_mini_4b_2602_xnnpack_8da4w.pte", "voxtral_mini_4b_2602", "xnnpack", "8da4w" },
    { "384/yolo.pte", "384/yolo", NULL, NULL },
    { "512.pte", "512", NULL, NULL },
    { "room-384.pte", "room_384", NULL, NULL },
    { ".pte", "", NULL, NULL },
    { "", "", NULL, NULL },
  };

  static const char *const RANKED[] = { "8da4w", "int4", "int8", "fp32", "fp16", "bf16" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (PtProgramName) name = { 0 };

    pt_program_name_read (&name, cases[i].path);
    g_assert_cmpstr (name.key, ==, cases[i].key);
    g_assert_cmpstr (name.backend, ==, cases[i].backend);
    g_assert_cmpstr (name.precision, ==, cases[i].precision);
    g_assert_cmpstr (name.extra, ==, cases[i].extra);
  }
  for (gsize i = 1; i < G_N_ELEMENTS (RANKED); i++)
    g_assert_cmpuint (pt_label_precision_rank (RANKED[i - 1], FALSE), <,
                      pt_label_precision_rank (RANKED[i], FALSE));
  g_assert_cmpuint (pt_label_precision_rank (NULL, FALSE), ==,
                    pt_label_precision_rank ("fp32", FALSE));
  g_assert_cmpuint (pt_label_precision_rank ("fp32", TRUE), <,
                    pt_label_precision_rank ("8da4w", TRUE));
  g_assert_cmpuint (pt_label_capability ("sm120"), ==, 120);
  g_assert_cmpuint (pt_label_capability ("sm90a"), ==, 90);
  g_assert_cmpuint (pt_label_capability ("sm"), ==, 0);
  g_assert_cmpuint (pt_label_capability ("sm9"), ==, 0);
  g_assert_cmpuint (pt_label_capability ("sm4294967376"), ==, 0);
  g_assert_cmpuint (pt_label_capability ("small"), ==, 0);
  g_assert_true (pt_label_fits (NULL, 0));
  g_assert_true (pt_label_fits ("sm80", 89));
  g_assert_false (pt_label_fits ("sm80", 90));
  g_assert_false (pt_label_fits ("sm89", 80));
  g_assert_true (pt_label_fits ("sm90a", 90));
  g_assert_false (pt_label_fits ("sm100a", 103));
  g_assert_true (pt_name_is_label ("xnnpack"));
  g_assert_false (pt_name_is_label ("smollm2"));
}

/* The layout of react-native-executorch: sizes, backends, precisions; the tokenizer at the root. */
static void
test_variants (void)
{
  static const char *const FILES[] = { "1b/xnnpack/llama_3_2_1b_xnnpack_bf16.pte",
                                       "1b/xnnpack/llama_3_2_1b_xnnpack_spinquant.pte",
                                       "3b/xnnpack/llama_3_2_3b_xnnpack_bf16.pte",
                                       "3b/xnnpack/llama_3_2_3b_xnnpack_spinquant.pte" };
  g_autoptr (PtModelSet) folder = NULL, inner = NULL, file = NULL, named = NULL;
  g_autoptr (PtModelSet) size = NULL, exact = NULL;
  g_autofree char *text = NULL;

  begin ();
  for (gsize i = 0; i < G_N_ELEMENTS (FILES); i++)
    put (FILES[i], TEXT_MODEL, NULL);
  put ("README.md", NULL, "---\nlicense: mit\n---\n");
  put ("tokenizer.json", "chat/qwen3_xnnpack_8da4w/tokenizer.json", NULL);
  put ("tokenizer_config.json", NULL, "{}");
  check_refused (".", NULL, PT_ERROR_ARGUMENT, "contains 2 models, “1b” and “3b”. Choose one");
  check_refused (".", "2b", PT_ERROR_ARGUMENT, "“1b” and “3b”");
  check_refused (".", "1", PT_ERROR_ARGUMENT, "“1b” and “3b”");
  check_refused (".", "3b-int8", PT_ERROR_ARGUMENT, "“int8” is no variant");
  /* A variant of the repository begins with the size. */
  size = search (".", "3B", NULL);
  g_assert_true (g_str_has_suffix (size->program, "llama_3_2_3b_xnnpack_spinquant.pte"));
  g_assert_no_error (size->missing);
  exact = search (".", "1b-bf16", NULL);
  g_assert_true (g_str_has_suffix (exact->program, "llama_3_2_1b_xnnpack_bf16.pte"));

  folder = check_opens ("1b", FILES[1] + strlen ("1b/xnnpack/"), PT_FAMILY_TEXT_LLM);
  g_assert_no_error (folder->missing);
  g_assert_cmpuint (folder->variants->len, ==, 2);
  g_assert_true (((PtModelVariant *) folder->variants->pdata[0])->chosen);
  g_assert_cmpstr (((PtModelVariant *) folder->variants->pdata[0])->name, ==, "xnnpack-spinquant");
  text = pt_model_text_folder (folder->folder, folder->tokenizer);
  g_assert_true (g_str_has_suffix (text, strrchr (root, G_DIR_SEPARATOR)));

  inner = check_opens ("1b/xnnpack", "llama_3_2_1b_xnnpack_spinquant.pte", PT_FAMILY_TEXT_LLM);
  g_assert_no_error (inner->missing);
  /* A file that is named is opened itself. */
  file = check_opens (FILES[0], "llama_3_2_1b_xnnpack_bf16.pte", PT_FAMILY_TEXT_LLM);
  g_assert_cmpuint (file->variants->len, ==, 2);
  named = search ("1b", "BF16", NULL);
  g_assert_true (g_str_has_suffix (named->program, "llama_3_2_1b_xnnpack_bf16.pte"));
  check_refused ("1b", "int8", PT_ERROR_ARGUMENT,
                 "Its variants are “xnnpack-spinquant”, “xnnpack-bf16”");
  check_refused ("1b", "xnnpack", PT_ERROR_ARGUMENT, "means several variants");
  end ();
}

/* Speech models lose too much; a config.json says what names do not. */
static void
test_precision (void)
{
  g_autoptr (PtModelSet) speech = NULL, config = NULL;

  begin ();
  put ("speech/whisper_xnnpack_8da4w.pte", WHISPER, NULL);
  put ("speech/whisper_xnnpack_fp32.pte", WHISPER, NULL);
  speech = check_opens ("speech", "whisper_xnnpack_fp32.pte", PT_FAMILY_WHISPER);
  put ("b/net_a.pte", CLASSIFIER, NULL);
  put ("b/net_bf16.pte", CLASSIFIER, NULL);
  put ("c/net_fp32.pte", CLASSIFIER, NULL);
  put ("c/net_bf16.pte", CLASSIFIER, NULL);
  put ("c/config.json", NULL,
       "{\"variants\": [{\"file\": \"net_bf16.pte\", \"precision\": \"int8\"}]}");
  config = check_opens ("c", "net_bf16.pte", PT_FAMILY_CLASSIFIER);
  check_refused ("b", NULL, PT_ERROR_ARGUMENT, "contains 2 models");
  end ();
}

/* A config.json says that files are of one model, whatever they are called. */
static void
test_config_names (void)
{
  g_autoptr (PtModelSet) set = NULL, other = NULL;

  begin ();
  put ("net/first.pte", CLASSIFIER, NULL);
  put ("net/second.pte", CLASSIFIER, NULL);
  check_refused ("net", NULL, PT_ERROR_ARGUMENT, "contains 2 models");
  put ("net/config.json", NULL,
       "{\"backend\": \"xnnpack\", \"variants\": ["
       "{\"file\": \"first.pte\", \"precision\": \"bf16\"}, {\"file\": \"gone.pte\"},"
       "{\"file\": \"second.pte\", \"precision\": \"8da4w\"}]}");
  set = check_opens ("net", "second.pte", PT_FAMILY_CLASSIFIER);
  g_assert_cmpuint (set->variants->len, ==, 2);
  g_assert_cmpstr (((PtModelVariant *) set->variants->pdata[0])->name, ==, "xnnpack-8da4w");
  other = search ("net", "bf16", NULL);
  g_assert_true (g_str_has_suffix (other->program, "first.pte"));
  /* A file that it does not list stays a model of its own. */
  put ("net/third.pte", CLASSIFIER, NULL);
  check_refused ("net", NULL, PT_ERROR_ARGUMENT, "contains 2 models");
  end ();
}

static void
check_gpu (const char *nvml, const char *chosen, const char *obstacle)
{
  g_autoptr (PtModelSet) set = NULL;
  guint n_obstacles = 0;

  g_setenv ("PTERIS_NVML", nvml, TRUE);
  set = check_opens ("voice", chosen, PT_FAMILY_CLASSIFIER);
  g_assert_cmpuint (set->variants->len, ==, 4);
  for (guint i = 0; i < set->variants->len; i++) {
    const PtModelVariant *variant = set->variants->pdata[i];

    n_obstacles += variant->obstacle != NULL;
    if (variant->obstacle != NULL)
      g_assert_nonnull (strstr (variant->obstacle, obstacle));
  }
  g_assert_cmpuint (n_obstacles, ==, strcmp (obstacle, "none here") == 0 ? 3 : 2);
}

static void
put_targets (void)
{
  put ("voice/sm80/model.pte", CLASSIFIER, NULL);
  put ("voice/sm90a/model.pte", CLASSIFIER, NULL);
  put ("voice/sm120/model.pte", CLASSIFIER, NULL);
  put ("voice/xnnpack/model.pte", CLASSIFIER, NULL);
}

/* Folders for GPUs: the one of the GPU that is here, which has 9.0. */
static void
test_targets (void)
{
  begin ();
  put_targets ();
  check_gpu (FAKE_NVML_NEW, "sm90a" G_DIR_SEPARATOR_S "model.pte", "this one is of sm90");
  g_unsetenv ("PTERIS_NVML");
  end ();
}

/* A process of its own, because the driver is looked for once. */
static void
test_no_target (void)
{
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, 0);
    g_test_trap_assert_passed ();
    return;
  }
  begin ();
  put_targets ();
  check_gpu ("/nowhere/libnvidia-ml.so", "xnnpack" G_DIR_SEPARATOR_S "model.pte", "none here");
  end ();
}

#define CRAFT "vision/look/ocr/craft.pte"
#define CRNN "vision/look/ocr/crnn_english.pte"

static void
check_recognizer (const char *path, const char *wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = search (path, NULL, &error);
  const char *found, *detector;

  g_assert_no_error (error);
  found = pt_model_set_part (set, "recognizer");
  detector = pt_model_set_part (set, "detector");
  g_assert_nonnull (detector);
  g_assert_true (g_str_has_suffix (detector, "craft_xnnpack_int8.pte"));
  if (found == NULL || strstr (found, wanted) == NULL)
    g_error ("“%s” has the recogniser “%s”", path, found != NULL ? found : "none");
}

/* A detector of writing and its recognisers as they are downloaded: in folders of their own. */
static void
test_writing (void)
{
  begin ();
  put ("ocr/README.md", NULL, "");
  put ("ocr/xnnpack/craft_xnnpack_int8.pte", CRAFT, NULL);
  put ("ocr/english/xnnpack/crnn_english_xnnpack_fp32.pte", CRNN, NULL);
  check_recognizer ("ocr", "english");
  check_recognizer ("ocr/xnnpack", "english");
  check_recognizer ("ocr/xnnpack/craft_xnnpack_int8.pte", "english");
  check_recognizer ("ocr/english", "english");
  /* Of several the one for the user's language; another one by its folder. */
  put ("ocr/latin/xnnpack/crnn_latin_xnnpack_fp32.pte", CRNN, NULL);
  put ("ocr/japanese/xnnpack/crnn_japanese_xnnpack_fp32.pte", CRNN, NULL);
  check_recognizer ("ocr", "english");
  check_recognizer ("ocr/japanese", "japanese");
  /* Recognisers without a detector are models, one for each alphabet. */
  put ("alone/english/xnnpack/crnn_english_xnnpack_fp32.pte", CRNN, NULL);
  put ("alone/latin/xnnpack/crnn_latin_xnnpack_fp32.pte", CRNN, NULL);
  check_refused ("alone", NULL, PT_ERROR_ARGUMENT, "contains 2 models");
  end ();
}

/* Of detectors for several sizes beside a recogniser, that for 800 is used, whatever else the names
 * say and whichever program is named. */
static void
test_writing_sizes (void)
{
  static const char *const PATHS[] = { "old", "old/crnn_english.pte", "apart", "apart/english" };

  begin ();
  for (guint i = 0; i < 3; i++) {
    static const char *const SIZES[] = { "1280", "320", "800" };
    g_autofree char *old = g_strdup_printf ("old/craft_%s_xnnpack.pte", SIZES[i]);
    g_autofree char *apart = g_strdup_printf ("apart/original/craft_%s_xnnpack.pte", SIZES[i]);

    put (old, CRAFT, NULL);
    put (apart, CRAFT, NULL);
  }
  put ("old/crnn_english.pte", CRNN, NULL);
  put ("apart/README.md", NULL, "");
  put ("apart/english/crnn_english_xnnpack_fp32.pte", CRNN, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (PATHS); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtModelSet) set = search (PATHS[i], NULL, &error);

    g_assert_no_error (error);
    if (!g_str_has_suffix (pt_model_set_part (set, "detector"), "craft_800_xnnpack.pte"))
      g_error ("“%s” has the detector “%s”", PATHS[i], pt_model_set_part (set, "detector"));
    g_assert_nonnull (pt_model_set_part (set, "recognizer"));
  }
  end ();
}

static void
check_speaks (const char *language, const char *wanted)
{
  g_autofree char *path = g_build_filename (root, "kokoro", NULL);
  const PtModelQuery query = { .path = path, .language = language };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_search (&query, &error);

  g_assert_no_error (error);
  if (strstr (set->program, wanted) == NULL)
    g_error ("The program for “%s” is “%s”", language != NULL ? language : "(none)", set->program);
}

/* Kokoro's repository has programs for German, for Polish, and for all other languages. */
static void
test_spoken_languages (void)
{
  static const char *const FOLDERS[] = { "german", "polish", "standard" };
  static const char *const ENDS[] = { "de", "pl", "std" };

  begin ();
  put ("kokoro/README.md", NULL, "");
  for (gsize i = 0; i < G_N_ELEMENTS (FOLDERS); i++) {
    g_autofree char *predictor =
        g_strdup_printf ("kokoro/xnnpack/%s/duration_predictor_%s.pte", FOLDERS[i], ENDS[i]);
    g_autofree char *synthesizer =
        g_strdup_printf ("kokoro/xnnpack/%s/synthesizer_%s.pte", FOLDERS[i], ENDS[i]);

    put (predictor, "speak/duration_predictor.pte", NULL);
    put (synthesizer, "speak/synthesizer.pte", NULL);
  }
  check_speaks ("de", "synthesizer_de.pte");
  check_speaks ("pl", "synthesizer_pl.pte");
  check_speaks ("", "synthesizer_std.pte");
  /* The tests run in the locale C. */
  check_speaks (NULL, "synthesizer_std.pte");
  g_assert_cmpstr (pt_model_asked_language ("de-AT", "af_heart"), ==, "de");
  g_assert_cmpstr (pt_model_asked_language ("pl", NULL), ==, "pl");
  g_assert_cmpstr (pt_model_asked_language ("pt-br", NULL), ==, "");
  g_assert_cmpstr (pt_model_asked_language (NULL, "df_anna"), ==, "de");
  g_assert_cmpstr (pt_model_asked_language (NULL, "pm_mateusz"), ==, "pl");
  g_assert_cmpstr (pt_model_asked_language (NULL, "pf_dora"), ==, "");
  g_assert_null (pt_model_asked_language (NULL, NULL));
  end ();
}

/* A report of a program names the files of its model, and why others are not used. */
static void
test_inspected (void)
{
  static const char *const ROLES[] = { "program", "model card", NULL, NULL };
  g_autofree char *path = NULL, *bundle = NULL, *folder = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PtInspectReport) report = NULL, alone = NULL, none = NULL;
  PtModelOptions options = { 0 };

  begin ();
  put ("net/net_int8.pte", CLASSIFIER, NULL);
  put ("net/net_bf16.pte", CLASSIFIER, NULL);
  put ("net/other.pte", DETECTOR, NULL);
  put ("net/README.md", NULL, "");
  path = below ("net/net_bf16.pte");
  options.path = path;
  report = pt_inspect_read_model (&options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report->n_files, ==, G_N_ELEMENTS (ROLES));
  for (guint i = 0; i < report->n_files; i++) {
    g_assert_cmpstr (report->files[i].role, ==, ROLES[i]);
    g_assert_true ((report->files[i].reason != NULL) == (ROLES[i] == NULL));
  }
  g_assert_true (g_str_has_suffix (report->files[2].path, "net_int8.pte"));
  options.variant = "int4";
  g_assert_null (pt_inspect_read_model (&options, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  g_clear_error (&error);
  bundle = g_test_build_filename (G_TEST_DIST, "data", "bundles", "scalars.bpte", NULL);
  options = (PtModelOptions){ .path = bundle };
  alone = pt_inspect_read_model (&options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (alone->n_files, ==, 0);
  folder = below (".");
  options.path = folder;
  none = pt_inspect_read_model (&options, &error);
  g_assert_null (none);
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  end ();
}

/* Programs of one network for pictures of several sizes are variants; the smallest is usual. */
static void
test_sizes (void)
{
  static const char *const SIDES[] = { "1280", "384", "640" };
  g_autoptr (PtModelSet) usual = NULL, sized = NULL, named = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = NULL;
  PtModelQuery query = { 0 };

  begin ();
  for (gsize i = 0; i < G_N_ELEMENTS (SIDES); i++) {
    g_autofree char *n = g_strdup_printf ("n/xnnpack/yolo26n_%s_xnnpack_fp32.pte", SIDES[i]);
    g_autofree char *m = g_strdup_printf ("m/xnnpack/yolo26m_%s_xnnpack_fp32.pte", SIDES[i]);

    put (n, DETECTOR, NULL);
    put (m, DETECTOR, NULL);
  }
  put ("m/coreml/yolo26m_384_coreml_fp16.pte", DETECTOR, NULL);
  usual = check_opens ("n", "yolo26n_384_xnnpack_fp32.pte", PT_FAMILY_DETECTOR);
  g_assert_cmpuint (usual->variants->len, ==, 3);
  folder = below ("n");
  query = (PtModelQuery){ .path = folder, .size = 640 };
  sized = pt_model_set_search (&query, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (sized->program, "yolo26n_640_xnnpack_fp32.pte"));
  named = search ("n", "1280", &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (named->program, "yolo26n_1280_xnnpack_fp32.pte"));
  check_refused ("", NULL, PT_ERROR_ARGUMENT, "“m” and “n”");
  /* Without sizes an error names programs for the CPU. */
  put ("flat/a_coreml_fp16.pte", DETECTOR, NULL);
  put ("flat/a_xnnpack_fp32.pte", DETECTOR, NULL);
  put ("flat/b_xnnpack_fp32.pte", DETECTOR, NULL);
  check_refused ("flat", NULL, PT_ERROR_ARGUMENT, "“a_xnnpack_fp32.pte” and “b_");
  end ();
}

/* Families of published models, also with parts and companions in their folders. */
static void
test_families (void)
{
  g_autoptr (PtModelSet) text = NULL, image = NULL, vad = NULL, boxes = NULL, whisper = NULL;
  g_autoptr (PtModelSet) clip = NULL, classifier = NULL;

  begin ();
  put ("text/model.pte", EMBEDDING, NULL);
  text = check_opens ("text", "model.pte", PT_FAMILY_TEXT_EMBEDDING);
  put ("image/model.pte", CLIP, NULL);
  image = check_opens ("image", "model.pte", PT_FAMILY_IMAGE_EMBEDDING);
  put ("vad/model.pte", FSMN, NULL);
  vad = check_opens ("vad", "model.pte", PT_FAMILY_FSMN_VAD);
  put ("boxes/model.pte", DETECTOR, NULL);
  boxes = check_opens ("boxes", "model.pte", PT_FAMILY_DETECTOR);
  g_assert_cmpint (boxes->task, ==, PT_TASK_LOOK);
  g_assert_no_error (boxes->missing);
  put ("net/clip_image.pte", CLASSIFIER, NULL);
  classifier = check_opens ("net", "clip_image.pte", PT_FAMILY_IMAGE_EMBEDDING);

  put ("whisper/whisper_tiny_xnnpack_fp32.pte", WHISPER, NULL);
  put ("whisper/fsmn_vad_xnnpack_fp32.pte", FSMN, NULL);
  whisper = check_opens ("whisper", "whisper_tiny_xnnpack_fp32.pte", PT_FAMILY_WHISPER);

  put ("clip/clip_image_xnnpack_fp32.pte", CLIP, NULL);
  put ("clip/clip_image_xnnpack_int8.pte", CLIP, NULL);
  put ("clip/clip_text_xnnpack_fp32.pte", EMBEDDING, NULL);
  clip = check_opens ("clip", "clip_image_xnnpack_int8.pte", PT_FAMILY_IMAGE_EMBEDDING);
  g_assert_cmpuint (clip->variants->len, ==, 2);
  g_assert_cmpstr (pt_model_set_part (clip, "image"), ==, clip->program);
  end ();
}

/* Each file of a folder has a role, or a reason why it is not used. */
static void
test_files (void)
{
  static const struct {
    const char *name, *role, *reason;
  } cases[] = {
    { "m_8da4w.pte", "program", NULL },
    { "tokenizer.json", "tokenizer", NULL },
    { "chat_template.jinja", "chat template", NULL },
    { "README.md", "model card", NULL },
    { "xnnpack/config.json", "settings", NULL },
    { "m_bf16.pte", NULL, "bf16”" },
    { "boxes.pte", NULL, "object detector" },
    { "m.ptd", NULL, "another program" },
    { "m/config.json", NULL, "names of classes" },
    { "model.safetensors", NULL, "a checkpoint" },
    { "notes.txt", NULL, "does not need it" },
  };
  g_autofree char *path = NULL;
  g_autoptr (PtModelInfo) info = NULL;
  g_autoptr (GError) error = NULL;

  begin ();
  put ("m/xnnpack/m_8da4w.pte", TEXT_MODEL, NULL);
  put ("m/xnnpack/m_bf16.pte", TEXT_MODEL, NULL);
  put ("m/xnnpack/boxes.pte", DETECTOR, NULL);
  put ("m/tokenizer.json", "chat/qwen3_xnnpack_8da4w/tokenizer.json", NULL);
  put ("m/chat_template.jinja", NULL, "");
  put ("m/README.md", NULL, "");
  put ("m/.gitattributes", NULL, "");
  put ("m/config.json", NULL, "{}");
  put ("m/xnnpack/config.json", NULL, "{\"variants\": [{\"file\": \"m_8da4w.pte\"}]}");
  put ("m/xnnpack/m.ptd", NULL, "");
  put ("m/model.safetensors", NULL, "");
  put ("m/notes.txt", NULL, "");
  /* However the path is spelt, no file is listed twice. */
  path = below ("m/xnnpack/../xnnpack/m_8da4w.pte");
  info = pt_library_probe (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (info->n_files, ==, G_N_ELEMENTS (cases));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const PtModelFile *file = &info->files[i];
    g_autofree char *place = g_strdelimit (g_strdup (file->path), "\\", '/');

    g_assert_true (g_str_has_suffix (place, cases[i].name));
    g_assert_cmpstr (file->role, ==, cases[i].role);
    g_assert_true ((file->reason == NULL) == (cases[i].reason == NULL));
    if (cases[i].reason != NULL && strstr (cases[i].name, "boxes") == NULL)
      g_assert_nonnull (strstr (file->reason, cases[i].reason));
  }
  /* Names of classes belong to models that look at pictures. */
  put ("d/model.pte", DETECTOR, NULL);
  put ("d/labels.txt", NULL, "a");
  pt_model_info_free (g_steal_pointer (&info));
  g_free (path);
  path = below ("d");
  info = pt_library_probe (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (info->n_files, ==, 2);
  g_assert_cmpstr (info->files[1].role, ==, "class names");
  end ();
}

/* How far up files are looked for. */
static void
test_root (void)
{
  g_autofree char *deep = NULL, *above = NULL, *marked = NULL, *other = NULL, *far = NULL;

  begin ();
  put ("a/b/c/d/model.pte", CLASSIFIER, NULL);
  put ("a/b/tokenizer.json", NULL, "{}");
  deep = below ("a/b/c/d");
  above = pt_model_find_tokenizer (deep);
  g_assert_nonnull (above);
  /* A root stops the search, and so does a folder with programs of its own. */
  put ("a/b/c/README.md", NULL, "");
  marked = pt_model_find_tokenizer (deep);
  g_assert_null (marked);
  remove_below (deep);
  put ("p/tokenizer.json", NULL, "{}");
  put ("p/other.pte", CLASSIFIER, NULL);
  put ("p/q/model.pte", CLASSIFIER, NULL);
  g_free (deep);
  deep = below ("p/q");
  other = pt_model_find_tokenizer (deep);
  g_assert_null (other);
  put ("1/2/3/4/5/model.pte", CLASSIFIER, NULL);
  put ("1/tokenizer.json", NULL, "{}");
  g_free (deep);
  deep = below ("1/2/3/4/5");
  far = pt_model_find_tokenizer (deep);
  g_assert_null (far);
  end ();
}

/* The library lists one model for each size, by the path of its best program. */
static void
test_library (void)
{
  const char *folders[2] = { NULL };
  g_autoptr (GPtrArray) infos = NULL;
  const PtModelInfo *info;

  begin ();
  put ("repo/README.md", NULL, "---\nlicense: apache-2.0\n---\n");
  put ("repo/1b/xnnpack/m_1b_xnnpack_bf16.pte", TEXT_MODEL, NULL);
  put ("repo/1b/xnnpack/m_1b_xnnpack_8da4w.pte", TEXT_MODEL, NULL);
  put ("repo/3b/xnnpack/m_3b_xnnpack_8da4w.pte", TEXT_MODEL, NULL);
  put ("repo/tokenizer.json", "chat/qwen3_xnnpack_8da4w/tokenizer.json", NULL);
  folders[0] = root;
  infos = pt_library_scan (folders);
  g_assert_cmpuint (infos->len, ==, 2);
  info = infos->pdata[0];
  g_assert_true (g_str_has_suffix (info->path, "m_1b_xnnpack_8da4w.pte"));
  g_assert_cmpuint (info->n_variants, ==, 2);
  g_assert_true (info->variants[0].chosen);
  g_assert_cmpstr (info->variants[1].precision, ==, "bf16");
  g_assert_cmpstr (info->license, ==, "Apache-2.0");
  g_assert_null (info->missing);
  end ();
}

/* ---- what is meant to do harm ---- */

static PtModelConfig *
read_config (const char *text, GError **error)
{
  put ("config.json", NULL, text);
  return pt_model_config_read (root, error);
}

static void
test_hostile_config (void)
{
  static const char *const PATHS[] = { "/etc/passwd", "../../../../x", "a/../b",  "..",
                                       "C:/x",        "a\\\\b",        "./x",     "",
                                       "a//b",        ".hidden",       "x/../..", "a/" };
  g_autofree char *nested = g_strnfill (200000, '['), *large = g_strnfill (10 << 20, ' ');
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelConfig) config = NULL;

  begin ();
  for (gsize i = 0; i < G_N_ELEMENTS (PATHS); i++) {
    g_autofree char *text = g_strdup_printf ("{\"tokenizer\": \"%s\", \"variants\": [{\"file\": "
                                             "\"%s\"}]}",
                                             PATHS[i], PATHS[i]);
    g_autoptr (PtModelConfig) bad = read_config (text, &error);

    g_assert_no_error (error);
    g_assert_null (bad->tokenizer);
    g_assert_cmpuint (bad->variants->len, ==, 0);
  }
  g_assert_null (read_config (nested, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_null (read_config (large, &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  /* A config of transformers is not one of ours. */
  g_assert_null (read_config ("{\"id2label\": {\"0\": \"cat\"}}", &error));
  g_assert_no_error (error);
  config =
      read_config ("{\"variants\": [7, null, {}, {\"file\": 3}, {\"file\": \"a.pte\", "
                   "\"precision\": [1], \"default\": \"yes\"}, {\"file\": \"a.pte\", "
                   "\"precision\": \"fp32\"}, {\"components\": {\"unet\": \"u.pte\", \"x\": 1, "
                   "\"t\": \"../t.json\"}}], \"model\": {}, \"capabilities\": [1, "
                   "\"vision\", \"text-embedding\"], \"tokenizer\": \"../../t.json\"}",
                   &error);
  g_assert_no_error (error);
  g_assert_cmpuint (config->variants->len, ==, 2);
  g_assert_null (((PtConfigVariant *) config->variants->pdata[0])->precision);
  g_assert_cmpuint (((PtConfigVariant *) config->variants->pdata[1])->components->len, ==, 2);
  g_assert_cmpuint (config->capabilities, ==, PT_CAN_SEE | PT_CAN_EMBED_TEXT);
  g_assert_cmpstr (config->tokenizer, ==, "../../t.json");
  g_assert_null (config->model);
  end ();
}

/* A tokenizer that a config.json names is one of the model's, or none. */
static void
test_outside (void)
{
  g_autofree char *deep = NULL, *found = NULL;

  begin ();
  put ("secret.json", NULL, "{}");
  put ("repo/README.md", NULL, "");
  put ("repo/xnnpack/model.pte", CLASSIFIER, NULL);
  put ("repo/xnnpack/config.json", NULL,
       "{\"variants\": [], \"tokenizer\": \"../../secret.json\"}");
  deep = below ("repo/xnnpack");
  found = pt_model_find_tokenizer (deep);
  g_assert_null (found);
  end ();
}

static void
test_large_folder (void)
{
  g_autofree char *path = NULL;
  g_autoptr (PtModelTree) tree = NULL, deep = NULL;

  begin ();
  for (guint i = 0; i < 3000; i++) {
    g_autofree char *name = g_strdup_printf ("many/%u.pte", i);

    put (name, NULL, "");
  }
  put ("a/b/c/d/e/f/model.pte", CLASSIFIER, NULL);
  path = below ("many");
  tree = pt_model_tree_read (path, PT_TREE_DEPTH);
  g_assert_cmpuint (tree->programs->len, ==, PT_TREE_PROGRAMS);
  g_assert_true (tree->is_cut);
  check_refused ("many", NULL, PT_ERROR_ARGUMENT, "and more");
  check_refused ("a", NULL, PT_ERROR_MISSING_FILE, "contains no model");
#ifdef G_OS_UNIX
  {
    g_autofree char *loop = below ("a/loop"), *self = below ("a");

    g_assert_cmpint (symlink (self, loop), ==, 0);
    deep = pt_model_tree_read (self, 100);
    g_assert_cmpuint (deep->programs->len, ==, 1);
  }
#endif
  end ();
}

int
main (int argc, char **argv)
{
  g_autofree char *empty = g_dir_make_tmp ("pteris-library-XXXXXX", NULL);
  int status;

  g_setenv ("PTERIS_MODELS", empty, TRUE);
  g_setenv ("LANGUAGE", "en", TRUE);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/tasks/model-folders/names", test_names);
  g_test_add_func ("/tasks/model-folders/variants", test_variants);
  g_test_add_func ("/tasks/model-folders/precision", test_precision);
  g_test_add_func ("/tasks/model-folders/inspected", test_inspected);
  g_test_add_func ("/tasks/model-folders/config-names", test_config_names);
  g_test_add_func ("/tasks/model-folders/targets", test_targets);
  g_test_add_func ("/tasks/model-folders/no-target", test_no_target);
  g_test_add_func ("/tasks/model-folders/writing", test_writing);
  g_test_add_func ("/tasks/model-folders/writing-sizes", test_writing_sizes);
  g_test_add_func ("/tasks/model-folders/spoken-languages", test_spoken_languages);
  g_test_add_func ("/tasks/model-folders/sizes", test_sizes);
  g_test_add_func ("/tasks/model-folders/families", test_families);
  g_test_add_func ("/tasks/model-folders/files", test_files);
  g_test_add_func ("/tasks/model-folders/root", test_root);
  g_test_add_func ("/tasks/model-folders/library", test_library);
  g_test_add_func ("/tasks/model-folders/hostile-config", test_hostile_config);
  g_test_add_func ("/tasks/model-folders/outside", test_outside);
  g_test_add_func ("/tasks/model-folders/large-folder", test_large_folder);
  status = g_test_run ();
  g_rmdir (empty);
  return status;
}
