/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/runtime/device.h"
#include "engine/runtime/prims.h"
#include "engine/tasks/llm/llm.h"
#include "engine/tasks/models/model-set.h"
#include "tests/fakes/fake-program.h"

/*
 * A text model on a device that can choose tokens itself. Device and model are made up here: the
 * memory of the device is that of the host at other addresses, and the logits of a position say
 * which token comes next by all tokens up to there.
 */

#define VOCABULARY FAKE_PROGRAM_VOCABULARY
#define MOST_POSITIONS 64
#define FAR ((gsize) 1 << 52) /* what addresses on the device have more than those on the host */

#define MOST_STATES 4

static guint n_steps, n_fetched;
static gboolean can_sample;
static gint32 chosen;

/* The state that the methods of the model share: the tokens at all positions, for each state. */
static gint64 states[MOST_STATES][MOST_POSITIONS];
static guint state, n_states; /* the one now; how many there is memory for */
static gboolean is_open[MOST_STATES];
static guint n_refused;   /* so many calls get no memory while there are other states */
static float temperature; /* that the model was given */
static guint n_prompts;   /* calls with more ids than one */

/* ---- the device ---- */

static gpointer
near (gconstpointer data)
{
  g_assert_cmpuint ((gsize) data, >=, FAR);
  return (gpointer) ((gsize) data - FAR);
}

static gpointer
allocate (int index, gsize size, GError **error)
{
  return (gpointer) ((gsize) g_malloc0 (size) + FAR);
}

static void
free_memory (int index, gpointer data)
{
  g_free (near (data));
}

static gboolean
clear (int index, gpointer data, gsize size, GError **error)
{
  memset (near (data), 0, size);
  return TRUE;
}

static gboolean
copy_to_device (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  memcpy (near (to), from, size);
  return TRUE;
}

static gboolean
copy_to_host (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  n_fetched++;
  memcpy (to, near (from), size);
  return TRUE;
}

static gboolean
copy (int index, gpointer to, gconstpointer from, gsize size, GError **error)
{
  memmove (near (to), near (from), size);
  return TRUE;
}

static gboolean
sample (int index, const PtDeviceSampling *how, gconstpointer logits, PtDType dtype, gsize width,
        gpointer next_id, gpointer next_position, GError **error)
{
  g_autoptr (PtSampler) sampler = pt_sampler_new (width, NULL);
  const PtSaid *said = how->said;
  const PtSampling greedy = { .top_p = 1,
                              .repetition_penalty = how->repetition_penalty,
                              .repetition_window = -1,
                              .presence_penalty = how->presence_penalty,
                              .frequency_penalty = how->frequency_penalty };

  if (!can_sample)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "not here");
  pt_sampler_configure (sampler, &greedy);
  for (guint i = 0; i < how->n_said; i++)
    for (guint j = 0; j < said[i].count; j++)
      pt_sampler_accept (sampler, said[i].id);
  chosen = pt_sampler_sample (sampler, near (logits), dtype, width);
  if (next_id != NULL)
    *(gint64 *) near (next_id) = chosen;
  if (next_position != NULL)
    ++*(gint64 *) near (next_position);
  return TRUE;
}

static gboolean
take_sample (int index, gint32 *id, GError **error)
{
  *id = chosen;
  return TRUE;
}

static const PtDevice device = {
  .type = PT_DEVICE_CUDA,
  .allocate = allocate,
  .free = free_memory,
  .clear = clear,
  .copy_to_device = copy_to_device,
  .copy_to_host = copy_to_host,
  .copy = copy,
  .sample = sample,
  .take_sample = take_sample,
};

/* ---- the model ---- */

typedef struct {
  char *method;
  gpointer lent;
} Model;

static gint32
next_token (const gint64 *tokens, gint64 position)
{
  guint64 sum = 7;

  for (gint64 i = 0; i <= position; i++)
    sum = sum * 31 + (guint64) (tokens[i] * (i + 3));
  return (gint32) (sum % VOCABULARY);
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  Model *model = g_new0 (Model, 1);

  model->method = g_strdup (context->method);
  return model;
}

static void
destroy (gpointer delegate)
{
  Model *model = delegate;

  g_free (model->method);
  g_free (model->lent);
  g_free (model);
}

