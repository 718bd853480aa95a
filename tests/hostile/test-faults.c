/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory that the system refuses, and reads that fail: the Nth request fails (faults.h), for every
 * N until all goes well. Each failure must be an error of its own kind, give back what was taken,
 * and not spoil what comes after it.
 */

#include <string.h>
#include <pteris/job.h>

#include "engine/init.h"
#include "engine/kernels/worker-pool.h"
#include "engine/program/bundle.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/run/npy.h"
#include "tests/hostile/faults.h"
#include "tests/hostile/hostile.h"

#define MANY 300
#define ALL ((gsize) 0) /* requests of every size */
#define MAX_FAULTS 20000

/* ---- what is done ---- */

typedef gboolean (*Operation) (GError **error);

static gboolean
open_external (GError **error)
{
  g_autofree char *program = hostile_data_path ("chat/qwen3_external_xnnpack_8da4w/model.pte");
  g_autofree char *data = hostile_data_path ("chat/qwen3_external_xnnpack_8da4w/model.ptd");
  const char *const paths[] = { data, NULL };
  g_autoptr (PtModule) module = pt_module_open (program, paths, NULL, error);

  return module != NULL && pt_module_method (module, "forward", error) != NULL;
}

static PtModule *
open_block (GError **error)
{
  g_autofree char *program = hostile_data_path ("xnnpack/mobilenet_block_f32/model.pte");

  return pt_module_open (program, NULL, NULL, error);
}

static void
free_input (gpointer input)
{
  pt_tensor_file_free (input);
}

/* @inputs: keeps the tensors, which methods use in place. */
static gboolean
set_input (PtMethod *method, guint i, GPtrArray *inputs, GError **error)
{
  const PtTensorSpec *spec = pt_method_input_spec (method, i)->as_tensor;
  PtTensorFile *input;
  gint64 sizes[PT_MAX_RANK];

  for (guint k = 0; k < spec->rank; k++)
    sizes[k] = spec->sizes[k];
  input = pt_tensor_file_new (spec->dtype, spec->rank, sizes, spec->dim_order, error);
  if (input == NULL)
    return FALSE;
  g_ptr_array_add (inputs, input);
  memset (input->tensor.data, 0x3c, pt_tensor_nbytes (&input->tensor));
  return pt_method_set_input_tensor (method, i, &input->tensor, error);
}

/* Its result is the same each time. */
static gboolean
run_block (PtModule *module, GError **error)
{
  static guint8 *known = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (free_input);
  PtMethod *method = pt_module_method (module, "forward", error);
  const PtTensor *output;

  for (guint i = 0; method != NULL && i < pt_method_n_inputs (method); i++)
    if (!set_input (method, i, inputs, error))
      return FALSE;
  if (method == NULL || !pt_method_execute (method, NULL, error))
    return FALSE;
  output = pt_method_output (method, 0)->as_tensor;
  if (known == NULL)
    known = g_memdup2 (output->data, pt_tensor_nbytes (output));
  g_assert_true (memcmp (known, output->data, pt_tensor_nbytes (output)) == 0);
  return TRUE;
}

static gboolean
run_xnnpack (GError **error)
{
  g_autoptr (PtModule) module = open_block (error);

  return module != NULL && run_block (module, error);
}

/* Set by test_programs(). */
static const char *case_program, *case_data;

/* Every method of a program, run where all inputs are tensors. What fails without a fault is
 * another test's affair. */
