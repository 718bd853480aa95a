/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * What memory a kernel reads and writes, as far as its PTX tells (the virtual assembly that fat
 * binaries hold beside the machine code). Arguments flow from register to register into addresses;
 * what an address was made of, the access may reach.
 *
 * Nothing here is a proof against code that means harm. It is one for code that a compiler made of
 * an honest program: what is not understood (calls, addresses that come from memory, descriptors
 * of tensors) makes the whole kernel unknown.
 */

#define PT_PTX_MAX_WORDS 62
#define PT_PTX_MAX_ACCESSES 64

/** Where in the arguments 8 bytes lie that may be an address. */
typedef struct {
  guint16 parameter; /* counted from 0 */
  guint16 offset;    /* bytes, in that parameter */
} PtPtxWord;

typedef struct {
  gboolean is_known; /* FALSE: it may read and write everything, and the rest is 0 */
  guint n_words, n_accesses;
  PtPtxWord words[PT_PTX_MAX_WORDS];
  /* Where it writes does not depend on what it reads, nor whether it does: every launch with the
   * same numbers writes the same bytes, all of them new. */
  gboolean is_fixed;
  guint64 control; /* bits: words that decide which instructions are carried out */
  struct {
    guint64 words; /* bits, at least one: its address was made of these, and of numbers */
    gboolean is_write;
  } accesses[PT_PTX_MAX_ACCESSES]; /* no two are the same */
} PtPtxEffects;

/** The effects of kernel @name in @text, [size] bytes of PTX. Any text, any thread. */
void pt_ptx_effects (const char *text, gsize size, const char *name, PtPtxEffects *effects);

/**
 * The PTX in what cuModuleLoadData() takes: a fat binary, or PTX with a 0 at its end. Returns NULL
 * when there is none, or it is compressed in a way that this build does not know. Free it with
 * g_free().
 */
char *pt_ptx_text (gconstpointer image, gsize *size);

G_END_DECLS
