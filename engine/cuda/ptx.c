/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/ptx.h"

#include <string.h>

#include "engine/cuda/ptx-private.h"

/* No real kernel has more; the effects of larger ones are unknown. */
#define MAX_STEPS 400000
#define MAX_PASSES 64

/* ---- statements ---- */

/* The text after the name of the kernel, up to the end; empty when there is no such kernel. */
static PtPtxSlice
find_entry (const char *text, const char *name)
{
  static const char keyword[] = ".entry";
  const char *p = text;
  PtPtxSlice rest = { text, 0 };

  while ((p = strstr (p, keyword)) != NULL) {
    p += strlen (keyword);
    rest = (PtPtxSlice){ p, strlen (p) };
    if (g_ascii_isspace (*p) && pt_ptx_equals (pt_ptx_next_word (&rest), name))
      return rest;
  }
  return (PtPtxSlice){ text, 0 };
}

static gboolean
split_parts (PtPtxInstruction *in, PtPtxSlice name)
{
  const char *p = name.p, *end = name.p + name.n;

  while (p < end) {
    const char *q = p;

    if (in->n_parts == PT_PTX_MAX_PARTS)
      return FALSE;
    while (q < end && *q != '.' && *q != ':')
      q++;
    in->parts[in->n_parts++] = (PtPtxSlice){ p, (gsize) (q - p) };
    p = q + 1;
  }
  return in->n_parts > 0;
}

static gboolean
split_operands (PtPtxInstruction *in, PtPtxSlice text)
{
  guint depth = 0;
  gsize begin = 0;

  for (gsize i = 0; i <= text.n; i++) {
    char c = i < text.n ? text.p[i] : ',';

    if (c == '{' || c == '[' || c == '(')
      depth++;
    else if ((c == '}' || c == ']' || c == ')') && depth > 0)
      depth--;
    if (c != ',' || (depth > 0 && i < text.n))
      continue;
    if (in->n_operands == PT_PTX_MAX_OPERANDS)
      return FALSE;
    in->operands[in->n_operands] = pt_ptx_trim ((PtPtxSlice){ text.p + begin, i - begin });
    if (in->operands[in->n_operands].n > 0)
      in->n_operands++;
    begin = i + 1;
  }
  return TRUE;
}

/* @text: without predicate, label and semicolon. */
static gboolean
read_instruction (PtPtxAnalysis *a, PtPtxSlice text)
{
  PtPtxInstruction in = { .n_parts = 0 };
  gsize n = 0;

  if (a->steps->len >= MAX_STEPS)
    return FALSE;
  while (n < text.n && !g_ascii_isspace (text.p[n]))
    n++;
  return split_parts (&in, (PtPtxSlice){ text.p, n }) &&
         split_operands (&in, (PtPtxSlice){ text.p + n, text.n - n }) &&
         pt_ptx_add_instruction (a, &in);
}

/* "@!%p1" and "$L__BB0_1:" */
static PtPtxSlice
without_prefixes (PtPtxAnalysis *a, PtPtxSlice text)
{
  for (;;) {
    PtPtxSlice rest = text, word = pt_ptx_next_word (&rest);

    if (pt_ptx_equals (word, "@")) {
      const char *condition = rest.p;

      do
        word = pt_ptx_next_word (&rest);
      while (pt_ptx_equals (word, "!") || pt_ptx_equals (word, "%"));
      a->is_fixed &=
          pt_ptx_add_control (a, (PtPtxSlice){ condition, (gsize) (rest.p - condition) });
      text = pt_ptx_trim (rest);
    } else if (word.n > 0 && pt_ptx_is_name (*word.p) && rest.n > 0 && *rest.p == ':') {
      text = pt_ptx_trim ((PtPtxSlice){ rest.p + 1, rest.n - 1 });
    } else {
      return text;
    }
  }
}

static gsize
length_to (PtPtxSlice text, char c)
{
  const char *end = memchr (text.p, c, text.n);

  return end != NULL ? (gsize) (end - text.p) : text.n;
}

/* Registers declared without "%", as in hand-written code. */
static void
declare_registers (PtPtxAnalysis *a, PtPtxSlice text)
{
  PtPtxSlice word;

  while ((word = pt_ptx_next_word (&text)).n > 0)
    if (pt_ptx_equals (word, ".") || pt_ptx_equals (word, "%"))
      pt_ptx_next_word (&text);
    else if (pt_ptx_is_name (*word.p) && !g_ascii_isdigit (*word.p))
      pt_ptx_register_index (a, word);
}

