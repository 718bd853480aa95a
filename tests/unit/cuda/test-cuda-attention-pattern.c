/* SPDX-License-Identifier: BSD-3-Clause */

/* Attention kernels are recognised by the addresses in their PTX. */

#include "engine/cuda/attention-pattern.h"

#include <string.h>

/* Tensors, numbers from the heads on, in the order of ExecuTorch's Triton kernels. */
typedef struct {
  gboolean has_mask, has_n_queries;
  guint n_unused;      /* numbers in front of the heads */
  const char *odd;     /* text of the body that is not there in such a kernel, or NULL */
  const char *without; /* an instruction that is left out, or NULL */
} Kind;

static void
add_address (GString *body, guint tensor, guint heads, guint first_stride, guint n_strides)
{
  g_string_append_printf (body, "ld.param.b64 %%rd%u, [k_param_%u];\nmov.b32 %%r9, 0;\n", tensor,
                          tensor);
  g_string_append_printf (body, "ld.param.b32 %%r1, [k_param_%u];\ndiv.s32 %%r2, %%r3, %%r1;\n",
                          heads);
  g_string_append_printf (body, "mov.b32 %%r%u, %%r2;\n", 20 + tensor);
  for (guint i = 0; i < n_strides; i++)
    g_string_append_printf (body,
                            "ld.param.b32 %%r%u, [k_param_%u];\nmad.lo.s32 %%r%u, %%r%u, %%r4, "
                            "%%r%u;\n",
                            30 + tensor * 4 + i, first_stride + i, 20 + tensor, 30 + tensor * 4 + i,
                            20 + tensor);
  g_string_append_printf (body, "mad.wide.s32 %%rd%u, %%r%u, 2, %%rd%u;\n", 10 + tensor,
                          20 + tensor, tensor);
}

static char *
make_kernel (const Kind *kind)
{
  GString *text = g_string_new (".version 8.7\n.target sm_90a\n.visible .entry k(\n");
  GString *body = g_string_new ("ex2.approx.f32 %r50, %r51;\nmma.sync %r50, %r51, %r52, %r53;\n");
  guint n_tensors = kind->has_mask ? 5 : 4, heads = 5 + kind->n_unused;
  guint first = heads + 2 + kind->has_n_queries, n = first + (kind->has_mask ? 14 : 12);

  for (guint i = 0; i < n + 3; i++)
    g_string_append_printf (text, "%s.param .%s k_param_%u", i > 0 ? ",\n" : "",
                            i < n_tensors || i > n ? "u64 .ptr .global .align 1"
                            : i == n               ? "f64"
                                                   : "u32",
                            i);
  for (guint i = 0; i < 4; i++) {
    add_address (body, i, heads, first + 3 * i, 3);
    g_string_append_printf (
        body, i == 3 ? "st.global.b32 [%%rd%u], %%r50;\n" : "ld.global.b32 %%r51, [%%rd%u];\n",
        10 + i);
  }
  if (kind->has_mask) {
    add_address (body, 4, heads, first + 12, 2);
    g_string_append (body, "ld.global.b8 %r51, [%rd14];\n");
  }
  if (kind->odd != NULL)
    g_string_append (body, kind->odd);
  g_string_append_printf (text, "\n)\n.reqntid 128\n{\n%sret;\n}\n", body->str);
  g_string_free (body, TRUE);
  if (kind->without != NULL)
    g_string_replace (text, kind->without, "min", 0);
  return g_string_free (text, FALSE);
}

static gboolean
find_in (const char *text, const char *name, PtAttentionPattern *pattern)
{
  PtPtxAddresses addresses;

  pt_ptx_addresses (text, strlen (text), name, &addresses);
  return pt_attention_pattern_find (text, &addresses, pattern);
}

static gboolean
find (const Kind *kind, PtAttentionPattern *pattern)
{
  g_autofree char *text = make_kernel (kind);

  return find_in (text, "k", pattern);
}

static void
test_found (void)
{
  for (guint i = 0; i < 8; i++) {
    const Kind kind = { (i & 1) != 0, (i & 2) != 0, (i & 4) != 0 ? 1 : 0, NULL, NULL };
    guint heads = 5 + kind.n_unused, first = heads + 2 + kind.has_n_queries;
    PtAttentionPattern pattern;

    g_assert_true (find (&kind, &pattern));
    g_assert_cmpint (pattern.has_mask, ==, kind.has_mask);
    g_assert_cmpint (pattern.has_n_queries, ==, kind.has_n_queries);
    g_assert_cmpuint (pattern.heads, ==, heads);
    g_assert_cmpuint (pattern.length, ==, first - 1);
    g_assert_cmpuint (pattern.queries.head, ==, first + 1);
    g_assert_cmpuint (pattern.keys.row, ==, first + 5);
    g_assert_cmpuint (pattern.values.head, ==, first + 7);
    g_assert_cmpuint (pattern.output.row, ==, first + 11);
    g_assert_cmpuint (pattern.scale, ==, first + (kind.has_mask ? 14 : 12));
    g_assert_true (pattern.is_double);
  }
}

