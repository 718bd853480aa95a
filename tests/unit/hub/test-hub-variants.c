/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/json.h"
#include "engine/hub/variants.h"

/* Layouts of published repositories: which variants they have, and what belongs to each. */

#define SHA1 "0123456789012345678901234567890123456789"

static void
add (GPtrArray *entries, const char *path, guint64 bytes)
{
  PtHubEntry *entry = g_new0 (PtHubEntry, 1);

  entry->path = g_strdup (path);
  entry->bytes = bytes;
  entry->sha1 = g_strdup (SHA1);
  g_ptr_array_add (entries, entry);
}

/* The variants of a repository with @paths, "PATH" or "PATH BYTES", and a config.json. */
static PtHubRepo *
find (const char *id, const char *const *paths, const char *config_path, const char *config,
      guint capability, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (pt_hub_entry_free);
  g_autoptr (GHashTable) configs =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) json_decref);
  g_autoptr (PtHubRepo) repo = g_new0 (PtHubRepo, 1);

  for (guint i = 0; paths[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (paths[i], " ", 2);

    add (entries, parts[0], parts[1] != NULL ? g_ascii_strtoull (parts[1], NULL, 10) : 1000);
  }
  if (config != NULL)
    g_hash_table_insert (configs, (gpointer) config_path, json_loads (config, 0, NULL));
  repo->id = g_strdup (id);
  repo->endpoint = g_strdup ("https://hub.example");
  repo->revision = g_strdup ("main");
  return pt_hub_find_variants (repo, entries, configs, capability, error) ? g_steal_pointer (&repo)
                                                                          : NULL;
}

/* @names: of all variants, the best one first; @files: of that one. */
static void
check (const char *id, const char *const *paths, guint capability, const char *names,
       const char *files)
{
  g_autoptr (PtHubRepo) repo = find (id, paths, NULL, NULL, capability, NULL);
  g_autoptr (GString) found = g_string_new (NULL), found_files = g_string_new (NULL);

  g_assert_nonnull (repo);
  for (guint i = 0; i < repo->n_variants; i++)
    g_string_append_printf (found, "%s%s", i > 0 ? " " : "", repo->variants[i].name);
  for (guint i = 0; i < repo->variants[0].n_files; i++)
    g_string_append_printf (found_files, "%s%s", i > 0 ? " " : "", repo->variants[0].files[i].path);
  g_assert_cmpstr (found->str, ==, names);
  g_assert_cmpstr (found_files->str, ==, files);
}

#define PATHS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_chat (void)
{
  check ("software-mansion/react-native-executorch-llama-3.2",
         PATHS ("README.md", "tokenizer.json", "1b/xnnpack/llama_3_2_1b_xnnpack_bf16.pte 2470",
                "1b/xnnpack/llama_3_2_1b_xnnpack_spinquant.pte 1140",
                "3b/xnnpack/llama_3_2_3b_xnnpack_spinquant.pte 2550",
                "1b/coreml/llama_3_2_1b_coreml_fp16.pte", "1b/xnnpack/config.json",
                "3b/xnnpack/config.json", ".gitattributes"),
         0, "1b-spinquant 3b-spinquant 1b-bf16",
         "1b/xnnpack/llama_3_2_1b_xnnpack_spinquant.pte README.md tokenizer.json "
         "1b/xnnpack/config.json");
  check ("software-mansion/react-native-executorch-phi-4-mini",
         PATHS ("xnnpack/phi_4_mini_xnnpack_bf16.pte", "xnnpack/phi_4_mini_xnnpack_8da4w.pte",
                "tokenizer.json"),
         0, "8da4w bf16", "xnnpack/phi_4_mini_xnnpack_8da4w.pte tokenizer.json");
  check ("pytorch/Qwen3-4B-INT8-INT4",
         PATHS ("model.pte", "pytorch_model-00001-of-00002.bin 9000", "model.safetensors",
                "tokenizer.json", "generation_config.json", "vocab.json", "LICENSE"),
         0, "int8-int4", "model.pte tokenizer.json generation_config.json vocab.json LICENSE");
}