static gboolean
run_methods (PtModule *module, GError **error)
{
  PtProgram *program = pt_module_program (module);

  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (free_input);
    PtMethod *method = pt_module_method (module, pt_program_plan (program, i)->name, error);
    gboolean ready = TRUE;

    for (guint k = 0; method != NULL && k < pt_method_n_inputs (method); k++)
      ready &= pt_method_input_spec (method, k)->kind == PT_VALUE_TENSOR &&
               set_input (method, k, inputs, error);
    if (method == NULL || (error != NULL && *error != NULL) ||
        (ready && !pt_method_execute (method, NULL, error)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
run_case (GError **error)
{
  const char *const data[] = { case_data, NULL };
  g_autoptr (PtModule) module = pt_module_open (case_program, data, NULL, error);

  return module != NULL && run_methods (module, error);
}

static gboolean
open_bundle (GError **error)
{
  g_autoptr (PtBundle) bundle = pt_bundle_open (case_program, error);

  return bundle != NULL;
}

static void
on_text (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  g_string_append (user_data, text);
}

static char *
chat_folder (void)
{
  return hostile_data_path ("chat/qwen3_xnnpack_8da4w");
}

static gboolean
answer (PtChat *chat, GString *said, GError **error)
{
  static const PtMessage hello = { "user", "Hello there" };
  PtChatOptions request = { .messages = &hello,
                            .n_messages = 1,
                            .max_new_tokens = 6,
                            .sampling = PT_SAMPLING_GREEDY,
                            .seed = 0 };
  PtStats stats;

  return pt_chat_answer (chat, &request, on_text, said, NULL, &stats, error) != PT_REASON_NONE;
}

static gboolean
read_tokenizer (GError **error)
{
  g_autofree char *folder = chat_folder ();
  g_autoptr (PtTokenizer) fresh = pt_tokenizer_open (folder, error);

  return fresh != NULL;
}

/* The expected answer of the model. */
static GString *expected;
/* Read once: what it may lack is the affair of read_tokenizer(). */
static PtTokenizer *tokenizer;

static gboolean
chat_afresh (GError **error)
{
  g_autofree char *folder = chat_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, error);
  g_autoptr (PtChat) chat = module != NULL ? pt_chat_new (module, tokenizer, folder, error) : NULL;
  g_autoptr (GString) said = g_string_new (NULL);

  if (chat == NULL || !answer (chat, said, error))
    return FALSE;
  if (expected == NULL)
    expected = g_string_new (said->str);
  g_assert_cmpstr (said->str, ==, expected->str);
  return TRUE;
}

/* Set by test_turn(): a turn of a chat that is loaded. */
static PtChat *loaded_chat;

static gboolean
chat_on (GError **error)
{
  g_autoptr (GString) said = g_string_new (NULL);

  if (!answer (loaded_chat, said, error))
    return FALSE;
  g_assert_cmpstr (said->str, ==, expected->str);
  return TRUE;
}

static char *recording;

static gboolean
read_recording (GError **error)
{
  g_autoptr (PtAudioReader) reader = pt_audio_reader_open (recording, 16000, NULL, error);
  float samples[4096];
  gssize n = reader != NULL ? 1 : -1;

  while (n > 0)
    n = pt_audio_reader_read (reader, samples, G_N_ELEMENTS (samples), NULL, error);
  return n == 0;
}

static char *array;

static gboolean
read_array (GError **error)
{
  g_autoptr (PtTensorFile) file = pt_npy_read (array, error);

  return file != NULL;
}

static char *large_tokenizer;

static gboolean
read_large_tokenizer (GError **error)
{
  g_autoptr (PtTokenizer) fresh = pt_tokenizer_open (large_tokenizer, error);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  return fresh != NULL && pt_tokenizer_encode (fresh, "ab", 2, PT_ENCODE_ADD, ids, error);
}

/* ---- faults ---- */

typedef struct {
  const char *what;
  Operation run;
  Fault fault;
  gsize size;
} Trial;

/* Runs the trial with request @n failing. Returns its result; *is_hit: there was such a request. */
static gboolean
attempt (const Trial *trial, guint n, gboolean *is_hit, PtError *code)
{
  GError *error = NULL;
  gboolean ok;

  faults_begin (trial->fault, n, trial->size);
  ok = trial->run (&error);
  *is_hit = faults_end ();
  g_assert_true (ok == (error == NULL));
  if (!ok) {
    *code = (PtError) error->code;
    hostile_check_error (error, trial->what);
  }
  return ok;
}

/* The same twice, and checks for leaks. Allocations for the whole process are made the first time.
 */
static gboolean
attempt_twice (const Trial *trial, guint n, gboolean *is_hit, PtError *code)
{
  gint maps = faults_n_maps (), blocks = faults_n_blocks (), after;
  gboolean ok = attempt (trial, n, is_hit, code);

  g_assert_cmpint (faults_n_maps (), ==, maps);
  after = faults_n_blocks ();
  if (after > blocks) {
    g_assert_true (attempt (trial, n, is_hit, code) == ok);
    g_assert_cmpint (faults_n_blocks (), <=, after);
  }
  return ok;
}

/* Does @run with the Nth request failing, for every N. */
static void
try_all (const char *what, Operation run, Fault fault, gsize size, guint at_least)
{
  Trial trial = { what, run, fault, size };
  guint n, n_failed = 0;
  gboolean is_hit = TRUE;

  if (!faults_possible ()) {
    g_test_skip ("requests cannot be made to fail in this build");
    return;
  }
  /* Allocate what is made once for the whole process. */
  g_assert_true (run (NULL));
  for (n = 0; is_hit; n++) {
    PtError code = PT_ERROR_MEMORY;
    gboolean ok = attempt_twice (&trial, n, &is_hit, &code);

    g_assert_cmpuint (n, <, MAX_FAULTS);
    if (ok)
      continue;
    g_assert_true (is_hit);
    g_assert_cmpint (fault, !=, FAULT_READ_SHORT);
    n_failed++;
    g_assert_cmpint (code, ==, fault < FAULT_READ_ERROR ? PT_ERROR_MEMORY : PT_ERROR_FILE);
    /* With enough memory the task succeeds. This is checked every MANY requests. */
    if (n < MANY || n % MANY == 0)
      g_assert_true (run (NULL));
  }
  g_test_message ("%s: %u requests, %u failures", what, n - 1, n_failed);
  if (faults_own_memory ())
    g_assert_cmpuint (n_failed, >=, at_least);
}

/* A read that fails, a truncated file, and reads that return few bytes. */
static void
try_reads (const char *what, Operation run, guint at_least)
{
  try_all (what, run, FAULT_READ_ERROR, ALL, at_least);
  try_all (what, run, FAULT_READ_END, ALL, at_least);
  try_all (what, run, FAULT_READ_SHORT, ALL, 0);
}

static void
test_open (void)
{
  try_all ("a program with data", open_external, FAULT_MEMORY, ALL, 5);
}

static void
test_run (void)
{
  try_all ("a run of a delegate", run_xnnpack, FAULT_MEMORY, ALL, 5);
}

static void
try_case (const char *folder)
{
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autofree char *bundle = g_build_filename (folder, "model.bpte", NULL);
  g_autofree char *data = g_build_filename (folder, "model.ptd", NULL);
  g_autofree char *weights = g_build_filename (folder, "weights.ptd", NULL);

  case_data = NULL;
  if (g_file_test (data, G_FILE_TEST_EXISTS))
    case_data = data;
  else if (g_file_test (weights, G_FILE_TEST_EXISTS))
    case_data = weights;
  case_program = program;
  if (g_file_test (program, G_FILE_TEST_EXISTS) && run_case (NULL))
    try_all (folder, run_case, FAULT_MEMORY, ALL, 2);
  case_program = bundle;
  if (g_file_test (bundle, G_FILE_TEST_EXISTS))
    try_all (folder, open_bundle, FAULT_MEMORY, ALL, 2);
}

/* Operators and delegates of every kind. */
static void
test_programs (gconstpointer collection)
{
  g_autofree char *root = hostile_data_path (collection);
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *folder = g_build_filename (root, name, NULL);

    try_case (folder);
  }
}

static void
test_tokenizer (void)
{
  /* If its lists cannot be allocated, the full JSON parser reads the file. */
  try_all ("a tokenizer", read_tokenizer, FAULT_MEMORY, ALL, 1);
  try_all ("a tokenizer", read_tokenizer, FAULT_NO_MEMORY, ALL, 5);
  try_reads ("a tokenizer", read_tokenizer, 1);
}

static void
test_chat (void)
{
  try_all ("a chat", chat_afresh, FAULT_MEMORY, ALL, 5);
  try_all ("a chat", chat_afresh, FAULT_NO_MEMORY, ALL, 5);
}

/* A chat with a loaded model allocates memory for the search of words. */
static void
test_turn (void)
{
  g_autofree char *folder = chat_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, NULL);
  g_autoptr (PtChat) chat = pt_chat_new (module, tokenizer, folder, NULL);

  loaded_chat = chat;
  try_all ("a turn", chat_on, FAULT_MEMORY, ALL, 0);
  loaded_chat = NULL;
}

