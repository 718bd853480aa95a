/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/error.h>

#include "engine/init.h"
#include "engine/runtime/method.h"
#include "engine/tasks/run/npy.h"
#include "engine/vulkan/vk-operators.h"

/*
 * Payloads that are wrong in every place: each word of a real one is changed, one after the other,
 * many bits, and its tables are cut at each length. What still loads is run on the CPU. Also run
 * under AddressSanitizer.
 */

/* ---- The program that is changed ---- */

typedef struct {
  guint8 *bytes;
  gsize size, at, length; /* of the first payload, inside @bytes */
} Original;

static Original
read_original (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "vulkan", name, "model.pte", NULL);
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Original original = { 0 };
  const PtDelegateSpec *spec;

  g_assert_true (g_file_get_contents (path, (char **) &original.bytes, &original.size, NULL));
  bytes = g_bytes_new_static (original.bytes, original.size);
  program = pt_program_new (bytes, "model.pte", NULL);
  g_assert_nonnull (program);
  spec = &pt_program_plan (program, 0)->delegates[0];
  g_assert_cmpstr (spec->id, ==, "VulkanBackend");
  original.length = spec->payload_size;
  for (gsize i = 0; i + spec->payload_size <= original.size; i++)
    if (memcmp (original.bytes + i, spec->payload, spec->payload_size) == 0)
      original.at = i;
  g_assert_cmpmem (original.bytes + original.at + 4, 4, "VH00", 4);
  return original;
}

/* Zeros of the declared type and shape. */
static gboolean
set_zero_input (PtMethod *method, guint i, GPtrArray *files)
{
  const PtValueSpec *spec = pt_method_input_spec (method, i);
  gint64 sizes[PT_MAX_RANK];
  PtTensorFile *file;

  g_assert_true (spec->kind == PT_VALUE_TENSOR);
  for (guint k = 0; k < spec->as_tensor->rank; k++)
    sizes[k] = spec->as_tensor->sizes[k];
  file = pt_tensor_file_new (spec->as_tensor->dtype, spec->as_tensor->rank, sizes,
                             spec->as_tensor->dim_order, NULL);
  g_assert_nonnull (file);
  g_ptr_array_add (files, file);
  memset (file->tensor.data, 0, pt_tensor_nbytes (&file->tensor));
  return pt_method_set_input_tensor (method, i, &file->tensor, NULL);
}

/* Returns: 0: refused, 1: loaded, 2: ran */
static guint
try_bytes (guint8 *bytes, gsize size)
{
  const PtMethodOptions options = { .max_planned_bytes = 1 << 24, .max_instructions = 1000 };
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
  g_autoptr (GBytes) changed = g_bytes_new (bytes, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = pt_program_new (changed, "changed.pte", NULL);
  g_autoptr (PtMethod) method = NULL;

  if (program == NULL)
    return 0;
  method = pt_method_load (program, NULL, "forward", &options, &error);
  g_assert_true ((method == NULL) == (error != NULL));
  if (method == NULL) {
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return 0;
  }
  for (guint i = 0; i < pt_method_n_inputs (method); i++)
    g_assert_true (set_zero_input (method, i, files));
  if (pt_method_execute (method, NULL, &error))
    return 2;
  g_assert_nonnull (error);
  return 1;
}

/* ---- Words ---- */

static void
test_words (gconstpointer data)
{
  static const guint32 numbers[] = { 0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000 };
  Original original = read_original (data);
  g_autofree guint8 *bytes = original.bytes;
  guint counts[3] = { 0 };
  /* Large payloads are changed in some places only. */
  gsize step = original.length > 8192 ? 4 * (original.length / 4096) : 4;

  g_assert_cmpuint (try_bytes (bytes, original.size), ==, 2);
  for (gsize at = 0; at + 4 <= original.length; at += step)
    for (gsize k = 0; k < G_N_ELEMENTS (numbers) + 2; k++) {
      guint8 *word = bytes + original.at + at;
      guint32 former, changed;

      memcpy (&former, word, sizeof former);
      changed = k < G_N_ELEMENTS (numbers) ? numbers[k] : k % 2 == 0 ? former + 1 : former - 1;
      if (changed == former)
        continue;
      memcpy (word, &changed, sizeof changed);
      counts[try_bytes (bytes, original.size)]++;
      memcpy (word, &former, sizeof former);
    }
  g_test_message ("%u refused, %u loaded, %u ran", counts[0], counts[1], counts[2]);
  g_assert_cmpuint (counts[0], >, 0);
  g_assert_cmpuint (counts[2], >, 0); /* numbers that only say how to store, for example */
}

/* ---- Bits, and lengths of the graph ---- */

static void
test_bits (gconstpointer data)
{
  Original original = read_original (data);
  g_autofree guint8 *bytes = original.bytes;
  guint32 state = 1;

  for (guint i = 0; i < 4000; i++) {
    gsize at = original.at + (state = state * 1664525 + 1013904223) % original.length;
    guint8 bit = (guint8) (1 << (state >> 29));

    bytes[at] ^= bit;
    try_bytes (bytes, original.size);
    bytes[at] ^= bit;
  }
  g_assert_cmpuint (try_bytes (bytes, original.size), ==, 2);
}

/* Slot of the header with the size of the graph's tables. */
#define SIZE_AT 14

static void
test_lengths (gconstpointer data)
{
  Original original = read_original (data);
  g_autofree guint8 *bytes = original.bytes;
  guint8 *place = bytes + original.at + SIZE_AT;
  guint32 whole, shorter, n_refused = 0;

  memcpy (&whole, place, sizeof whole);
  whole = GUINT32_FROM_LE (whole);
  g_assert_cmpuint (whole, <, original.length);
  for (guint32 size = 0; size < whole; size++) {
    shorter = GUINT32_TO_LE (size);
    memcpy (place, &shorter, sizeof shorter);
    n_refused += try_bytes (bytes, original.size) == 0;
  }
  /* The last bytes may belong to nothing. */
  g_assert_cmpuint (n_refused, >=, whole - 16);
}

/* ---- The header ---- */

static void
test_header (void)
{
  static const struct {
    gsize at;
    const char *bytes;
  } changes[] = {
    { 4, "XH00" },              /* another format */
    { 8, "\x1d\x00" },          /* a shorter header */
    { 10, "\xff\xff\xff\x7f" }, /* a flatbuffer outside */
    { 14, "\xff\xff\xff\xff" }, /* and of that size */
    { 14, "\x04\x00\x00" },     /* smaller than its own head */
    { 18, "\x01\x00\x00" },     /* constants inside the flatbuffer */
    { 22, "\xff\xff\xff\xff" }, /* constants outside */
    { 36, "VK01" },             /* another version of the graph */
  };
  Original original = read_original ("linear_8w");
  g_autofree guint8 *bytes = original.bytes;

  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++) {
    guint8 *place = bytes + original.at + changes[i].at, former[4];
    gsize n = changes[i].at == 8 ? 2 : 4;

    memcpy (former, place, n);
    memcpy (place, changes[i].bytes, n);
    g_assert_cmpuint (try_bytes (bytes, original.size), ==, 0);
    memcpy (place, former, n);
  }
  g_assert_cmpuint (try_bytes (bytes, original.size), ==, 2);
}

