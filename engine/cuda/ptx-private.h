/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

#define PT_PTX_MAX_OPERANDS 16
#define PT_PTX_MAX_PARTS 16
#define PT_PTX_MAX_PARAMETERS 256

/*
 * The origin of a value: words of the arguments, the address of a variable, or unpredictable values
 * such as memory contents and clocks.
 */
#define PT_PTX_VARIABLE (G_GUINT64_CONSTANT (1) << 63)
#define PT_PTX_CHANGING (G_GUINT64_CONSTANT (1) << 62)
#define PT_PTX_WORDS (~(PT_PTX_VARIABLE | PT_PTX_CHANGING))

/* The register that represents all of shared and local memory. */
#define PT_PTX_CELL 0

typedef struct {
  const char *p;
  gsize n;
} PtPtxSlice;

typedef struct {
  PtPtxSlice name;
  gsize size;
  guint first_word, n_words; /* 0 words when it is too small for an address */
} PtPtxParameter;

/* A byte of a parameter. */
typedef struct {
  const PtPtxParameter *parameter;
  gint64 offset;
} PtPtxPlace;

/*
 * One step of the data flow between sets of registers. Depending on its kind: to |= from | seed;
 * the same for values that depend on the choice of a condition; a memory access at the address from
 * | seed; or a branch that depends on from.
 */
typedef struct {
  enum { PT_PTX_MOVE, PT_PTX_CHOICE, PT_PTX_READ, PT_PTX_WRITE, PT_PTX_CONTROL } kind;
  guint to, n_to, from, n_from; /* index in @ids */
  guint64 seed;
} PtPtxStep;

typedef struct {
  PtPtxEffects *effects;
  PtPtxParameter parameters[PT_PTX_MAX_PARAMETERS];
  guint n_parameters;
  GStringChunk *names;
  GHashTable *registers; /* name -> index */
  GHashTable *places;    /* register that holds the address of a parameter -> PtPtxPlace */
  GArray *ids;           /* guint: the registers of all steps */
  GArray *steps;         /* PtPtxStep */
  guint64 *values;       /* [registers] */
  gboolean is_fixed;     /* number of registers so far */
  gboolean by_parameter; /* an origin is a parameter of any size, not a word of 8 bytes */
} PtPtxAnalysis;

/* The parts of an instruction: "st", "global", "b32", and its operands. */
typedef struct {
  PtPtxSlice parts[PT_PTX_MAX_PARTS];
  guint n_parts;
  PtPtxSlice operands[PT_PTX_MAX_OPERANDS];
  guint n_operands;
} PtPtxInstruction;

/* ---- words ---- */

static inline gboolean
pt_ptx_is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$';
}

gboolean pt_ptx_equals (PtPtxSlice slice, const char *text);
PtPtxSlice pt_ptx_trim (PtPtxSlice slice);

/** Remove the next word from @slice: a name, a number, or one character of another kind. */
PtPtxSlice pt_ptx_next_word (PtPtxSlice *slice);

/** A copy of [size] bytes, in which spaces replace comments. */
char *pt_ptx_without_comments (const char *text, gsize size);

/* ---- parsers of parts of a kernel; FALSE: not understood ---- */

/** Remove "(...)" from the start of @rest, if there is one. */
gboolean pt_ptx_read_parameters (PtPtxAnalysis *a, PtPtxSlice *rest);

/** The index of a register; a new register gets the next index. */
guint pt_ptx_register_index (PtPtxAnalysis *a, PtPtxSlice name);

/** 0: there is no such register. */
guint pt_ptx_find_register (const PtPtxAnalysis *a, const char *name);

/** Record that the control flow depends on the predicate @text. */
gboolean pt_ptx_add_control (PtPtxAnalysis *a, PtPtxSlice text);

gboolean pt_ptx_add_instruction (PtPtxAnalysis *a, PtPtxInstruction *in);

G_END_DECLS
