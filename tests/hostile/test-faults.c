/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Memory that the system refuses, and reads that fail. The allocator, mmap() and fread() of the C
 * library are replaced by ones that fail at the Nth large request, for every N until all goes
 * well: each failure must be an error of its own kind, lose nothing, and not spoil what comes
 * after it.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <gmodule.h>

#include "engine/audio/reader.h"
#include "engine/init.h"
#include "engine/kernels/pool.h"
#include "engine/runtime/memory.h"
#include "engine/tasks/chat.h"
#include "engine/tasks/npy.h"
#include "tests/hostile/hostile.h"

#if defined(__GLIBC__) && defined(__linux__) && !defined(PT_ADDRESS_SANITIZER)
#define CAN_REFUSE 1
#endif

/*
 * What GLib itself takes in the operations below is smaller; that ends the process when there is
 * none, as in every GLib program. TABLES is for what takes no such piece.
 */
#define LARGE ((gsize) 32 * 1024)
#define TABLES ((gsize) 4 * 1024)
#define MAX_FAULTS 500

typedef enum {
  FAULT_MEMORY,    /* one request is refused */
  FAULT_NO_MEMORY, /* one and all after it */
  FAULT_READ,      /* one read is short */
} Fault;

#ifdef CAN_REFUSE
static gint armed = -1; /* a Fault */
static gint countdown;  /* requests until one fails; fails at 0 */
static gint n_mapped;   /* maps that are held */
static gsize large;     /* bytes from which a request counts */

void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *data, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

static gboolean
fails (Fault fault)
{
  gint left;

  if (g_atomic_int_get (&armed) != (gint) fault)
    return FALSE;
  left = g_atomic_int_add (&countdown, -1);
  return left == 0 || (left < 0 && fault == FAULT_NO_MEMORY);
}

static gboolean
refuse (size_t size)
{
  if (size < large || (!fails (FAULT_MEMORY) && !fails (FAULT_NO_MEMORY)))
    return FALSE;
  errno = ENOMEM;
  return TRUE;
}

G_MODULE_EXPORT void *
malloc (size_t size)
{
  return refuse (size) ? NULL : __libc_malloc (size);
}

G_MODULE_EXPORT void *
calloc (size_t n, size_t size)
{
  return size > 0 && n < G_MAXSIZE / size && refuse (n * size) ? NULL : __libc_calloc (n, size);
}

G_MODULE_EXPORT void *
realloc (void *data, size_t size)
{
  return refuse (size) ? NULL : __libc_realloc (data, size);
}

G_MODULE_EXPORT void *
aligned_alloc (size_t alignment, size_t size)
{
  return refuse (size) ? NULL : __libc_memalign (alignment, size);
}

G_MODULE_EXPORT int
posix_memalign (void **data, size_t alignment, size_t size)
{
  *data = aligned_alloc (alignment, size);
  return *data != NULL ? 0 : ENOMEM;
}

/* By whichever of its names a library calls it. */
void *map (void *address, size_t size, int protection, int flags, int fd,
           off_t offset) __asm__("mmap");
void *map_64 (void *address, size_t size, int protection, int flags, int fd,
              off_t offset) __asm__("mmap64");

G_MODULE_EXPORT void *
map_64 (void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  void *data = MAP_FAILED;

  if (!refuse (MAX (size, large)))
    data = (void *) syscall (SYS_mmap, address, size, protection, flags, fd, offset);
  if (data != MAP_FAILED)
    g_atomic_int_inc (&n_mapped);
  return data;
}

G_MODULE_EXPORT void *
map (void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
  return map_64 (address, size, protection, flags, fd, offset);
}

G_MODULE_EXPORT int
munmap (void *address, size_t size)
{
  g_atomic_int_add (&n_mapped, -1);
  return (int) syscall (SYS_munmap, address, size);
}

/* A bad sector in the middle of what was asked for. */
G_MODULE_EXPORT size_t
fread (void *data, size_t size, size_t n, FILE *file)
{
  if (fails (FAULT_READ))
    return fread_unlocked (data, size, n / 2, file);
  return fread_unlocked (data, size, n, file);
}
#endif

/* --- what is done --- */

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

static gboolean
set_input (PtMethod *method, guint i, GError **error)
{
  const PtTensorSpec *spec = pt_method_input_spec (method, i)->as_tensor;
  g_autoptr (PtTensorFile) input = NULL;
  gint64 sizes[PT_MAX_RANK];

  for (guint k = 0; k < spec->rank; k++)
    sizes[k] = spec->sizes[k];
  input = pt_tensor_file_new (spec->dtype, spec->rank, sizes, spec->dim_order, error);
  if (input == NULL)
    return FALSE;
  memset (input->tensor.data, 0x3c, pt_tensor_nbytes (&input->tensor));
  return pt_method_set_input_tensor (method, i, &input->tensor, error);
}

/* Its result is the same each time. */
static gboolean
run_block (PtModule *module, GError **error)
{
  static guint8 *known = NULL;
  PtMethod *method = pt_module_method (module, "forward", error);
  const PtTensor *output;

  for (guint i = 0; method != NULL && i < pt_method_n_inputs (method); i++)
    if (!set_input (method, i, error))
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

static void
on_text (const char *text, const PtStats *stats, gpointer user_data)
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
  PtChatRequest request = { &hello, 1, 6, 0, 1, 0 };
  PtStats stats;

  return pt_chat_answer (chat, &request, on_text, said, NULL, &stats, error) != NULL;
}

