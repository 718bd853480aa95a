/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/ptx.h"

G_BEGIN_DECLS

#define PT_PTX_MAX_OPERANDS 16
#define PT_PTX_MAX_PARTS 16
#define PT_PTX_MAX_PARAMETERS 256

/* Of what a value was made: words of the arguments, the address of a variable, and what may be
 * another each time: bytes of memory, clocks. */
#define PT_PTX_VARIABLE (G_GUINT64_CONSTANT (1) << 63)
#define PT_PTX_CHANGING (G_GUINT64_CONSTANT (1) << 62)
#define PT_PTX_WORDS (~(PT_PTX_VARIABLE | PT_PTX_CHANGING))

/* The register that stands for all of shared and local memory. */
#define PT_PTX_CELL 0

typedef struct {
  const char *p;
  gsize n;
} PtPtxSlice;

typedef struct {
  PtPtxSlice name;
  gsize size;
  guint first_word, n_words; /* none when it is too small for an address */
} PtPtxParameter;

/* A byte of a parameter. */
typedef struct {
  const PtPtxParameter *parameter;
  gint64 offset;
} PtPtxPlace;

/*
 * to |= from | seed, for sets of registers; what changes of it, for the condition of a choice; an
 * access at the address from | seed; or from decides what is done.
 */
typedef struct {
  enum { PT_PTX_MOVE, PT_PTX_CHOICE, PT_PTX_READ, PT_PTX_WRITE, PT_PTX_CONTROL } kind;
  guint to, n_to, from, n_from; /* in @ids */
  guint64 seed;
} PtPtxStep;

typedef struct {
  PtPtxEffects *effects;
  PtPtxParameter parameters[PT_PTX_MAX_PARAMETERS];
  guint n_parameters;
  GStringChunk *names;
  GHashTable *registers; /* name -> index */
  GHashTable *places; /* name of a register that holds the address of a parameter -> PtPtxPlace */
  GArray *ids;        /* guint: registers of the steps */
  GArray *steps;      /* PtPtxStep */
  guint64 *values;    /* [registers] */
  gboolean is_fixed;  /* so far */
} PtPtxAnalysis;

/* An instruction in parts: "st", "global", "b32", and its operands. */
typedef struct {
  PtPtxSlice parts[PT_PTX_MAX_PARTS];
  guint n_parts;
  PtPtxSlice operands[PT_PTX_MAX_OPERANDS];
  guint n_operands;
} PtPtxInstruction;

/* --- words --- */

static inline gboolean
pt_ptx_is_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$';
}

gboolean pt_ptx_equals (PtPtxSlice slice, const char *text);
PtPtxSlice pt_ptx_trim (PtPtxSlice slice);

/** Takes the next word off @slice: names and digits, or one character of another kind. */
PtPtxSlice pt_ptx_next_word (PtPtxSlice *slice);

/** A copy of [size] bytes in which comments are spaces. */
char *pt_ptx_without_comments (const char *text, gsize size);

/* --- what single parts of a kernel do; FALSE: that is not understood --- */

/** Takes "(...)" off @rest, if there is one. */
gboolean pt_ptx_read_parameters (PtPtxAnalysis *a, PtPtxSlice *rest);

/** The index of a register, a new one if it has none yet. */
guint pt_ptx_register_index (PtPtxAnalysis *a, PtPtxSlice name);

/** 0: there is none. */
guint pt_ptx_find_register (const PtPtxAnalysis *a, const char *name);

/** What is done next depends on @text. */
gboolean pt_ptx_add_control (PtPtxAnalysis *a, PtPtxSlice text);

gboolean pt_ptx_add_instruction (PtPtxAnalysis *a, PtPtxInstruction *in);

G_END_DECLS