/* Prompts of embedding models, names of classes, tokenizers of tiktoken. */
static void
test_settings (void)
{
  check ("owner/embedding",
         PATHS ("xnnpack/embedding_xnnpack_fp32.pte", "config_sentence_transformers.json",
                "classes.txt", "imagenet_classes.txt", "cl100k.tiktoken", "notes.txt"),
         0, "fp32",
         "xnnpack/embedding_xnnpack_fp32.pte config_sentence_transformers.json classes.txt "
         "imagenet_classes.txt cl100k.tiktoken");
}

static void
test_speech (void)
{
  check ("software-mansion/react-native-executorch-whisper-tiny",
         PATHS ("xnnpack/whisper_tiny_xnnpack_fp32.pte", "xnnpack/whisper_tiny_xnnpack_int8.pte",
                "tokenizer.json"),
         0, "fp32 int8", "xnnpack/whisper_tiny_xnnpack_fp32.pte tokenizer.json");
  check ("larryliu0820/whisper-tiny-ExecuTorch-XNNPACK",
         PATHS ("model.pte", "whisper_preprocessor.pte", "tokenizer.json"), 0, "xnnpack",
         "model.pte whisper_preprocessor.pte tokenizer.json");
  check ("larryliu0820/parakeet-tdt-0.6b-v3-executorch",
         PATHS ("xnnpack/int4/model.pte", "xnnpack/int4/tokenizer.model", "metal/int4/model.pte"),
         0, "int4", "xnnpack/int4/model.pte xnnpack/int4/tokenizer.model");
  /* Two programs of one model, as older tags have them. */
  check ("software-mansion/react-native-executorch-whisper-tiny.en",
         PATHS ("xnnpack/whisper_tiny_en_decoder_xnnpack.pte",
                "xnnpack/whisper_tiny_en_encoder_xnnpack.pte", "tokenizer.json"),
         0, "xnnpack",
         "xnnpack/whisper_tiny_en_decoder_xnnpack.pte xnnpack/whisper_tiny_en_encoder_xnnpack.pte "
         "tokenizer.json");
}

/* The code of sm_80 also runs on 8.6, not on 9.0. */
static void
test_gpu (void)
{
#ifndef G_OS_WIN32
  const char *const *paths =
      PATHS ("cuda/sm80/model.pte", "cuda/sm80/aoti_cuda_blob.ptd", "cuda/sm90/model.pte",
             "cuda/sm90/aoti_cuda_blob.ptd", "xnnpack/model.pte 2000", "tekken.json",
             "cuda-windows/sm80/model.pte");

  check ("a/b", paths, 86, "sm80-cuda xnnpack sm90-cuda",
         "cuda/sm80/model.pte cuda/sm80/aoti_cuda_blob.ptd tekken.json");
  check ("a/b", paths, 90, "sm90-cuda xnnpack sm80-cuda",
         "cuda/sm90/model.pte cuda/sm90/aoti_cuda_blob.ptd tekken.json");
  check ("a/b", paths, 0, "xnnpack sm80-cuda sm90-cuda", "xnnpack/model.pte tekken.json");
#endif
}

static void
test_data (void)
{
  /* Each program of a folder has its own data. */
  check ("a/b",
         PATHS ("one_int8.pte", "one_int8.ptd", "two_bf16.pte", "two_bf16.ptd", "shared.ptd"), 0,
         "int8 bf16", "one_int8.pte one_int8.ptd shared.ptd");
}

static void
test_config (void)
{
  static const char CONFIG[] =
      "{\"variants\": [{\"file\": null, \"components\": {\"unet\": \"b.pte\", \"vae\": "
      "\"./c.pte\", \"evil\": \"../../../etc/passwd\", \"tokenizer\": 7}, \"precision\": \"fp32\"},"
      "{\"file\": \"d.pte\", \"precision\": \"8da4w\"}, {\"file\": \"../x/d.pte\", \"precision\": "
      "\"int8\", \"default\": true}, 5, null, {}]}";
  g_autoptr (PtHubRepo) repo =
      find ("a/b", PATHS ("x/b.pte", "x/c.pte", "x/d.pte", "x/config.json"), "x/config.json",
            CONFIG, 0, NULL);

  g_assert_nonnull (repo);
  g_assert_cmpuint (repo->n_variants, ==, 2);
  g_assert_cmpstr (repo->variants[0].program, ==, "x/d.pte");
  g_assert_cmpstr (repo->variants[0].precision, ==, "int8");
  g_assert_cmpuint (repo->variants[1].n_programs, ==, 2);
  g_assert_cmpstr (repo->variants[1].precision, ==, "fp32");
}

