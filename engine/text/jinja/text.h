/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/text/jinja/jinja-value.h"

G_BEGIN_DECLS

/*
 * Texts that know where each of their bytes comes from, however they were cut and put together.
 */

/** PtJinjaBuilder: a text that grows. Plain data; after _init() either _built() or _clear(). */
typedef struct {
  PtJinjaRender *render;
  GString *bytes;
  GArray *spans; /* PtJinjaSpan */
} PtJinjaBuilder;

void pt_jinja_builder_init (PtJinjaBuilder *builder, PtJinjaRender *render);
void pt_jinja_builder_clear (PtJinjaBuilder *builder);
/** The text as a value; clears the builder. */
PtJinjaValue pt_jinja_built (PtJinjaBuilder *builder);

/** Append @length bytes of valid UTF-8 that lie at @offset of @source. */
void pt_jinja_build (PtJinjaBuilder *builder, const char *bytes, gsize length, guint32 source,
                     gsize offset);
/** Append what the template says itself. */
void pt_jinja_build_own (PtJinjaBuilder *builder, const char *text);
/** Append bytes [begin, end) of @text. */
void pt_jinja_build_slice (PtJinjaBuilder *builder, const PtJinjaText *text, gsize begin,
                           gsize end);
/** Append @bytes, which took the place of the character at @at of @text. */
void pt_jinja_build_instead (PtJinjaBuilder *builder, const PtJinjaText *text, gsize at,
                             const char *bytes, gsize length);
/** Append what str() and repr() of Python say of a value. */
void pt_jinja_build_str (PtJinjaBuilder *builder, PtJinjaValue value);
void pt_jinja_build_repr (PtJinjaBuilder *builder, PtJinjaValue value);

/** Bytes [begin, end) of @text, which are shared. */
PtJinjaValue pt_jinja_slice_text (PtJinjaRender *render, const PtJinjaText *text, gsize begin,
                                  gsize end);
/** str() of a value; a text is itself. NULL with the error set. */
const PtJinjaText *pt_jinja_str (PtJinjaRender *render, PtJinjaValue value);

/** Where @part begins in @text, from @from on; -1: nowhere. In bytes. */
gssize pt_jinja_text_search (PtJinjaRender *render, const PtJinjaText *text,
                             const PtJinjaText *part, gsize from);
/** How many characters @text has. */
gsize pt_jinja_text_count (PtJinjaRender *render, const PtJinjaText *text);
/** The trust of the byte at @at: a source. */
guint32 pt_jinja_text_source (const PtJinjaText *text, gsize at);

/** What Python calls space. */
gboolean pt_jinja_is_space (gunichar c);
/** A number as Python's repr() writes it. */
void pt_jinja_format_float (double real, char *buffer, gsize size);

G_END_DECLS