static guint
count_states (void)
{
  guint n = 0;

  for (guint i = 0; i < MOST_STATES; i++)
    n += is_open[i];
  return n;
}

static gboolean
select_state (gpointer delegate, guint number, GError **error)
{
  if (!is_open[number] && count_states () == n_states)
    return pt_fail (error, PT_ERROR_MEMORY, "no more");
  if (!is_open[number])
    memset (states[number], 0, sizeof states[number]);
  is_open[number] = TRUE;
  state = number;
  return TRUE;
}

static void
forget_state (gpointer delegate, guint number)
{
  g_assert_cmpuint (number, !=, state);
  is_open[number] = FALSE;
}

static const gint64 *
numbers (const PtTensor *tensor)
{
  return tensor->device_type == PT_DEVICE_CPU ? tensor->data : near (tensor->data);
}

static gboolean
execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
         GError **error)
{
  Model *model = delegate;
  const PtTensor *ids = args[0]->as_tensor, *positions = args[1]->as_tensor;
  PtTensor *logits = args[n_args - 1]->as_tensor;
  gint64 n = ids->sizes[1], sizes[] = { 1, n, VOCABULARY };
  float *out;

  g_assert_cmpint (positions->sizes[0], ==, n);
  if (n_refused > 0 && count_states () > 1) {
    n_refused--;
    return pt_fail (error, PT_ERROR_MEMORY, "The GPU is full.");
  }
  g_assert_true (n > 1 ? strcmp (model->method, "decode") != 0
                       : strcmp (model->method, "prefill") != 0);
  n_steps++;
  n_prompts += n > 1;
  for (gint64 i = 0; i < n; i++) {
    g_assert_cmpint (numbers (positions)[i], <, MOST_POSITIONS);
    states[state][numbers (positions)[i]] = numbers (ids)[i];
  }
  if (n_args == 4) {
    temperature = *(const float *) (args[2]->as_tensor->device_type == PT_DEVICE_CPU
                                        ? args[2]->as_tensor->data
                                        : near (args[2]->as_tensor->data));
    out = logits->device_type == PT_DEVICE_CPU ? logits->data : near (logits->data);
    *out = (float) next_token (states[state], numbers (positions)[n - 1]);
    return TRUE;
  }
  g_assert_true (pt_tensor_resize (logits, 3, sizes, error));
  if (logits->stays_on_device && logits->device_type == PT_DEVICE_CPU) {
    model->lent = g_malloc (logits->max_numel * sizeof (float));
    logits->data = (gpointer) ((gsize) model->lent + FAR);
    logits->device_type = PT_DEVICE_CUDA;
  }
  out = logits->device_type == PT_DEVICE_CPU ? logits->data : near (logits->data);
  for (gint64 i = 0; i < n; i++) {
    gint32 next = next_token (states[state], numbers (positions)[i]);

    for (gint32 k = 0; k < VOCABULARY; k++)
      out[i * VOCABULARY + k] = k == next ? 5 : -5;
  }
  return TRUE;
}

static const PtBackend backend = {
  .id = "CudaBackend",
  .init = init,
  .execute = execute,
  .destroy = destroy,
  .device_type = PT_DEVICE_CUDA,
  .select_state = select_state,
  .forget_state = forget_state,
};

/* ---- tests ---- */

typedef struct {
  PtModule *module;
  PtLlm *llm;
  PtSampler *sampler;
  gint64 tokens[MOST_POSITIONS]; /* what was read so far */
  gint64 n;
} Fixture;

static void
begin_program (Fixture *f, const FakeProgram *spec)
{
  g_autoptr (GBytes) bytes = fake_program_new (spec);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = pt_program_new (bytes, "text.pte", &error);

  g_assert_no_error (error);
  f->module = pt_module_new (program, NULL, NULL, &error);
  g_assert_no_error (error);
  f->llm = pt_llm_new (f->module, &error);
  g_assert_no_error (error);
  f->sampler = pt_sampler_new (VOCABULARY, NULL);
  f->n = 0;
  n_steps = n_fetched = n_prompts = n_refused = 0;
  can_sample = TRUE;
  memset (states, 0, sizeof states);
  memset (is_open, 0, sizeof is_open);
  is_open[0] = TRUE;
  state = 0;
  n_states = MOST_STATES;
}

