/* SPDX-License-Identifier: BSD-3-Clause */

/* Chat models in folders as react-native-executorch publishes them (tests/data/published/chat):
 * sizes, tags and folders differ from those of the other cases. The ids are those of PyTorch. */

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/media-private.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-set.h"
#include "tests/unit/tasks/fixtures.h"

#define QUESTION "What is it"
#define N_IDS 16

typedef struct {
  PtModelSet *set;
  PtModule *module;
  PtTokenizer *tokenizer;
  PtChat *chat;
  PtStats stats;
} Model;

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "published", "chat", name, NULL);
}

static gboolean
model_open (Model *model, const char *name, GError **error)
{
  g_autofree char *path = g_path_is_absolute (name) ? g_strdup (name) : data_path (name);
  g_autofree char *text = NULL;

  *model = (Model){ .set = pt_model_set_find (path, NULL, NULL, NULL, NULL, error) };
  if (model->set == NULL)
    return FALSE;
  model->module = pt_module_open (model->set->program, NULL, NULL, error);
  if (model->module == NULL)
    return FALSE;
  if (model->set->tokenizer == NULL) {
    g_autofree char *other = data_path ("lfm/vl_450m/tokenizer.json");

    model->tokenizer = pt_tokenizer_open (other, error);
  } else {
    model->tokenizer = pt_tokenizer_open (model->set->tokenizer, error);
  }
  g_assert_nonnull (model->tokenizer);
  text = pt_model_text_folder (model->set->folder, model->set->tokenizer);
  model->chat = pt_chat_new (model->module, model->tokenizer, text, error);
  return model->chat != NULL;
}

static void
model_close (Model *model)
{
  pt_chat_free (model->chat);
  pt_tokenizer_free (model->tokenizer);
  pt_module_free (model->module);
  pt_model_set_free (model->set);
}

static gboolean
ask (Model *model, const PtMessage *messages, guint n, GError **error)
{
  const PtChatOptions request = { .messages = messages,
                                  .n_messages = n,
                                  .max_new_tokens = N_IDS,
                                  .sampling = PT_SAMPLING_GREEDY,
                                  .seed = 0 };

  return pt_chat_answer (model->chat, &request, NULL, NULL, NULL, &model->stats, error) !=
         PT_REASON_NONE;
}

static void
check_ids (const Model *model, const char *name, const char *key)
{
  g_autofree char *path = data_path ("expected.json");
  g_autoptr (json_t) json = pt_json_load (path, 1 << 20, NULL);
  g_autoptr (GArray) want = ids_from_json (json_object_get (json_object_get (json, name), key));
  const GArray *got = pt_chat_last_ids (model->chat);

  g_assert_cmpuint (want->len, ==, N_IDS);
  g_assert_nonnull (got);
  g_assert_cmpmem (got->data, got->len * sizeof (gint32), want->data, want->len * sizeof (gint32));
}

/* Asks about @files and compares the ids with those of @key. */
static void
check_answer (const char *name, const char *key, const char *const *files)
{
  const PtMessage message = { "user", QUESTION, files };
  g_autoptr (GError) error = NULL;
  Model model;

  model_open (&model, name, &error);
  g_assert_no_error (error);
  ask (&model, &message, 1, &error);
  g_assert_no_error (error);
  check_ids (&model, name, key);
  model_close (&model);
}

/* A convolution state, the mark "<img>", a picture that is not square. */
static void
test_lfm (void)
{
  g_autofree char *picture = data_path ("pic.bmp");
  const char *files[] = { picture, NULL };

  check_answer ("lfm/vl_450m", "ids", files);
}

/* Embeddings for 3 layers, calls of 24, pictures [3, h, w], the marks "<|pic|>" and "<|snd|>". */
static void
test_gemma (void)
{
  g_autofree char *picture = data_path ("pic.bmp"), *sound = data_path ("snd.wav");
  const char *pictures[] = { picture, NULL }, *sounds[] = { sound, NULL };
  const char *both[] = { picture, sound, NULL };

  check_answer ("gemma/e2b", "ids", pictures);
  check_answer ("gemma/e2b", "audio", sounds);
  check_answer ("gemma/e2b", "both", both);
}

/* Metadata with end tokens that the vocabulary lacks, and without dynamic shapes. */
static void
test_text (void)
{
  check_answer ("text/350m", "ids", NULL);
}

/* A state that is no cache: another question is read from the beginning, and the first one again.
 */
static void
test_state (void)
{
  const PtMessage first = { "user", QUESTION, NULL }, other = { "user", "What was it", NULL };
  g_autoptr (GError) error = NULL;
  Model model;

  model_open (&model, "text/350m", &error);
  g_assert_no_error (error);
  ask (&model, &first, 1, &error);
  g_assert_no_error (error);
  ask (&model, &other, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model.stats.reused_tokens, ==, 0);
  ask (&model, &first, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model.stats.reused_tokens, ==, 0);
  check_ids (&model, "text/350m", "ids");
  model_close (&model);
}

/* The conversation of a model with a cache goes on behind what it has read. */
static void
test_reuse (void)
{
  g_autofree char *picture = data_path ("pic.bmp");
  const char *files[] = { picture, NULL };
  const PtMessage message = { "user", QUESTION, files };
  g_autoptr (GError) error = NULL;
  Model model;

  model_open (&model, "gemma/e2b", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++) {
    ask (&model, &message, 1, &error);
    g_assert_no_error (error);
    check_ids (&model, "gemma/e2b", "ids");
  }
  g_assert_cmpuint (model.stats.reused_tokens, ==, model.stats.prompt_tokens - 1);
  model_close (&model);
}

