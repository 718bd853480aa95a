/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/ptx.h"

#include <string.h>

/* More than any kernel has; what is larger is unknown. */
#define MAX_STEPS 400000
#define MAX_PASSES 64
#define MAX_OPERANDS 16
#define MAX_PARTS 16
#define MAX_PARAMETERS 256

/* Of what a value was made: words of the arguments, the address of a variable, and what may be
 * another each time: bytes of memory, clocks. */
#define VARIABLE (G_GUINT64_CONSTANT (1) << 63)
#define CHANGING (G_GUINT64_CONSTANT (1) << 62)
#define WORDS (~(VARIABLE | CHANGING))

/* The register that stands for all of shared and local memory. */
#define CELL 0

typedef struct {
  const char *p;
  gsize n;
} Slice;

typedef struct {
  Slice name;
  gsize size;
  guint first_word, n_words; /* none when it is too small for an address */
} Parameter;

/* A byte of a parameter. */
typedef struct {
  const Parameter *parameter;
  gint64 offset;
} Place;

/*
 * to |= from | seed, for sets of registers; what changes of it, for the condition of a choice; an
 * access at the address from | seed; or from decides what is done.
 */
typedef struct {
  enum { STEP_MOVE, STEP_CHOICE, STEP_READ, STEP_WRITE, STEP_CONTROL } kind;
  guint to, n_to, from, n_from; /* in @ids */
  guint64 seed;
} Step;

typedef struct {
  PtPtxEffects *effects;
  Parameter parameters[MAX_PARAMETERS];
  guint n_parameters;
  GStringChunk *names;
  GHashTable *registers; /* name -> index */
  GHashTable *places; /* name of another register -> Place: it holds the address of a parameter */
  GArray *ids;        /* guint: registers of the steps */
  GArray *steps;      /* Step */
  guint64 *values;    /* [registers] */
  gboolean is_fixed;  /* so far */
} Analysis;

/* --- text --- */

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$';
}

static gboolean
equals (Slice slice, const char *text)
{
  return slice.n == strlen (text) && memcmp (slice.p, text, slice.n) == 0;
}

static Slice
trim (Slice slice)
{
  while (slice.n > 0 && g_ascii_isspace (*slice.p)) {
    slice.p++;
    slice.n--;
  }
  while (slice.n > 0 && g_ascii_isspace (slice.p[slice.n - 1]))
    slice.n--;
  return slice;
}

/* Takes the next word off @slice: names and digits, or one character of another kind. */
static Slice
next_word (Slice *slice)
{
  Slice word;

  *slice = trim (*slice);
  word.p = slice->p;
  word.n = slice->n > 0;
  if (slice->n > 0 && is_name (*slice->p))
    while (word.n < slice->n && is_name (slice->p[word.n]))
      word.n++;
  slice->p += word.n;
  slice->n -= word.n;
  return word;
}

/* Comments become spaces. */
static char *
without_comments (const char *text, gsize size)
{
  char *copy = g_strndup (text, size), *p = copy;

  while (*p != '\0') {
    gboolean is_line = p[0] == '/' && p[1] == '/';
    gboolean is_block = p[0] == '/' && p[1] == '*';

    if (!is_line && !is_block) {
      p++;
      continue;
    }
    while (*p != '\0' && (is_line ? *p != '\n' : !(p[0] == '*' && p[1] == '/')))
      *p++ = ' ';
    for (guint i = 0; is_block && i < 2 && *p != '\0'; i++)
      *p++ = ' ';
  }
  return copy;
}

/* What follows the name of the kernel, to the end of the text; empty: there is none. */
static Slice
find_entry (const char *text, const char *name)
{
  static const char keyword[] = ".entry";
  const char *p = text;
  Slice rest = { text, 0 };

  while ((p = strstr (p, keyword)) != NULL) {
    p += strlen (keyword);
    rest = (Slice){ p, strlen (p) };
    if (g_ascii_isspace (*p) && equals (next_word (&rest), name))
      return rest;
  }
  return (Slice){ text, 0 };
}

/* --- parameters --- */

/* ".b8", ".u64", ...: its bytes; 0: another word. */
static gsize
type_size (Slice word)
{
  Slice digits = { word.p + 1, word.n - 1 };

  if (word.n < 2 || strchr ("busf", word.p[0]) == NULL)
    return 0;
  if (equals (digits, "8"))
    return 1;
  if (equals (digits, "16"))
    return 2;
  if (equals (digits, "32"))
    return 4;
  if (equals (digits, "64"))
    return 8;
  return equals (digits, "128") ? 16 : 0;
}

