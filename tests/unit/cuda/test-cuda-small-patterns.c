/* SPDX-License-Identifier: BSD-3-Clause */

/* Kernels between products are recognised by their parameters and the roles of these in the PTX. */

#include <string.h>

#include "engine/cuda/kernel-pattern.h"
#include "engine/cuda/pattern-text.h"

/*
 * A kernel whose tensors are described by letters: r read, w written, b both, i written at an index
 * from memory, t read at one. @has_length: a parameter of 8 bytes that is in their addresses, too.
 */
typedef struct {
  const char *tensors;
  gboolean has_length;
  guint n_numbers;
  const char *body; /* further instructions */
} Kind;

#define ROOT "add.rn.f32 %r60, %r61, 0f3727C5AC;\nrsqrt.approx.ftz.f32 %r62, %r60;\n"
#define SINE "mul.rn.f32 %r63, %r64, 0f3F22F983;\n"

static void
add_access (GString *text, guint i, char letter, gboolean has_length)
{
  g_string_append_printf (text, "ld.param.b64 %%rd%u, [k_param_%u];\n", i, i);
  if (has_length)
    g_string_append_printf (text, "mad.lo.s64 %%rd%u, %%rd40, 4, %%rd%u;\n", i, i);
  if (letter == 'i' || letter == 't')
    g_string_append_printf (
        text, "ld.global.b64 %%rd41, [%%rd0];\nmad.lo.s64 %%rd%u, %%rd41, 64, %%rd%u;\n", i, i);
  if (letter == 'r' || letter == 'b' || letter == 't')
    g_string_append_printf (text, "ld.global.b32 %%r51, [%%rd%u];\n", i);
  if (letter == 'w' || letter == 'b' || letter == 'i')
    g_string_append_printf (text, "st.global.b32 [%%rd%u], %%r50;\n", i);
}

static char *
make_kernel (const Kind *kind)
{
  GString *text = g_string_new (".version 8.7\n.target sm_90a\n.visible .entry k(\n");
  guint n_tensors = (guint) strlen (kind->tensors), first = n_tensors + kind->has_length;
  guint n = first + kind->n_numbers + 2;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s.param .%s k_param_%u", i > 0 ? ",\n" : "",
                            i >= first && i < first + kind->n_numbers ? "u32" : "u64", i);
  g_string_append (text, "\n)\n.reqntid 128\n{\n");
  if (kind->has_length)
    g_string_append_printf (text, "ld.param.b64 %%rd40, [k_param_%u];\n", n_tensors);
  for (guint i = 0; i < n_tensors; i++)
    add_access (text, i, kind->tensors[i], kind->has_length && i == 1);
  g_string_append (text, kind->body);
  g_string_append (text, "ret;\n}\n");
  return g_string_free (text, FALSE);
}

static PtPatternKind
find_in (const char *text, PtKernelPattern *pattern)
{
  PtPtxAddresses addresses;

  pt_ptx_addresses (text, strlen (text), "k", &addresses);
  return pt_kernel_pattern_find (text, &addresses, pattern) ? pattern->kind : PT_PATTERN_NOTHING;
}

static PtPatternKind
find (const Kind *kind, PtKernelPattern *pattern)
{
  g_autofree char *text = make_kernel (kind);

  return find_in (text, pattern);
}

/* ---- RMSNorm ---- */

static void
expect_norm (const char *tensors, guint n_inputs, int sum, guint weights, guint output, int table)
{
  const Kind kind = { tensors, FALSE, 2, ROOT };
  PtKernelPattern pattern;

  g_test_message ("%s", tensors);
  g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_NORM);
  g_assert_cmpuint (pattern.norm.n_inputs, ==, n_inputs);
  g_assert_cmpint (pattern.norm.has_sum ? pattern.norm.sum : -1, ==, sum);
  g_assert_cmpuint (pattern.norm.weights, ==, weights);
  g_assert_cmpuint (pattern.norm.output, ==, output);
  g_assert_cmpint (pattern.norm.has_table ? pattern.norm.table : -1, ==, table);
  g_assert_cmpfloat_with_epsilon (pattern.norm.epsilon, 1e-5, 1e-9);
}

static void
test_norm (void)
{
  PtKernelPattern pattern;
  const Kind kind = { "rrw", FALSE, 1, ROOT };

  expect_norm ("rrw", 1, -1, 1, 2, -1);
  expect_norm ("rrrrw", 3, -1, 3, 4, -1);
  expect_norm ("rtrw", 0, -1, 2, 3, 1);
  expect_norm ("rtrrrw", 2, -1, 4, 5, 1);
  /* The sum is written in place, then the result. */
  expect_norm ("brrw", 2, 0, 2, 3, -1);
  expect_norm ("brr", 2, -1, 2, 0, -1);
  g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_NORM);
  g_assert_false (pattern.norm.has_rows);
}

