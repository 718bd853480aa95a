/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "engine/init.h"
#include "engine/kernels/worker-pool.h"
#include "engine/runtime/module.h"

#ifdef G_OS_UNIX
#include <sys/resource.h>
#endif

/*
 * The calls of upstream.py on our runtime: the same programs, shapes and counts, so that the
 * figures can be put side by side. Prints one JSON object.
 *
 *     bench-models chat|transcribe MODEL_DIR [PROMPT_TOKENS [NEW_TOKENS [RUNS]]]
 *     bench-models deep MODEL_DIR DEPTH [NEW_TOKENS]   decode behind DEPTH tokens
 *     bench-models open MODEL_DIR [RUNS]        from opening to the end of a first step
 *     bench-models program MODEL.pte [RUNS]     forward (of zeros)
 *
 * PTERIS_BENCH_THREADS is the number of threads; without it the pool chooses.
 */

#define MAX_SAMPLES 4096
/* Calls of a program that are timed together, since the clock counts microseconds. */
#define CALLS 10
#define WARM_UPS 3
#define PAGE 4096
/* New memory that is written to, to time a page of it. */
#define NEW_MEMORY (64 << 20)

typedef struct {
  double values[MAX_SAMPLES];
  guint n;
} Samples;

static void
add_since (Samples *samples, gint64 begin)
{
  if (samples->n < MAX_SAMPLES)
    samples->values[samples->n++] = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (Samples *samples)
{
  qsort (samples->values, samples->n, sizeof (double), compare);
  return samples->values[samples->n / 2];
}

static void
check (gboolean ok, GError **error)
{
  if (ok)
    return;
  g_printerr ("bench-models: %s\n", (*error)->message);
  exit (1);
}

static PtModule *
load (const char *folder, Samples *loads, const char *const *methods)
{
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *data = g_build_filename (folder, "model.ptd", NULL);
  gboolean has_data = g_file_test (data, G_FILE_TEST_EXISTS);
  const char *const paths[] = { has_data ? data : NULL, NULL };
  gint64 begin = g_get_monotonic_time ();
  GError *error = NULL;
  PtModule *module = pt_module_open (program, paths, NULL, &error);

  check (module != NULL, &error);
  for (; *methods != NULL; methods++)
    check (pt_module_method (module, *methods, &error) != NULL, &error);
  add_since (loads, begin);
  return module;
}

static void
set_ids (PtMethod *method, guint i, gint64 *values, guint n, gboolean is_row)
{
  const gint64 row[] = { 1, n };
  PtTensor tensor;
  GError *error = NULL;

  check (pt_tensor_init (&tensor, PT_DTYPE_I64, is_row ? 2 : 1, is_row ? row : row + 1, NULL,
                         values, &error) &&
             pt_method_set_input_tensor (method, i, &tensor, &error),
         &error);
}

static void
execute (PtMethod *method)
{
  GError *error = NULL;

  check (pt_method_execute (method, NULL, &error), &error);
}

/* forward (ids [1, n], positions [n]) from position @at on; some programs want the first position
 * only. */
static void
step_at (PtMethod *method, gint64 *ids, gint64 at, guint n)
{
  const PtTensorSpec *spec = pt_method_input_spec (method, 1)->as_tensor;
  g_autofree gint64 *positions = g_new (gint64, n);

  for (guint i = 0; i < n; i++)
    positions[i] = at + i;
  set_ids (method, 0, ids, n, TRUE);
  set_ids (method, 1, positions, spec->rank == 1 && spec->sizes[0] == 1 ? 1 : n, FALSE);
  execute (method);
}

static void
bench_chat (const char *folder, guint n_prompt, guint n_new, guint runs)
{
  static const char *const methods[] = { "forward", NULL };
  g_autofree gint64 *ids = g_new (gint64, n_prompt);
  Samples loads = { .n = 0 }, prefills = { .n = 0 }, last_rows = { .n = 0 }, decodes = { .n = 0 };

  for (guint i = 0; i < n_prompt; i++)
    ids[i] = i % 1000 + 1000;
  for (guint run = 0; run < runs; run++) {
    g_autoptr (PtModule) module = load (folder, &loads, methods);
    PtMethod *method = pt_module_method (module, "forward", NULL);
    gint64 begin;

    step_at (method, ids, 0, n_prompt);
    begin = g_get_monotonic_time ();
    step_at (method, ids, 0, n_prompt);
    add_since (&prefills, begin);
    pt_method_set_last_rows (method, 0, 1);
    begin = g_get_monotonic_time ();
    step_at (method, ids, 0, n_prompt);
    add_since (&last_rows, begin);
    for (guint i = 0; i < n_new; i++) {
      begin = g_get_monotonic_time ();
      step_at (method, ids, (gint64) n_prompt + i, 1);
      add_since (&decodes, begin);
    }
  }
  g_print ("{\"load_s\": %g, \"prefill_tokens_per_s\": %g, "
           "\"prefill_last_row_tokens_per_s\": %g, \"decode_tokens_per_s\": %g}\n",
           median (&loads), n_prompt / median (&prefills), n_prompt / median (&last_rows),
           1 / median (&decodes));
}

/* Tokens of a step that fills the cache. */
#define FILL_STEP 512

/* Decoding behind @depth tokens, which are read in steps first. */
static void
bench_deep (const char *folder, guint depth, guint n_new)
{
  static const char *const methods[] = { "forward", NULL };
  gint64 ids[FILL_STEP];
  Samples loads = { .n = 0 }, fills = { .n = 0 }, decodes = { .n = 0 };
  g_autoptr (PtModule) module = load (folder, &loads, methods);
  PtMethod *method = pt_module_method (module, "forward", NULL);
  gint64 begin = g_get_monotonic_time ();

  for (guint i = 0; i < FILL_STEP; i++)
    ids[i] = i + 1000;
  pt_method_set_last_rows (method, 0, 1);
  for (guint at = 0; at < depth; at += FILL_STEP)
    step_at (method, ids, at, MIN (FILL_STEP, depth - at));
  add_since (&fills, begin);
  for (guint i = 0; i < n_new; i++) {
    begin = g_get_monotonic_time ();
    step_at (method, ids, (gint64) depth + i, 1);
    add_since (&decodes, begin);
  }
  g_print ("{\"fill_tokens_per_s\": %g, \"decode_tokens_per_s\": %g}\n", depth / median (&fills),
           1 / median (&decodes));
}

/* Page faults of this process so far that read no file; 0 where the system does not count them. */
static guint64
page_faults (void)
{
#ifdef G_OS_UNIX
  struct rusage usage;

  return getrusage (RUSAGE_SELF, &usage) == 0 ? (guint64) usage.ru_minflt : 0;
#else
  return 0;
#endif
}

/* Seconds that the first write to a page of new memory takes. */
static double
new_page (void)
{
  char *memory = g_malloc (NEW_MEMORY);
  guint64 faults = page_faults ();
  gint64 begin = g_get_monotonic_time ();
  double seconds;

  for (gsize i = 0; i < NEW_MEMORY; i += PAGE)
    ((volatile char *) memory)[i] = 1;
  seconds = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  faults = page_faults () - faults;
  g_free (memory);
  return faults > 0 ? seconds / faults : 0;
}

/*
 * The first load of a process writes to memory that the system has yet to find; later ones get what
 * the one before them freed, if the allocator keeps it (peers.py asks for that).
 */
static void
bench_open (const char *folder, guint runs)
{
  static const char *const methods[] = { "forward", NULL };
  Samples loads = { .n = 0 }, first = { .n = 0 }, again = { .n = 0 };
  double page = new_page ();
  guint64 faults = 0;
  gint64 id = 1000;

  for (guint run = 0; run <= runs; run++) {
    guint64 faults_before = page_faults ();
    gint64 begin = g_get_monotonic_time ();
    g_autoptr (PtModule) module = load (folder, &loads, methods);

    step_at (pt_module_method (module, "forward", NULL), &id, 0, 1);
    add_since (run == 0 ? &first : &again, begin);
    if (run == 0)
      faults = page_faults () - faults_before;
  }
  g_print ("{\"first_step_s\": %g, \"first_step_again_s\": %g, \"page_faults\": %" G_GUINT64_FORMAT
           ", \"new_page_us\": %g}\n",
           median (&first), median (&again), faults, page * G_USEC_PER_SEC);
}

/* text_decoder (ids [1, n], what the encoder gave, positions [n]) */
static void
decode (PtMethod *decoder, PtMethod *encoder, gint64 *ids, gint64 *positions, guint n)
{
  PtTensor encoded = *pt_method_output (encoder, 0)->as_tensor;
  GError *error = NULL;

  /* Like the transcriber: values that depend only on the encoder's output are cached. */
  encoded.is_constant = TRUE;
  encoded.version = 1;
  set_ids (decoder, 0, ids, n, TRUE);
  check (pt_method_set_input_tensor (decoder, 1, &encoded, &error), &error);
  set_ids (decoder, 2, positions, n, FALSE);
  execute (decoder);
}

static void
bench_transcribe (const char *folder, guint n_new, guint runs)
{
  static const char *const methods[] = { "encoder", "text_decoder", NULL };
  static const gint64 shape[] = { 1, 80, 3000 };
  gint64 ids[] = { 50258, 50259, 50359, 50363 }, positions[] = { 0, 1, 2, 3 };
  g_autofree float *mel = g_new0 (float, 80 * 3000);
  Samples loads = { .n = 0 }, encoders = { .n = 0 }, decodes = { .n = 0 };
  PtTensor input;
  GError *error = NULL;

  check (pt_tensor_init (&input, PT_DTYPE_F32, 3, shape, NULL, mel, &error), &error);
  for (guint run = 0; run < runs; run++) {
    g_autoptr (PtModule) module = load (folder, &loads, methods);
    PtMethod *encoder = pt_module_method (module, "encoder", NULL);
    PtMethod *decoder = pt_module_method (module, "text_decoder", NULL);
    gint64 begin;

    for (guint i = 0; i < 3; i++) {
      begin = g_get_monotonic_time ();
      check (pt_method_set_input_tensor (encoder, 0, &input, &error), &error);
      execute (encoder);
      if (i > 0)
        add_since (&encoders, begin);
    }
    for (guint i = 0; i < G_N_ELEMENTS (positions); i++) /* some decoders take no more at once */
      decode (decoder, encoder, ids + i, positions + i, 1);
    for (guint i = 0; i < n_new; i++) {
      gint64 position = 4 + i;

      begin = g_get_monotonic_time ();
      decode (decoder, encoder, ids, &position, 1);
      add_since (&decodes, begin);
    }
  }
  g_print ("{\"load_s\": %g, \"encoder_s\": %g, \"decode_tokens_per_s\": %g}\n", median (&loads),
           median (&encoders), 1 / median (&decodes));
}

/* forward (zeros of the declared shape) */
static void
bench_program (const char *path, guint runs)
{
  GError *error = NULL;
  g_autoptr (PtModule) module = pt_module_open (path, NULL, NULL, &error);
  const PtTensorSpec *spec;
  g_autofree float *zeros = NULL;
  gint64 sizes[PT_MAX_RANK];
  Samples samples = { .n = 0 };
  PtMethod *method;
  PtTensor input;

  check (module != NULL, &error);
  method = pt_module_method (module, "forward", &error);
  check (method != NULL, &error);
  spec = pt_method_input_spec (method, 0)->as_tensor;
  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  zeros = g_malloc0 (spec->nbytes);
  check (pt_tensor_init (&input, PT_DTYPE_F32, spec->rank, sizes, NULL, zeros, &error), &error);
  for (guint i = 0; i < runs + WARM_UPS; i++) {
    gint64 begin = g_get_monotonic_time ();

    for (guint k = 0; k < CALLS; k++) {
      check (pt_method_set_input_tensor (method, 0, &input, &error), &error);
      execute (method);
    }
    if (i >= WARM_UPS)
      add_since (&samples, begin);
  }
  g_print ("{\"run_s\": %g}\n", median (&samples) / CALLS);
}

static guint
number (int argc, char **argv, int i, guint fallback)
{
  return argc > i ? (guint) MAX (atoi (argv[i]), 1) : fallback;
}

int
main (int argc, char **argv)
{
  guint n_prompt = number (argc, argv, 3, 256);
  guint n_new = number (argc, argv, 4, 64);
  guint runs = number (argc, argv, 5, 3);

  if (argc < 3) {
    g_printerr ("bench-models chat|transcribe MODEL_DIR [PROMPT_TOKENS [NEW_TOKENS [RUNS]]]\n"
                "bench-models deep MODEL_DIR DEPTH [NEW_TOKENS]\n"
                "bench-models open MODEL_DIR [RUNS]\n"
                "bench-models program MODEL.pte [RUNS]\n");
    return 2;
  }
  if (g_getenv ("PTERIS_BENCH_THREADS") != NULL)
    pt_pool_set_default_threads ((guint) atoi (g_getenv ("PTERIS_BENCH_THREADS")));
  pt_init ();
  if (strcmp (argv[1], "chat") == 0)
    bench_chat (argv[2], n_prompt, n_new, runs);
  else if (strcmp (argv[1], "deep") == 0)
    bench_deep (argv[2], n_prompt, n_new);
  else if (strcmp (argv[1], "open") == 0)
    bench_open (argv[2], number (argc, argv, 3, 3));
  else if (strcmp (argv[1], "program") == 0)
    bench_program (argv[2], number (argc, argv, 3, 20));
  else
    bench_transcribe (argv[2], n_new, runs);
  return 0;
}
