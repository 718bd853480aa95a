/* SPDX-License-Identifier: BSD-3-Clause */

/* Matrix products are recognised by their parameters and the roles of these in the PTX. */

#include "engine/cuda/product-pattern.h"

#include <string.h>

typedef struct {
  gboolean has_other, has_rows;
  const char *more;    /* further instructions, or NULL */
  const char *without; /* an instruction that is left out, or NULL */
  guint n_more;        /* further numbers */
} Kind;

static char *
make_kernel (const Kind *kind)
{
  GString *text = g_string_new (".version 8.7\n.target sm_90a\n.visible .entry k(\n");
  guint n_tensors = kind->has_other ? 4 : 3, n_numbers = kind->has_rows + kind->n_more;
  guint n = n_tensors + n_numbers + 2;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        text, "%s.param .%s k_param_%u", i > 0 ? ",\n" : "",
        i >= n_tensors && i < n_tensors + n_numbers ? "u32" : "u64 .ptr .global .align 1", i);
  g_string_append (text, "\n)\n.reqntid 128\n{\n"
                         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 %r50, %r51, %r52, "
                         "%r53;\n");
  for (guint i = 0; i < n_tensors; i++)
    g_string_append_printf (
        text,
        i + 1 == n_tensors ? "ld.param.b64 %%rd%u, [k_param_%u];\nst.global.b32 [%%rd%u], %%r50;\n"
                           : "ld.param.b64 %%rd%u, [k_param_%u];\nld.global.b32 %%r51, [%%rd%u];\n",
        i, i, i);
  if (kind->more != NULL)
    g_string_append (text, kind->more);
  g_string_append (text, "ret;\n}\n");
  if (kind->without != NULL)
    g_string_replace (text, kind->without, "min", 0);
  return g_string_free (text, FALSE);
}

static gboolean
find_in (const char *text, const char *name, PtProductPattern *pattern)
{
  PtPtxAddresses addresses;

  pt_ptx_addresses (text, strlen (text), name, &addresses);
  return pt_product_pattern_find (text, &addresses, pattern);
}

static gboolean
find (const Kind *kind, PtProductPattern *pattern)
{
  g_autofree char *text = make_kernel (kind);

  return find_in (text, "k", pattern);
}

static void
test_found (void)
{
  for (guint i = 0; i < 8; i++) {
    const Kind kind = { (i & 1) != 0, (i & 2) != 0, i >= 4 ? "ex2.approx.f32 %r50, %r51;\n" : NULL,
                        NULL, 0 };
    PtProductPattern pattern;

    g_test_message ("kind %u", i);
    g_assert_true (find (&kind, &pattern));
    g_assert_cmpint (pattern.has_rows, ==, kind.has_rows);
    g_assert_cmpint (pattern.end, ==,
                     !kind.has_other ? PT_CUDA_ROW_PLAIN
                     : i >= 4        ? PT_CUDA_ROW_SILU
                                     : PT_CUDA_ROW_ADD);
  }
}

static void
test_others (void)
{
  static const Kind kinds[] = {
    /* It writes an input, or reads its output. */
    { FALSE, TRUE, "st.global.b32 [%rd1], %r50;\n", NULL, 0 },
    { TRUE, TRUE, "ld.global.b32 %r50, [%rd3];\n", NULL, 0 },
    /* An address of two tensors; an address from memory; a call. */
    { FALSE, TRUE, "add.s64 %rd9, %rd0, %rd1;\nld.global.b32 %r50, [%rd9];\n", NULL, 0 },
    { FALSE, TRUE, "ld.global.b64 %rd60, [%rd0];\nld.global.b32 %r50, [%rd60];\n", NULL, 0 },
    { FALSE, TRUE, "call.uni helper;\n", NULL, 0 },
    /* No product, or of other numbers; a tensor that nobody uses; more numbers. */
    { FALSE, TRUE, NULL, "mma", 0 },
    { FALSE, TRUE, NULL, ".bf16.bf16", 0 },
    { TRUE, TRUE, NULL, "[k_param_1]", 0 },
    { FALSE, TRUE, NULL, NULL, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    PtProductPattern pattern;

    g_test_message ("kind %u", i);
    g_assert_false (find (&kinds[i], &pattern));
  }
}

static void
test_damaged (void)
{
  const Kind kind = { TRUE, TRUE, NULL, NULL, 0 };
  g_autofree char *text = make_kernel (&kind);
  gsize size = strlen (text);
  PtProductPattern pattern;

  for (gsize n = 0; n < size; n += 3) {
    g_autofree char *part = g_strndup (text, n);

    find_in (part, "k", &pattern);
  }
  g_assert_false (find_in (text, "other", &pattern));
}

static void
test_launch (void)
{
  guint64 words[] = { 4096, 8192, 12288, 16384, 1, 0, 0 };
  void *arguments[G_N_ELEMENTS (words)];
  PtProductPattern pattern = { PT_CUDA_ROW_ADD, TRUE };
  PtCudaRow row;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    arguments[i] = &words[i];
  g_assert_true (pt_product_pattern_read (&pattern, arguments, &row));
  g_assert_cmpint (row.end, ==, PT_CUDA_ROW_ADD);
  g_assert_cmpuint (row.input, ==, 4096);
  g_assert_cmpuint (row.weights, ==, 8192);
  g_assert_cmpuint (row.other, ==, 12288);
  g_assert_cmpuint (row.output, ==, 16384);
  words[2] = 0;
  g_assert_false (pt_product_pattern_read (&pattern, arguments, &row));
  words[2] = 12288;
  words[4] = 2;
  g_assert_false (pt_product_pattern_read (&pattern, arguments, &row));
  /* Three tensors, and the rows in the code. */
  pattern = (PtProductPattern){ PT_CUDA_ROW_PLAIN, FALSE };
  g_assert_true (pt_product_pattern_read (&pattern, arguments, &row));
  g_assert_cmpuint (row.output, ==, 12288);
  g_assert_cmpuint (row.other, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/product-pattern/found", test_found);
  g_test_add_func ("/product-pattern/others", test_others);
  g_test_add_func ("/product-pattern/damaged", test_damaged);
  g_test_add_func ("/product-pattern/launch", test_launch);
  return g_test_run ();
}
