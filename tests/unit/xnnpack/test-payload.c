/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/error.h>

#include "graph-builder.h"

/* Payloads: the ways they can be wrong. Also run under AddressSanitizer. */

#define SLOTS(...) \
  G_N_ELEMENTS (((const guint32[]){ __VA_ARGS__ })), ((const guint32[]){ __VA_ARGS__ })

enum {
  F32 = PT_XNN_F32,
  TAG_ADD = 1,
  TAG_FC = 2,
  TAG_TRANSPOSE = 5,
  TAG_CONV = 7,
  TAG_CONVERT = 18,
  TAG_RESHAPE = 20,
  TAG_CAT2 = 32,
  TAG_SLICE = 35,
  TAG_SDPA = 36
};

static const float floats[64] = { 0.5f, -1.0f, 2.0f };
static const gint8 bytes[64] = { 1, -2, 3, 127, -128 };
static const float scales[4] = { 0.1f, 0.2f, 0.3f, 0.4f };

/* x [2, 4] -> quantised, times a filter, plus a constant, turned, cut, joined. */
static Builder *
make_graph (void)
{
  Builder *b = builder_new ();
  guint32 x = builder_tensor (b, F32, 2, DIMS (2, 4), INPUT);
  guint32 q = builder_value (
      b, (Value){ .type = PT_XNN_QD8, .rank = 2, .dims = { 2, 4 }, .n_nonbatch = 1 });
  guint32 w = builder_value (b, (Value){ .type = PT_XNN_QC8,
                                         .rank = 2,
                                         .dims = { 4, 4 },
                                         .data = bytes,
                                         .size = 16,
                                         .scales = scales,
                                         .n_scales = 4 });
  guint32 bias = builder_constant (b, F32, 1, DIMS (4), floats, 16);
  guint32 fc = builder_tensor (b, F32, 2, DIMS (2, 4), 0);
  guint32 turned = builder_tensor (b, F32, 2, DIMS (4, 2), 0);
  guint32 cut = builder_tensor (b, F32, 2, DIMS (2, 2), 0);
  guint32 joined = builder_tensor (b, F32, 2, DIMS (6, 2), 0);
  guint32 y = builder_tensor (b, F32, 1, DIMS (12), OUTPUT);

  builder_simple (b, TAG_CONVERT, SLOTS (x, q));
  builder_node (b, (Node){ .tag = TAG_FC,
                           .n_slots = 4,
                           .slots = { q, w, bias, fc },
                           .clamped = TRUE,
                           .min = -1.0f,
                           .max = 100.0f });
  builder_node (b, (Node){ .tag = TAG_TRANSPOSE,
                           .n_slots = 4,
                           .slots = { 2, 0, fc, turned },
                           .n_lists = 1,
                           .list_slots = { 1 },
                           .list_sizes = { 2 },
                           .lists = { { 1, 0 } } });
  builder_node (b, (Node){ .tag = TAG_SLICE,
                           .n_slots = 5,
                           .slots = { 2, 0, 0, turned, cut },
                           .n_lists = 2,
                           .list_slots = { 1, 2 },
                           .list_sizes = { 2, 2 },
                           .lists = { { 1, 0 }, { 2, 0 } } });
  builder_simple (b, TAG_CAT2, SLOTS (0, turned, cut, 0, 0, joined));
  builder_node (b, (Node){ .tag = TAG_RESHAPE,
                           .n_slots = 4,
                           .slots = { 1, 0, joined, y },
                           .n_lists = 1,
                           .list_slots = { 1 },
                           .list_sizes = { 1 },
                           .lists = { { 0 } } });
  return b;
}

static gboolean
run_arguments (gpointer delegate, GError **error)
{
  float in[8] = { 1, -2, 3, 4, -5, 6, 7, 8 }, out[64];
  PtTensor x = make_tensor (PT_DTYPE_F32, 2, (gint64[]){ 2, 4 }, in, sizeof in);
  PtTensor y = make_tensor (PT_DTYPE_F32, 1, (gint64[]){ 12 }, out, sizeof out);

  return delegate_run (delegate, (PtTensor *[]){ &x, &y }, 2, error);
}

