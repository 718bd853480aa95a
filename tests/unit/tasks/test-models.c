/* SPDX-License-Identifier: BSD-3-Clause */

/* The real starter chat model, when it has been made: what it says is what upstream's runtime
 * says, and its memory stays near the size of its files. Slow; suite "models". */

#include <math.h>
#include <string.h>
#include <pteris/job.h>

#include "engine/base/json.h"
#include "engine/base/system-usage.h"
#include "engine/init.h"
#include "engine/kernels/cpu.h"
#include "engine/kernels/vector.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/llm.h"
#include "engine/tasks/models/model-set.h"
#include "engine/text/sampler.h"

/*
 * Activations of this model are rounded to 8 bits in every layer, and one of them that falls to the
 * other side moves logits by 1 and more. So tokens are upstream's exactly where every bit before
 * them is, or else only where the choice is clear: upstream's runtime differs by as much from
 * itself when it reads a prompt in pieces (its perplexity here is 17.43 to 17.65 then). Our bits
 * are those of the expected results on processors with AVX-512 whose estimates of reciprocal roots
 * are the same as there, which is the makers' affair; see "Same bits as upstream" in
 * docs/architecture.md.
 */
typedef struct {
  double clear_margin; /* choices by more must be the same */
  double agreement;    /* part of all choices that must be */
  double perplexity;   /* relative */
} Tolerance;

static const Tolerance same_bits = { 0.05, 0.98, 1e-4 };
static const Tolerance other_bits = { 1.0, 0.85, 0.025 };

/* The roots of the processor that made the expected results. */
#define ROOTS 0x89dd2e7du
#define ALLOWED_MEMORY (100u * 1000 * 1000)

typedef struct {
  PtModelSet *set;
  PtModule *module;
  PtTokenizer *tokenizer;
  json_t *expected;
} Fixture;

