/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/models.h>

#include <gio/gio.h>

#define MB(n) ((guint64) (n) << 20)
#define GB(n) ((guint64) (n) << 30)

/* ---- the machine ---- */

static void
test_memory (void)
{
  const guint known = PT_GPU_MEMORY_TOTAL | PT_GPU_MEMORY_FREE;
  PtGpuStats gpus[] = { { .valid = known, .memory_total = 80, .memory_free = 10 },
                        { .valid = known, .memory_total = 90, .memory_free = 90, .lost = TRUE },
                        { .valid = known, .memory_total = 40, .memory_free = 30 } };
  PtMachineStats stats = { .valid = PT_MACHINE_MEMORY,
                           .memory_total = 24000,
                           .memory_available = 21000,
                           .gpus = gpus,
                           .n_gpus = G_N_ELEMENTS (gpus) };
  PtMemory memory = pt_memory_of (&stats);

  g_assert_cmpuint (memory.ram_total, ==, 24000);
  g_assert_cmpuint (memory.ram_free, ==, 21000);
  g_assert_cmpuint (memory.gpu_total, ==, 40);
  g_assert_cmpuint (memory.gpu_free, ==, 30);
}

static void
test_memory_unknown (void)
{
  PtGpuStats silent = { .name = (char *) "NVIDIA Test 2" };
  PtMachineStats stats = { .gpus = &silent, .n_gpus = 1 };
  PtMemory memory = pt_memory_of (&stats);

  g_assert_cmpuint (memory.ram_total, ==, 0);
  g_assert_cmpuint (memory.ram_free, ==, 0);
  g_assert_cmpuint (memory.gpu_total, ==, 0);
  g_assert_cmpuint (memory.gpu_free, ==, 0);
}

/* ---- the verdict ---- */

static void
check (PtNeeds needs, PtMemory memory, PtFit want, gboolean want_gpu)
{
  gboolean gpu = -1;

  g_assert_cmpint (pt_fit_judge (&needs, &memory, &gpu), ==, want);
  g_assert_cmpint (gpu, ==, want_gpu);
}

static void
test_ram (void)
{
  PtMemory memory = { GB (16), GB (8), 0, 0 };

  check ((PtNeeds){ .weights = GB (2), .working = GB (1) }, memory, PT_FIT_WELL, FALSE);
  check ((PtNeeds){ .weights = GB (7), .working = MB (900) }, memory, PT_FIT_TIGHT, FALSE);
  /* Weights alone never keep a model from running. */
  check ((PtNeeds){ .weights = GB (40), .working = GB (1) }, memory, PT_FIT_TIGHT, FALSE);
  check ((PtNeeds){ .working = GB (9) }, memory, PT_FIT_NOT_NOW, FALSE);
  check ((PtNeeds){ .working = GB (17) }, memory, PT_FIT_NEVER, FALSE);
  check ((PtNeeds){ .weights = G_MAXUINT64, .working = G_MAXUINT64 }, memory, PT_FIT_NEVER, FALSE);
  check ((PtNeeds){ .working = 1 }, (PtMemory){ 0 }, PT_FIT_UNKNOWN, FALSE);
}

static void
test_gpu (void)
{
  PtMemory memory = { GB (16), GB (8), GB (24), GB (20) };

  check ((PtNeeds){ .working = MB (10), .gpu = GB (10) }, memory, PT_FIT_WELL, TRUE);
  check ((PtNeeds){ .working = MB (10), .gpu = GB (20) }, memory, PT_FIT_TIGHT, TRUE);
  check ((PtNeeds){ .working = MB (10), .gpu = GB (22) }, memory, PT_FIT_NOT_NOW, TRUE);
  check ((PtNeeds){ .working = MB (10), .gpu = GB (25) }, memory, PT_FIT_NEVER, TRUE);
  check ((PtNeeds){ .working = GB (9), .gpu = GB (1) }, memory, PT_FIT_NOT_NOW, FALSE);
  memory.gpu_total = memory.gpu_free = 0;
  check ((PtNeeds){ .gpu = GB (1) }, memory, PT_FIT_NEVER, TRUE);
}

static void
test_beside (void)
{
  const PtNeeds needs = { .weights = GB (1), .working = GB (1), .gpu = GB (8) };
  PtLoadedNeeds others[] = {
    { .needs = { .weights = GB (2), .working = GB (3), .gpu = GB (8) }, .taken = TRUE },
    { .needs = { .working = G_MAXUINT64, .gpu = G_MAXUINT64 }, .leaves = TRUE },
  };
  PtMemory memory = { GB (16), GB (8), GB (24), GB (12) }, none = { 0 };

  g_assert_true (pt_fits_beside (&needs, NULL, 0, &memory));
  g_assert_true (pt_fits_beside (&needs, others, 1, &memory));
  g_assert_true (pt_fits_beside (&needs, others, 2, &memory));
  /* One that has not taken its memory yet will take it from what is free. */
  others[0].taken = FALSE;
  g_assert_false (pt_fits_beside (&needs, others, 1, &memory));
  others[1].leaves = FALSE;
  g_assert_false (pt_fits_beside (&needs, others, 2, &memory));
  g_assert_true (pt_fits_beside (&needs, others, 2, &none));
  /* What makes room leaves its memory. */
  memory.gpu_free = GB (4);
  others[0].leaves = TRUE;
  g_assert_false (pt_fits_beside (&needs, others, 1, &memory));
  others[0].taken = TRUE;
  g_assert_true (pt_fits_beside (&needs, others, 1, &memory));
  g_assert_cmpuint (pt_needs_of_files (GB (8)).weights, ==, GB (8));
  g_assert_cmpuint (pt_needs_of_files (GB (8)).working, ==, GB (2));
}

