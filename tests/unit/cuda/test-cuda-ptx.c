/* SPDX-License-Identifier: BSD-3-Clause */

/* Finds the reads and writes of kernels in PTX. */

#include "engine/cuda/cuda-kernels-private.h"
#include "engine/cuda/ptx.h"

#include <string.h>

#define HEADER ".version 8.7\n.target sm_90a\n.address_size 64\n"

/* The effects are the same when they are taken from the addresses, if no parameter has more than 8
 * bytes. */
static void
check_addresses (const char *text, const char *name, const PtPtxEffects *effects)
{
  PtPtxAddresses addresses;
  PtPtxEffects same;

  pt_ptx_addresses (text, strlen (text), name, &addresses);
  if (!pt_ptx_effects_of_addresses (&addresses, &same))
    return;
  g_assert_cmpint (same.is_known, ==, effects->is_known);
  g_assert_cmpint (same.is_fixed, ==, effects->is_fixed);
  g_assert_cmpuint (same.control, ==, effects->control);
  g_assert_cmpuint (same.n_words, ==, effects->is_known ? effects->n_words : 0);
  g_assert_cmpuint (same.n_accesses, ==, effects->n_accesses);
  for (guint i = 0; i < same.n_accesses; i++) {
    g_assert_cmpuint (same.accesses[i].words, ==, effects->accesses[i].words);
    g_assert_cmpint (same.accesses[i].is_write, ==, effects->accesses[i].is_write);
    g_assert_cmpint (same.accesses[i].is_indirect, ==, effects->accesses[i].is_indirect);
  }
}

/* Effects as text: "r0 w1+8", sorted by their turn in the code; "?": unknown. */
static char *
describe (const char *text, const char *name)
{
  GString *string = g_string_new (NULL);
  PtPtxEffects effects;

  pt_ptx_effects (text, strlen (text), name, &effects);
  check_addresses (text, name, &effects);
  if (!effects.is_known)
    g_string_append (string, "?");
  for (guint i = 0; i < effects.n_accesses; i++) {
    g_string_append (string, i > 0 ? " " : "");
    g_string_append_c (string, effects.accesses[i].is_write ? 'w' : 'r');
    for (guint k = 0, n = 0; k < effects.n_words; k++) {
      if ((effects.accesses[i].words >> k & 1) == 0)
        continue;
      g_string_append_printf (string, n++ > 0 ? ",%u" : "%u", effects.words[k].parameter);
      if (effects.words[k].offset > 0)
        g_string_append_printf (string, "+%u", effects.words[k].offset);
    }
  }
  return g_string_free (string, FALSE);
}

/* A kernel with four pointers, a number of 8 bytes and one of 4. */
#define KERNEL(body)                                                                         \
  HEADER                                                                                     \
  ".visible .entry k(\n.param .u64 .ptr .global .align 1 k_param_0,\n"                       \
  ".param .u64 .ptr .global .align 1 k_param_1,\n.param .u64 k_param_2,\n"                   \
  ".param .u64 k_param_3,\n.param .u64 k_param_4,\n.param .u32 k_param_5\n)\n.reqntid 128\n" \
  "{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<20>;\n" body "ret;\n}\n"
#define LOAD(i) "ld.param.b64 %rd" #i ", [k_param_" #i "];\n"

