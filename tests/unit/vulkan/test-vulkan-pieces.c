/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "vulkan-maker.h"

/*
 * Weights that are larger than what a shader reaches in one buffer, beside the CPU. This runs with
 * PTERIS_VULKAN_RANGE=16384, and everything but the weights is smaller than that.
 */

static gboolean
skip (void)
{
  if (vulkan_maker_has_gpu ())
    return FALSE;
  g_test_skip ("no GPU");
  return TRUE;
}

typedef struct {
  gint64 m, n, k, group;
} Size;

/* Few rows and many; pieces of whole tiles and of fewer columns; of the last one also the scales
 * are in pieces. */
static const Size sizes[] = {
  { 1, 200, 192, 32 }, { 4, 300, 128, 32 },  { 5, 130, 320, 64 },
  { 20, 170, 200, 8 }, { 20, 180, 192, 32 }, { 1, 2000, 24, 8 },
};

static void
test_linear (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    gint64 padded = (s->n + 7) / 8 * 8, groups = s->k / s->group;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 x, scales, bias;

    if (skip ())
      return;
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    bias = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL);
    scales = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL);
    CALL (maker, "et_vk.linear_q4gsw.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, s->k / 2), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (groups, padded), NULL),
          vulkan_maker_int (maker, s->group), bias,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    CALL (maker, "et_vk.linear_qcs4w.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, s->k / 2), NULL), scales,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    CALL (maker, "aten._weight_int8pack_mm.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (s->n, s->k), NULL), scales,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    CALL (maker, "aten.linear.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n, s->k), NULL), bias,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* Two layers on the same rows as bytes, the second with a bias. */
static void
test_8da4w (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    gint64 padded = (s->n + 7) / 8 * 8, groups = s->k / s->group;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 x, scale, zero, null = vulkan_maker_null (maker), sums, scales, pair[2];
    guint32 block = vulkan_maker_ints (maker, 2, (gint64[]){ 1, s->k });

    if (skip ())
      return;
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    pair[0] = scale = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (s->m, 1));
    pair[1] = zero = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (s->m, 1));
    CALL (maker, "torchao.choose_qparams_affine.default", x,
          vulkan_maker_string (maker, "ASYMMETRIC"), block, null, vulkan_maker_int (maker, -128),
          vulkan_maker_int (maker, 127), null, null, null, null,
          vulkan_maker_values (maker, 2, pair));
    sums = vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (groups, padded), NULL);
    scales = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (groups, padded), NULL);
    for (guint k = 0; k < 2; k++)
      CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, scale, zero,
            vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, s->k / 2), NULL), sums, scales,
            vulkan_maker_int (maker, s->group),
            k == 0 ? null : vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL),
            vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* Halves, and bytes that another call unpacks. */
static void
test_other_weights (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    g_autofree guint16 *halves = g_new (guint16, (gsize) (s->n * s->k));
    gint64 block[] = { 1, s->group };
    guint32 x, null = vulkan_maker_null (maker), weight;

    if (skip ())
      return;
    for (gint64 k = 0; k < s->n * s->k; k++) /* 0.5 … 2, of both signs */
      halves[k] = (guint16) (0x3800 + (k * 37 % 2048) + (k % 3 == 0 ? 0x8000 : 0));
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    CALL (maker, "aten.linear.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_F16, DIMS (s->n, s->k), halves), null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    weight = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (s->n, s->k));
    CALL (maker, "torchao.dequantize_affine.default",
          vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (s->n, s->k), NULL),
          vulkan_maker_ints (maker, 2, block),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n, s->k / s->group), NULL), null,
          null, vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, weight);
    CALL (maker, "aten.linear.default", x, weight,
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* A table whose last piece is smaller, also as the weight of the head; indices in all pieces. */
static void
test_embedding (gconstpointer data)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  guint32 table, index, list, null = vulkan_maker_null (maker), rows;

  if (skip ())
    return;
  table = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (1000, 48), NULL);
  index = vulkan_maker_input (maker, PT_DTYPE_I32, DIMS (60));
  rows = vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (60, 48));
  CALL (maker, "aten.embedding.default", table, index, null, null, null, rows);
  CALL (maker, "aten.index_select.default", table, vulkan_maker_int (maker, 0), index,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (60, 48)));
  list = vulkan_maker_values (maker, 1, &index);
  CALL (maker, "aten.index.Tensor",
        vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (1000, 30), NULL), list,
        vulkan_maker_output (maker, PT_DTYPE_I32, DIMS (60, 30)));
  for (guint k = 0; k < 2; k++)
    CALL (maker, "et_vk.embedding_q4gsw.default",
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (1000, 24), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (1000, 6), NULL),
          vulkan_maker_int (maker, 8), index, vulkan_maker_bool (maker, k == 1),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (60, 48)));
  CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (3, 48)), table,
        null, vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (3, 1000)));
  vulkan_maker_load (maker);
  for (guint k = 0; k < 5; k++)
    vulkan_maker_run (maker, 0, 1000, 1e-6);
}

/* What is not taken in pieces is left to the CPU. */
static void
test_left_to_cpu (gconstpointer data)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  guint32 large, weight;

  if (skip ())
    return;
  large = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (40, 200), NULL);
  CALL (maker, "aten.mm.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (3, 40)), large,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (3, 200)));
  CALL (maker, "aten.index_select.default", large, vulkan_maker_int (maker, 1),
        vulkan_maker_input (maker, PT_DTYPE_I32, DIMS (7)),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (40, 7)));
  /* No constant. */
  weight = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (200, 40));
  CALL (maker, "aten.linear.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (3, 40)),
        weight, vulkan_maker_null (maker),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (3, 200)));
  /* A row that is larger than the limit. */
  CALL (maker, "aten.embedding.default",
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (3, 5000), NULL),
        vulkan_maker_input (maker, PT_DTYPE_I32, DIMS (1)), vulkan_maker_null (maker),
        vulkan_maker_null (maker), vulkan_maker_null (maker),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, 5000)));
  vulkan_maker_load (maker);
  vulkan_maker_allow_cpu (maker, 4);
  vulkan_maker_run (maker, 0, 3, 1e-5);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_data_func ("/vulkan/pieces/linear", NULL, test_linear);
  g_test_add_data_func ("/vulkan/pieces/8da4w", NULL, test_8da4w);
  g_test_add_data_func ("/vulkan/pieces/other-weights", NULL, test_other_weights);
  g_test_add_data_func ("/vulkan/pieces/embedding", NULL, test_embedding);
  g_test_add_data_func ("/vulkan/pieces/left-to-cpu", NULL, test_left_to_cpu);
  return g_test_run ();
}