static gboolean
chat_afresh (GError **error)
{
  g_autofree char *folder = chat_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, error);
  g_autoptr (PtTokenizer) tokenizer = module != NULL ? pt_tokenizer_open (folder, error) : NULL;
  g_autoptr (PtChat) chat =
      tokenizer != NULL ? pt_chat_new (module, tokenizer, folder, error) : NULL;
  g_autoptr (GString) said = g_string_new (NULL);

  return chat != NULL && answer (chat, said, error);
}

/* Set by test_turn(): a turn of a chat that is loaded. */
static PtChat *loaded_chat;
static GString *expected;

static gboolean
chat_on (GError **error)
{
  g_autoptr (GString) said = g_string_new (NULL);

  if (!answer (loaded_chat, said, error))
    return FALSE;
  if (expected == NULL)
    expected = g_string_new (said->str);
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
read_tokenizer (GError **error)
{
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (large_tokenizer, error);

  return tokenizer != NULL;
}

/* --- faults --- */

/* Does @operation with the Nth request failing, for every N. Returns how many failed. */
static guint
try_all (const char *what, Operation operation, Fault fault, gsize from, guint at_least)
{
#ifdef CAN_REFUSE
  guint n, n_failed = 0;
  GError *error = NULL;

  large = from;
  /* What is made once for the whole process. */
  g_assert_true (operation (&error));
  for (n = 0;; n++) {
    gint mapped = g_atomic_int_get (&n_mapped);
    gboolean ok, is_hit;

    g_assert_cmpuint (n, <, MAX_FAULTS);
    g_atomic_int_set (&countdown, (gint) n);
    g_atomic_int_set (&armed, (gint) fault);
    ok = operation (&error);
    g_atomic_int_set (&armed, -1);
    is_hit = g_atomic_int_get (&countdown) < 0;
    g_assert_cmpint (g_atomic_int_get (&n_mapped), ==, mapped);
    if (!ok) {
      g_assert_true (is_hit);
      n_failed++;
      if (fault != FAULT_READ)
        g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
      hostile_check_error (g_steal_pointer (&error), what);
      g_assert_true (operation (&error));
    }
    g_assert_no_error (error);
    if (!is_hit)
      break;
  }
  g_test_message ("%s: %u requests, %u failures", what, n, n_failed);
  g_assert_cmpuint (n_failed, >=, at_least);
  return n_failed;
#else
  g_test_skip ("requests cannot be made to fail in this build");
  return 0;
#endif
}

static void
test_open (void)
{
  try_all ("a program with data", open_external, FAULT_MEMORY, TABLES, 5);
}

static void
test_run (void)
{
  try_all ("a run of a delegate", run_xnnpack, FAULT_MEMORY, TABLES, 5);
}

static void
test_chat (void)
{
  try_all ("a chat", chat_afresh, FAULT_MEMORY, LARGE, 5);
  try_all ("a chat", chat_afresh, FAULT_NO_MEMORY, LARGE, 5);
}

/* A turn of a chat that is loaded asks for room to find words in. */
static void
test_turn (void)
{
  g_autofree char *folder = chat_folder ();
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, NULL);
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (folder, NULL);
  g_autoptr (PtChat) chat = pt_chat_new (module, tokenizer, folder, NULL);

  loaded_chat = chat;
  try_all ("a turn", chat_on, FAULT_MEMORY, LARGE, 0);
  loaded_chat = NULL;
  if (expected != NULL)
    g_string_free (g_steal_pointer (&expected), TRUE);
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
  try_all ("two models", run_beside, FAULT_MEMORY, LARGE, 5);
  try_all ("two models", run_beside, FAULT_NO_MEMORY, LARGE, 5);
}

static void
test_recording (void)
{
  recording = hostile_data_path ("whisper-mini/audio.wav");
  try_all ("a recording", read_recording, FAULT_MEMORY, LARGE, 1);
  try_all ("a recording", read_recording, FAULT_READ, LARGE, 1);
  g_clear_pointer (&recording, g_free);
}

static void
test_array (void)
{
  const gint64 size = 100000;
  g_autoptr (PtTensorFile) zeros = pt_tensor_file_new (PT_DTYPE_F32, 1, &size, NULL, NULL);

  memset (zeros->tensor.data, 0, zeros->tensor.capacity);
  array = hostile_path ("array.npy");
  g_assert_true (pt_npy_write (array, &zeros->tensor, NULL));
  try_all ("an array", read_array, FAULT_MEMORY, LARGE, 1);
  hostile_clean_up ();
  g_clear_pointer (&array, g_free);
}

/* As many tokens as make the tables large. */
static void
test_tokenizer (void)
{
  g_autoptr (GString) text = g_string_new ("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0");

  for (guint i = 1; i < 20000; i++)
    g_string_append_printf (text, ",\"t%u\":%u", i, i);
  g_string_append (text, ",\"b\":20000,\"ab\":20001},\"merges\":[[\"a\",\"b\"]");
  g_string_append (text, "]}}");
  large_tokenizer = hostile_file ("tokenizer.json", text->str, text->len);
  try_all ("a tokenizer", read_tokenizer, FAULT_MEMORY, LARGE, 1);
  try_all ("a tokenizer", read_tokenizer, FAULT_READ, LARGE, 0);
  hostile_clean_up ();
  g_clear_pointer (&large_tokenizer, g_free);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  pt_pool_default ();
  g_test_add_func ("/hostile/faults/open", test_open);
  g_test_add_func ("/hostile/faults/run", test_run);
  g_test_add_func ("/hostile/faults/chat", test_chat);
  g_test_add_func ("/hostile/faults/turn", test_turn);
  g_test_add_func ("/hostile/faults/neighbours", test_neighbours);
  g_test_add_func ("/hostile/faults/recording", test_recording);
  g_test_add_func ("/hostile/faults/array", test_array);
  g_test_add_func ("/hostile/faults/tokenizer", test_tokenizer);
  return g_test_run ();
}
