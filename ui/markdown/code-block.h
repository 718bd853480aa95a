/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** PterisCodeBlock: code of an answer, in a frame with its language and a copy button. */
#define PTERIS_TYPE_CODE_BLOCK (pteris_code_block_get_type ())
G_DECLARE_FINAL_TYPE (PterisCodeBlock, pteris_code_block, PTERIS, CODE_BLOCK, GtkWidget)

PterisCodeBlock *pteris_code_block_new (void);
void pteris_code_block_set (PterisCodeBlock *self, const char *language, const char *code);

G_END_DECLS