/* ---- The table of operators ---- */

/* The number of arguments that @pass gives to a kernel whose outputs are @n_outs. */
static guint
count_pass (const char *pass, guint n_outs)
{
  guint n = 0;

  for (; *pass != 0; pass++) {
    if (strchr ("WLS", *pass) != NULL)
      pass++;
    n += *pass == 'O' || *pass == 'P' ? n_outs : 1;
  }
  return n;
}

static void
test_table (void)
{
  guint n = 0;

  for (const PtVkOperator *op; (op = pt_vk_operator_nth (n)) != NULL; n++) {
    const PtOperator *kernel = op->kernel != NULL ? pt_operator_find (op->kernel) : NULL;
    gsize length = strlen (op->signature);

    g_test_message ("%s", op->name);
    g_assert_true (pt_vk_operator_find (op->name, strlen (op->name)) == op);
    g_assert_nonnull (op->shape);
    g_assert_true (op->is_host || op->compute != NULL || op->kernel != NULL);
    g_assert_cmpuint (strspn (op->signature, "TtKinfgbIJGszV"), ==, length - 1);
    g_assert_nonnull (strchr (op->is_host ? "S" : "OL", op->signature[length - 1]));
    if (op->kernel == NULL)
      continue;
    g_assert_nonnull (kernel);
    g_assert_cmpuint (count_pass (op->pass, strstr (op->kernel, "split") != NULL ||
                                                    op->signature[length - 1] == 'O'
                                                ? 1
                                                : kernel->n_outs) +
                          1,
                      ==, kernel->n_args);
    for (const char *p = op->pass; *p != 0; p++)
      if (g_ascii_isdigit (*p))
        g_assert_cmpuint ((guint) (*p - '0'), <, length - 1);
  }
  g_assert_cmpuint (n, >=, 116);
  g_assert_null (pt_vk_operator_find ("aten.nothing.default", 20));
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "linear_8da4w_g32", "shape_f32",      "conv_q8_static",
                                       "indexing",         "reduce_f32",     "pool_f32",
                                       "softmax_norm_f32", "conv_kinds_f32", "dynamic_linear_f32",
                                       "linear_q8_static", "upsample_f32",   "llama_8da4w" };

  g_setenv ("PTERIS_VULKAN", "cpu", TRUE);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/vulkan/payload/table", test_table);
  g_test_add_func ("/vulkan/payload/header", test_header);
  g_test_add_data_func ("/vulkan/payload/bits", "linear_8w", test_bits);
  g_test_add_data_func ("/vulkan/payload/lengths", "linear_8w", test_lengths);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_strconcat ("/vulkan/payload/words/", names[i], NULL);

    g_test_add_data_func (path, names[i], test_words);
  }
  return g_test_run ();
}