/* The length of a directive. Some directives end with the line, others with a semicolon. */
static gsize
read_directive (PtPtxAnalysis *a, PtPtxSlice rest)
{
  PtPtxSlice text = rest, word;
  gsize n = length_to (rest, ';');

  pt_ptx_next_word (&text);
  word = pt_ptx_next_word (&text);
  if (pt_ptx_equals (word, "loc") || pt_ptx_equals (word, "file"))
    return length_to (rest, '\n');
  if (pt_ptx_equals (word, "reg") && (gsize) (text.p - rest.p) < n)
    declare_registers (a, (PtPtxSlice){ text.p, n - (gsize) (text.p - rest.p) });
  return n;
}

static gboolean
read_body (PtPtxAnalysis *a, PtPtxSlice rest)
{
  guint depth = 0;

  do {
    PtPtxSlice statement;

    rest = without_prefixes (a, pt_ptx_trim (rest));
    if (rest.n == 0)
      return FALSE;
    if (*rest.p == '{' || *rest.p == '}') {
      if (*rest.p == '}' && depth == 0)
        return FALSE;
      depth = *rest.p == '{' ? depth + 1 : depth - 1;
      rest = (PtPtxSlice){ rest.p + 1, rest.n - 1 };
      continue;
    }
    statement = rest;
    statement.n = *rest.p == '.' ? read_directive (a, rest) : length_to (rest, ';');
    if (statement.n == rest.n)
      return FALSE;
    if (*rest.p != '.' && *rest.p != ';' && !read_instruction (a, statement))
      return FALSE;
    rest = (PtPtxSlice){ rest.p + statement.n + 1, rest.n - statement.n - 1 };
  } while (depth > 0);
  return TRUE;
}

/* ---- the data flow ---- */

static guint64
value_of (const PtPtxAnalysis *a, const PtPtxStep *step)
{
  guint64 value = step->seed;

  for (guint i = 0; i < step->n_from; i++)
    value |= a->values[g_array_index (a->ids, guint, step->from + i)];
  return value;
}

static gboolean
flow_once (PtPtxAnalysis *a)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < a->steps->len; i++) {
    const PtPtxStep *step = &g_array_index (a->steps, PtPtxStep, i);
    guint64 value = step->kind <= PT_PTX_CHOICE ? value_of (a, step) : 0;

    if (step->kind == PT_PTX_CHOICE)
      value &= PT_PTX_CHANGING;
    for (guint k = 0; value != 0 && k < step->n_to; k++) {
      guint64 *to = &a->values[g_array_index (a->ids, guint, step->to + k)];

      changed |= (*to | value) != *to;
      *to |= value;
    }
  }
  return changed;
}

static gboolean
flow (PtPtxAnalysis *a)
{
  static const char *const clocks[] = { "clock",       "clock_hi",       "clock64",
                                        "globaltimer", "globaltimer_lo", "globaltimer_hi",
                                        "smid",        "warpid" };

  a->values = g_new0 (guint64, g_hash_table_size (a->registers) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++)
    a->values[pt_ptx_find_register (a, clocks[i])] = PT_PTX_CHANGING;
  a->values[PT_PTX_CELL] = 0;
  for (guint i = 0; i < MAX_PASSES; i++)
    if (!flow_once (a))
      return TRUE;
  return FALSE;
}

static gboolean
keep_access (PtPtxEffects *effects, guint64 words, gboolean is_write, gboolean is_indirect)
{
  guint i;

  for (i = 0; i < effects->n_accesses; i++)
    if (effects->accesses[i].words == words && effects->accesses[i].is_write == is_write) {
      effects->accesses[i].is_indirect |= is_indirect;
      return TRUE;
    }
  if (i == PT_PTX_MAX_ACCESSES)
    return FALSE;
  effects->accesses[i].words = words;
  effects->accesses[i].is_write = is_write;
  effects->accesses[i].is_indirect = is_indirect;
  effects->n_accesses++;
  return TRUE;
}

static gboolean
collect (PtPtxAnalysis *a)
{
  for (guint i = 0; i < a->steps->len; i++) {
    const PtPtxStep *step = &g_array_index (a->steps, PtPtxStep, i);
    guint64 value = value_of (a, step);

    if (step->kind == PT_PTX_CONTROL)
      a->effects->control |= value & PT_PTX_WORDS;
    if (step->kind == PT_PTX_CONTROL || step->kind == PT_PTX_WRITE)
      a->is_fixed &= (value & PT_PTX_CHANGING) == 0;
    if (step->kind != PT_PTX_READ && step->kind != PT_PTX_WRITE)
      continue;
    /* A constant table of the kernel. A kernel that writes to it would be unknown. */
    if (step->kind == PT_PTX_READ && (value & ~PT_PTX_CHANGING) == PT_PTX_VARIABLE)
      continue;
    if ((value & PT_PTX_WORDS) == 0 ||
        !keep_access (a->effects, value & PT_PTX_WORDS, step->kind == PT_PTX_WRITE,
                      (value & PT_PTX_CHANGING) != 0))
      return FALSE;
  }
  return TRUE;
}