static gboolean
add_words (Analysis *a, Parameter *parameter)
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
add_parameter (Analysis *a, Slice text)
{
  Parameter parameter = { { NULL, 0 }, 0, 0, 0 };
  gsize count = 1;
  Slice word;

  if (a->n_parameters == MAX_PARAMETERS)
    return FALSE;
  while ((word = next_word (&text)).n > 0) {
    if (equals (word, ".")) {
      word = next_word (&text);
      if (parameter.size == 0)
        parameter.size = type_size (word);
      if (equals (word, "align"))
        next_word (&text);
    } else if (equals (word, "[")) {
      word = next_word (&text);
      count = word.n < 6 ? (gsize) g_ascii_strtoull (word.p, NULL, 10) : 0;
    } else if (!equals (word, "]")) {
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

static Parameter *
find_parameter (Analysis *a, Slice name)
{
  for (guint i = 0; i < a->n_parameters; i++)
    if (a->parameters[i].name.n == name.n && memcmp (a->parameters[i].name.p, name.p, name.n) == 0)
      return &a->parameters[i];
  return NULL;
}

/* Takes "(...)" off @rest, if there is one. */
static gboolean
read_parameters (Analysis *a, Slice *rest)
{
  const char *end, *p;

  *rest = trim (*rest);
  if (rest->n == 0 || *rest->p != '(')
    return TRUE;
  end = memchr (rest->p, ')', rest->n);
  if (end == NULL)
    return FALSE;
  for (p = rest->p + 1; p < end;) {
    const char *comma = memchr (p, ',', (gsize) (end - p));
    Slice text = trim ((Slice){ p, (gsize) ((comma != NULL ? comma : end) - p) });

    if (text.n > 0 && !add_parameter (a, text))
      return FALSE;
    p += (comma != NULL ? comma : end) - p + 1;
  }
  rest->n -= (gsize) (end + 1 - rest->p);
  rest->p = end + 1;
  return TRUE;
}

/* --- operands --- */

/* 0: there is none. */
static guint
find_register (const Analysis *a, const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (a->registers, name));
}

static guint
register_index (Analysis *a, Slice name)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index = find_register (a, text);

  if (index != 0)
    return index;
  index = g_hash_table_size (a->registers) + 1;
  g_hash_table_insert (a->registers, g_string_chunk_insert (a->names, text),
                       GUINT_TO_POINTER (index));
  return index;
}

/* FALSE: it holds the address of a parameter, which is only followed in add_place(). */
static gboolean
add_register (Analysis *a, Slice name)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index;

  if (g_hash_table_contains (a->places, text))
    return FALSE;
  index = register_index (a, name);
  g_array_append_val (a->ids, index);
  return TRUE;
}

/* A register, a parameter or a variable. */
static gboolean
add_name (Analysis *a, Slice name, guint64 *seed)
{
  g_autofree char *text = g_strndup (name.p, name.n);
  guint index = find_register (a, text);

  if (index != 0)
    g_array_append_val (a->ids, index);
  else if (find_parameter (a, name) != NULL)
    return FALSE;
  else if (seed != NULL)
    *seed |= VARIABLE;
  return TRUE;
}

/*
 * Appends the registers of @text to the ids. Variables go to @seed, which may be NULL. FALSE when
 * the address of a parameter is taken.
 */
static gboolean
add_registers (Analysis *a, Slice text, guint64 *seed)
{
  Slice word;

  while ((word = next_word (&text)).n > 0) {
    if (equals (word, "%")) {
      if (!add_register (a, next_word (&text)))
        return FALSE;
      /* An element of a vector is as good as all of it. */
      if (text.n > 0 && *text.p == '.') {
        next_word (&text);
        next_word (&text);
      }
    } else if (is_name (*word.p) && !g_ascii_isdigit (*word.p) && !equals (word, "_") &&
               !add_name (a, word, seed)) {
      return FALSE;
    }
  }
  return TRUE;
}

static void
add_cell (Analysis *a)
{
  guint cell = CELL;

  g_array_append_val (a->ids, cell);
}

/* @step: its registers are the last of the ids. */
static void
add_step (Analysis *a, Step step)
{
  step.n_from = a->ids->len - step.from;
  g_array_append_val (a->steps, step);
}

