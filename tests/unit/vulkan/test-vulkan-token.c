/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "vulkan-maker.h"

/*
 * A token of a layer of a language model with 4-bit layers (8da4w) on a GPU beside the CPU, and in
 * how few stages that wait for each other it is made. Skipped without a GPU; Mesa's lavapipe counts
 * as one.
 */

#define GROUP 32

typedef struct {
  const char *name;
  gint64 heads, kv_heads, head, inner, cache; /* the width is heads * head */
  gint64 length;
  gint64 width;          /* of the tables by halves: so much of a head is turned; 0: all */
  gboolean by_halves;    /* pairs of the rotary embedding */
  gboolean has_bias;     /* layers of the attention */
  gboolean is_seen;      /* rows after their norm are outputs, too */
  gboolean is_read;      /* the residual sums are read before the layers behind them */
  gboolean keeps_turned; /* turned keys are outputs, too */
  guint barriers;        /* of all; 0: the GPU decides */
} Kind;

static const Kind KINDS[] = {
  { "llama", 4, 2, 32, 288, 300, 1, .barriers = 9 },
  { "halves", 4, 1, 32, 160, 40, 1, .by_halves = TRUE, .barriers = 9 },
  { "odd-heads", 8, 4, 20, 96, 700, 1, .by_halves = TRUE, .barriers = 9 },
  { "partly", 4, 2, 32, 64, 140, 1, .by_halves = TRUE, .width = 12, .barriers = 9 },
  { "wide", 2, 2, 32, 8224, 140, 1, .barriers = 9 },
  { "wider", 2, 2, 32, 16384, 140, 1 }, /* a gate whose row some GPUs make in a dispatch */
  { "too-wide", 2, 2, 32, 16416, 140, 1, .barriers = 14 },
  { "bias", 4, 2, 32, 64, 300, 1, .has_bias = TRUE, .barriers = 9 },
  { "turned", 4, 2, 32, 64, 300, 1, .keeps_turned = TRUE, .barriers = 10 },
  { "seen", 4, 2, 32, 64, 300, 1, .is_seen = TRUE, .barriers = 12 },
  { "read", 4, 2, 32, 64, 300, 1, .is_read = TRUE, .barriers = 10 },
  { "rows", 4, 2, 32, 64, 300, 3, .barriers = 14 },
};

typedef struct {
  VulkanMaker *maker;
  const Kind *kind;
  gint64 width;
  guint32 null, start;
} Model;

static guint32
floats (const Model *m, gint64 width)
{
  return vulkan_maker_tensor (m->maker, PT_DTYPE_F32, DIMS (1, m->kind->length, width));
}

static guint32
output (const Model *m, gint64 width)
{
  return vulkan_maker_output (m->maker, PT_DTYPE_F32, DIMS (1, m->kind->length, width));
}

/* Scale and zero point of the rows of x. */
static void
choose (const Model *m, guint32 x, gint64 width, guint32 *pair)
{
  VulkanMaker *maker = m->maker;

  pair[0] = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, m->kind->length, 1));
  pair[1] = vulkan_maker_tensor (maker, PT_DTYPE_I8, DIMS (1, m->kind->length, 1));
  CALL (maker, "torchao.choose_qparams_affine.default", x,
        vulkan_maker_string (maker, "ASYMMETRIC"),
        vulkan_maker_ints (maker, 3, (gint64[]){ 1, 1, width }), m->null,
        vulkan_maker_int (maker, -128), vulkan_maker_int (maker, 127), m->null, m->null, m->null,
        m->null, vulkan_maker_values (maker, 2, pair));
}

static guint32
layer (const Model *m, guint32 x, const guint32 *pair, gint64 in, gint64 out, gboolean has_bias)
{
  VulkanMaker *maker = m->maker;
  guint32 y = floats (m, out);

  CALL (maker, "et_vk.linear_dq8ca_q4gsw.default", x, pair[0], pair[1],
        vulkan_maker_constant (maker, PT_DTYPE_U8, DIMS (out, in / 2), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_I32, DIMS (in / GROUP, out), NULL),
        vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (in / GROUP, out), NULL),
        vulkan_maker_int (maker, GROUP),
        has_bias ? vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (out), NULL) : m->null, y);
  return y;
}

static guint32
norm (const Model *m, guint32 x)
{
  guint32 y = m->kind->is_seen ? output (m, m->width) : floats (m, m->width);

  CALL (m->maker, "et_vk.rms_norm.default", x,
        vulkan_maker_constant (m->maker, PT_DTYPE_F32, DIMS (m->width), NULL),
        vulkan_maker_double (m->maker, 1e-5), y);
  return y;
}

static guint32
add (const Model *m, guint32 x, guint32 y)
{
  guint32 sum = floats (m, m->width);

  CALL (m->maker, "aten.add.Tensor", x, y, vulkan_maker_int (m->maker, 1), sum);
  if (m->kind->is_read)
    CALL (m->maker, "aten.sigmoid.default", sum, output (m, m->width));
  return sum;
}

static guint32
by_heads (const Model *m, guint32 x, gint64 heads)
{
  const Kind *kind = m->kind;
  guint32 y =
      vulkan_maker_tensor (m->maker, PT_DTYPE_F32, DIMS (1, kind->length, heads, kind->head));

  CALL (m->maker, "aten.view_copy.default", x,
        vulkan_maker_ints (m->maker, 4, (gint64[]){ 1, kind->length, heads, kind->head }), y);
  return y;
}