/* Bytes in a block of exactly their size: reading past it is found. */
static gpointer
delegate_from (const guint8 *data, gsize size, GError **error)
{
  g_autofree guint8 *copy = g_malloc (MAX (size, 1));
  g_autoptr (GBytes) payload = NULL;
  gpointer delegate;

  memcpy (copy, data, size);
  payload = g_bytes_new_static (copy, size);
  delegate = delegate_new (payload, error);
  if (delegate != NULL) { /* constants lie in @copy */
    run_arguments (delegate, NULL);
    delegate_free (delegate);
  }
  return delegate;
}

static void
test_good (void)
{
  for (guint with_header = 0; with_header < 2; with_header++) {
    g_autoptr (Builder) b = make_graph ();
    g_autoptr (GBytes) payload = builder_finish (b, with_header != 0);
    g_autoptr (GError) error = NULL;
    gpointer delegate = delegate_new (payload, &error);

    g_assert_no_error (error);
    run_arguments (delegate, &error);
    g_assert_no_error (error);
    delegate_free (delegate);
  }
}

static void
test_truncated (void)
{
  for (guint with_header = 0; with_header < 2; with_header++) {
    g_autoptr (Builder) b = make_graph ();
    g_autoptr (GBytes) payload = builder_finish (b, with_header != 0);
    gsize size;
    const guint8 *data = g_bytes_get_data (payload, &size);

    for (gsize n = 0; n < size; n++) {
      g_autoptr (GError) error = NULL;

      /* The last constants may be followed by padding only. */
      if (delegate_from (data, n, &error) == NULL)
        g_assert_nonnull (error);
      else
        g_assert_cmpuint (size - n, <, 128);
    }
  }
}

/* Every byte changed in several ways: an error or a run, never a crash. */
static void
test_changed_bytes (void)
{
  static const guint8 patterns[] = { 0x00, 0xff, 0x80, 0x7f, 0x01, 0x10 };

  for (guint with_header = 0; with_header < 2; with_header++) {
    g_autoptr (Builder) b = make_graph ();
    g_autoptr (GBytes) payload = builder_finish (b, with_header != 0);
    gsize size;
    const guint8 *data = g_bytes_get_data (payload, &size);
    g_autofree guint8 *copy = g_memdup2 (data, size);

    for (gsize i = 0; i < size; i++) {
      for (guint p = 0; p < G_N_ELEMENTS (patterns); p++) {
        g_autoptr (GError) error = NULL;

        copy[i] = p < 4 ? patterns[p] : data[i] ^ patterns[p];
        if (delegate_from (copy, size, &error) == NULL)
          g_assert_nonnull (error);
      }
      copy[i] = data[i];
    }
  }
}