/* First operators of encoders, on pixels: (x / 255 - 0.5) / 0.5; nothing but a
 * convolution in a model that upstream feeds normalised pixels. */
static void
test_scale (void)
{
  static const struct {
    const char *name;
    PtPixelScale scale;
  } CASES[] = {
    { "published/rne_lfm2_vl", PT_PIXELS_BYTES },
    { "published/rne_gemma4_multimodal", PT_PIXELS_BYTES },
    { "chat/gemma3_vision", PT_PIXELS_UNKNOWN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autofree char *path =
        g_test_build_filename (G_TEST_DIST, "data", CASES[i].name, "model.pte", NULL);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtProgram) program = pt_program_open (path, &error);

    g_assert_no_error (error);
    g_test_message ("%s", CASES[i].name);
    g_assert_cmpint (pt_media_pixel_scale (program, "vision_encoder"), ==, CASES[i].scale);
    g_assert_cmpint (pt_media_pixel_scale (program, "no_such_method"), ==, PT_PIXELS_UNKNOWN);
  }
}

/* ---- what a processor file beside the model says of pixels ---- */

static void
copy_into (const char *folder, const char *source)
{
  g_autofree char *from = data_path (source), *base = g_path_get_basename (source);
  g_autofree char *to = g_build_filename (folder, base, NULL), *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (from, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (to, contents, (gssize) length, NULL));
}

/* The answer about a picture of the LFM2-VL look-alike in @folder, with a file @name that contains
 * @text. Whether it is that of a model without this file. */
static gboolean
answers_as_usual (const char *folder, const char *name, const char *text, GError **error)
{
  g_autofree char *picture = data_path ("pic.bmp"), *expected = data_path ("expected.json");
  g_autofree char *path = g_build_filename (folder, name, NULL);
  const char *files[] = { picture, NULL };
  const PtMessage message = { "user", QUESTION, files };
  g_autoptr (json_t) json = pt_json_load (expected, 1 << 20, NULL);
  g_autoptr (GArray) want =
      ids_from_json (json_object_get (json_object_get (json, "lfm/vl_450m"), "ids"));
  gboolean same = FALSE;
  Model model;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  if (model_open (&model, folder, error) && ask (&model, &message, 1, error)) {
    const GArray *got = pt_chat_last_ids (model.chat);

    same = got->len == want->len && memcmp (got->data, want->data, 4 * (gsize) want->len) == 0;
  }
  model_close (&model);
  g_assert_cmpint (g_remove (path), ==, 0);
  return same;
}

/* Its do_rescale and do_normalize decide, also against the family; other settings do not. */
static void
test_processor_file (void)
{
  static const struct {
    const char *name, *text;
    gboolean usual;
  } CASES[] = {
    { "preprocessor_config.json", "{\"do_rescale\": false, \"do_normalize\": false}", TRUE },
    { "processor_config.json",
      "{\"image_processor\": {\"do_rescale\": true, \"rescale_factor\": 1.0,"
      " \"do_normalize\": false}}",
      TRUE },
    { "preprocessor_config.json", "{\"do_rescale\": true}", FALSE },
    { "processor_config.json", "{\"image_processor\": {\"do_normalize\": true}}", FALSE },
    { "preprocessor_config.json", "{\"image_mean\": [0.1, 0.1, 0.1]}", TRUE },
  };
  static const char *const FILES[] = { "lfm/vl_450m/tokenizer.json",
                                       "lfm/vl_450m/tokenizer_config.json",
                                       "lfm/vl_450m/xnnpack/vl_450m_xnnpack_8da4w.pte" };
  g_autofree char *folder = g_dir_make_tmp ("pteris-processor-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (folder);
  for (gsize i = 0; i < G_N_ELEMENTS (FILES); i++)
    copy_into (folder, FILES[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    gboolean usual = answers_as_usual (folder, CASES[i].name, CASES[i].text, &error);

    g_assert_no_error (error);
    g_test_message ("%s", CASES[i].text);
    g_assert_cmpint (usual, ==, CASES[i].usual);
  }
  answers_as_usual (folder, "processor_config.json", "{", &error);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "processor_config.json"));
  for (gsize i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autofree char *base = g_path_get_basename (FILES[i]);
    g_autofree char *path = g_build_filename (folder, base, NULL);

    g_assert_cmpint (g_remove (path), ==, 0);
  }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Programs that do not fit are refused, with their file and the cause. */
static void
test_hostile (gconstpointer data)
{
  static const struct {
    const char *name, *says;
  } CASES[] = {
    { "hostile/layers.pte", "[1, n, 3, 4]" },
    { "hostile/one-output.pte", "token_embedding" },
    { "hostile/no-block.pte", "less than one block" },
    { "hostile/float-count.pte", "no number of samples" },
    { "hostile/picture.pte", "embeddings of 12 numbers" },
    { "hostile/vocabulary.pte", "knows 500 tokens" },
  };
  const PtMessage message = { "user", QUESTION, NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (CASES); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *base = g_path_get_basename (CASES[i].name);
    Model model;

    if (model_open (&model, CASES[i].name, &error))
      ask (&model, &message, 1, &error);
    g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, base));
    g_assert_nonnull (strstr (error->message, CASES[i].says));
    model_close (&model);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/published/lfm2-vl", test_lfm);
  g_test_add_func ("/published/gemma4", test_gemma);
  g_test_add_func ("/published/text", test_text);
  g_test_add_func ("/published/state", test_state);
  g_test_add_func ("/published/reuse", test_reuse);
  g_test_add_func ("/published/scale", test_scale);
  g_test_add_func ("/published/processor-file", test_processor_file);
  g_test_add_data_func ("/published/hostile", NULL, test_hostile);
  return g_test_run ();
}