static const struct {
  const char *name, *text, *effects;
} cases[] = {
  { "pointwise",
    KERNEL (LOAD (0) LOAD (1) LOAD (
        2) "ld.param.b32 %r1, [k_param_5];\n"
           "mov.u32 %r2, %ctaid.x;\nmad.lo.s32 %r3, %r2, 128, %r1; setp.lt.s32 %p1, %r3, %r1;\n"
           "mad.wide.s32 %rd8, %r3, 2, %rd0;\nmul.wide.s32 %rd9, %r3, 2;\nadd.s64 %rd10, %rd1, "
           "%rd9;\n"
           "add.s64 %rd11, %rd2, %rd9;\n@%p1 ld.global.b16 { %rs1 }, [ %rd8 + 0 ];\n"
           "@%p1 ld.global.L1::evict_last.v2.b32 { %r4, %r5 }, [%rd10+8];\nadd.s32 %r6, %r4, %r5;\n"
           "@%p1 st.global.b32 [ %rd11 + 0 ], { %r6 };\n"),
    "r0 r1 w2" },
  { "in place", KERNEL (LOAD (3) "ld.global.b32 %r1, [%rd3]; st.global.b32 [%rd3], %r1;"),
    "r3 w3" },
  /* An address that is stepped on in a loop comes from below. */
  { "loop",
    KERNEL (LOAD (0)
                LOAD (1) "mov.b64 %rd8, 0;\n$L__BB0_1:\nld.global.b32 %r1, [%rd9];\n"
                         "mov.b64 %rd9, %rd10;\nadd.s64 %rd10, %rd8, %rd11;\nmov.b64 %rd11, %rd0;\n"
                         "@%p1 bra $L__BB0_1;\nst.global.v4.b32 [%rd1], {%r1, %r1, %r1, %r1};\n"),
    "r0 w1" },
  { "chosen",
    KERNEL (LOAD (0) LOAD (1) LOAD (2) "selp.b64 %rd8, %rd0, %rd1, %p1; ld.global.b32 %r1, [%rd8];"
                                       "st.global.b32 [%rd2], %r1;"),
    "r0,1 w2" },
  /* An index that was loaded says nothing about where it is used. */
  { "index copy",
    KERNEL (LOAD (0) LOAD (1) LOAD (2)
                LOAD (4) "ld.global.b64 %rd8, [%rd0];\n"
                         "mad.lo.s64 %rd9, %rd8, %rd4, %rd1; ld.global.b32 %r1, [%rd2];\n"
                         "st.global.b32 [%rd9], %r1;"),
    "r0 r2 w1,4" },
  { "matrix product",
    KERNEL (LOAD (0) LOAD (1) LOAD (
        2) "mov.b32 %r1, global_smem; add.s32 %r2, %r1, 64;\n"
           "cp.async.cg.shared.global [ %r2 + 0 ], [ %rd0 + 0 ], 0x10, %r3;\n"
           "cp.async.ca.shared.global [%r2], [%rd1+16], 8; cp.async.commit_group;\n"
           "cp.async.wait_group 0; bar.sync 0;\n"
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];\n"
           "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 { %f1, %f2, %f3, %f4 },"
           " { %r4, %r5, %r6, %r7 }, { %r4, %r5 }, { %f1, %f2, %f3, %f4 };\n"
           "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r2], {%r4, %r5, %r6, %r7};\n"
           "ld.shared.v2.b32 {%r4, %r5}, [%r2]; @%p1 st.global.v2.b32 [%rd2], {%r4, %r5};"),
    "r0 r1 w2" },
  { "reduction",
    KERNEL (LOAD (0) LOAD (
        3) "ld.global.b32 %r1, [%rd0]; shfl.sync.bfly.b32 %r2|%p1, %r1, 16, 31, -1;"
           "st.shared.b32 [global_smem+4], %r2; bar.sync 0; ld.shared.b32 %r3, [global_smem];"
           "st.global.b32 [%rd3], %r3;"),
    "r0 w3" },
  { "atomics",
    KERNEL (LOAD (0) LOAD (1) LOAD (
        2) "atom.global.add.u32 %r1, [%rd0], 1; red.add.f32 [%rd1], 0f3F800000;"
           "atom.shared.exch.b32 %r2, [global_smem], %r1; red.shared::cta.add.u32 [%r3], 1;"),
    "w0 w1" },
  /* Pointers that lie in shared memory meanwhile. */
  { "through memory",
    KERNEL (LOAD (0) LOAD (1) "st.shared.b64 [%r1], %rd0; st.local.b64 [%r1], %rd1;"
                              "ld.local.b64 %rd8, [%r1]; st.global.b32 [%rd8], 0;"),
    "w0,1" },
  { "generic", KERNEL (LOAD (0) LOAD (1) "ld.b32 %r1, [%rd0]; st.b32 [%rd1], %r1;"), "r0 w1" },
  { "a table of its own",
    KERNEL (LOAD (0) "mov.b64 %rd8, table; add.s64 %rd9, %rd8, 4; ld.global.b32 %r1, [%rd9];"
                     "ld.const.b32 %r2, [numbers]; st.global.b32 [%rd0], %r1;"),
    "w0" },
  { "an assertion",
    KERNEL (LOAD (
        0) "@%p1 bra $L1;\n{\n.param .b64 param0;\nst.param.b64 [param0], %rd8;\n"
           "call.uni __assertfail, (param0, param0);\n}\ntrap;\n$L1: st.global.b32 [%rd0], 0;"),
    "w0" },
  { "names of people",
    KERNEL (LOAD (0) LOAD (
        1) "{ .reg .b64 from, to; .reg .pred done; add.u64 from, %rd0, 8; mov.b64 to, %rd1;\n"
           "@!done ld.global.b32 %r1, [from]; @done st.global.b32 [to], %r1; }\n"),
    "r0 w1" },
  { "vectors",
    KERNEL (LOAD (0) "mov.b64 %v1.x, %rd0; mov.b64 %rd8, %v1.y; st.global.b8 [%rd8], 0;"), "w0" },
  { "comments and lines",
    KERNEL (LOAD (
        0) "// st.global [%rd1]; }\n.loc 1 2 3\n.loc\t1 2 3, function_name $L, inlined_at 1 2 3\n"
           "/* ; } */ st.global.b8 [%rd0], 0; // done\n.pragma \"nounroll\";\n"),
    "w0" },
  { "nothing", KERNEL (""), "" },

  { "a call", KERNEL ("call.uni (retval0), vprintf, (param0, param1);"), "?" },
  { "a call by address", KERNEL ("call (%r1), %rd1, (%r2), prototype;"), "?" },
  { "an address from memory",
    KERNEL (LOAD (0) "ld.global.b64 %rd8, [%rd0]; st.global.b32 [%rd8], 0;"), "?" },
  { "reads there", KERNEL (LOAD (0) "ld.global.b64 %rd8, [%rd0]; ld.global.b32 %r1, [%rd8];"),
    "?" },
  { "its own variable", KERNEL ("mov.b64 %rd8, table; st.global.b32 [%rd8], 0;"), "?" },
  { "an unknown instruction",
    KERNEL (
        LOAD (0) "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r1], 64;"),
    "?" },
  { "a tensor map",
    KERNEL (LOAD (
        0) "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd0, {%r1, %r2}], [%r3];"),
    "?" },
  { "a texture", KERNEL ("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd0, {%r1}];"), "?" },
  { "no end", HEADER ".entry k(.param .u64 k_param_0)\n{\nret;\n", "?" },
  { "no semicolon", HEADER ".entry k()\n{\nret\n}", "?" },
  { "another name", HEADER ".entry kk()\n{\nret;\n}", "?" },
  { "no body", HEADER ".entry k", "?" },
  { "no type", HEADER ".entry k(.param x)\n{\nret;\n}", "?" },
  { "an unknown parameter", KERNEL ("ld.param.b64 %rd1, [k_param_9];"), "?" },
  { "empty", "", "?" },
};