static void
test_others (void)
{
  static const Kind kinds[] = {
    /* It writes what attention only reads, or reads what it writes. */
    { TRUE, TRUE, 0, "st.global.b32 [%rd11], %r50;\n", NULL },
    { TRUE, TRUE, 0, "ld.global.b32 %r50, [%rd13];\n", NULL },
    /* A stride is of two tensors. */
    { TRUE, TRUE, 0, "mad.wide.s32 %rd13, %r30, 2, %rd13;\n", NULL },
    /* An address from memory; a call. */
    { TRUE, TRUE, 0, "ld.global.b64 %rd60, [%rd10]; ld.global.b32 %r50, [%rd60];\n", NULL },
    { TRUE, TRUE, 0, "call.uni helper;\n", NULL },
    /* No product, no exponential. */
    { TRUE, TRUE, 0, NULL, "mma" },
    { TRUE, TRUE, 0, NULL, "ex2" },
    /* Too many sizes. */
    { TRUE, TRUE, 0, NULL, "k_param_8]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    PtAttentionPattern pattern;

    g_test_message ("kind %u", i);
    g_assert_false (find (&kinds[i], &pattern));
  }
}

static void
test_damaged (void)
{
  const Kind kind = { TRUE, TRUE, 0, NULL, NULL };
  g_autofree char *text = make_kernel (&kind);
  gsize size = strlen (text);
  PtAttentionPattern pattern;

  for (gsize n = 0; n < size; n += 3) {
    g_autofree char *part = g_strndup (text, n);

    find_in (part, "k", &pattern);
  }
  g_assert_false (find_in (text, "other", &pattern));
}

/* ---- launches ---- */

typedef struct {
  guint64 words[24];
  void *arguments[24];
  PtAttentionPattern pattern;
  guint grid[3];
} Launch;

static void
make_launch (Launch *l)
{
  const Kind kind = { TRUE, TRUE, 0, NULL, NULL };
  const guint64 numbers[] = {
    8, 1, 96, 512, 64, 512, 99, 6144, 64, 98, 6144, 64, 512, 64, 64, 0, 0
  };
  const double scale = 0.125;

  memset (l, 0, sizeof *l);
  g_assert_true (find (&kind, &l->pattern));
  for (guint i = 0; i < 24; i++) {
    l->words[i] = i < 5 ? 4096 * (i + 1) : i < 5 + G_N_ELEMENTS (numbers) ? numbers[i - 5] : 0;
    l->arguments[i] = &l->words[i];
  }
  memcpy (&l->words[l->pattern.scale], &scale, sizeof scale);
  l->grid[0] = l->grid[2] = 1;
  l->grid[1] = 8;
}

static gboolean
read_launch (Launch *l, PtCudaAttention *attention)
{
  return pt_attention_pattern_read (&l->pattern, l->arguments, l->grid, attention);
}

static void
test_launch (void)
{
  PtCudaAttention attention;
  Launch l;

  make_launch (&l);
  g_assert_true (read_launch (&l, &attention));
  g_assert_cmpuint (attention.keys, ==, 8192);
  g_assert_cmpuint (attention.mask, ==, 20480);
  g_assert_cmpint (attention.heads, ==, 8);
  g_assert_cmpint (attention.kv_heads, ==, 8);
  g_assert_cmpint (attention.length, ==, 96);
  g_assert_cmpint (attention.dim, ==, 64);
  g_assert_cmpint (attention.key_head, ==, 6144);
  g_assert_cmpint (attention.key_row, ==, 64);
  g_assert_cmpfloat (attention.scale, ==, 0.125);
}

static void
test_launch_refused (void)
{
  PtCudaAttention attention;
  Launch l;

  make_launch (&l);
  l.words[6] = 2; /* queries */
  g_assert_false (read_launch (&l, &attention));
  make_launch (&l);
  l.grid[1] = 16; /* a batch of 2 */
  g_assert_false (read_launch (&l, &attention));
  make_launch (&l);
  l.words[4] = 0; /* no mask */
  g_assert_false (read_launch (&l, &attention));
  make_launch (&l);
  l.words[7] = (guint32) -96; /* keys */
  g_assert_false (read_launch (&l, &attention));
  make_launch (&l);
  l.words[19] = 80; /* numbers of a row */
  g_assert_false (read_launch (&l, &attention));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/attention-pattern/found", test_found);
  g_test_add_func ("/cuda/attention-pattern/others", test_others);
  g_test_add_func ("/cuda/attention-pattern/damaged", test_damaged);
  g_test_add_func ("/cuda/attention-pattern/launch", test_launch);
  g_test_add_func ("/cuda/attention-pattern/launch-refused", test_launch_refused);
  return g_test_run ();
}