static void
expect (Builder *b, PtError code, const char *words)
{
  g_autoptr (GBytes) payload = builder_finish (b, TRUE);
  g_autoptr (GError) error = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (payload, &size);

  g_assert_null (delegate_from (data, size, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, words);
}

/* Values that are added to those of make_graph(), and how each is refused. */
static const struct {
  Value value;
  PtError code;
  const char *words;
} WRONG_VALUES[] = {
  { { .type = 99, .rank = 1, .dims = { 4 } }, PT_ERROR_PROGRAM, "unknown type 99" },
  { { .type = 0, .rank = 1, .dims = { 4 } }, PT_ERROR_PROGRAM, "unknown type 0" },
  { { .type = F32, .rank = 7, .dims = { 1, 1, 1, 1, 1, 1, 1 } }, PT_ERROR_PROGRAM, "7 dimensions" },
  { { .type = F32, .rank = 1, .dims = { 4 }, .flags = 4 }, PT_ERROR_PROGRAM, "flags 0x4" },
  { { .type = F32, .rank = 1, .dims = { 4 }, .flags = 3 }, PT_ERROR_PROGRAM, "flags 0x3" },
  { { .type = F32, .rank = 1, .dims = { 4 }, .flags = INPUT, .external = 2 },
    PT_ERROR_PROGRAM,
    "argument 2 of 2" },
  { { .type = F32, .rank = 1, .dims = { 4 }, .flags = INPUT, .external = 0 },
    PT_ERROR_PROGRAM,
    "two values" },
  { { .type = F32, .rank = 1, .dims = { 4 }, .keep_id = TRUE, .id = 0 },
    PT_ERROR_PROGRAM,
    "have the id 0" },
  { { .type = F32, .rank = 1, .dims = { 5 }, .data = floats, .size = 16 },
    PT_ERROR_PROGRAM,
    "too small" },
  { { .type = F32,
      .rank = 3,
      .dims = { 0xffffffff, 0xffffffff, 0xffffffff },
      .data = floats,
      .size = 16 },
    PT_ERROR_PROGRAM,
    "impossible dimensions" },
  { { .type = F32, .rank = 2, .dims = { 0x80000000, 0x80000000 }, .data = floats, .size = 16 },
    PT_ERROR_PROGRAM,
    "impossible dimensions" },
  { { .type = F32, .rank = 1, .dims = { 0 }, .data = floats, .size = 16 },
    PT_ERROR_PROGRAM,
    "impossible dimensions" },
  { { .type = PT_XNN_QD8, .rank = 1, .dims = { 4 }, .n_nonbatch = 1, .data = floats, .size = 16 },
    PT_ERROR_PROGRAM,
    "impossible dimensions" },
  { { .type = PT_XNN_QD8, .rank = 1, .dims = { 4 }, .n_nonbatch = 9 },
    PT_ERROR_PROGRAM,
    "over 9 dimensions" },
  { { .type = PT_XNN_QI8, .rank = 1, .dims = { 4 } }, PT_ERROR_PROGRAM, "lacks its quant" },
  { { .type = PT_XNN_QI8, .rank = 1, .dims = { 4 }, .scale = -1.0f },
    PT_ERROR_PROGRAM,
    "positive" },
  { { .type = PT_XNN_QI8, .rank = 1, .dims = { 4 }, .scale = 1.0f, .zero_point = 128 },
    PT_ERROR_PROGRAM,
    "zero point 128" },
  { { .type = PT_XNN_QC8,
      .rank = 2,
      .dims = { 4, 4 },
      .data = bytes,
      .size = 16,
      .scales = scales,
      .n_scales = 3 },
    PT_ERROR_PROGRAM,
    "3 scales instead of 4" },
  { { .type = PT_XNN_QC8,
      .rank = 2,
      .dims = { 4, 4 },
      .data = bytes,
      .size = 16,
      .scales = scales,
      .n_scales = 4,
      .channel_dim = 2 },
    PT_ERROR_PROGRAM,
    "dimension 2" },
  { { .type = PT_XNN_QC8,
      .rank = 2,
      .dims = { 4, 4 },
      .data = bytes,
      .size = 16,
      .scales = scales,
      .n_scales = 4,
      .channel_dim = -1 },
    PT_ERROR_PROGRAM,
    "dimension -1" },
  { { .type = PT_XNN_QB4,
      .rank = 2,
      .dims = { 1, 64 },
      .data = bytes,
      .size = 32,
      .group = 48,
      .group_scales_f32 = scales,
      .n_scales = 1 },
    PT_ERROR_PROGRAM,
    "groups of 48" },
  { { .type = PT_XNN_QB4,
      .rank = 2,
      .dims = { 1, 64 },
      .data = bytes,
      .size = 31,
      .group = 32,
      .group_scales_f32 = scales,
      .n_scales = 2 },
    PT_ERROR_PROGRAM,
    "too small" },
  { { .type = PT_XNN_QB4,
      .rank = 2,
      .dims = { 1, 64 },
      .data = bytes,
      .size = 32,
      .group = 32,
      .group_scales_f32 = scales,
      .n_scales = 1 },
    PT_ERROR_PROGRAM,
    "1 scales instead of 2" },
};

static void
test_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (WRONG_VALUES); i++) {
    g_autoptr (Builder) b = make_graph ();

    builder_set_externs (b, 2);
    builder_value (b, WRONG_VALUES[i].value);
    expect (b, WRONG_VALUES[i].code, WRONG_VALUES[i].words);
  }
}

/* Nodes after those of make_graph(), and how each is refused. Its values are x 0, q 1, w 2, bias 3,
 * fc 4, turned 5, cut 6, joined 7, y 8; 9 and 10 are two values that no node uses. */