static void
test_choice (void)
{
  g_autoptr (PtHubRepo) repo =
      find ("a/b",
            PATHS ("1b/xnnpack/m_1b_xnnpack_8da4w.pte", "1b/xnnpack/m_1b_xnnpack_bf16.pte",
                   "3b/xnnpack/m_3b_xnnpack_8da4w.pte"),
            NULL, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (pt_hub_choose (repo, NULL, NULL)->name, ==, "1b-8da4w");
  g_assert_cmpstr (pt_hub_choose (repo, "3b", NULL)->name, ==, "3b-8da4w");
  g_assert_cmpstr (pt_hub_choose (repo, "BF16", NULL)->name, ==, "1b-bf16");
  g_assert_cmpstr (pt_hub_choose (repo, "1b/xnnpack/m_1b_xnnpack_bf16.pte", NULL)->name, ==,
                   "1b-bf16");
  g_assert_null (pt_hub_choose (repo, "8da4w", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_null (pt_hub_choose (repo, "", NULL));
  g_assert_null (pt_hub_choose (repo, "7b", NULL));
}

static void
test_nothing (void)
{
  g_autoptr (GError) none = NULL, other = NULL;

  g_assert_null (find ("a/b", PATHS ("model.safetensors"), NULL, NULL, 0, &none));
  g_assert_error (none, PT_ERROR, PT_ERROR_NOT_FOUND);
  g_assert_null (find ("a/b", PATHS ("model-metal.pte"), NULL, NULL, 0, &other));
  g_assert_nonnull (strstr (other->message, "metal"));
}

/* Lists and configurations of random words: every program for these computers is in one variant,
 * and what is chosen can be checked. */
static void
test_random (void)
{
  static const char *const WORDS[] = { "a",      "A",       "model", "encoder", "decoder",
                                       "8da4w",  "xnnpack", "cuda",  "sm90",    "tokenizer",
                                       "voices", "config",  "..",    ".",       "phonemizer",
                                       "vae",    "ü",       "bf16" };
  static const char *const ENDS[] = { ".pte", ".ptd", ".json", "", ".bin" };
  GRand *random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 500; round++) {
    g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (PtHubRepo) repo = NULL;
    g_autofree char *config = NULL;
    guint n = (guint) g_rand_int_range (random, 0, 24);

#define WORD() WORDS[g_rand_int_range (random, 0, G_N_ELEMENTS (WORDS))]
    for (guint i = 0; i < n; i++)
      g_ptr_array_add (paths, g_strdup_printf ("%s/%s_%s%s", WORD (), WORD (), WORD (),
                                               ENDS[g_rand_int_range (random, 0, 5)]));
    g_ptr_array_add (paths, NULL);
    config = g_strdup_printf ("{\"variants\": [{\"file\": \"%s_%s.pte\", \"precision\": \"%s\"}, "
                              "{\"components\": {\"%s\": \"../%s/%s_%s.pte\"}}]}",
                              WORD (), WORD (), WORD (), WORD (), WORD (), WORD (), WORD ());
    repo = find ("a/b", (const char *const *) paths->pdata, "a/config.json", config,
                 g_rand_boolean (random) ? 90 : 0, NULL);
    for (guint i = 0; repo != NULL && i < repo->n_variants; i++) {
      const PtHubVariant *variant = &repo->variants[i];

      g_assert_cmpuint (variant->n_programs, >=, 1);
      g_assert_cmpuint (variant->n_files, >=, variant->n_programs);
      g_assert_cmpstr (variant->files[0].path, ==, variant->program);
      g_assert_nonnull (pt_hub_choose (repo, variant->program, NULL));
      pt_hub_check_names (variant, NULL);
    }
  }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hub/variants/chat", test_chat);
  g_test_add_func ("/hub/variants/settings", test_settings);
  g_test_add_func ("/hub/variants/speech", test_speech);
  g_test_add_func ("/hub/variants/gpu", test_gpu);
  g_test_add_func ("/hub/variants/data", test_data);
  g_test_add_func ("/hub/variants/config", test_config);
  g_test_add_func ("/hub/variants/choice", test_choice);
  g_test_add_func ("/hub/variants/nothing", test_nothing);
  g_test_add_func ("/hub/variants/random", test_random);
  return g_test_run ();
}