/* An instruction in parts: "st", "global", "b32", and its operands. */
typedef struct {
  Slice parts[MAX_PARTS];
  guint n_parts;
  Slice operands[MAX_OPERANDS];
  guint n_operands;
} Instruction;

static gboolean
has_part (const Instruction *in, const char *text)
{
  for (guint i = 1; i < in->n_parts; i++)
    if (equals (in->parts[i], text))
      return TRUE;
  return FALSE;
}

static gboolean
is_bracket (Slice operand)
{
  return operand.n > 0 && *operand.p == '[';
}

/* Operands from @first on go into what @to, one operand or the cell (NULL), holds. */
static gboolean
add_move (Analysis *a, const Instruction *in, const Slice *to, guint first, guint64 seed)
{
  Step step = { STEP_MOVE, a->ids->len, 0, 0, 0, seed };

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
add_access (Analysis *a, const Instruction *in, guint operand, gboolean is_write)
{
  Step step = { is_write ? STEP_WRITE : STEP_READ, 0, 0, a->ids->len, 0, 0 };

  if (operand >= in->n_operands || !is_bracket (in->operands[operand]) ||
      !add_registers (a, in->operands[operand], &step.seed))
    return FALSE;
  add_step (a, step);
  return TRUE;
}

/* Any number into one operand, or into the cell (NULL). */
static gboolean
add_changing (Analysis *a, const Slice *to)
{
  Step step = { STEP_MOVE, a->ids->len, 0, 0, 0, CHANGING };

  if (to == NULL)
    add_cell (a);
  else if (!add_registers (a, *to, NULL))
    return FALSE;
  step.n_to = a->ids->len - step.to;
  step.from = a->ids->len;
  add_step (a, step);
  return TRUE;
}

/* What is done next depends on @text. */
static gboolean
add_control (Analysis *a, Slice text)
{
  Step step = { STEP_CONTROL, 0, 0, a->ids->len, 0, 0 };

  if (!add_registers (a, text, NULL))
    return FALSE;
  add_step (a, step);
  return TRUE;
}

/* What was put into shared or local memory may come out of it anywhere. */
static gboolean
add_from_cell (Analysis *a, const Slice *to)
{
  Step step = { STEP_MOVE, a->ids->len, 0, 0, 0, 0 };

  if (!add_registers (a, *to, NULL))
    return FALSE;
  step.n_to = a->ids->len - step.to;
  step.from = a->ids->len;
  add_cell (a);
  add_step (a, step);
  return TRUE;
}

/* --- instructions that reach memory --- */

static gboolean
is_shared (const Instruction *in)
{
  return has_part (in, "shared") || has_part (in, "local");
}

/* Reads "NAME+8]", "%rd1+-8]" or "%rd1, 8", as far as it is about a parameter. */
static gboolean
read_place (Analysis *a, Slice text, Place *place)
{
  Slice word = next_word (&text);
  gboolean is_negative = FALSE;
  gint64 offset = 0;

  *place = (Place){ NULL, 0 };
  if (equals (word, "%")) {
    Slice name = next_word (&text);
    g_autofree char *key = g_strndup (name.p, name.n);
    const Place *known = g_hash_table_lookup (a->places, key);

    if (known != NULL)
      *place = *known;
  } else {
    place->parameter = find_parameter (a, word);
  }
  while ((word = next_word (&text)).n > 0 && !equals (word, "]")) {
    if (equals (word, "-"))
      is_negative = TRUE;
    else if (g_ascii_isdigit (*word.p) && word.n < 10)
      offset = (gint64) g_ascii_strtoull (word.p, NULL, 0);
    else if (!equals (word, "+") && !equals (word, ","))
      return FALSE;
  }
  place->offset += is_negative ? -offset : offset;
  return place->parameter != NULL && ABS (place->offset) <= G_MAXUINT16;
}

/* The address of a parameter, or one near it; each register has one for good. */
static gboolean
add_place (Analysis *a, const Instruction *in)
{
  Slice to = in->operands[0], from = in->operands[1];
  Place place;
  g_autofree char *key = NULL;

  if (in->n_operands == 3)
    from.n = (gsize) (in->operands[2].p + in->operands[2].n - from.p);
  if (!equals (next_word (&to), "%") || !read_place (a, from, &place))
    return FALSE;
  key = g_strndup (to.p, to.n);
  if (find_register (a, key) != 0 || g_hash_table_contains (a->places, key))
    return FALSE;
  g_hash_table_insert (a->places, g_string_chunk_insert (a->names, key),
                       g_memdup2 (&place, sizeof place));
  return TRUE;
}

static gboolean
load_parameter (Analysis *a, const Instruction *in)
{
  Slice text = in->operands[1];
  gsize n = has_part (in, "v4") ? 4 : has_part (in, "v2") ? 2 : 1;
  gsize width = type_size (in->parts[in->n_parts - 1]), size = n * width;
  guint64 seed = 0;
  Place place;

  next_word (&text); /* [ */
  if (!read_place (a, text, &place) || size == 0 || place.offset < 0 ||
      (gsize) place.offset + size > place.parameter->size)
    return FALSE;
  /* Half an address is none: an access that is made of such has no other, and is unknown. */
  for (gsize i = (gsize) place.offset / 8; width >= 8 && i <= ((gsize) place.offset + size - 1) / 8;
       i++)
    if (i < place.parameter->n_words)
      seed |= G_GUINT64_CONSTANT (1) << (place.parameter->first_word + i);
  return add_move (a, in, &in->operands[0], in->n_operands, seed);
}

static gboolean
add_load (Analysis *a, const Instruction *in)
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
  return add_changing (a, &in->operands[0]) && add_access (a, in, 1, FALSE);
}

