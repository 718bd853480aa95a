/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "engine/init.h"
#include "tests/unit/vulkan/vulkan-maker.h"

/*
 * The time of a token, and of many, of a language model with random weights of 4 bits (8da4w,
 * groups of 32) on the first Vulkan GPU. By hand:
 *
 *     vulkan-tokens [8b | LAYERS [WIDTH]] [LENGTH...]
 *
 * By default the shapes of Llama 3.2 1B with 1 and 512 tokens; 8b: those of Llama 3.1 8B; 0 layers
 * leave the last matrix only.
 * PTERIS_VULKAN_PLAIN=1 measures the shaders without instructions that only some GPUs have.
 */

#define GROUP 32
#define CACHE 2048

typedef struct {
  gint64 layers, width, head, inner, words;
} Shape;

static const Shape LLAMA_8B = { 32, 4096, 128, 14336, 128256 };

typedef struct {
  VulkanMaker *maker;
  gint64 length, width, heads, kv_heads, head, inner, words;
  guint32 null, start;
  gsize bytes; /* of weights that one token reads */
} Model;

static guint32
floats (Model *m, gint64 width)
{
  return vulkan_maker_tensor (m->maker, PT_DTYPE_F32, DIMS (1, m->length, width));
}

/* Scale and zero point of the rows of x. */
static void
choose (Model *m, guint32 x, gint64 width, guint32 *pair)
{
  VulkanMaker *maker = m->maker;

  pair[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, m->length, 1));
  pair[1] = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (1, m->length, 1));
  CALL (maker, "torchao.choose_qparams_affine.default", x,
        vulkan_maker_string (maker, "ASYMMETRIC"),
        vulkan_maker_ints (maker, 3, (gint64[]){ 1, 1, width }), m->null,
        vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), m->null, m->null, m->null,
        m->null, vulkan_maker_values (maker, 2, pair));
}

static guint32
layer (Model *m, guint32 x, const guint32 *pair, gint64 in, gint64 out, guint32 y)
{
  VulkanMaker *maker = m->maker;

  m->bytes += (gsize) (out * in / 2 + out * in / GROUP * 4);
  CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, pair[0], pair[1],
        vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (out, in / 2), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (in / GROUP, out), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (in / GROUP, out), NULL),
        vulkan_maker_int (maker, GROUP), m->null, y);
  return y;
}

static guint32
norm (Model *m, guint32 x)
{
  guint32 y = floats (m, m->width);

  CALL (m->maker, "et_vk.rms_norm.default", x,
        vulkan_maker_constant (m->maker, PT_DTYPE_F32, DIMS (m->width), NULL),
        vulkan_maker_double (m->maker, 1e-5), y);
  return y;
}

static guint32
add (Model *m, guint32 x, guint32 y)
{
  guint32 sum = floats (m, m->width);

  CALL (m->maker, "aten.add.Tensor", x, y, vulkan_maker_int (m->maker, 1), sum);
  return sum;
}

static guint32
by_heads (Model *m, guint32 x, gint64 heads)
{
  guint32 y = vulkan_maker_tensor (m->maker, PT_DTYPE_F32, DIMS (1, m->length, heads, m->head));

  CALL (m->maker, "aten.view_copy.default", x,
        vulkan_maker_ints (m->maker, 4, (gint64[]){ 1, m->length, heads, m->head }), y);
  return y;
}

static guint32
attention (Model *m, guint32 x)
{
  VulkanMaker *maker = m->maker;
  guint32 pair[2], turned[2], q, k, v, y, flat;

  choose (m, x, m->width, pair);
  q = by_heads (m, layer (m, x, pair, m->width, m->width, floats (m, m->width)), m->heads);
  k = by_heads (m,
                layer (m, x, pair, m->width, m->width * m->kv_heads / m->heads,
                       floats (m, m->width * m->kv_heads / m->heads)),
                m->kv_heads);
  v = by_heads (m,
                layer (m, x, pair, m->width, m->width * m->kv_heads / m->heads,
                       floats (m, m->width * m->kv_heads / m->heads)),
                m->kv_heads);
  turned[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, m->length, m->heads, m->head));
  turned[1] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, m->length, m->kv_heads, m->head));
  CALL (maker, "et_vk.apply_rotary_emb.default", q, k,
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (m->length, m->head / 2), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (m->length, m->head / 2), NULL),
        vulkan_maker_values (maker, 2, turned));
  y = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, m->length, m->heads, m->head));
  CALL (maker, "sdpa_with_kv_cache.default", turned[0], turned[1], v,
        vulkan_maker_state (maker, DIMS (1, CACHE, m->kv_heads, m->head)),
        vulkan_maker_state (maker, DIMS (1, CACHE, m->kv_heads, m->head)), m->start, m->null,
        m->null, vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), m->null, y);
  flat = floats (m, m->width);
  CALL (maker, "aten.view_copy.default", y,
        vulkan_maker_ints (maker, 3, (gint64[]){ 1, m->length, m->width }), flat);
  choose (m, flat, m->width, pair);
  return layer (m, flat, pair, m->width, m->width, floats (m, m->width));
}

