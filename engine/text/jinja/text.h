/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/jinja-value.h"

G_BEGIN_DECLS

/*
 * Texts that keep the source of each byte when they are sliced and joined.
 */

/** PtJinjaBuilder: a text under construction. Plain data; each _init() needs one _built() or
 * _clear(). */
typedef struct {
  PtJinjaRender *render;
  GString *bytes;
  GArray *spans; /* PtJinjaSpan */
} PtJinjaBuilder;

void pt_jinja_builder_init (PtJinjaBuilder *builder, PtJinjaRender *render);
void pt_jinja_builder_clear (PtJinjaBuilder *builder);
/** The text as a value; clears the builder. */
PtJinjaValue pt_jinja_built (PtJinjaBuilder *builder);

/** Append @length bytes of valid UTF-8, which come from @offset of @source. */
void pt_jinja_build (PtJinjaBuilder *builder, const char *bytes, gsize length, guint32 source,
                     gsize offset);
/** Append text of the template. */
void pt_jinja_build_own (PtJinjaBuilder *builder, const char *text);
/** Append bytes [begin, end) of @text. */
void pt_jinja_build_slice (PtJinjaBuilder *builder, const PtJinjaText *text, gsize begin,
                           gsize end);
/** Append @bytes, which replace the character at @at of @text and take its source. */
void pt_jinja_build_instead (PtJinjaBuilder *builder, const PtJinjaText *text, gsize at,
                             const char *bytes, gsize length);
/** Append str() or repr() of a value. */
void pt_jinja_build_str (PtJinjaBuilder *builder, PtJinjaValue value);
void pt_jinja_build_repr (PtJinjaBuilder *builder, PtJinjaValue value);

/** Bytes [begin, end) of @text; shared, not copied. */
PtJinjaValue pt_jinja_slice_text (PtJinjaRender *render, const PtJinjaText *text, gsize begin,
                                  gsize end);
/** str() of a value; a text is itself. NULL with the error set. */
const PtJinjaText *pt_jinja_str (PtJinjaRender *render, PtJinjaValue value);

/** The byte offset of @part in @text, searched from @from; -1: not found. */
gssize pt_jinja_text_search (PtJinjaRender *render, const PtJinjaText *text,
                             const PtJinjaText *part, gsize from);
/** The number of characters. */
gsize pt_jinja_text_count (PtJinjaRender *render, const PtJinjaText *text);
/** The source of the byte at @at. */
guint32 pt_jinja_text_source (const PtJinjaText *text, gsize at);

/** Whether Python counts @c as white space. */
gboolean pt_jinja_is_space (gunichar c);
/** A number as Python's repr() writes it. */
void pt_jinja_format_float (double real, char *buffer, gsize size);

G_END_DECLS