static void
begin (Fixture *f, FakeProgramForm form)
{
  const FakeProgram spec = { .form = form, .is_text = TRUE, .named = TRUE, .n_outputs = 1 };

  begin_program (f, &spec);
}

static void
end (Fixture *f)
{
  pt_sampler_free (f->sampler);
  pt_llm_free (f->llm);
  pt_module_free (f->module);
}

static void
read_ids (Fixture *f, const gint32 *ids, guint n)
{
  g_autoptr (GError) error = NULL;

  pt_llm_read (f->llm, ids, n, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    f->tokens[f->n++] = ids[i];
  g_assert_cmpint (pt_llm_position (f->llm), ==, f->n);
}

static gint32
choose (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  gint32 id = -5;

  pt_llm_sample (f->llm, f->sampler, VOCABULARY, &id, &error);
  g_assert_no_error (error);
  g_assert_cmpint (id, ==, next_token (f->tokens, f->n - 1));
  return id;
}

static const gint32 prompt[] = { 3, 1, 4, 1, 5 };

/* Every step is started once, and nothing but tokens comes from the device. */
static void
check_steps (FakeProgramForm form)
{
  Fixture f;

  begin (&f, form);
  read_ids (&f, prompt, 5);
  for (guint i = 0; i < 9; i++) {
    gint32 id = choose (&f);

    read_ids (&f, &id, 1);
  }
  g_assert_cmpuint (n_steps, ==, 10);
  g_assert_cmpuint (n_fetched, ==, 0);
  end (&f);
}

static void
test_steps (void)
{
  check_steps (FAKE_PROGRAM_HOST);
  check_steps (FAKE_PROGRAM_COPIES);
  check_steps (FAKE_PROGRAM_DEVICE);
}

/* An id other than the chosen one is read, and decoding continues from it. */
static void
test_other_id (void)
{
  Fixture f;
  gint32 other = 9;

  begin (&f, FAKE_PROGRAM_COPIES);
  read_ids (&f, prompt, 5);
  for (guint i = 0; i < 4; i++) {
    gint32 id = choose (&f);

    read_ids (&f, i % 2 == 0 ? &other : &id, 1);
  }
  choose (&f);
  read_ids (&f, prompt, 3);
  choose (&f);
  end (&f);
}

/* With a mask, or where somebody reads the logits, the host chooses and no step is begun before its
 * token is known. Afterwards the device chooses again, and the right logits were used everywhere.
 */
static void
test_for_host (void)
{
  guint32 mask[(VOCABULARY + 31) / 32];
  Fixture f;
  gint32 id;

  begin (&f, FAKE_PROGRAM_DEVICE);
  read_ids (&f, prompt, 5);
  for (guint i = 0; i < 9; i++) {
    gint32 likeliest = next_token (f.tokens, f.n - 1);
    guint fetched = n_fetched, steps = n_steps;
    g_autoptr (GError) error = NULL;

    memset (mask, 0xff, sizeof mask);
    mask[likeliest / 32] &= ~(1u << (likeliest % 32));
    pt_sampler_set_mask (f.sampler, i % 3 == 0 ? mask : NULL, VOCABULARY);
    pt_llm_set_keeps_logits (f.llm, i % 3 == 1);
    pt_llm_sample (f.llm, f.sampler, VOCABULARY, &id, &error);
    g_assert_no_error (error);
    if (i % 3 == 0)
      g_assert_cmpint (id, !=, likeliest);
    else
      g_assert_cmpint (id, ==, likeliest);
    g_assert_cmpuint (n_fetched - fetched, ==, i % 3 == 2 ? 0 : 1);
    g_assert_cmpuint (n_steps - steps, ==, i % 3 == 2 ? 1 : 0);
    read_ids (&f, &id, 1);
  }
  end (&f);
}

/* A step was begun, and the conversation is another one. */
static void
test_rewind (void)
{
  const gint32 again[] = { 3, 1, 4, 8, 8, 8 };
  g_autoptr (GError) error = NULL;
  guint kept;
  Fixture f;

  begin (&f, FAKE_PROGRAM_HOST);
  read_ids (&f, prompt, 5);
  choose (&f);
  g_assert_true (pt_llm_rewind (f.llm, again, 6, &kept, &error));
  g_assert_cmpuint (kept, ==, 3);
  f.n = 3;
  read_ids (&f, again + 3, 3);
  for (guint i = 0; i < 4; i++) {
    gint32 id = choose (&f);

    read_ids (&f, &id, 1);
  }
  end (&f);
}

/* The last position: nothing is begun that there is no room for. */
static void
test_full (void)
{
  g_autoptr (GError) error = NULL;
  Fixture f;
  gint32 id;

  begin (&f, FAKE_PROGRAM_HOST);
  read_ids (&f, prompt, 5);
  while (f.n < pt_llm_context (f.llm)) {
    id = choose (&f);
    read_ids (&f, &id, 1);
  }
  id = choose (&f);
  g_assert_cmpuint (n_steps, ==, pt_llm_context (f.llm) - 4);
  g_assert_false (pt_llm_read (f.llm, &id, 1, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_CONTEXT_FULL);
  end (&f);
}

/* The last token of an answer does not start another decode. */
static void
test_end (void)
{
  g_autoptr (GError) error = NULL;
  Fixture f;
  gint32 id;

  begin (&f, FAKE_PROGRAM_HOST);
  pt_llm_set_end (f.llm, 8);
  read_ids (&f, prompt, 5);
  for (guint i = 0; i < 3; i++) {
    id = choose (&f);
    g_assert_cmpuint (n_steps, ==, i + 2);
    read_ids (&f, &id, 1);
  }
  id = choose (&f);
  g_assert_cmpuint (n_steps, ==, 4);
  /* Only a hint. */
  read_ids (&f, &id, 1);
  g_assert_cmpuint (n_steps, ==, 5);
  choose (&f);
  end (&f);
}

/* A device that cannot choose: one row of logits is fetched a token. */
static void
test_on_host (void)
{
  Fixture f;

  begin (&f, FAKE_PROGRAM_COPIES);
  can_sample = FALSE;
  read_ids (&f, prompt, 5);
  for (guint i = 0; i < 5; i++) {
    gint32 id = choose (&f);

    read_ids (&f, &id, 1);
  }
  g_assert_cmpuint (n_steps, ==, 6);
  g_assert_cmpuint (n_fetched, ==, 5);
  end (&f);
}

/* With a penalty, earlier tokens are not chosen again, on the host or on the device; no logits are
   copied. */
static void
test_penalties (void)
{
  const PtSampling how = { 0, 0, 1, 0, 1.1, -1, 0.5, 2 };
  gint32 chosen_by[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    gint32 likeliest;
    Fixture f;

    begin (&f, FAKE_PROGRAM_COPIES);
    can_sample = i == 0;
    read_ids (&f, prompt, 5);
    likeliest = next_token (f.tokens, f.n - 1);
    pt_sampler_configure (f.sampler, &how);
    for (guint j = 0; j < 7; j++)
      pt_sampler_accept (f.sampler, likeliest);
    g_assert_true (pt_llm_sample (f.llm, f.sampler, VOCABULARY, &chosen_by[i], &error));
    g_assert_no_error (error);
    g_assert_cmpint (chosen_by[i], !=, likeliest);
    g_assert_cmpuint (n_fetched, ==, i == 0 ? 0 : 1);
    end (&f);
  }
  g_assert_cmpint (chosen_by[0], ==, chosen_by[1]);
}

/* ---- two methods ---- */

static const char *const two_methods[] = { "prefill", "decode", NULL };

/* The prompt by one, what follows by the other, from the same cache; a step ahead as ever. */
static void
test_two_methods (void)
{
  for (guint form = FAKE_PROGRAM_HOST; form <= FAKE_PROGRAM_DEVICE; form++) {
    const FakeProgram spec = {
      .form = form, .is_text = TRUE, .named = TRUE, .n_outputs = 1, .methods = two_methods
    };
    Fixture f;

    begin_program (&f, &spec);
    read_ids (&f, prompt, 5);
    for (guint i = 0; i < 9; i++) {
      gint32 id = choose (&f);

      read_ids (&f, &id, 1);
    }
    g_assert_cmpuint (n_steps, ==, 10);
    g_assert_cmpuint (n_prompts, ==, 1);
    g_assert_cmpuint (n_fetched, ==, 0);
    end (&f);
  }
}

/* Seventeen are one more than a call takes: the last alone is a step. */
static void
test_tail (void)
{
  const FakeProgram spec = { .form = FAKE_PROGRAM_COPIES,
                             .is_text = TRUE,
                             .named = TRUE,
                             .n_outputs = 1,
                             .methods = two_methods,
                             .max_length = 40 };
  gint32 ids[17];
  Fixture f;

  begin_program (&f, &spec);
  g_assert_cmpuint (pt_llm_context (f.llm), ==, 40);
  for (gint32 i = 0; i < 17; i++)
    ids[i] = i;
  read_ids (&f, ids, 17);
  g_assert_cmpuint (n_steps, ==, 2);
  g_assert_cmpuint (n_prompts, ==, 1);
  choose (&f);
  read_ids (&f, ids, 1);
  choose (&f);
  end (&f);
}

/* A chat through the task. */
static void
test_task (void)
{
  static const struct {
    const char *methods[3];
    gboolean chooses, is_described, is_chat;
  } cases[] = {
    { { "forward" }, FALSE, TRUE, TRUE },          { { "forward" }, FALSE, FALSE, FALSE },
    { { "forward" }, TRUE, TRUE, TRUE },           { { "prefill", "decode" }, FALSE, TRUE, TRUE },
    { { "prefill", "decode" }, TRUE, TRUE, TRUE }, { { "prefill" }, FALSE, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const FakeProgram spec = { .form = FAKE_PROGRAM_HOST,
                               .is_text = TRUE,
                               .chooses = cases[i].chooses,
                               .named = TRUE,
                               .n_outputs = 1,
                               .methods = cases[i].methods,
                               .max_length = cases[i].is_described ? 40 : 0 };
    g_autoptr (GBytes) bytes = fake_program_new (&spec);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtProgram) program = pt_program_new (bytes, "text.pte", &error);

    g_assert_no_error (error);
    g_assert_cmpint (pt_family_of (program, NULL) == PT_FAMILY_TEXT_LLM, ==, cases[i].is_chat);
  }
}

/* A model that chooses its tokens itself. */
static void
test_chooses (void)
{
  for (guint form = FAKE_PROGRAM_HOST; form <= FAKE_PROGRAM_DEVICE; form++) {
    const FakeProgram spec = { .form = form,
                               .is_text = TRUE,
                               .chooses = TRUE,
                               .named = TRUE,
                               .n_outputs = 1,
                               .methods = form == FAKE_PROGRAM_HOST ? NULL : two_methods };
    g_autoptr (GError) error = NULL;
    PtDType dtype;
    Fixture f;

    begin_program (&f, &spec);
    read_ids (&f, prompt, 5);
    g_assert_cmpfloat (temperature, ==, 1e-6f);
    pt_llm_set_temperature (f.llm, 0.75);
    for (guint i = 0; i < 9; i++) {
      gint32 id = choose (&f);

      g_assert_cmpint (choose (&f), ==, id);
      read_ids (&f, &id, 1);
      g_assert_cmpfloat (temperature, ==, 0.75f);
    }
    g_assert_cmpuint (n_steps, ==, 10);
    g_assert_null (pt_llm_logits (f.llm, &dtype, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
    end (&f);
  }
}

/* ---- conversations ---- */

/* Reads @ids, of which @kept are there already, and two tokens more. */
static void
converse (Fixture *f, gint32 *ids, guint *n, guint expected)
{
  g_autoptr (GError) error = NULL;
  guint kept;

  pt_llm_rewind (f->llm, ids, *n, &kept, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (kept, ==, expected);
  f->n = 0;
  for (guint i = 0; i < kept; i++)
    f->tokens[f->n++] = ids[i];
  for (guint at = kept; at < *n; at += 8)
    read_ids (f, ids + at, MIN (8, *n - at));
  for (guint i = 0; i < 2; i++) {
    gint32 id = choose (f);

    read_ids (f, &id, 1);
    ids[(*n)++] = id;
  }
  ids[(*n)++] = 7;
}

static guint
start_conversation (gint32 *ids, guint which, guint n)
{
  ids[0] = 1;
  for (guint i = 1; i < n; i++)
    ids[i] = (gint32) ((i * 3 + which) % VOCABULARY);
  return n;
}

static void
begin_conversations (Fixture *f, const char *const *methods, guint n)
{
  const FakeProgram spec = {
    .form = FAKE_PROGRAM_COPIES, .is_text = TRUE, .named = TRUE, .n_outputs = 1, .methods = methods
  };

  begin_program (f, &spec);
  pt_llm_keep_conversations (f->llm, n);
}

/* Each goes on where it was; when there are too many, the one that was left longest ago goes. */
static void
check_conversations (const char *const *methods)
{
  gint32 ids[4][MOST_POSITIONS];
  guint n[4];
  Fixture f;

  begin_conversations (&f, methods, 3);
  for (guint i = 0; i < 4; i++)
    n[i] = start_conversation (ids[i], i, 6);
  for (guint i = 0; i < 3; i++)
    converse (&f, ids[i], &n[i], 0);
  converse (&f, ids[0], &n[0], n[0] - 1);
  converse (&f, ids[1], &n[1], n[1] - 1);
  g_assert_cmpuint (count_states (), ==, 3);
  converse (&f, ids[3], &n[3], 1); /* in the place of the third, but for what all have in common */
  converse (&f, ids[1], &n[1], n[1] - 1);
  converse (&f, ids[2], &n[2], 1); /* in that of the first */
  converse (&f, ids[3], &n[3], n[3] - 1);
  /* A small change near the end is the same conversation. */
  ids[3][n[3] - 2] = 33;
  converse (&f, ids[3], &n[3], n[3] - 2);
  end (&f);
}

static void
test_conversations (void)
{
  check_conversations (NULL);
  check_conversations (two_methods);
}

/* Memory for two: the third takes the place of the first. */
static void
test_few_states (void)
{
  gint32 ids[3][MOST_POSITIONS];
  guint n[3];
  Fixture f;

  begin_conversations (&f, two_methods, 4);
  n_states = 2;
  for (guint i = 0; i < 3; i++) {
    n[i] = start_conversation (ids[i], i, 6);
    converse (&f, ids[i], &n[i], i == 2 ? 1 : 0);
  }
  converse (&f, ids[1], &n[1], n[1] - 1);
  converse (&f, ids[2], &n[2], n[2] - 1);
  /* A call gets no memory: what others keep is given back, and it is made again. */
  n_refused = 1;
  converse (&f, ids[1], &n[1], n[1] - 1);
  g_assert_cmpuint (n_refused, ==, 0);
  g_assert_cmpuint (count_states (), ==, 1);
  converse (&f, ids[2], &n[2], 1);
  g_assert_cmpuint (count_states (), ==, 1);
  end (&f);
}

/* Only one conversation is kept unless more are requested. */
static void
test_one_conversation (void)
{
  gint32 ids[2][MOST_POSITIONS];
  guint n[2];
  Fixture f;

  begin_conversations (&f, NULL, 1);
  for (guint i = 0; i < 2; i++) {
    n[i] = start_conversation (ids[i], i, 6);
    converse (&f, ids[i], &n[i], i);
  }
  g_assert_cmpuint (count_states (), ==, 1);
  end (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_prims_register ();
  pt_backend_register (&backend);
  pt_device_register (&device);
  g_test_add_func ("/llm/device/steps", test_steps);
  g_test_add_func ("/llm/device/other-id", test_other_id);
  g_test_add_func ("/llm/device/for-host", test_for_host);
  g_test_add_func ("/llm/device/rewind", test_rewind);
  g_test_add_func ("/llm/device/full", test_full);
  g_test_add_func ("/llm/device/end", test_end);
  g_test_add_func ("/llm/device/on-host", test_on_host);
  g_test_add_func ("/llm/device/penalties", test_penalties);
  g_test_add_func ("/llm/device/two-methods", test_two_methods);
  g_test_add_func ("/llm/device/tail", test_tail);
  g_test_add_func ("/llm/device/task", test_task);
  g_test_add_func ("/llm/device/chooses", test_chooses);
  g_test_add_func ("/llm/device/conversations", test_conversations);
  g_test_add_func ("/llm/device/few-states", test_few_states);
  g_test_add_func ("/llm/device/one-conversation", test_one_conversation);
  return g_test_run ();
}
