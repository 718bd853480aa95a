/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/init.h"
#include "vulkan-maker.h"

/*
 * Shaders beside the CPU's way of the same operators, with sizes that fill tiles, chunks and groups
 * of a GPU, or do not. Skipped without a GPU; Mesa's lavapipe counts as one.
 */

static gboolean
skip (void)
{
  if (vulkan_maker_has_gpu ())
    return FALSE;
  g_test_skip ("no GPU");
  return TRUE;
}

/* ---- Products ---- */

typedef struct {
  gint64 m, n, k, group;
} Size;

/* Rows that the matrix by vector takes, and more; columns and chunks that do not fill a group. */
static const Size sizes[] = {
  { 1, 64, 64, 32 },   { 1, 5, 32, 32 },     { 2, 7, 576, 64 },  { 3, 130, 96, 32 },
  { 4, 66, 2112, 32 }, { 5, 64, 64, 64 },    { 64, 64, 96, 32 }, { 70, 130, 192, 64 },
  { 1, 64, 24, 8 },    { 130, 65, 160, 32 }, { 3, 9, 40, 8 },
};

static void
test_8da4w (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    gint64 padded = (s->n + 7) / 8 * 8, groups = s->k / s->group, width = (s->k + 7) / 8 * 4;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 x, scale, zero, null = vulkan_maker_null (maker), weight, sums, scales, pair[2];
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
    weight = vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, width), NULL);
    sums = vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (groups, padded), NULL);
    scales = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (groups, padded), NULL);
    /* Two layers on one input, the second with a bias. */
    CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, scale, zero, weight, sums, scales,
          vulkan_maker_int (maker, s->group), null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    weight = vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, width), NULL);
    CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, scale, zero, weight, sums, scales,
          vulkan_maker_int (maker, s->group),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* Rows [m, k] of 4-bit layers: scale and zero point of @x, and a layer of it as an output. */
static void
add_layer (VulkanMaker *maker, guint32 x, gint64 m, gint64 k)
{
  guint32 null = vulkan_maker_null (maker), pair[2];

  pair[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (m, 1));
  pair[1] = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (m, 1));
  CALL (maker, "torchao.choose_qparams_affine.default", x,
        vulkan_maker_string (maker, "ASYMMETRIC"), vulkan_maker_ints (maker, 2, (gint64[]){ 1, k }),
        null, vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, null, null, null,
        vulkan_maker_values (maker, 2, pair));
  CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, pair[0], pair[1],
        vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (16, k / 2), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (k / 32, 16), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (k / 32, 16), NULL),
        vulkan_maker_int (maker, 32), null,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (m, 16)));
}

static guint32
add_norm (VulkanMaker *maker, guint32 x, gint64 m, gint64 k)
{
  guint32 y = vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (m, k));

  CALL (maker, "et_vk.rms_norm.default", x,
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (k), NULL),
        vulkan_maker_double (maker, 1e-5), y);
  return y;
}

/*
 * What becomes one dispatch: a sum, its norm, and its bytes; a norm alone; a gate and its bytes,
 * with its factors in both orders. Where the gate's sigmoid is of another use, too, it is none.
 */
static void
test_rows (gconstpointer data)
{
  static const struct {
    gint64 m, k;
    gboolean is_sigmoid_used;
  } ROWS[] = { { 1, 64, FALSE }, { 3, 2080, FALSE }, { 5, 96, TRUE }, { 2, 8192, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (ROWS); i++) {
    gint64 m = ROWS[i].m, k = ROWS[i].k;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 a, b, sum, sigmoid, inner, gate;

    if (skip ())
      return;
    a = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (m, k));
    b = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (m, k));
    sum = vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (m, k));
    CALL (maker, "aten.add.Tensor", a, b, vulkan_maker_int (maker, 1), sum);
    add_layer (maker, add_norm (maker, sum, m, k), m, k);
    add_norm (maker, b, m, k);
    sigmoid = ROWS[i].is_sigmoid_used ? vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (m, k))
                                      : vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (m, k));
    inner = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (m, k));
    gate = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (m, k));
    CALL (maker, "aten.sigmoid.default", a, sigmoid);
    CALL (maker, "aten.mul.Tensor", i % 2 == 0 ? a : sigmoid, i % 2 == 0 ? sigmoid : a, inner);
    CALL (maker, "aten.mul.Tensor", i % 2 == 0 ? b : inner, i % 2 == 0 ? inner : b, gate);
    add_layer (maker, gate, m, k);
    vulkan_maker_load (maker);
    /* A byte may be rounded to the other side. */
    vulkan_maker_run (maker, 0, 0, 1e-2);
    vulkan_maker_run (maker, 0, 0, 1e-2);
  }
}