/* ---- what models take ---- */

static PtModelDetails *
examine (const char *room, const char *folder, const char *file)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", room, folder, file, NULL);
  g_autoptr (GError) error = NULL;
  PtModelDetails *details = pt_library_examine (path, NULL, &error);

  g_assert_no_error (error);
  return details;
}

static void
test_chat_model (void)
{
  g_autoptr (PtModelDetails) details =
      examine ("chat", "qwen3_external_xnnpack_8da4w", "model.pte");

  g_assert_cmpstr (details->family, ==, "Qwen");
  g_assert_cmpstr (details->backends, ==, "XNNPACK");
  g_assert_null (details->target);
  g_assert_cmpuint (details->context, ==, 128);
  g_assert_cmpuint (details->weight_bits, ==, 4);
  g_assert_cmpuint (g_strv_length (details->obstacles), ==, 0);
  /* Keys and values of 2 layers: 128 positions, 2 heads of 32 numbers of 4 bytes. */
  g_assert_cmpuint (details->needs.state, ==, 2 * 2 * 128 * 2 * 32 * 4);
  g_assert_cmpuint (details->needs.weights, ==, 50752 + 146176);
  g_assert_cmpuint (details->needs.working, >, details->needs.state);
  /* All logits of a prompt would be 127 * 800 * 4 bytes; only one row is touched. */
  g_assert_cmpuint (details->needs.working, <, MB (1));
  g_assert_cmpuint (details->needs.gpu, ==, 0);
}

static void
test_caches (void)
{
  g_autoptr (PtModelDetails) cache = examine ("tiny", "kv_cache", "model.pte");
  g_autoptr (PtModelDetails) state = examine ("tiny", "mutable_state_init", "model.pte");
  g_autoptr (PtModelDetails) none = examine ("tiny", "add_f32", "model.pte");

  g_assert_cmpuint (cache->needs.state, ==, 32);
  g_assert_cmpuint (state->needs.state, ==, 20);
  g_assert_cmpuint (none->needs.state, ==, 0);
  g_assert_cmpuint (none->weight_bits, ==, 0);
  g_assert_cmpstr (none->backends, ==, "portable operators");
}

static void
test_gpu_model (void)
{
  g_autoptr (PtModelDetails) linux_model = examine ("cuda", "names", "model.pte");
  g_autoptr (PtModelDetails) windows_model = examine ("cuda", "windows", "model.pte");

  g_assert_cmpstr (linux_model->backends, ==, "CUDA");
  g_assert_cmpuint (linux_model->needs.gpu, >, 0);
  g_assert_nonnull (strstr (windows_model->target, "Windows"));
#ifndef G_OS_WIN32
  g_assert_cmpuint (g_strv_length (windows_model->obstacles), >, 0);
#endif
}

static void
test_obstacles (void)
{
  g_autoptr (PtModelDetails) operator= examine ("tiny", "hostile", "i_op_unknown.pte");
  g_autoptr (PtModelDetails) backend = examine ("tiny", "hostile", "d_unknown_backend.pte");

  g_assert_nonnull (strstr (operator->obstacles[0], "operator"));
  g_assert_nonnull (strstr (backend->obstacles[0], "backend"));
}

static void
test_damaged (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tiny", "README.md", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_library_examine (path, NULL, &error));
  g_assert_nonnull (error);
}

/* ---- members of a set ---- */

static void
test_members (void)
{
  g_autofree char *folder =
      g_test_build_filename (G_TEST_DIST, "data", "chat", "qwen3_external_xnnpack_8da4w", NULL);
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *tokenizer = g_test_build_filename (
      G_TEST_DIST, "data", "chat", "qwen3_xnnpack_8da4w", "tokenizer.json", NULL);
  g_autofree char *other =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "external_weights", "weights.ptd", NULL);
  const char *wrong[] = { other, NULL };
  g_autoptr (PtModelInfo) bare = pt_library_probe (program, NULL);
  g_autoptr (PtModelInfo) whole = pt_library_probe_set (program, NULL, tokenizer, NULL, NULL, NULL);
  g_autoptr (PtModelInfo) both =
      pt_library_probe_set (program, wrong, "/nowhere", "/no.pte", NULL, NULL);

  g_assert_cmpuint (bare->lacks, ==, PT_MODEL_TOKENIZER);
  g_assert_cmpuint (g_strv_length (bare->data), ==, 1);
  g_assert_null (bare->tokenizer);
  g_assert_cmpuint (whole->lacks, ==, 0);
  g_assert_null (whole->missing);
  g_assert_cmpstr (whole->tokenizer, ==, tokenizer);
  g_assert_cmpuint (both->lacks, ==, PT_MODEL_DATA | PT_MODEL_TOKENIZER | PT_MODEL_PREPROCESSOR);
  g_assert_nonnull (both->missing);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/fit/memory", test_memory);
  g_test_add_func ("/tasks/fit/memory-unknown", test_memory_unknown);
  g_test_add_func ("/tasks/fit/ram", test_ram);
  g_test_add_func ("/tasks/fit/gpu", test_gpu);
  g_test_add_func ("/tasks/fit/beside", test_beside);
  g_test_add_func ("/tasks/fit/chat-model", test_chat_model);
  g_test_add_func ("/tasks/fit/caches", test_caches);
  g_test_add_func ("/tasks/fit/gpu-model", test_gpu_model);
  g_test_add_func ("/tasks/fit/obstacles", test_obstacles);
  g_test_add_func ("/tasks/fit/damaged", test_damaged);
  g_test_add_func ("/tasks/fit/members", test_members);
  return g_test_run ();
}