/*
 * Delegates share a workspace. A model that fails to enlarge it must not leave another one, which
 * is in use, without.
 */
static gboolean
run_beside (GError **error)
{
  g_autoptr (PtModule) module = open_block (error);
  gboolean ok;

  if (module == NULL || !run_block (module, error))
    return FALSE;
  ok = chat_afresh (error);
  return run_block (module, ok ? error : NULL) && ok;
}

static void
test_neighbours (void)
{
  try_all ("two models", run_beside, FAULT_MEMORY, ALL, 5);
  try_all ("two models", run_beside, FAULT_NO_MEMORY, ALL, 5);
}

static void
test_recording (void)
{
  recording = hostile_data_path ("whisper-mini/audio.wav");
  try_all ("a recording", read_recording, FAULT_MEMORY, ALL, 1);
  try_reads ("a recording", read_recording, 1);
  g_clear_pointer (&recording, g_free);
}

static void
test_array (void)
{
  const gint64 size = 100000;
  g_autoptr (PtTensorFile) zeros = pt_tensor_file_new (PT_DTYPE_F32, 1, &size, NULL, NULL);

  memset (zeros->tensor.data, 0, zeros->tensor.capacity);
  array = hostile_path ("array.npy");
  g_assert_true (pt_npy_write (array, &zeros->tensor, NULL, NULL));
  try_all ("an array", read_array, FAULT_MEMORY, ALL, 1);
  hostile_clean_up ();
  g_clear_pointer (&array, g_free);
}