static void
test_weight_only (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    gint64 padded = (s->n + 7) / 8 * 8, groups = s->k / s->group, width = (s->k + 7) / 8 * 4;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 x, null = vulkan_maker_null (maker), scales;

    if (skip ())
      return;
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    CALL (maker, "et_vk.linear_q4gsw.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, width), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (groups, padded), NULL),
          vulkan_maker_int (maker, s->group), null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    scales = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL);
    CALL (maker, "et_vk.linear_qcs4w.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (s->n, s->k / 2), NULL), scales,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    CALL (maker, "aten._weight_int8pack_mm.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (s->n, s->k), NULL), scales,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    CALL (maker, "aten.linear.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n, s->k), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* Half weights stay halves. */
static void
test_half_weights (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    g_autofree guint16 *halves = g_new (guint16, (gsize) (s->n * s->k));
    guint32 x;

    if (skip ())
      return;
    for (gint64 k = 0; k < s->n * s->k; k++) /* 0.5 … 2, of both signs */
      halves[k] = (guint16) (0x3800 + (k * 37 % 2048) + (k % 3 == 0 ? 0x8000 : 0));
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    CALL (maker, "aten.linear.default", x,
          vulkan_maker_constant (maker, PT_DTYPE_F16, DIMS (s->n, s->k), halves),
          vulkan_maker_null (maker), vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* Weights that a call unpacks: layers read the bytes; a zero point, and other readers, prevent it.
 */
static void
test_unpacked (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const Size *s = &sizes[i];
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    g_autofree gint8 *zeros = g_new0 (gint8, (gsize) (s->n * s->k / s->group));
    gint64 block[] = { 1, s->group };
    guint32 x, y, null = vulkan_maker_null (maker), scale, weight, zero;

    if (skip ())
      return;
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->m, s->k));
    scale = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n, s->k / s->group), NULL);
    zero = vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (s->n, s->k / s->group), zeros);
    for (guint k = 0; k < 2; k++) {
      weight = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (s->n, s->k));
      CALL (maker, "torchao.dequantize_affine.default",
            vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (s->n, s->k), NULL),
            vulkan_maker_ints (maker, 2, block), scale, k == 0 ? zero : null, null,
            vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, weight);
      y = vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->m, s->n));
      CALL (maker, "aten.linear.default", x, weight,
            vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->n), NULL), y);
    }
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

static void
test_unpacked_by_cpu (gconstpointer data)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  gint64 block[] = { 1, 8 };
  guint32 x, null = vulkan_maker_null (maker), weight;

  if (skip ())
    return;
  x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (3, 16));
  weight = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (5, 16));
  CALL (maker, "torchao.dequantize_affine.default",
        vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (5, 16), NULL),
        vulkan_maker_ints (maker, 2, block),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (5, 2), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_I8, DIMS (5, 2), NULL), null,
        vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, weight);
  for (guint k = 0; k < 2; k++)
    CALL (maker, "aten.linear.default", x, weight, null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (3, 5)));
  vulkan_maker_load (maker);
  vulkan_maker_allow_cpu (maker, 1);
  vulkan_maker_run (maker, 0, 0, 1e-5);
}

/* ---- Convolution ---- */

typedef struct {
  gint64 batch, in, out, groups, height, width, kernel_h, kernel_w, stride, padding, dilation;
} Picture;

static const Picture pictures[] = {
  { 1, 3, 24, 1, 17, 15, 7, 5, 2, 3, 1 },    { 2, 40, 33, 1, 7, 7, 3, 3, 1, 1, 1 },
  { 1, 64, 70, 1, 5, 9, 1, 1, 1, 0, 1 },     { 1, 64, 96, 1, 9, 9, 1, 1, 2, 0, 1 },
  { 1, 32, 64, 2, 12, 11, 3, 3, 1, 2, 2 },   { 1, 16, 16, 16, 10, 10, 3, 3, 1, 1, 1 },
  { 1, 130, 640, 1, 26, 26, 1, 1, 1, 0, 1 }, { 1, 8, 4, 1, 6, 6, 3, 3, 1, 0, 1 },
};

