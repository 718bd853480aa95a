/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The memory effects of a kernel, read from its PTX (the virtual assembly that fat binaries contain
 * beside the machine code). The analysis follows arguments through registers into addresses. An
 * access may reach the memory of every argument that its address was computed from.
 *
 * The result is valid for code that a compiler made of an honest program. It is no protection
 * against malicious code. A kernel with anything that is not understood (calls, addresses loaded
 * from memory, tensor descriptors) has unknown effects.
 */

#define PT_PTX_MAX_WORDS 62
#define PT_PTX_MAX_ACCESSES 64

/** The position of 8 bytes in the arguments that may be an address. */
typedef struct {
  guint16 parameter; /* index of the parameter, from 0 */
  guint16 offset;    /* byte offset in that parameter */
} PtPtxWord;

typedef struct {
  gboolean is_known; /* FALSE: the effects are unknown, and the other fields are 0 */
  guint n_words, n_accesses;
  PtPtxWord words[PT_PTX_MAX_WORDS];
  /*
   * Neither the addresses that it writes nor the fact that it writes depend on memory that it
   * reads. Every launch with equal numbers writes the same bytes and overwrites them completely.
   */
  gboolean is_fixed;
  guint64 control; /* bits: words that the control flow depends on */
  struct {
    guint64 words; /* bits, at least one: the words that the address was computed from, together
                      with numbers */
    gboolean is_write;
    gboolean is_indirect;          /* and from memory contents, such as an index */
  } accesses[PT_PTX_MAX_ACCESSES]; /* no duplicates */
} PtPtxEffects;

/** Analyse kernel @name in @text, [size] bytes of PTX, which may be any text. Any thread. */
void pt_ptx_effects (const char *text, gsize size, const char *name, PtPtxEffects *effects);

#define PT_PTX_MAX_ADDRESS_PARAMETERS 62

/**
 * The parameters, of any size, that the addresses of a kernel's accesses are computed from. They
 * show the role of a number: a stride takes part in the addresses of one tensor only.
 */
typedef struct {
  gboolean is_known; /* FALSE: the other fields are 0 */
  guint n_parameters, n_accesses;
  guint16 sizes[PT_PTX_MAX_ADDRESS_PARAMETERS]; /* bytes of each parameter */
  gboolean is_fixed;                            /* as in PtPtxEffects */
  guint64 control;                              /* bits: parameters */
  struct {
    guint64 parameters; /* bits */
    gboolean is_write;
    gboolean is_indirect;          /* as in PtPtxEffects */
  } accesses[PT_PTX_MAX_ACCESSES]; /* no duplicates */
} PtPtxAddresses;

/** As pt_ptx_effects(); unknown also for kernels of more than 62 parameters. Any thread. */
void pt_ptx_addresses (const char *text, gsize size, const char *name, PtPtxAddresses *addresses);

/**
 * The same as pt_ptx_effects() gives, without another look at the code. FALSE: @addresses are not
 * known, or a parameter has more than 8 bytes, so that it may hold several addresses. Any thread.
 */
gboolean pt_ptx_effects_of_addresses (const PtPtxAddresses *addresses, PtPtxEffects *effects);

/**
 * Extract the PTX from an argument of cuModuleLoadData(): a fat binary, or PTX with a terminating
 * zero. NULL when there is none, or its compression is not supported by this build. Free with
 * g_free().
 */
char *pt_ptx_text (gconstpointer image, gsize *size);

G_END_DECLS