static void
try_tokenizer (const char *what, const GString *text)
{
  large_tokenizer = hostile_file ("tokenizer.json", text->str, text->len);
  try_all (what, read_large_tokenizer, FAULT_MEMORY, FAULTS_LARGE, 1);
  try_reads (what, read_large_tokenizer, 1);
  hostile_clean_up ();
  g_clear_pointer (&large_tokenizer, g_free);
}

/* Lines of base64 and rank: the bytes, and others. */
static GString *
many_lines (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 20000; i++) {
    const guchar bytes[] = { (guchar) i, (guchar) (i >> 8), 'x' };
    g_autofree char *base64 = g_base64_encode (bytes, i < 256 ? 1 : sizeof bytes);

    g_string_append_printf (text, "%s %u\n", base64, i);
  }
  return text;
}

/* A unigram model of SentencePiece: message 1 is a piece with its text in field 1. */
static GString *
many_pieces (void)
{
  GString *text = g_string_new_len ("\n\t\n\5<unk>\x18\2", 11);

  for (guint i = 0; i < 20000; i++) {
    char piece[16];
    int length = g_snprintf (piece, sizeof piece, "t%u", i);

    g_string_append_printf (text, "\n%c\n%c%s", (char) (length + 2), (char) length, piece);
  }
  return text;
}

/* Enough tokens to make the tables large. */
static void
test_large_tokenizer (void)
{
  g_autoptr (GString) text = g_string_new ("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0");
  g_autoptr (GString) lines = many_lines (), pieces = many_pieces ();

  for (guint i = 1; i < 20000; i++)
    g_string_append_printf (text, ",\"t%u\":%u", i, i);
  g_string_append (text, ",\"b\":20000,\"ab\":20001},\"merges\":[[\"a\",\"b\"]");
  g_string_append (text, "]}}");
  try_tokenizer ("a tokenizer.json", text);
  try_tokenizer ("a tokenizer of lines", lines);
  try_tokenizer ("a tokenizer of pieces", pieces);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  pt_pool_default ();
  folder = chat_folder ();
  tokenizer = pt_tokenizer_open (folder, NULL);
  g_test_add_func ("/hostile/faults/open", test_open);
  g_test_add_func ("/hostile/faults/run", test_run);
  g_test_add_data_func ("/hostile/faults/tiny", "tiny", test_programs);
  g_test_add_data_func ("/hostile/faults/xnnpack", "xnnpack", test_programs);
  g_test_add_func ("/hostile/faults/tokenizer", test_tokenizer);
  g_test_add_func ("/hostile/faults/chat", test_chat);
  g_test_add_func ("/hostile/faults/turn", test_turn);
  g_test_add_func ("/hostile/faults/neighbours", test_neighbours);
  g_test_add_func ("/hostile/faults/recording", test_recording);
  g_test_add_func ("/hostile/faults/array", test_array);
  g_test_add_func ("/hostile/faults/large-tokenizer", test_large_tokenizer);
  result = g_test_run ();
  pt_tokenizer_free (tokenizer);
  if (expected != NULL)
    g_string_free (expected, TRUE);
  return result;
}