static void
test_convolution (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    const Picture *s = &pictures[i];
    gint64 h = (s->height + 2 * s->padding - s->dilation * (s->kernel_h - 1) - 1) / s->stride + 1;
    gint64 w = (s->width + 2 * s->padding - s->dilation * (s->kernel_w - 1) - 1) / s->stride + 1;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 x;

    if (skip ())
      return;
    x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (s->batch, s->in, s->height, s->width));
    for (guint k = 0; k < 2; k++)
      CALL (maker, "aten.convolution.default", x,
            vulkan_maker_constant (maker, PT_DTYPE_F32,
                                   DIMS (s->out, s->in / s->groups, s->kernel_h, s->kernel_w),
                                   NULL),
            k == 0 ? vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (s->out), NULL)
                   : vulkan_maker_null (maker),
            vulkan_maker_ints (maker, 2, (gint64[]){ s->stride, s->stride }),
            vulkan_maker_ints (maker, 2, (gint64[]){ s->padding, s->padding }),
            vulkan_maker_ints (maker, 2, (gint64[]){ s->dilation, s->dilation }),
            vulkan_maker_bool (maker, FALSE), vulkan_maker_ints (maker, 2, (gint64[]){ 0, 0 }),
            vulkan_maker_int (maker, s->groups),
            vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (s->batch, s->out, h, w)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

/* ---- Attention ---- */

typedef struct {
  gint64 length, heads, kv_heads, width, value_width, rows, start;
} Heads;

static const Heads heads[] = {
  { 1, 4, 2, 64, 64, 700, 0 },     { 1, 4, 2, 64, 64, 700, 650 },     { 3, 3, 3, 20, 20, 40, 30 },
  { 6, 4, 1, 128, 128, 300, 150 }, { 130, 2, 2, 32, 32, 140, 5 },     { 2, 2, 1, 7, 7, 513, 511 },
  { 2, 2, 1, 200, 200, 513, 511 }, { 1, 1, 1, 512, 512, 4096, 4000 }, { 70, 4, 2, 48, 48, 100, 20 },
  { 1, 12, 2, 20, 20, 300, 290 },  { 3, 8, 2, 36, 36, 400, 390 },     { 1, 6, 2, 7, 7, 513, 511 },
  { 1, 14, 2, 64, 64, 300, 260 },
};

static void
test_attention (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (heads); i++) {
    const Heads *s = &heads[i];
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 q, k, v, keys, values, null = vulkan_maker_null (maker), start;

    if (skip ())
      return;
    q = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, s->length, s->heads, s->width));
    k = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, s->length, s->kv_heads, s->width));
    v = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, s->length, s->kv_heads, s->value_width));
    start = vulkan_maker_symbol (maker);
    keys = vulkan_maker_state (maker, DIMS (1, s->rows, s->kv_heads, s->width));
    values = vulkan_maker_state (maker, DIMS (1, s->rows, s->kv_heads, s->value_width));
    CALL (maker, "sdpa_with_kv_cache.default", q, k, v, keys, values, start, null, null,
          vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, s->length, s->heads, s->value_width)));
    vulkan_maker_load (maker);
    /* The keys of the first call are those that the second one sees, too. */
    vulkan_maker_run (maker, 0, 0, 1e-5);
    vulkan_maker_run (maker, MIN (s->start, 1), 0, 1e-5);
    vulkan_maker_run (maker, s->start, 0, 1e-5);
  }
}

/* A block of a language model: its parts become fewer dispatches. @kind 1: also the turned keys are
 * an output. 2: heads that are no multiple of four. */
static void
test_block (gconstpointer data)
{
  for (guint i = 0; i < 9; i++) {
    const gint64 length = i % 3 * 2 + 1, kind = i / 3, width = kind == 2 ? 6 : 32, all = 16 * width;
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    guint32 null = vulkan_maker_null (maker), q, k, v, y, start, flat, turned[2], pair[2];

    if (skip ())
      return;
    q = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, length, 16, width));
    k = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, length, 4, width));
    v = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, length, 4, width));
    start = vulkan_maker_symbol (maker);
    turned[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, length, 16, width));
    turned[1] = kind == 1 ? vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, length, 4, width))
                          : vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, length, 4, width));
    CALL (maker, "et_vk.apply_rotary_emb.default", q, k,
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (length, width / 2), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (length, width / 2), NULL),
          vulkan_maker_values (maker, 2, turned));
    y = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, length, 16, width));
    CALL (maker, "sdpa_with_kv_cache.default", turned[0], turned[1], v,
          vulkan_maker_state (maker, DIMS (1, 600, 4, width)),
          vulkan_maker_state (maker, DIMS (1, 600, 4, width)), start, null, null,
          vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), null, y);
    flat = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, length, all));
    CALL (maker, "aten.view_copy.default", y,
          vulkan_maker_ints (maker, 3, (gint64[]){ 1, length, all }), flat);
    pair[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, length, 1));
    pair[1] = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (1, length, 1));
    CALL (maker, "torchao.choose_qparams_affine.default", flat,
          vulkan_maker_string (maker, "ASYMMETRIC"),
          vulkan_maker_ints (maker, 3, (gint64[]){ 1, 1, all }), null,
          vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), null, null, null, null,
          vulkan_maker_values (maker, 2, pair));
    CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", flat, pair[0], pair[1],
          vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (24, all / 2), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (all / 32, 24), NULL),
          vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (all / 32, 24), NULL),
          vulkan_maker_int (maker, 32), null,
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, length, 24)));
    vulkan_maker_load (maker);
    for (gint64 at = 0; at < 600 - length; at += at < 3 ? 1 : 290)
      vulkan_maker_run (maker, at, 0, 5e-3); /* a byte may be rounded to the next one */
  }
}