static void
test_case (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *effects = describe (cases[i].text, "k");

  g_assert_cmpstr (effects, ==, cases[i].effects);
}

/* One parameter that is a struct, as in kernels of ours. */
#define STRUCT(body)                                                              \
  HEADER ".visible .entry s(.param .align 8 .b8 s_param_0[48], .param .b32 n)\n{" \
         ".reg .b64 %rd<9>;" body "ret; }"

static void
test_struct (void)
{
  static const struct {
    const char *text, *effects;
  } structs[] = {
    { STRUCT ("ld.param.u64 %rd1, [s_param_0+8]; ld.param.u64 %rd2, [s_param_0];"
              "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2], %r1;"),
      "r0+8 w0" },
    { STRUCT ("ld.param.v2.u64 {%rd1, %rd2}, [s_param_0+16]; st.global.u32 [%rd2], %r1;"),
      "w0+16,0+24" },
    { STRUCT ("ld.param.v2.u32 {%r1, %r2}, [s_param_0+16]; ld.param.u64 %rd1, [s_param_0+40];"
              "st.global.u32 [%rd1], %r1;"),
      "w0+40" },
    { STRUCT ("mov.b64 %rd3, s_param_0; add.s64 %rd4, %rd3, 24; ld.param.u64 %rd1, [%rd4+-16];"
              "ld.param.v2.u32 {%r1, %r2}, [%rd4]; ld.param.u64 %rd2, [%rd3+32];"
              "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd2+4], %r1;"),
      "r0+8 w0+32" },
    { STRUCT ("ld.param.v2.u32 {%r1, %r2}, [s_param_0+16]; mov.b64 %rd1, {%r1, %r2};"
              "st.global.u32 [%rd1], %r1;"),
      "?" },
    /* Its address goes where it is not followed. */
    { STRUCT ("mov.b64 %rd3, s_param_0; add.s64 %rd4, %rd3, %rd5; ld.param.u64 %rd1, [%rd4];"),
      "?" },
    { STRUCT ("mov.b64 %rd3, s_param_0; mov.b64 %rd3, %rd1;"), "?" },
    { STRUCT ("mov.b64 %rd3, 0; mov.b64 %rd3, s_param_0;"), "?" },
    { STRUCT ("mov.b64 %rd3, s_param_0; cvta.param.u64 %rd4, %rd3;"), "?" },
    { STRUCT ("mov.b64 %rd3, s_param_0; ld.param.u64 %rd1, [%rd3+44];"), "?" },
    { STRUCT ("mov.b64 %rd3, s_param_0; ld.u64 %rd1, [%rd3];"), "?" },
    { STRUCT ("ld.param.u64 %rd1, [s_param_0+48];"), "?" },
    { STRUCT ("ld.param.u64 %rd1, [s_param_0+-8];"), "?" },
    { STRUCT ("ld.param.u64 %rd1, [s_param_0-8];"), "?" },
    { STRUCT ("ld.param.u64 %rd1, [%rd2+8];"), "?" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (structs); i++) {
    g_autofree char *effects = describe (structs[i].text, "s");

    g_assert_cmpstr (effects, ==, structs[i].effects);
  }
}

/* Whether every launch with the same numbers writes the same bytes, and which words decide. */
static void
test_fixed (void)
{
  static const struct {
    const char *text;
    gboolean is_fixed;
    guint64 control; /* bits */
  } kernels[] = {
    { KERNEL (LOAD (0) LOAD (1) "ld.global.b32 %r1, [%rd0]; st.global.b32 [%rd1], %r1;"), TRUE, 0 },
    { KERNEL (LOAD (0) LOAD (1) LOAD (
          4) "mov.u32 %r2, %tid.x; setp.lt.u64 %p1, %rd4, 7; setp.lt.u32 %p2, %r2, 16;"
             "and.pred %p1, %p1, %p2; ld.global.b32 %r1, [%rd0]; @%p1 st.global.b32 [%rd1], %r1;"),
      TRUE, 16 },
    /* Values that are read decide an address, a predicate or a branch. */
    { KERNEL (LOAD (0) LOAD (1) "ld.global.b64 %rd8, [%rd0]; add.s64 %rd9, %rd1, %rd8;"
                                "st.global.b32 [%rd9], 0;"),
      FALSE, 0 },
    { KERNEL (LOAD (0) LOAD (1) "ld.global.b32 %r1, [%rd0]; setp.lt.s32 %p1, %r1, 5;"
                                "@!%p1 st.global.b32 [%rd1], 0;"),
      FALSE, 0 },
    { KERNEL (LOAD (0) LOAD (1) "ld.global.b32 %r1, [%rd0]; setp.lt.s32 %p1, %r1, 5; @%p1 bra $L;"
                                "st.global.b32 [%rd1], 0; $L:"),
      FALSE, 0 },
    { KERNEL (LOAD (0) LOAD (1) LOAD (2) "ld.global.b32 %r1, [%rd0]; setp.lt.s32 %p1, %r1, 5;"
                                         "selp.b64 %rd8, %rd1, %rd2, %p1;"
                                         "st.global.b32 [%rd8], 0;"),
      FALSE, 0 },
    { KERNEL (LOAD (0)
                  LOAD (1) "cp.async.ca.shared.global [%r2], [%rd0], 8; ld.shared.b32 %r1, [%r2];"
                           "mad.wide.s32 %rd8, %r1, 2, %rd1; st.global.b32 [%rd8], 0;"),
      FALSE, 0 },
    { KERNEL (LOAD (1) "mov.u32 %r1, %smid; mad.wide.s32 %rd8, %r1, 2, %rd1;"
                       "st.global.b32 [%rd8], 0;"),
      FALSE, 0 },
    { KERNEL (LOAD (1) "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @%p1 bra $L;"
                       "st.global.b32 [%rd1], 0; $L:"),
      FALSE, 0 },
    { KERNEL (LOAD (0) LOAD (1) "ld.global.b32 %r1, [%rd0]; brx.idx %r1, $table;"), FALSE, 0 },
    /* It reads, too. */
    { KERNEL (LOAD (1) "red.global.add.u32 [%rd1], 1;"), FALSE, 0 },
    /* A condition is no part of the address that it chooses. */
    { KERNEL (LOAD (0) LOAD (1) LOAD (3) "setp.lt.u64 %p1, %rd3, 5; selp.b64 %rd8, 0, 8, %p1;"
                                         "add.s64 %rd9, %rd1, %rd8; st.global.b32 [%rd9], 0;"),
      TRUE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++) {
    PtPtxEffects effects;

    pt_ptx_effects (kernels[i].text, strlen (kernels[i].text), "k", &effects);
    g_assert_true (effects.is_known);
    g_assert_cmpint (effects.is_fixed, ==, kernels[i].is_fixed);
    g_assert_cmphex (effects.control, ==, kernels[i].control);
  }
}

/* More than there is room for. */
static void
test_limits (void)
{
  g_autoptr (GString) many =
      g_string_new (HEADER ".entry k(.param .align 8 .b8 p[8000])\n{ ret; }");
  g_autoptr (GString) deep = g_string_new (HEADER ".entry k()\n");
  g_autofree char *effects = describe (many->str, "k"), *other = NULL;

  g_assert_cmpstr (effects, ==, "?");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (deep, '{');
  other = describe (deep->str, "k");
  g_assert_cmpstr (other, ==, "?");
}

/* Any part of a text, and any byte of it, may be wrong. */
static void
test_damage (void)
{
  PtPtxEffects effects;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize size = strlen (cases[i].text);

    for (gsize n = 0; n < size; n += 3) {
      g_autofree char *text = g_memdup2 (cases[i].text, size);

      pt_ptx_effects (text, n, "k", &effects);
      g_assert_false (effects.is_known && n + 3 < size);
      text[n] = "{}[](),.;%@\"x"[n % 14];
      pt_ptx_effects (text, size, "k", &effects);
    }
  }
}

/* The text in a fat binary, compressed, and text as it is. */
static void
test_image (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "cuda", "kernel.fatbin", NULL);
  g_autofree char *image = NULL, *text = NULL, *plain = NULL;
  gsize n, size;

  g_assert_null (pt_ptx_text ("\x7f"
                              "ELF and what follows it",
                              &size));
  plain = pt_ptx_text (cases[0].text, &size);
  g_assert_cmpstr (plain, ==, cases[0].text);
  g_assert_cmpuint (size, ==, strlen (cases[0].text));
  g_assert_true (g_file_get_contents (path, &image, &n, NULL));
  text = pt_ptx_text (image, &size);
#ifdef PT_HAVE_ZSTD
  g_assert_nonnull (text);
  g_assert_nonnull (strstr (text, ".entry"));
  g_assert_cmpuint (size, ==, strlen (text));
#endif
  for (gsize i = 16; i < 16 + 64; i++) {
    g_autofree char *damaged = g_memdup2 (image, n);

    damaged[i] = (char) ~damaged[i];
    /* Sizes are believed, as the driver does. */
    if (i >= 20 && i < 36)
      continue;
    g_free (pt_ptx_text (damaged, &size));
  }
}