static gboolean
add_store (Analysis *a, const Instruction *in)
{
  if (in->n_operands < 2 || !is_bracket (in->operands[0]) || has_part (in, "async") ||
      has_part (in, "bulk"))
    return FALSE;
  if (has_part (in, "param")) /* arguments of the one call that is known */
    return TRUE;
  if (!has_part (in, "global") && !add_move (a, in, NULL, 1, 0))
    return FALSE;
  return is_shared (in) || add_access (a, in, 0, TRUE);
}

static gboolean
add_atomic (Analysis *a, const Instruction *in)
{
  guint address = equals (in->parts[0], "atom") ? 1 : 0;

  if (has_part (in, "async") || in->n_operands <= address || !is_bracket (in->operands[address]))
    return FALSE;
  if (!has_part (in, "global") && (!add_move (a, in, NULL, address + 1, 0) ||
                                   (address == 1 && !add_from_cell (a, &in->operands[0]))))
    return FALSE;
  if (address == 1 && !add_changing (a, &in->operands[0]))
    return FALSE;
  a->is_fixed &= is_shared (in);
  return is_shared (in) || add_access (a, in, address, TRUE);
}

static gboolean
add_memory (Analysis *a, const Instruction *in)
{
  Slice name = in->parts[0];

  if (equals (name, "ld") || equals (name, "ldu"))
    return add_load (a, in);
  if (equals (name, "st"))
    return add_store (a, in);
  if (equals (name, "atom") || equals (name, "red"))
    return add_atomic (a, in);
  if (equals (name, "ldmatrix"))
    return add_from_cell (a, &in->operands[0]);
  if (equals (name, "stmatrix"))
    return add_move (a, in, NULL, 1, 0);
  if (equals (name, "cp") && in->n_parts > 2 && equals (in->parts[1], "async") &&
      (equals (in->parts[2], "ca") || equals (in->parts[2], "cg")))
    return add_changing (a, NULL) && add_access (a, in, 1, FALSE);
  if (equals (name, "mbarrier"))
    return is_bracket (in->operands[0]) || add_changing (a, &in->operands[0]);
  return equals (name, "prefetch") || equals (name, "prefetchu") || equals (name, "createpolicy");
}

/* "mov.b64 %rd1, NAME" and "add.s64 %rd2, %rd1, 8" */
static gboolean
is_about_parameter (Analysis *a, const Instruction *in)
{
  Slice text = in->operands[1];
  Place place;

  text.n = MIN (text.n, strcspn (text.p, "+-"));
  return ((equals (in->parts[0], "mov") && in->n_operands == 2) ||
          (equals (in->parts[0], "add") && in->n_operands == 3)) &&
         read_place (a, text, &place);
}