static const struct {
  Node node;
  PtError code;
  const char *words;
} WRONG_NODES[] = {
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 0, 77, 9 } },
    PT_ERROR_PROGRAM,
    "value 77, which does not exist" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 0, NONE, 9 } }, PT_ERROR_PROGRAM, "does not exist" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 4, 0 } }, PT_ERROR_PROGRAM, "is an input" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 4, 3 } }, PT_ERROR_PROGRAM, "is a constant" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 4, 5 } }, PT_ERROR_PROGRAM, "computed twice" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 9, 9 } },
    PT_ERROR_PROGRAM,
    "before it is computed" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 10, 9 } },
    PT_ERROR_PROGRAM,
    "before it is computed" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 4, 4, 9 }, .clamped = TRUE, .min = 1.0f },
    PT_ERROR_PROGRAM,
    "limits its output" },
  { { .tag = TAG_ADD, .n_slots = 3, .slots = { 1, 4, 9 } },
    PT_ERROR_UNSUPPORTED,
    "Add from qdint8, fp32 to fp32" },
  { { .tag = TAG_FC, .n_slots = 4, .slots = { 4, 2, NONE, 9 } },
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from fp32, qcint8 to fp32" },
  { { .tag = TAG_FC, .n_slots = 4, .slots = { 1, 4, NONE, 9 } },
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qdint8, fp32" },
  { { .tag = TAG_TRANSPOSE,
      .n_slots = 4,
      .slots = { 2, 0, 4, 9 },
      .n_lists = 1,
      .list_slots = { 1 },
      .list_sizes = { 2 },
      .lists = { { 1, 1 } } },
    PT_ERROR_PROGRAM,
    "order of dimensions" },
  { { .tag = TAG_TRANSPOSE,
      .n_slots = 4,
      .slots = { 2, 0, 4, 9 },
      .n_lists = 1,
      .list_slots = { 1 },
      .list_sizes = { 2 },
      .lists = { { 0, 2 } } },
    PT_ERROR_PROGRAM,
    "order of dimensions" },
  { { .tag = TAG_TRANSPOSE,
      .n_slots = 4,
      .slots = { 3, 0, 4, 9 },
      .n_lists = 1,
      .list_slots = { 1 },
      .list_sizes = { 2 },
      .lists = { { 0, 1 } } },
    PT_ERROR_PROGRAM,
    "contradicts itself" },
  { { .tag = TAG_RESHAPE,
      .n_slots = 4,
      .slots = { 7, 0, 4, 9 },
      .n_lists = 1,
      .list_slots = { 1 },
      .list_sizes = { 7 } },
    PT_ERROR_PROGRAM,
    "7 dimensions" },
  { { .tag = TAG_RESHAPE,
      .n_slots = 4,
      .slots = { 2, 0, 4, 9 },
      .n_lists = 1,
      .list_slots = { 1 },
      .list_sizes = { 2 } },
    PT_ERROR_PROGRAM,
    "leaves 2 sizes open" },
  { { .tag = TAG_SLICE,
      .n_slots = 5,
      .slots = { 2, 0, 0, 4, 9 },
      .n_lists = 2,
      .list_slots = { 1, 2 },
      .list_sizes = { 2, 1 } },
    PT_ERROR_PROGRAM,
    "dimensions" },
  { { .tag = TAG_SLICE,
      .n_slots = 5,
      .slots = { 2, 0, 0, 4, 9 },
      .n_lists = 2,
      .list_slots = { 1, 2 },
      .list_sizes = { 2, 2 },
      .lists = { { -1, 0 } } },
    PT_ERROR_PROGRAM,
    "negative offset" },
  { { .tag = TAG_CONV, .n_slots = 19, .slots = { [15] = 0, 2, NONE, 9 } },
    PT_ERROR_PROGRAM,
    "is empty" },
  { { .tag = TAG_CONV, .n_slots = 19, .slots = { 0xffffffff } }, PT_ERROR_PROGRAM, "out of range" },
  { { .tag = TAG_SDPA, .n_slots = 7 }, PT_ERROR_UNSUPPORTED, "ScaledDotProductAttention" },
  { { .tag = 0, .n_slots = 3 }, PT_ERROR_UNSUPPORTED, "number 0" },
  { { .tag = 200, .n_slots = 3 }, PT_ERROR_UNSUPPORTED, "number 200" },
};

static void
test_nodes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (WRONG_NODES); i++) {
    g_autoptr (Builder) b = make_graph ();

    builder_tensor (b, F32, 2, DIMS (2, 4), 0);
    builder_tensor (b, F32, 2, DIMS (2, 4), 0);
    builder_node (b, WRONG_NODES[i].node);
    expect (b, WRONG_NODES[i].code, WRONG_NODES[i].words);
  }
}