/* Otherwise they would wait for everything in a graph. */
static void
test_own_kernels (void)
{
  static const char *const names[] = {
#define X(name) "pt_" #name,
    PT_INT4_ROWS_KERNELS (PT_KERNEL_INT4_ROWS) PT_ATTENTION_KERNELS (PT_KERNEL_ATTENTION)
        PT_ROW_KERNELS (PT_KERNEL_ROW) PT_ROW_PAIR_KERNELS (PT_KERNEL_ROW_PAIR) X (gate) X (norm)
            X (rotary)
#undef X
  };
  gconstpointer image = pt_cuda_kernels_image ();
  gsize size = 0;
  g_autofree char *text = image != NULL ? pt_ptx_text (image, &size) : NULL;

  if (text == NULL) {
    g_test_skip ("this build has no kernels, or cannot read their PTX");
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    PtPtxEffects effects;

    pt_ptx_effects (text, size, names[i], &effects);
    g_test_message ("%s", names[i]);
    g_assert_true (effects.is_known);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path =
        g_strdelimit (g_strdup_printf ("/cuda/ptx/%s", cases[i].name), " ", '-');

    g_test_add_data_func (path, GUINT_TO_POINTER (i), test_case);
  }
  g_test_add_func ("/cuda/ptx/struct", test_struct);
  g_test_add_func ("/cuda/ptx/fixed", test_fixed);
  g_test_add_func ("/cuda/ptx/limits", test_limits);
  g_test_add_func ("/cuda/ptx/damage", test_damage);
  g_test_add_func ("/cuda/ptx/image", test_image);
  g_test_add_func ("/cuda/ptx/own-kernels", test_own_kernels);
  return g_test_run ();
}