static void
test_no_norm (void)
{
  static const Kind kinds[] = {
    { "rrw", FALSE, 0, ROOT },                                 /* no size */
    { "rrw", FALSE, 3, ROOT },                                 /* too many */
    { "rrw", FALSE, 2, "" },                                   /* no root */
    { "rrw", FALSE, 2, "rsqrt.approx.ftz.f32 %r62, %r60;\n" }, /* of what */
    { "rrw", FALSE, 2, ROOT "mma.sync.aligned.m16n8k16 %r1, %r2;\n" },
    { "rr", FALSE, 2, ROOT },        /* nothing is written */
    { "bbw", FALSE, 2, ROOT },       /* no weights */
    { "rrwww", FALSE, 2, ROOT },     /* three results */
    { "rttrw", FALSE, 2, ROOT },     /* two tables */
    { "rw", FALSE, 2, ROOT },        /* no input */
    { "rrrrrrrrw", FALSE, 2, ROOT }, /* too many inputs */
    { "rrw", FALSE, 2, ROOT "call.uni helper;\n" },
    { "rrw", FALSE, 2, ROOT "add.s64 %rd50, %rd0, %rd1;\nld.global.b32 %r1, [%rd50];\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    PtKernelPattern pattern;

    g_test_message ("kind %u", i);
    g_assert_cmpint (find (&kinds[i], &pattern), ==, PT_PATTERN_NOTHING);
  }
}

static void
test_norm_launch (void)
{
  guint64 words[] = { 4096, 8192, 12288, 16384, 20480, 1, 64, 0, 0 };
  void *arguments[G_N_ELEMENTS (words)];
  const Kind kind = { "rtrrw", FALSE, 2, ROOT };
  PtKernelPattern pattern;
  PtCudaNorm norm;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    arguments[i] = &words[i];
  g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_NORM);
  g_assert_true (pt_norm_pattern_read (&pattern.norm, arguments, &norm));
  g_assert_cmpuint (norm.token, ==, 4096);
  g_assert_cmpuint (norm.table, ==, 8192);
  g_assert_cmpuint (norm.inputs[0], ==, 12288);
  g_assert_cmpuint (norm.weights, ==, 16384);
  g_assert_cmpuint (norm.output, ==, 20480);
  g_assert_cmpint (norm.n, ==, 64);
  words[5] = 2;
  g_assert_false (pt_norm_pattern_read (&pattern.norm, arguments, &norm));
}

/* ---- Rotary positions ---- */

typedef struct {
  const char *tensors;
  gboolean has_root, is_cache, has_values, has_mask, has_partial;
} Rotary;

static void
test_rotary (void)
{
  static const Rotary cases[] = {
    { "rrw", FALSE, FALSE, FALSE, FALSE, FALSE },  { "rrrw", FALSE, FALSE, FALSE, FALSE, TRUE },
    { "rrrw", TRUE, FALSE, FALSE, FALSE, FALSE },  { "rrri", FALSE, TRUE, FALSE, FALSE, FALSE },
    { "rrrriw", TRUE, TRUE, FALSE, TRUE, FALSE },  { "rrrrriiw", TRUE, TRUE, TRUE, TRUE, FALSE },
    { "rrrrii", FALSE, TRUE, TRUE, FALSE, FALSE },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const Rotary *rotary = &cases[i / 2];
    const Kind kind = { rotary->tensors, i % 2 != 0, 2, rotary->has_root ? ROOT SINE : SINE };
    PtKernelPattern pattern;

    g_test_message ("%s", rotary->tensors);
    g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_ROTARY);
    g_assert_cmpint (pattern.rotary.has_weights, ==, rotary->has_root);
    g_assert_cmpint (pattern.rotary.is_cache, ==, rotary->is_cache);
    g_assert_cmpint (pattern.rotary.has_values, ==, rotary->has_values);
    g_assert_cmpint (pattern.rotary.has_mask, ==, rotary->has_mask);
    g_assert_cmpint (pattern.rotary.has_partial, ==, rotary->has_partial);
    g_assert_cmpint (pattern.rotary.has_length, ==, i % 2 != 0);
  }
}