/* "selp.b64 %rd3, %rd1, %rd2, %p1": one of two, whatever the condition was made of. */
static gboolean
add_choice (Analysis *a, Instruction *in)
{
  Step step = { STEP_CHOICE, a->ids->len, 0, 0, 0, 0 };

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

static gboolean
add_instruction (Analysis *a, Instruction *in)
{
  for (guint i = 0; i < in->n_operands; i++)
    if (memchr (in->operands[i].p, '[', in->operands[i].n) != NULL)
      return add_memory (a, in);
  /* It reports, and ends the program. */
  if (equals (in->parts[0], "call"))
    return in->n_operands > 0 && equals (in->operands[0], "__assertfail");
  if (in->n_operands < 2)
    return TRUE;
  if (equals (in->parts[0], "brx"))
    return add_control (a, in->operands[0]);
  if (equals (in->parts[0], "selp") && in->n_operands == 4)
    return add_choice (a, in);
  if (is_about_parameter (a, in))
    return add_place (a, in);
  return add_move (a, in, &in->operands[0], 1, 0);
}

/* --- statements --- */

static gboolean
split_parts (Instruction *in, Slice name)
{
  const char *p = name.p, *end = name.p + name.n;

  while (p < end) {
    const char *q = p;

    if (in->n_parts == MAX_PARTS)
      return FALSE;
    while (q < end && *q != '.' && *q != ':')
      q++;
    in->parts[in->n_parts++] = (Slice){ p, (gsize) (q - p) };
    p = q + 1;
  }
  return in->n_parts > 0;
}

static gboolean
split_operands (Instruction *in, Slice text)
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
    if (in->n_operands == MAX_OPERANDS)
      return FALSE;
    in->operands[in->n_operands] = trim ((Slice){ text.p + begin, i - begin });
    if (in->operands[in->n_operands].n > 0)
      in->n_operands++;
    begin = i + 1;
  }
  return TRUE;
}

/* @text: without its predicate, label and semicolon. */
static gboolean
read_instruction (Analysis *a, Slice text)
{
  Instruction in = { .n_parts = 0 };
  gsize n = 0;

  if (a->steps->len >= MAX_STEPS)
    return FALSE;
  while (n < text.n && !g_ascii_isspace (text.p[n]))
    n++;
  return split_parts (&in, (Slice){ text.p, n }) &&
         split_operands (&in, (Slice){ text.p + n, text.n - n }) && add_instruction (a, &in);
}

/* "@!%p1" and "$L__BB0_1:" */
static Slice
without_prefixes (Analysis *a, Slice text)
{
  for (;;) {
    Slice rest = text, word = next_word (&rest);

    if (equals (word, "@")) {
      const char *condition = rest.p;

      do
        word = next_word (&rest);
      while (equals (word, "!") || equals (word, "%"));
      a->is_fixed &= add_control (a, (Slice){ condition, (gsize) (rest.p - condition) });
      text = trim (rest);
    } else if (word.n > 0 && is_name (*word.p) && rest.n > 0 && *rest.p == ':') {
      text = trim ((Slice){ rest.p + 1, rest.n - 1 });
    } else {
      return text;
    }
  }
}

static gsize
length_to (Slice text, char c)
{
  const char *end = memchr (text.p, c, text.n);

  return end != NULL ? (gsize) (end - text.p) : text.n;
}

/* Registers that are declared without a "%", as people write them. */
static void
declare_registers (Analysis *a, Slice text)
{
  Slice word;

  while ((word = next_word (&text)).n > 0)
    if (equals (word, ".") || equals (word, "%"))
      next_word (&text);
    else if (is_name (*word.p) && !g_ascii_isdigit (*word.p))
      register_index (a, word);
}

/* The length of a directive: some have a line of their own, others end like instructions. */
static gsize
read_directive (Analysis *a, Slice rest)
{
  Slice text = rest, word;
  gsize n = length_to (rest, ';');

  next_word (&text);
  word = next_word (&text);
  if (equals (word, "loc") || equals (word, "file"))
    return length_to (rest, '\n');
  if (equals (word, "reg") && (gsize) (text.p - rest.p) < n)
    declare_registers (a, (Slice){ text.p, n - (gsize) (text.p - rest.p) });
  return n;
}

static gboolean
read_body (Analysis *a, Slice rest)
{
  guint depth = 0;

  do {
    Slice statement;

    rest = without_prefixes (a, trim (rest));
    if (rest.n == 0)
      return FALSE;
    if (*rest.p == '{' || *rest.p == '}') {
      if (*rest.p == '}' && depth == 0)
        return FALSE;
      depth = *rest.p == '{' ? depth + 1 : depth - 1;
      rest = (Slice){ rest.p + 1, rest.n - 1 };
      continue;
    }
    statement = rest;
    statement.n = *rest.p == '.' ? read_directive (a, rest) : length_to (rest, ';');
    if (statement.n == rest.n)
      return FALSE;
    if (*rest.p != '.' && *rest.p != ';' && !read_instruction (a, statement))
      return FALSE;
    rest = (Slice){ rest.p + statement.n + 1, rest.n - statement.n - 1 };
  } while (depth > 0);
  return TRUE;
}

