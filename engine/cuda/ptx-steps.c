/* SPDX-License-Identifier: BSD-3-Clause */
/* Translates the parameters and instructions of a kernel into steps of the data flow. */
#include <string.h>

#include "engine/cuda/ptx-private.h"

/* ---- parameters ---- */

/* The size in bytes of a type: ".b8", ".u64", ...; 0 for another word. */
static gsize
type_size (PtPtxSlice word)
{
  PtPtxSlice digits = { word.p + 1, word.n - 1 };

  if (word.n < 2 || strchr ("busf", word.p[0]) == NULL)
    return 0;
  if (pt_ptx_equals (digits, "8"))
    return 1;
  if (pt_ptx_equals (digits, "16"))
    return 2;
  if (pt_ptx_equals (digits, "32"))
    return 4;
  if (pt_ptx_equals (digits, "64"))
    return 8;
  return pt_ptx_equals (digits, "128") ? 16 : 0;
}

static gboolean
add_words (PtPtxAnalysis *a, PtPtxParameter *parameter)
{
  PtPtxEffects *effects = a->effects;
  gsize n = parameter->size / 8;

  parameter->first_word = effects->n_words;
  if (n > PT_PTX_MAX_WORDS - effects->n_words)
    return FALSE;
  parameter->n_words = (guint) n;
  for (guint i = 0; i < n; i++)
    effects->words[effects->n_words++] =
        (PtPtxWord){ (guint16) a->n_parameters, (guint16) (8 * i) };
  return TRUE;
}

/* ".param .u64 .ptr .global .align 1 NAME" or ".param .align 8 .b8 NAME[56]" */
static gboolean
add_parameter (PtPtxAnalysis *a, PtPtxSlice text)
{
  PtPtxParameter parameter = { { NULL, 0 }, 0, 0, 0 };
  gsize count = 1;
  PtPtxSlice word;

  if (a->n_parameters == PT_PTX_MAX_PARAMETERS)
    return FALSE;
  while ((word = pt_ptx_next_word (&text)).n > 0) {
    if (pt_ptx_equals (word, ".")) {
      word = pt_ptx_next_word (&text);
      if (parameter.size == 0)
        parameter.size = type_size (word);
      if (pt_ptx_equals (word, "align"))
        pt_ptx_next_word (&text);
    } else if (pt_ptx_equals (word, "[")) {
      word = pt_ptx_next_word (&text);
      count = word.n < 6 ? (gsize) g_ascii_strtoull (word.p, NULL, 10) : 0;
    } else if (!pt_ptx_equals (word, "]")) {
      parameter.name = word;
    }
  }
  parameter.size *= count;
  if (parameter.name.n == 0 || parameter.size == 0 || parameter.size > G_MAXUINT16 ||
      !add_words (a, &parameter))
    return FALSE;
  a->parameters[a->n_parameters++] = parameter;
  return TRUE;
}

static PtPtxParameter *
find_parameter (PtPtxAnalysis *a, PtPtxSlice name)
{
  for (guint i = 0; i < a->n_parameters; i++)
    if (a->parameters[i].name.n == name.n && memcmp (a->parameters[i].name.p, name.p, name.n) == 0)
      return &a->parameters[i];
  return NULL;
}

gboolean
pt_ptx_read_parameters (PtPtxAnalysis *a, PtPtxSlice *rest)
{
  const char *end, *p;

  *rest = pt_ptx_trim (*rest);
  if (rest->n == 0 || *rest->p != '(')
    return TRUE;
  end = memchr (rest->p, ')', rest->n);
  if (end == NULL)
    return FALSE;
  for (p = rest->p + 1; p < end;) {
    const char *comma = memchr (p, ',', (gsize) (end - p));
    PtPtxSlice text = pt_ptx_trim ((PtPtxSlice){ p, (gsize) ((comma != NULL ? comma : end) - p) });

    if (text.n > 0 && !add_parameter (a, text))
      return FALSE;
    p += (comma != NULL ? comma : end) - p + 1;
  }
  rest->n -= (gsize) (end + 1 - rest->p);
  rest->p = end + 1;
  return TRUE;
}

/* ---- operands ---- */

guint
pt_ptx_find_register (const PtPtxAnalysis *a, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (a->registers, name));
}

guint
pt_ptx_register_index (PtPtxAnalysis *a, PtPtxSlice name)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index = pt_ptx_find_register (a, text);

  if (index != 0)
    return index;
  index = g_hash_table_size (a->registers) + 1;
  g_hash_table_insert (a->registers, g_string_chunk_insert (a->names, text),
                       GUINT_TO_POINTER (index));
  return index;
}