static void
test_graph (void)
{
  g_autoptr (Builder) never = builder_new ();
  g_autoptr (Builder) many = make_graph ();
  g_autoptr (Builder) unknown = make_graph ();

  builder_tensor (never, F32, 1, DIMS (4), OUTPUT);
  expect (never, PT_ERROR_PROGRAM, "never computed");
  builder_set_externs (many, 4097);
  expect (many, PT_ERROR_PROGRAM, "4097 arguments");
  builder_node (unknown, (Node){ .tag = 90 });
  builder_node (unknown, (Node){ .tag = TAG_SDPA });
  expect (unknown, PT_ERROR_UNSUPPORTED, "number 90, ScaledDotProductAttention");
}

static void
test_identifier (void)
{
  g_autoptr (Builder) b = make_graph ();
  g_autoptr (GBytes) payload = builder_finish (b, TRUE);
  g_autoptr (GError) error = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (payload, &size);
  g_autofree guint8 *copy = g_memdup2 (data, size);

  memcpy (copy + 36, "XN77", 4);
  g_assert_null (delegate_from (copy, size, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DELEGATE);
}

/* Arguments that do not fit the payload. */
static void
test_arguments (void)
{
  g_autoptr (Builder) b = make_graph ();
  g_autoptr (GBytes) payload = builder_finish (b, TRUE);
  gpointer delegate = delegate_new (payload, NULL);
  float in[8] = { 0 }, out[16];
  PtTensor good = make_tensor (PT_DTYPE_F32, 2, (gint64[]){ 2, 4 }, in, sizeof in);
  PtTensor wide = make_tensor (PT_DTYPE_F32, 2, (gint64[]){ 4, 2 }, in, sizeof in);
  PtTensor deep = make_tensor (PT_DTYPE_F32, 7, (gint64[]){ 1, 1, 1, 1, 1, 2, 4 }, in, sizeof in);
  PtTensor ints = make_tensor (PT_DTYPE_I32, 2, (gint64[]){ 2, 4 }, in, sizeof in);
  PtTensor odd = make_tensor (PT_DTYPE_F32, 2, (gint64[]){ 1, 4 }, (guint8 *) in + 1, 16);
  PtTensor y = make_tensor (PT_DTYPE_F32, 1, (gint64[]){ 12 }, out, sizeof out);
  PtTensor small = make_tensor (PT_DTYPE_F32, 1, (gint64[]){ 11 }, out, 44);
  PtTensor *const wrong[][2] = { { &wide, &y }, { &deep, &y },     { &ints, &y },
                                 { &odd, &y },  { &good, &small }, { &good, &deep } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (delegate_run (delegate, wrong[i], 2, &error));
    g_assert_nonnull (error);
    /* and the next right call works */
    g_assert_true (delegate_run (delegate, (PtTensor *[]){ &good, &y }, 2, NULL));
  }
  g_assert_false (delegate_run (delegate, (PtTensor *[]){ &good }, 1, NULL));
  delegate_free (delegate);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/payload/good", test_good);
  g_test_add_func ("/xnnpack/payload/truncated", test_truncated);
  g_test_add_func ("/xnnpack/payload/changed-bytes", test_changed_bytes);
  g_test_add_func ("/xnnpack/payload/values", test_values);
  g_test_add_func ("/xnnpack/payload/nodes", test_nodes);
  g_test_add_func ("/xnnpack/payload/graph", test_graph);
  g_test_add_func ("/xnnpack/payload/identifier", test_identifier);
  g_test_add_func ("/xnnpack/payload/arguments", test_arguments);
  return g_test_run ();
}