static gboolean
analyse (PtPtxAnalysis *a, const char *text, const char *name)
{
  PtPtxSlice rest = find_entry (text, name);

  if (rest.n == 0 || !pt_ptx_read_parameters (a, &rest))
    return FALSE;
  /* Directives such as ".maxntid 128, 1, 1". */
  rest.n = rest.n - length_to (rest, '{');
  rest.p += strcspn (rest.p, "{");
  return read_body (a, rest) && flow (a) && collect (a);
}

/* FALSE: not understood; then @effects is 0. */
static gboolean
analyse_text (PtPtxAnalysis *a, const char *text, gsize size, const char *name)
{
  g_autofree char *code = pt_ptx_without_comments (text, size);
  gboolean ok;

  a->names = g_string_chunk_new (4096);
  a->registers = g_hash_table_new (g_str_hash, g_str_equal);
  a->places = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  a->ids = g_array_new (FALSE, FALSE, sizeof (guint));
  a->steps = g_array_new (FALSE, FALSE, sizeof (PtPtxStep));
  a->is_fixed = TRUE;
  ok = analyse (a, code, name);
  if (!ok)
    memset (a->effects, 0, sizeof *a->effects);
  g_string_chunk_free (a->names);
  g_hash_table_unref (a->registers);
  g_hash_table_unref (a->places);
  g_array_unref (a->ids);
  g_array_unref (a->steps);
  g_free (a->values);
  return ok;
}

void
pt_ptx_effects (const char *text, gsize size, const char *name, PtPtxEffects *effects)
{
  g_autofree PtPtxAnalysis *a = g_new0 (PtPtxAnalysis, 1);

  memset (effects, 0, sizeof *effects);
  a->effects = effects;
  effects->is_known = analyse_text (a, text, size, name);
  effects->is_fixed = effects->is_known && a->is_fixed;
}

void
pt_ptx_addresses (const char *text, gsize size, const char *name, PtPtxAddresses *addresses)
{
  g_autofree PtPtxAnalysis *a = g_new0 (PtPtxAnalysis, 1);
  PtPtxEffects effects = { 0 };

  memset (addresses, 0, sizeof *addresses);
  a->effects = &effects;
  a->by_parameter = TRUE;
  if (!analyse_text (a, text, size, name) || a->n_parameters > PT_PTX_MAX_ADDRESS_PARAMETERS)
    return;
  addresses->is_known = TRUE;
  addresses->n_parameters = a->n_parameters;
  for (guint i = 0; i < a->n_parameters; i++)
    addresses->sizes[i] = (guint16) a->parameters[i].size;
  addresses->is_fixed = a->is_fixed;
  addresses->control = effects.control;
  addresses->n_accesses = effects.n_accesses;
  for (guint i = 0; i < effects.n_accesses; i++) {
    addresses->accesses[i].parameters = effects.accesses[i].words;
    addresses->accesses[i].is_write = effects.accesses[i].is_write;
    addresses->accesses[i].is_indirect = effects.accesses[i].is_indirect;
  }
}

/* The words among @parameters: those of 8 bytes, in order. */
static guint64
words_of (const PtPtxAddresses *addresses, guint64 parameters)
{
  guint64 words = 0;
  guint n = 0;

  for (guint i = 0; i < addresses->n_parameters; i++)
    if (addresses->sizes[i] == 8)
      words |= (parameters >> i & 1) << n++;
  return words;
}

gboolean
pt_ptx_effects_of_addresses (const PtPtxAddresses *addresses, PtPtxEffects *effects)
{
  memset (effects, 0, sizeof *effects);
  if (!addresses->is_known)
    return FALSE;
  for (guint i = 0; i < addresses->n_parameters; i++) {
    if (addresses->sizes[i] > 8)
      return FALSE;
    if (addresses->sizes[i] == 8)
      effects->words[effects->n_words++] = (PtPtxWord){ (guint16) i, 0 };
  }
  effects->is_known = TRUE;
  effects->is_fixed = addresses->is_fixed;
  effects->control = words_of (addresses, addresses->control);
  for (guint i = 0; i < addresses->n_accesses; i++) {
    guint64 words = words_of (addresses, addresses->accesses[i].parameters);

    /* Fewer bits never need more room. */
    if (words != 0 && keep_access (effects, words, addresses->accesses[i].is_write,
                                   addresses->accesses[i].is_indirect))
      continue;
    memset (effects, 0, sizeof *effects);
    break;
  }
  return TRUE;
}