/* Fails for a register with the address of a parameter: only add_place() follows such addresses. */
static gboolean
add_register (PtPtxAnalysis *a, PtPtxSlice name)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index;

  if (g_hash_table_contains (a->places, text))
    return FALSE;
  index = pt_ptx_register_index (a, name);
  g_array_append_val (a->ids, index);
  return TRUE;
}

/* An operand is a register, a parameter or a variable. */
static gboolean
add_name (PtPtxAnalysis *a, PtPtxSlice name, guint64 *seed)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index = pt_ptx_find_register (a, text);

  if (index != 0)
    g_array_append_val (a->ids, index);
  else if (find_parameter (a, name) != NULL)
    return FALSE;
  else if (seed != NULL)
    *seed |= PT_PTX_VARIABLE;
  return TRUE;
}

/*
 * Appends the registers of @text to the ids. Variables go to @seed, which may be NULL. FALSE when
 * the operand is the address of a parameter.
 */
static gboolean
add_registers (PtPtxAnalysis *a, PtPtxSlice text, guint64 *seed)
{
  PtPtxSlice word;

  while ((word = pt_ptx_next_word (&text)).n > 0) {
    if (pt_ptx_equals (word, "%")) {
      if (!add_register (a, pt_ptx_next_word (&text)))
        return FALSE;
      /* An element of a vector is treated as the whole vector. */
      if (text.n > 0 && *text.p == '.') {
        pt_ptx_next_word (&text);
        pt_ptx_next_word (&text);
      }
    } else if (pt_ptx_is_name (*word.p) && !g_ascii_isdigit (*word.p) &&
               !pt_ptx_equals (word, "_") && !add_name (a, word, seed)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
add_cell (PtPtxAnalysis *a)
{
  guint cell = PT_PTX_CELL;

  g_array_append_val (a->ids, cell);
}

/* Adds @step, whose registers are the last ones in the ids. */
static void
add_step (PtPtxAnalysis *a, PtPtxStep step)
{
  step.n_from = a->ids->len - step.from;
  g_array_append_val (a->steps, step);
}

static gboolean
has_part (const PtPtxInstruction *in, const char *text)
{
  for (guint i = 1; i < in->n_parts; i++)
    if (pt_ptx_equals (in->parts[i], text))
      return TRUE;
  return FALSE;
}

static gboolean
is_bracket (PtPtxSlice operand)
{
  return operand.n > 0 && *operand.p == '[';
}

/* Adds a flow from the operands from @first on to the operand @to, or to the memory cell (NULL). */
static gboolean
add_move (PtPtxAnalysis *a, const PtPtxInstruction *in, const PtPtxSlice *to, guint first,
          guint64 seed)
{
  PtPtxStep step = { PT_PTX_MOVE, a->ids->len, 0, 0, 0, seed };

  if (to == NULL)
    add_cell (a);
  else if (!add_registers (a, *to, NULL))
    return FALSE;
  step.n_to = a->ids->len - step.to;
  step.from = a->ids->len;
  for (guint i = first; i < in->n_operands; i++)
    if (!add_registers (a, in->operands[i], &step.seed))
      return FALSE;
  add_step (a, step);
  return TRUE;
}

static gboolean
add_access (PtPtxAnalysis *a, const PtPtxInstruction *in, guint operand, gboolean is_write)
{
  PtPtxStep step = { is_write ? PT_PTX_WRITE : PT_PTX_READ, 0, 0, a->ids->len, 0, 0 };

  if (operand >= in->n_operands || !is_bracket (in->operands[operand]) ||
      !add_registers (a, in->operands[operand], &step.seed))
    return FALSE;
  add_step (a, step);
  return TRUE;
}

/* Sets an operand, or the memory cell (NULL), to an unknown number. */
static gboolean
add_changing (PtPtxAnalysis *a, const PtPtxInstruction *in, const PtPtxSlice *to)
{
  return add_move (a, in, to, in->n_operands, PT_PTX_CHANGING);
}

gboolean
pt_ptx_add_control (PtPtxAnalysis *a, PtPtxSlice text)
{
  PtPtxStep step = { PT_PTX_CONTROL, 0, 0, a->ids->len, 0, 0 };

  if (!add_registers (a, text, NULL))
    return FALSE;
  add_step (a, step);
  return TRUE;
}

/* A value that is stored in shared or local memory may be loaded at any address of it. */
static gboolean
add_from_cell (PtPtxAnalysis *a, const PtPtxSlice *to)
{
  PtPtxStep step = { PT_PTX_MOVE, a->ids->len, 0, 0, 0, 0 };

  if (!add_registers (a, *to, NULL))
    return FALSE;
  step.n_to = a->ids->len - step.to;
  step.from = a->ids->len;
  add_cell (a);
  add_step (a, step);
  return TRUE;
}

/* ---- memory instructions ---- */

static gboolean
is_shared (const PtPtxInstruction *in)
{
  return has_part (in, "shared") || has_part (in, "local");
}

/* Reads "NAME+8]", "%rd1+-8]" or "%rd1, 8" if it refers to a parameter. */
static gboolean
read_place (PtPtxAnalysis *a, PtPtxSlice text, PtPtxPlace *place)
{
  PtPtxSlice word = pt_ptx_next_word (&text);
  gboolean is_negative = FALSE;
  gint64 offset = 0;

  *place = (PtPtxPlace){ NULL, 0 };
  if (pt_ptx_equals (word, "%")) {
    PtPtxSlice name = pt_ptx_next_word (&text);
    g_autofree char *key = g_strndup (name.p, name.n);
    const PtPtxPlace *known = g_hash_table_lookup (a->places, key);

    if (known != NULL)
      *place = *known;
  } else {
    place->parameter = find_parameter (a, word);
  }
  while ((word = pt_ptx_next_word (&text)).n > 0 && !pt_ptx_equals (word, "]")) {
    if (pt_ptx_equals (word, "-"))
      is_negative = TRUE;
    else if (g_ascii_isdigit (*word.p) && word.n < 10)
      offset = (gint64) g_ascii_strtoull (word.p, NULL, 0);
    else if (!pt_ptx_equals (word, "+") && !pt_ptx_equals (word, ","))
      return FALSE;
  }
  place->offset += is_negative ? -offset : offset;
  return place->parameter != NULL && ABS (place->offset) <= G_MAXUINT16;
}

/*
 * Records that a register holds the address of a parameter, with an offset. A register can have
 * only one such address.
 */
static gboolean
add_place (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  PtPtxSlice to = in->operands[0], from = in->operands[1];
  PtPtxPlace place;
  g_autofree char *key = NULL;

  if (in->n_operands == 3)
    from.n = (gsize) (in->operands[2].p + in->operands[2].n - from.p);
  if (!pt_ptx_equals (pt_ptx_next_word (&to), "%") || !read_place (a, from, &place))
    return FALSE;
  key = g_strndup (to.p, to.n);
  if (pt_ptx_find_register (a, key) != 0 || g_hash_table_contains (a->places, key))
    return FALSE;
  g_hash_table_insert (a->places, g_string_chunk_insert (a->names, key),
                       g_memdup2 (&place, sizeof place));
  return TRUE;
}

static gboolean
load_parameter (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  PtPtxSlice text = in->operands[1];
  gsize n = has_part (in, "v4") ? 4 : has_part (in, "v2") ? 2 : 1;
  gsize width = type_size (in->parts[in->n_parts - 1]), size = n * width;
  guint64 seed = 0;
  PtPtxPlace place;

  pt_ptx_next_word (&text); /* [ */
  if (!read_place (a, text, &place) || size == 0 || place.offset < 0 ||
      (gsize) place.offset + size > place.parameter->size)
    return FALSE;
  if (a->by_parameter) {
    gsize index = (gsize) (place.parameter - a->parameters);

    if (index >= PT_PTX_MAX_ADDRESS_PARAMETERS)
      return FALSE;
    return add_move (a, in, &in->operands[0], in->n_operands, G_GUINT64_CONSTANT (1) << index);
  }
  /*
   * Values of less than 8 bytes get no origin. An access whose address is made of halves has no
   * origin at all, and is unknown.
   */
  for (gsize i = (gsize) place.offset / 8; width >= 8 && i <= ((gsize) place.offset + size - 1) / 8;
       i++)
    if (i < place.parameter->n_words)
      seed |= G_GUINT64_CONSTANT (1) << (place.parameter->first_word + i);
  return add_move (a, in, &in->operands[0], in->n_operands, seed);
}

static gboolean
add_load (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  if (in->n_operands < 2 || !is_bracket (in->operands[1]))
    return FALSE;
  if (has_part (in, "param"))
    return load_parameter (a, in);
  if (has_part (in, "const"))
    return TRUE;
  if (is_shared (in))
    return add_from_cell (a, &in->operands[0]);
  if (!has_part (in, "global") && !add_from_cell (a, &in->operands[0]))
    return FALSE;
  return add_changing (a, in, &in->operands[0]) && add_access (a, in, 1, FALSE);
}

static gboolean
add_store (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  if (in->n_operands < 2 || !is_bracket (in->operands[0]) || has_part (in, "async") ||
      has_part (in, "bulk"))
    return FALSE;
  if (has_part (in, "param")) /* the arguments of the one function whose calls are understood */
    return TRUE;
  if (!has_part (in, "global") && !add_move (a, in, NULL, 1, 0))
    return FALSE;
  return is_shared (in) || add_access (a, in, 0, TRUE);
}

static gboolean
add_atomic (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  guint address = pt_ptx_equals (in->parts[0], "atom") ? 1 : 0;

  if (has_part (in, "async") || in->n_operands <= address || !is_bracket (in->operands[address]))
    return FALSE;
  if (!has_part (in, "global") && (!add_move (a, in, NULL, address + 1, 0) ||
                                   (address == 1 && !add_from_cell (a, &in->operands[0]))))
    return FALSE;
  if (address == 1 && !add_changing (a, in, &in->operands[0]))
    return FALSE;
  a->is_fixed &= is_shared (in);
  return is_shared (in) || add_access (a, in, address, TRUE);
}

static gboolean
add_memory (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  PtPtxSlice name = in->parts[0];

  if (pt_ptx_equals (name, "ld") || pt_ptx_equals (name, "ldu"))
    return add_load (a, in);
  if (pt_ptx_equals (name, "st"))
    return add_store (a, in);
  if (pt_ptx_equals (name, "atom") || pt_ptx_equals (name, "red"))
    return add_atomic (a, in);
  if (pt_ptx_equals (name, "ldmatrix"))
    return add_from_cell (a, &in->operands[0]);
  if (pt_ptx_equals (name, "stmatrix"))
    return add_move (a, in, NULL, 1, 0);
  if (pt_ptx_equals (name, "cp") && in->n_parts > 2 && pt_ptx_equals (in->parts[1], "async") &&
      (pt_ptx_equals (in->parts[2], "ca") || pt_ptx_equals (in->parts[2], "cg")))
    return add_changing (a, in, NULL) && add_access (a, in, 1, FALSE);
  if (pt_ptx_equals (name, "mbarrier"))
    return is_bracket (in->operands[0]) || add_changing (a, in, &in->operands[0]);
  return pt_ptx_equals (name, "prefetch") || pt_ptx_equals (name, "prefetchu") ||
         pt_ptx_equals (name, "createpolicy");
}

/* "mov.b64 %rd1, NAME" and "add.s64 %rd2, %rd1, 8" */
static gboolean
is_about_parameter (PtPtxAnalysis *a, const PtPtxInstruction *in)
{
  PtPtxSlice text = in->operands[1];
  PtPtxPlace place;

  text.n = MIN (text.n, strcspn (text.p, "+-"));
  return ((pt_ptx_equals (in->parts[0], "mov") && in->n_operands == 2) ||
          (pt_ptx_equals (in->parts[0], "add") && in->n_operands == 3)) &&
         read_place (a, text, &place);
}

/* "selp.b64 %rd3, %rd1, %rd2, %p1": the result may be either operand, whatever the condition is. */
static gboolean
add_choice (PtPtxAnalysis *a, PtPtxInstruction *in)
{
  PtPtxStep step = { PT_PTX_CHOICE, a->ids->len, 0, 0, 0, 0 };

  if (!add_registers (a, in->operands[0], NULL))
    return FALSE;
  step.n_to = a->ids->len - step.to;
  step.from = a->ids->len;
  if (!add_registers (a, in->operands[3], NULL))
    return FALSE;
  add_step (a, step);
  in->n_operands = 3;
  return add_move (a, in, &in->operands[0], 1, 0);
}

gboolean
pt_ptx_add_instruction (PtPtxAnalysis *a, PtPtxInstruction *in)
{
  for (guint i = 0; i < in->n_operands; i++)
    if (memchr (in->operands[i].p, '[', in->operands[i].n) != NULL)
      return add_memory (a, in);
  /* This function reports an assertion and ends the program. */
  if (pt_ptx_equals (in->parts[0], "call"))
    return in->n_operands > 0 && pt_ptx_equals (in->operands[0], "__assertfail");
  if (in->n_operands < 2)
    return TRUE;
  if (pt_ptx_equals (in->parts[0], "brx"))
    return pt_ptx_add_control (a, in->operands[0]);
  if (pt_ptx_equals (in->parts[0], "selp") && in->n_operands == 4)
    return add_choice (a, in);
  if (is_about_parameter (a, in))
    return add_place (a, in);
  return add_move (a, in, &in->operands[0], 1, 0);
}