/* Caches that are written by an operator of its own. */
static void
test_update_cache (gconstpointer data)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  guint32 q, keys, values, null = vulkan_maker_null (maker), start;

  if (skip ())
    return;
  q = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, 2, 4, 16));
  start = vulkan_maker_symbol (maker);
  keys = vulkan_maker_state (maker, DIMS (1, 300, 2, 16));
  values = vulkan_maker_state (maker, DIMS (1, 300, 2, 16));
  CALL (maker, "update_cache.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16)),
        keys, start, vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16)));
  CALL (maker, "update_cache.default", vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16)),
        values, start, vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, 2, 2, 16)));
  CALL (maker, "llama.custom_sdpa.default", q, keys, values, start, null,
        vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), null,
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, 2, 4, 16)));
  vulkan_maker_load (maker);
  vulkan_maker_run (maker, 0, 0, 1e-5);
  vulkan_maker_run (maker, 2, 0, 1e-5);
  vulkan_maker_run (maker, 298, 0, 1e-5);
}

/* Masks of each kind; -inf hides a key. */
static void
test_sdpa (gconstpointer data)
{
  for (guint kind = 0; kind < 8; kind++) {
    const gint64 length = kind < 4 ? 7 : 70; /* the latter in tiles */
    g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
    g_autofree float *mask = g_new (float, 2 * 4 * 70 * 260);
    guint32 q, k, v, masks;

    if (skip ())
      return;
    for (guint i = 0; i < 2 * 4 * 70 * 260; i++)
      mask[i] = vulkan_random () < 0 ? -INFINITY : vulkan_random ();
    q = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (2, 4, length, 36));
    k = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (2, 2, 260, 36));
    v = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (2, 2, 260, 40));
    if (kind % 4 == 0)
      masks = vulkan_maker_null (maker);
    else if (kind % 4 == 1)
      masks = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (2, 4, length, 260), mask);
    else if (kind % 4 == 2)
      masks = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (length, 260), mask);
    else
      masks = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (2, 1, 1, 260), mask);
    CALL (maker, "et_vk.sdpa.default", q, k, v, masks, vulkan_maker_null (maker),
          vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (2, 4, length, 40)));
    vulkan_maker_load (maker);
    vulkan_maker_run (maker, 0, 0, 1e-5);
  }
}

static void
test_rotary_interleaved (gconstpointer data)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();

  if (skip ())
    return;
  CALL (maker, "et_vk.apply_rotary_emb_interleaved.default",
        vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (3, 10, 36)),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (1, 10, 18, 2), NULL),
        vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (3, 10, 36)));
  vulkan_maker_load (maker);
  vulkan_maker_run (maker, 0, 0, 1e-6);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_data_func ("/vulkan/shaders/8da4w", NULL, test_8da4w);
  g_test_add_data_func ("/vulkan/shaders/rows", NULL, test_rows);
  g_test_add_data_func ("/vulkan/shaders/weight-only", NULL, test_weight_only);
  g_test_add_data_func ("/vulkan/shaders/half-weights", NULL, test_half_weights);
  g_test_add_data_func ("/vulkan/shaders/unpacked", NULL, test_unpacked);
  g_test_add_data_func ("/vulkan/shaders/unpacked-by-cpu", NULL, test_unpacked_by_cpu);
  g_test_add_data_func ("/vulkan/shaders/convolution", NULL, test_convolution);
  g_test_add_data_func ("/vulkan/shaders/attention", NULL, test_attention);
  g_test_add_data_func ("/vulkan/shaders/block", NULL, test_block);
  g_test_add_data_func ("/vulkan/shaders/update-cache", NULL, test_update_cache);
  g_test_add_data_func ("/vulkan/shaders/sdpa", NULL, test_sdpa);
  g_test_add_data_func ("/vulkan/shaders/rotary-interleaved", NULL, test_rotary_interleaved);
  return g_test_run ();
}