static void
test_no_rotary (void)
{
  static const Kind kinds[] = {
    { "rrw", FALSE, 2, "" },      { "rrw", FALSE, 1, SINE },    { "rrw", FALSE, 3, SINE },
    { "rw", FALSE, 2, SINE },     { "rrrrw", FALSE, 2, SINE },  { "rrww", FALSE, 2, SINE },
    { "rwrw", FALSE, 2, SINE },   { "rrbw", FALSE, 2, SINE },   { "rrrwi", FALSE, 2, SINE },
    { "rrriii", FALSE, 2, SINE }, { "rrriww", FALSE, 2, SINE }, { "rrii", FALSE, 2, SINE },
    { "rrtw", FALSE, 2, SINE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    PtKernelPattern pattern;

    g_test_message ("%s", kinds[i].tensors);
    g_assert_cmpint (find (&kinds[i], &pattern), ==, PT_PATTERN_NOTHING);
  }
}

static void
test_rotary_launch (void)
{
  guint64 words[] = { 4096, 8192, 12288, 16384, 20480, 24576, 1, 64, 8, 0, 0 };
  void *arguments[G_N_ELEMENTS (words)];
  const Kind kind = { "rrrrii", TRUE, 2, SINE };
  PtKernelPattern pattern;
  PtCudaRotary rotary;
  PtCuPointer partial;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    arguments[i] = &words[i];
  g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_ROTARY);
  g_assert_true (pt_rotary_pattern_read (&pattern.rotary, arguments, 0, &rotary, &partial));
  g_assert_cmpint (rotary.layout, ==, PT_CUDA_ROTARY_CACHE);
  g_assert_cmpuint (rotary.position, ==, 12288);
  g_assert_cmpuint (rotary.values, ==, 16384);
  g_assert_cmpuint (rotary.output, ==, 20480);
  g_assert_cmpuint (rotary.value_output, ==, 24576);
  g_assert_cmpint (rotary.heads, ==, 64);
  g_assert_cmpint (rotary.dim, ==, 8);
  g_assert_cmpuint (partial, ==, 0);
  /* The other ways. */
  g_assert_true (pt_rotary_pattern_read (&pattern.rotary, arguments, 3, &rotary, &partial));
  g_assert_cmpuint (rotary.output, ==, 24576);
  g_assert_cmpint (rotary.heads, ==, 8);
  g_assert_false (pt_rotary_pattern_read (&pattern.rotary, arguments, 4, &rotary, &partial));
  g_assert_false (pt_rotary_pattern_read (&pattern.rotary, arguments, 8, &rotary, &partial));
  /* Two positions. */
  words[6] = 2;
  g_assert_false (pt_rotary_pattern_read (&pattern.rotary, arguments, 0, &rotary, &partial));
}

/* Only a kernel that needs nothing else may compute a part. */
static void
test_rotary_part (void)
{
  guint64 words[] = { 4096, 8192, 12288, 16384, 64, 8, 0, 0 };
  void *arguments[G_N_ELEMENTS (words)];
  const Kind part = { "rrw", FALSE, 2, SINE }, whole = { "rrrw", FALSE, 2, SINE };
  PtKernelPattern pattern;
  PtCudaRotary rotary;
  PtCuPointer partial;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    arguments[i] = &words[i];
  g_assert_cmpint (find (&whole, &pattern), ==, PT_PATTERN_ROTARY);
  g_assert_false (pt_rotary_pattern_read (&pattern.rotary, arguments, 4, &rotary, &partial));
  g_assert_cmpint (find (&part, &pattern), ==, PT_PATTERN_ROTARY);
  g_assert_true (pt_rotary_pattern_read (&pattern.rotary, arguments + 1, 2, &rotary, &partial));
  g_assert_false (rotary.is_part);
  g_assert_true (pt_rotary_pattern_read (&pattern.rotary, arguments + 1, 6, &rotary, &partial));
  g_assert_true (rotary.is_part);
  g_assert_cmpint (rotary.layout, ==, PT_CUDA_ROTARY_NUMBERS);
  g_assert_cmpuint (rotary.output, ==, 16384);
  g_assert_cmpint (rotary.heads, ==, 64);
}

/* ---- Gates ---- */

#define EXPONENTIAL "ex2.approx.ftz.f32 %r63, %r64;\n"