static gboolean
set_up (Fixture *f)
{
  g_autofree char *expected = g_test_build_filename (G_TEST_DIST, "data", "starter",
                                                     "smollm2-135m-instruct-expected.json", NULL);
  g_autofree char *path = pt_library_find ("smollm2-135m-instruct", NULL, NULL);
  g_autoptr (GError) error = NULL;

  memset (f, 0, sizeof *f);
  if (path == NULL) {
    g_test_skip ("the starter models have not been made");
    return FALSE;
  }
  f->set = pt_model_set_find (path, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (pt_model_set_check (f->set, &error));
  f->module = pt_module_open (f->set->program, (const char *const *) f->set->data, NULL, &error);
  g_assert_no_error (error);
  f->tokenizer = pt_tokenizer_open (f->set->tokenizer, &error);
  g_assert_no_error (error);
  f->expected = pt_json_load (expected, 1 << 20, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
tear_down (Fixture *f)
{
  pt_tokenizer_free (f->tokenizer);
  pt_module_free (f->module);
  pt_model_set_free (f->set);
  json_decref (f->expected);
}

/** A checksum of what the processor makes of reciprocal roots. */
static const Tolerance *
get_tolerance (void)
{
  enum { N = 4096 };
  float x[N];
  guint32 bits, hash = 2166136261u;

  for (guint i = 0; i < N; i++)
    x[i] = 1.0f + (float) i * (3.0f / N);
  pt_vector_unary (PT_UNARY_XNN_RSQRT, N, x, x);
  for (guint i = 0; i < N; i++) {
    memcpy (&bits, &x[i], sizeof bits);
    hash = (hash ^ bits) * 16777619u;
  }
  g_test_message ("processor %s, roots %08x", pt_cpu_level_name (pt_cpu_level ()), hash);
  return pt_cpu_level () >= PT_CPU_AVX512 && hash == ROOTS ? &same_bits : &other_bits;
}

static gint32
id_at (const json_t *list, gsize i)
{
  return (gint32) json_integer_value (json_array_get (list, i));
}

static gint32
greedy (PtLlm *llm, PtSampler *sampler)
{
  PtDType dtype;
  gconstpointer logits = pt_llm_logits (llm, &dtype, NULL);

  return pt_sampler_sample (sampler, logits, dtype, pt_llm_width (llm));
}

/** Along upstream's answer: how many of our own choices would be the same. */
static guint
check_prompt (PtModule *module, const Tolerance *tolerance, const json_t *prompt)
{
  g_autoptr (PtLlm) llm = pt_llm_new (module, NULL); /* nothing read: the prompt in one piece */
  g_autoptr (PtSampler) sampler = pt_sampler_new (pt_llm_width (llm), NULL);
  const json_t *ids = json_object_get (prompt, "prompt_ids");
  const json_t *expected = json_object_get (prompt, "greedy_ids");
  const json_t *margins = json_object_get (prompt, "top1_minus_top2_logit");
  g_autofree gint32 *input = g_new (gint32, json_array_size (ids));
  g_autoptr (GError) error = NULL;
  guint n = (guint) json_array_size (ids), kept, same = 0;

  for (guint i = 0; i < n; i++)
    input[i] = id_at (ids, i);
  g_assert_true (pt_llm_rewind (llm, input, n, &kept, &error));
  pt_llm_read (llm, input + kept, n - kept, NULL, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < json_array_size (expected); i++) {
    gint32 id = greedy (llm, sampler), want = id_at (expected, i);

    same += id == want;
    if (json_number_value (json_array_get (margins, i)) >= tolerance->clear_margin)
      g_assert_cmpint (id, ==, want);
    pt_llm_read (llm, &want, 1, NULL, &error);
    g_assert_no_error (error);
  }
  return same;
}

static void
test_greedy (void)
{
  const Tolerance *tolerance = get_tolerance ();
  const json_t *prompts;
  guint same = 0, all = 0;
  Fixture f;

  if (!set_up (&f))
    return;
  prompts = json_object_get (f.expected, "prompts");
  for (gsize i = 0; i < json_array_size (prompts); i++) {
    const json_t *prompt = json_array_get (prompts, i);

    same += check_prompt (f.module, tolerance, prompt);
    all += (guint) json_array_size (json_object_get (prompt, "greedy_ids"));
  }
  g_test_message ("%u of %u tokens are upstream's", same, all);
  g_assert_cmpfloat (same, >=, tolerance->agreement * all);
  tear_down (&f);
}

/** Minus the logarithm of the probability of @id. */
static double
surprise (const float *logits, gsize width, gint32 id)
{
  float max = -INFINITY;
  double sum = 0;

  for (gsize i = 0; i < width; i++)
    max = MAX (max, logits[i]);
  for (gsize i = 0; i < width; i++)
    sum += exp ((double) logits[i] - max);
  return log (sum) - ((double) logits[id] - max);
}

/** Logits of all of @ids in one call, as upstream's figure was made. */
static const PtTensor *
read_at_once (PtMethod *method, const GArray *ids, gint64 *id_buffer, gint64 *positions)
{
  gint64 sizes[2] = { 1, ids->len };
  g_autoptr (GError) error = NULL;
  PtTensor tensor;

  for (guint i = 0; i < ids->len; i++) {
    id_buffer[i] = g_array_index (ids, gint32, i);
    positions[i] = i;
  }
  g_assert_true (pt_tensor_init (&tensor, PT_DTYPE_I64, 2, sizes, NULL, id_buffer, &error));
  g_assert_true (pt_method_set_input_tensor (method, 0, &tensor, &error));
  g_assert_true (pt_tensor_init (&tensor, PT_DTYPE_I64, 1, sizes + 1, NULL, positions, &error));
  g_assert_true (pt_method_set_input_tensor (method, 1, &tensor, &error));
  pt_method_execute (method, NULL, &error);
  g_assert_no_error (error);
  return pt_method_output (method, 0)->as_tensor;
}

static void
test_perplexity (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "starter", "perplexity.txt", NULL);
  g_autofree char *text = NULL;
  g_autofree gint64 *id_buffer = NULL, *positions = NULL;
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GError) error = NULL;
  const PtTensor *logits;
  PtMethod *method;
  double sum = 0, expected, perplexity;
  gsize width;
  Fixture f;

  if (!set_up (&f))
    return;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  pt_tokenizer_encode (f.tokenizer, text, -1, PT_ENCODE_PLAIN, ids, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ids->len, ==,
                   pt_json_int (json_object_get (f.expected, "perplexity"), "tokens", 0));
  method = pt_module_method (f.module, "forward", &error);
  g_assert_no_error (error);
  id_buffer = g_new (gint64, ids->len);
  positions = g_new (gint64, ids->len);
  logits = read_at_once (method, ids, id_buffer, positions);
  g_assert_cmpint (logits->dtype, ==, PT_DTYPE_F32);
  width = (gsize) logits->sizes[2];
  for (guint i = 0; i + 1 < ids->len; i++)
    sum += surprise ((const float *) logits->data + i * width, width,
                     g_array_index (ids, gint32, i + 1));
  perplexity = exp (sum / (ids->len - 1));
  expected = pt_json_double (json_object_get (f.expected, "perplexity"), "value", 0);
  g_test_message ("perplexity %.4f, upstream's %.4f", perplexity, expected);
  g_assert_cmpfloat_with_epsilon (perplexity, expected, get_tolerance ()->perplexity * expected);
  tear_down (&f);
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  g_string_append (user_data, text);
}

/** The question everybody asks; and the memory of it all. */
static void
test_paris (void)
{
  static const PtMessage message = { "user", "What is the capital of France? Answer briefly." };
  PtChatOptions request = {
    .messages = &message, .n_messages = 1, .max_new_tokens = 64, .sampling = PT_SAMPLING_GREEDY
  };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = NULL;
  guint64 resident = 0, peak = 0;
  PtStats stats;
  Fixture f;

  if (!set_up (&f))
    return;
  chat = pt_chat_new (f.module, f.tokenizer, f.set->folder, &error);
  g_assert_no_error (error);
  g_assert_cmpint (pt_chat_answer (chat, &request, on_text, text, NULL, &stats, &error), ==,
                   PT_REASON_STOP);
  g_assert_nonnull (strstr (text->str, "Paris"));
  if (pt_process_memory (&resident, &peak)) {
    g_test_message ("peak memory %.1f MB, files %.1f MB", (double) peak / 1e6,
                    (double) f.set->bytes / 1e6);
    g_assert_cmpuint (peak, <=, f.set->bytes + ALLOWED_MEMORY);
  }
  g_clear_pointer (&chat, pt_chat_free);
  tear_down (&f);
}

/** A chat of its own, so that nothing has been said before. */
static char *
answer (const Fixture *f, const char *question, double temperature, gboolean lookup)
{
  const PtMessage message = { "user", question };
  PtChatOptions request = { .messages = &message,
                            .n_messages = 1,
                            .max_new_tokens = 120,
                            .sampling = PT_SAMPLING_INIT,
                            .seed = 5,
                            .lookup = lookup };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = pt_chat_new (f->module, f->tokenizer, f->set->folder, &error);
  PtStats stats;

  g_assert_no_error (error);
  request.sampling.temperature = temperature;
  pt_chat_answer (chat, &request, on_text, text, NULL, &stats, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (stats.new_tokens, >, 10);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/** Guessing what comes next changes no answer, whether it is the likeliest or drawn by lot. */
static void
test_lookup (void)
{
  static const char *const questions[] = {
    "Repeat word for word: Boats come in at night, when the tide is high, and leave in the morning "
    "with salt, cloth and letters for the islands.",
    "List ten animals, and for each its colour.",
  };
  Fixture f;

  if (!set_up (&f))
    return;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (questions); i++) {
    double temperature = i % 2 == 0 ? 0 : 0.7;
    g_autofree char *plain = answer (&f, questions[i / 2], temperature, FALSE);
    g_autofree char *guessed = answer (&f, questions[i / 2], temperature, TRUE);

    g_assert_cmpstr (plain, ==, guessed);
  }
  tear_down (&f);
}

/** Earlier tokens get so likely that the model repeats them. */
static void
test_loop (void)
{
  static const PtMessage message = { "user", "Hello" };
  PtChatOptions request = { .messages = &message,
                            .n_messages = 1,
                            .sampling = { 0, 0, 1, 0, 1, -1, -2, -2 } };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = NULL;
  PtStats stats;
  Fixture f;

  if (!set_up (&f))
    return;
  chat = pt_chat_new (f.module, f.tokenizer, f.set->folder, &error);
  g_assert_no_error (error);
  g_assert_cmpint (pt_chat_answer (chat, &request, on_text, text, NULL, &stats, &error), ==,
                   PT_REASON_LOOP);
  g_assert_cmpuint (stats.new_tokens, <, 600);
  g_clear_pointer (&chat, pt_chat_free);
  tear_down (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/models/smollm2/paris", test_paris);
  g_test_add_func ("/models/smollm2/greedy", test_greedy);
  g_test_add_func ("/models/smollm2/lookup", test_lookup);
  g_test_add_func ("/models/smollm2/loop", test_loop);
  g_test_add_func ("/models/smollm2/perplexity", test_perplexity);
  return g_test_run ();
}