static guint32
feed_forward (Model *m, guint32 x)
{
  VulkanMaker *maker = m->maker;
  guint32 pair[2], gate, up, sigmoid = floats (m, m->inner), silu = floats (m, m->inner);
  guint32 product = floats (m, m->inner);

  choose (m, x, m->width, pair);
  gate = layer (m, x, pair, m->width, m->inner, floats (m, m->inner));
  up = layer (m, x, pair, m->width, m->inner, floats (m, m->inner));
  CALL (maker, "aten.sigmoid.default", gate, sigmoid);
  CALL (maker, "aten.mul.Tensor", gate, sigmoid, silu);
  CALL (maker, "aten.mul.Tensor", silu, up, product);
  choose (m, product, m->inner, pair);
  return layer (m, product, pair, m->inner, m->width, floats (m, m->width));
}

static void
measure_choices (const Model *m, gint64 start)
{
  static const struct {
    const char *name;
    PtDeviceSampling how;
  } KINDS[] = {
    { "the likeliest", { .top_p = 1 } },
    { "any", { .temperature = 1, .top_p = 1, .coin = 0.5 } },
    { "of top-k 40, top-p 0.95", { .temperature = 0.8, .top_p = 0.95, .top_k = 40, .coin = 0.5 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++) {
    double seconds;

    vulkan_maker_time_choice (m->maker, start, 3, &KINDS[i].how);
    seconds = vulkan_maker_time_choice (m->maker, start, 50, &KINDS[i].how);
    printf ("   1 token  at %4" G_GINT64_FORMAT
            ": %8.3f ms, %8.1f tokens/s, %7.1f GB/s of weights, chosen: %s\n",
            start, seconds * 1e3, 1 / seconds, (double) m->bytes / seconds / 1e9, KINDS[i].name);
  }
}

static void
measure (const Shape *shape, gint64 length)
{
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  Model m = { .maker = maker,
              .length = length,
              .width = shape->width,
              .heads = shape->width / shape->head,
              .kv_heads = MAX (shape->width / shape->head / 4, 1),
              .head = shape->head,
              .inner = shape->inner,
              .words = shape->words };
  gint64 begin;
  guint32 x, last, pair[2];
  double seconds;

  m.null = vulkan_maker_null (maker);
  x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, length, m.width));
  m.start = vulkan_maker_symbol (maker);
  for (gint64 i = 0; i < shape->layers; i++) {
    x = add (&m, x, attention (&m, norm (&m, x)));
    x = add (&m, x, feed_forward (&m, norm (&m, x)));
  }
  /* Logits of the last token only, as exporters write it. */
  last = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, 1, m.width));
  CALL (maker, "aten.slice_copy.Tensor", norm (&m, x), vulkan_maker_int (maker, 1),
        vulkan_maker_int (maker, length - 1), vulkan_maker_int (maker, length),
        vulkan_maker_int (maker, 1), last);
  m.length = 1;
  choose (&m, last, m.width, pair);
  layer (&m, last, pair, m.width, m.words,
         vulkan_maker_output (maker, PT_DTYPE_F32, DIMS (1, 1, m.words)));
  begin = g_get_monotonic_time ();
  vulkan_maker_load_gpu (maker);
  seconds = (double) (g_get_monotonic_time () - begin) / 1e6;
  printf ("%" G_GINT64_FORMAT " layers of %" G_GINT64_FORMAT
          ", %.2f GB of weights, loaded in %.2f s\n",
          shape->layers, m.width, (double) m.bytes / 1e9, seconds);
  for (guint i = 0; i < 3; i++) {
    gint64 start = i == 0 ? 0 : i == 1 ? 256 : CACHE - length;

    if (i > 0 && length > 1)
      break;
    vulkan_maker_time (maker, start, 3);
    seconds = vulkan_maker_time (maker, start, length > 1 ? 10 : 50);
    printf ("%4" G_GINT64_FORMAT " tokens at %4" G_GINT64_FORMAT
            ": %8.3f ms, %8.1f tokens/s, %7.1f GB/s of weights\n",
            length, start, seconds * 1e3, (double) length / seconds,
            (double) m.bytes / seconds / 1e9);
    if (length == 1)
      measure_choices (&m, start);
  }
  fflush (stdout);
}

int
main (int argc, char *argv[])
{
  gboolean is_8b = argc > 1 && strcmp (argv[1], "8b") == 0;
  Shape shape = { 16, 2048, 64, 8192, 128256 };
  int n = is_8b ? 2 : MIN (argc, 3);

  pt_init ();
  if (argc > 1 && !is_8b)
    shape.layers = g_ascii_strtoll (argv[1], NULL, 10);
  if (argc > 2 && !is_8b) {
    shape.width = g_ascii_strtoll (argv[2], NULL, 10);
    shape.inner = shape.width * 4;
    shape.words = shape.width >= 2048 ? 128256 : 4096;
  }
  if (is_8b)
    shape = LLAMA_8B;
  if (!vulkan_maker_has_gpu () || shape.layers < 0 || shape.width < 256 || shape.width % 256 != 0) {
    fprintf (stderr, "No GPU, or sizes that are no multiples of 256.\n");
    return 1;
  }
  for (int i = n; i < argc; i++)
    measure (&shape, g_ascii_strtoll (argv[i], NULL, 10));
  if (n >= argc) {
    measure (&shape, 1);
    measure (&shape, 512);
  }
  return 0;
}