static void
turn (const Model *m, guint32 q, guint32 k, guint32 *turned)
{
  const Kind *kind = m->kind;
  VulkanMaker *maker = m->maker;
  gint64 rows = kind->by_halves ? kind->cache : kind->length;
  gint64 whole = kind->width > 0 ? kind->width : kind->head;
  gint64 columns = kind->by_halves ? whole : kind->head / 2;
  guint32 cosine = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (rows, columns), NULL);
  guint32 sine = vulkan_maker_constant (maker, PT_DTYPE_F32, DIMS (rows, columns), NULL), list;

  turned[0] =
      vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, kind->length, kind->heads, kind->head));
  turned[1] = kind->keeps_turned
                  ? vulkan_maker_output (maker, PT_DTYPE_F32,
                                         DIMS (1, kind->length, kind->kv_heads, kind->head))
                  : vulkan_maker_tensor (maker, PT_DTYPE_F32,
                                         DIMS (1, kind->length, kind->kv_heads, kind->head));
  list = vulkan_maker_values (maker, 2, turned);
  if (kind->by_halves)
    CALL (maker, "et_vk.apply_rotary_emb_hf.default", q, k, cosine, sine, m->start, list);
  else
    CALL (maker, "et_vk.apply_rotary_emb.default", q, k, cosine, sine, list);
}

static guint32
attention (const Model *m, guint32 x)
{
  const Kind *kind = m->kind;
  VulkanMaker *maker = m->maker;
  gint64 kv = kind->kv_heads * kind->head;
  guint32 pair[2], turned[2], q, k, v, y, flat;

  choose (m, x, m->width, pair);
  q = by_heads (m, layer (m, x, pair, m->width, m->width, kind->has_bias), kind->heads);
  k = by_heads (m, layer (m, x, pair, m->width, kv, kind->has_bias), kind->kv_heads);
  v = by_heads (m, layer (m, x, pair, m->width, kv, kind->has_bias), kind->kv_heads);
  turn (m, q, k, turned);
  y = vulkan_maker_tensor (maker, PT_DTYPE_F32, DIMS (1, kind->length, kind->heads, kind->head));
  CALL (maker, "sdpa_with_kv_cache.default", turned[0], turned[1], v,
        vulkan_maker_state (maker, DIMS (1, kind->cache, kind->kv_heads, kind->head)),
        vulkan_maker_state (maker, DIMS (1, kind->cache, kind->kv_heads, kind->head)), m->start,
        m->null, m->null, vulkan_maker_double (maker, 0), vulkan_maker_bool (maker, TRUE), m->null,
        y);
  flat = floats (m, m->width);
  CALL (maker, "aten.view_copy.default", y,
        vulkan_maker_ints (maker, 3, (gint64[]){ 1, kind->length, m->width }), flat);
  choose (m, flat, m->width, pair);
  return layer (m, flat, pair, m->width, m->width, FALSE);
}

static guint32
feed_forward (const Model *m, guint32 x)
{
  gint64 inner = m->kind->inner;
  VulkanMaker *maker = m->maker;
  guint32 pair[2], gate, up, sigmoid = floats (m, inner), silu = floats (m, inner);
  guint32 product = floats (m, inner);

  choose (m, x, m->width, pair);
  gate = layer (m, x, pair, m->width, inner, FALSE);
  up = layer (m, x, pair, m->width, inner, FALSE);
  CALL (maker, "aten.sigmoid.default", gate, sigmoid);
  CALL (maker, "aten.mul.Tensor", gate, sigmoid, silu);
  CALL (maker, "aten.mul.Tensor", silu, up, product);
  choose (m, product, inner, pair);
  return layer (m, product, pair, inner, m->width, FALSE);
}

static void
test_token (gconstpointer data)
{
  const Kind *kind = data;
  g_autoptr (VulkanMaker) maker = vulkan_maker_new ();
  Model m = { .maker = maker, .kind = kind, .width = kind->heads * kind->head };
  gint64 last = kind->cache - kind->length;
  guint32 x;

  if (!vulkan_maker_has_gpu ()) {
    g_test_skip ("no GPU");
    return;
  }
  m.null = vulkan_maker_null (maker);
  x = vulkan_maker_input (maker, PT_DTYPE_F32, DIMS (1, kind->length, m.width));
  m.start = vulkan_maker_symbol (maker);
  x = add (&m, x, attention (&m, norm (&m, x)));
  x = add (&m, x, feed_forward (&m, norm (&m, x)));
  CALL (maker, "aten.neg.default", x, output (&m, m.width));
  vulkan_maker_load (maker);
  /* A byte may be rounded to the other side. */
  for (gint64 at = 0; at <= last; at += at < 2 ? 1 : MAX (last / 3, 1))
    vulkan_maker_run (maker, at, 0, 1e-2);
  if (kind->barriers > 0)
    g_assert_cmpuint (vulkan_maker_n_barriers (maker), ==, kind->barriers);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  for (guint i = 0; i < G_N_ELEMENTS (KINDS); i++) {
    g_autofree char *path = g_strdup_printf ("/vulkan/token/%s", KINDS[i].name);

    g_test_add_data_func (path, &KINDS[i], test_token);
  }
  return g_test_run ();
}
