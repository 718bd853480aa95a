/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Parses the name of a program file and those of its folders: "1b/xnnpack/llama_1b_8da4w.pte" is
 * the variant of "1b/llama_1b" for XNNPACK with 4-bit weights. Variants of a model have the same
 * @key (docs/formats/protocols.md, section 1.5).
 */
typedef struct {
  char *key;       /* folders and words that say which model it is; may be empty */
  char *backend;   /* "xnnpack", "vulkan", …; NULL: not said */
  char *precision; /* "8da4w", "bf16", …; NULL: not said */
  char *target;    /* GPU architecture that it is compiled for, "sm80"; NULL: not said */
  char *extra;     /* the side of its pictures in pixels, "256"; NULL: not said */
} PtProgramName;

/** @path: relative to the model's root, or a name alone. Clear with pt_program_name_clear(). */
void pt_program_name_read (PtProgramName *name, const char *path);
void pt_program_name_clear (PtProgramName *name);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtProgramName, pt_program_name_clear)

/** Whether a name of a folder says nothing but a backend or a precision. */
gboolean pt_name_is_label (const char *name);

G_END_DECLS