/* --- the flow --- */

static guint64
value_of (const Analysis *a, const Step *step)
{
  guint64 value = step->seed;

  for (guint i = 0; i < step->n_from; i++)
    value |= a->values[g_array_index (a->ids, guint, step->from + i)];
  return value;
}

static gboolean
flow_once (Analysis *a)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < a->steps->len; i++) {
    const Step *step = &g_array_index (a->steps, Step, i);
    guint64 value = step->kind <= STEP_CHOICE ? value_of (a, step) : 0;

    if (step->kind == STEP_CHOICE)
      value &= CHANGING;
    for (guint k = 0; value != 0 && k < step->n_to; k++) {
      guint64 *to = &a->values[g_array_index (a->ids, guint, step->to + k)];

      changed |= (*to | value) != *to;
      *to |= value;
    }
  }
  return changed;
}

static gboolean
flow (Analysis *a)
{
  static const char *const clocks[] = { "clock",       "clock_hi",       "clock64",
                                        "globaltimer", "globaltimer_lo", "globaltimer_hi",
                                        "smid",        "warpid" };

  a->values = g_new0 (guint64, g_hash_table_size (a->registers) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (clocks); i++)
    a->values[find_register (a, clocks[i])] = CHANGING;
  a->values[CELL] = 0;
  for (guint i = 0; i < MAX_PASSES; i++)
    if (!flow_once (a))
      return TRUE;
  return FALSE;
}

static gboolean
keep_access (PtPtxEffects *effects, guint64 words, gboolean is_write)
{
  guint i;

  for (i = 0; i < effects->n_accesses; i++)
    if (effects->accesses[i].words == words && effects->accesses[i].is_write == is_write)
      return TRUE;
  if (i == PT_PTX_MAX_ACCESSES)
    return FALSE;
  effects->accesses[i].words = words;
  effects->accesses[i].is_write = is_write;
  effects->n_accesses++;
  return TRUE;
}

static gboolean
collect (Analysis *a)
{
  for (guint i = 0; i < a->steps->len; i++) {
    const Step *step = &g_array_index (a->steps, Step, i);
    guint64 value = value_of (a, step);

    if (step->kind == STEP_CONTROL)
      a->effects->control |= value & WORDS;
    if (step->kind == STEP_CONTROL || step->kind == STEP_WRITE)
      a->is_fixed &= (value & CHANGING) == 0;
    if (step->kind != STEP_READ && step->kind != STEP_WRITE)
      continue;
    /* A table of the kernel's own: nobody changes it, since that would make him unknown. */
    if (step->kind == STEP_READ && (value & ~CHANGING) == VARIABLE)
      continue;
    if ((value & WORDS) == 0 || !keep_access (a->effects, value & WORDS, step->kind == STEP_WRITE))
      return FALSE;
  }
  return TRUE;
}

static gboolean
analyse (Analysis *a, const char *text, const char *name)
{
  Slice rest = find_entry (text, name);

  if (rest.n == 0 || !read_parameters (a, &rest))
    return FALSE;
  /* ".maxntid 128, 1, 1" and the like */
  rest.n = rest.n - length_to (rest, '{');
  rest.p += strcspn (rest.p, "{");
  return read_body (a, rest) && flow (a) && collect (a);
}

void
pt_ptx_effects (const char *text, gsize size, const char *name, PtPtxEffects *effects)
{
  g_autofree char *code = without_comments (text, size);
  g_autofree Analysis *a = g_new0 (Analysis, 1);

  memset (effects, 0, sizeof *effects);
  a->effects = effects;
  a->names = g_string_chunk_new (4096);
  a->registers = g_hash_table_new (g_str_hash, g_str_equal);
  a->places = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  a->ids = g_array_new (FALSE, FALSE, sizeof (guint));
  a->steps = g_array_new (FALSE, FALSE, sizeof (Step));
  a->is_fixed = TRUE;
  if (analyse (a, code, name)) {
    effects->is_known = TRUE;
    effects->is_fixed = a->is_fixed;
  } else {
    memset (effects, 0, sizeof *effects);
  }
  g_string_chunk_free (a->names);
  g_hash_table_unref (a->registers);
  g_hash_table_unref (a->places);
  g_array_unref (a->ids);
  g_array_unref (a->steps);
  g_free (a->values);
}