static void
test_gate (void)
{
  static const struct {
    Kind kind;
    guint second, output;
  } cases[] = { { { "br", FALSE, 1, EXPONENTIAL }, 1, 0 },
                { { "rb", FALSE, 1, EXPONENTIAL }, 1, 1 },
                { { "rrw", FALSE, 1, EXPONENTIAL }, 1, 2 },
                { { "wrr", FALSE, 1, EXPONENTIAL }, 2, 0 } };
  static const Kind others[] = {
    { "br", FALSE, 2, EXPONENTIAL },
    { "br", TRUE, 1, EXPONENTIAL },
    { "br", FALSE, 1, "" },
    { "bb", FALSE, 1, EXPONENTIAL },
    { "rr", FALSE, 1, EXPONENTIAL },
    { "rrrw", FALSE, 1, EXPONENTIAL },
    { "rw", FALSE, 1, EXPONENTIAL },
    { "rri", FALSE, 1, EXPONENTIAL },
    { "rrww", FALSE, 1, EXPONENTIAL },
  };
  PtKernelPattern pattern;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_assert_cmpint (find (&cases[i].kind, &pattern), ==, PT_PATTERN_GATE);
    g_assert_cmpuint (pattern.gate.inputs[1], ==, cases[i].second);
    g_assert_cmpuint (pattern.gate.output, ==, cases[i].output);
  }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    g_test_message ("%s", others[i].tensors);
    g_assert_cmpint (find (&others[i], &pattern), !=, PT_PATTERN_GATE);
  }
}

static void
test_gate_launch (void)
{
  guint64 words[] = { 4096, 8192, 64, 0, 0 };
  void *arguments[G_N_ELEMENTS (words)];
  const Kind kind = { "br", FALSE, 1, EXPONENTIAL };
  PtKernelPattern pattern;
  PtCudaGate gate;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    arguments[i] = &words[i];
  g_assert_cmpint (find (&kind, &pattern), ==, PT_PATTERN_GATE);
  g_assert_true (pt_gate_pattern_read (&pattern.gate, arguments, 0, &gate));
  g_assert_cmpuint (gate.gate, ==, 4096);
  g_assert_cmpuint (gate.output, ==, 4096);
  g_assert_cmpint (gate.n, ==, 64);
  g_assert_true (pt_gate_pattern_read (&pattern.gate, arguments, 1, &gate));
  g_assert_cmpuint (gate.gate, ==, 8192);
  g_assert_false (pt_gate_pattern_read (&pattern.gate, arguments, 2, &gate));
  words[2] = 60;
  g_assert_false (pt_gate_pattern_read (&pattern.gate, arguments, 0, &gate));
}

/* ---- Damaged text ---- */

static void
test_damaged (void)
{
  static const Kind kinds[] = { { "rtrrw", FALSE, 2, ROOT }, { "rrrrii", TRUE, 2, ROOT SINE } };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autofree char *text = make_kernel (&kinds[i]);

    for (gsize n = 0; n < strlen (text); n += 3) {
      g_autofree char *part = g_strndup (text, n);
      PtKernelPattern pattern;

      find_in (part, &pattern);
    }
  }
}

static void
test_epsilon (void)
{
  static const char *const wrong[] = {
    "",
    "rsqrt.approx",
    "rsqrt.approx.f32 %r1",
    "rsqrt.approx.f32 %r1, ;",
    "add.f32 %r2, %r3, 0f3727C5AC;\nrsqrt.approx.f32 %r1, %r21;\n",
    "add.f32 %r2, %r3, 0f3727C5AX;\nrsqrt.approx.f32 %r1, %r2;\n",
    "add.f32 %r2, %r3, %r4;\nrsqrt.approx.f32 %r1, %r2;\n",
    "rsqrt.approx.f32 %r1, %r2;\nadd.f32 %r2, %r3, 0f3727C5AC;\n",
  };
  double epsilon = 0;

  g_assert_true (pt_pattern_epsilon (
      "add.f32 %r2, %r3, 0f00000000;\n fma.rn.f32 %r2, %r3, %r4, 0f358637BD;\nadd.f32 %r5, %r2, "
      "%r2;\n rsqrt.approx.f32 %r1, %r2;\n",
      &epsilon));
  g_assert_cmpfloat_with_epsilon (epsilon, 1e-6, 1e-10);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_false (pt_pattern_epsilon (wrong[i], &epsilon));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/small-patterns/norm", test_norm);
  g_test_add_func ("/small-patterns/no-norm", test_no_norm);
  g_test_add_func ("/small-patterns/norm-launch", test_norm_launch);
  g_test_add_func ("/small-patterns/rotary", test_rotary);
  g_test_add_func ("/small-patterns/no-rotary", test_no_rotary);
  g_test_add_func ("/small-patterns/rotary-launch", test_rotary_launch);
  g_test_add_func ("/small-patterns/rotary-part", test_rotary_part);
  g_test_add_func ("/small-patterns/gate", test_gate);
  g_test_add_func ("/small-patterns/gate-launch", test_gate_launch);
  g_test_add_func ("/small-patterns/damaged", test_damaged);
  g_test_add_func ("/small-patterns/epsilon", test_epsilon);
  return g_test_run ();
}
