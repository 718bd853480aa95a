/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>

G_BEGIN_DECLS

/**
 * PtThinkingStream: tells thoughts from the answer while a model writes. Text that may be the
 * beginning of a mark is held back. What a whole text has is told by pt_thinking_split(), with the
 * same marks. One thread.
 */
typedef struct {
  enum {
    PT_STREAM_BEGIN,  /* nothing but space, and perhaps the beginning of a mark */
    PT_STREAM_THINKS, /* behind the first mark: space is left out */
    PT_STREAM_THOUGHT,
    PT_STREAM_ANSWERS, /* behind the second mark: ends of lines are left out */
    PT_STREAM_ANSWER,
  } place;
  guint which; /* of the pairs of marks */
  GString *held;
} PtThinkingStream;

/** @text: whole characters, not zero-terminated; @n bytes, at least 1. */
typedef void (*PtThinkingFunc) (const char *text, gsize n, PtAnswerPart part, gpointer user_data);

void pt_thinking_stream_init (PtThinkingStream *self);
void pt_thinking_stream_clear (PtThinkingStream *self);

/** The text goes on with @text: whole characters, @n bytes. @func is called with what is decided;
 * NULL: nobody wants to know. */
void pt_thinking_stream_push (PtThinkingStream *self, const char *text, gsize n,
                              PtThinkingFunc func, gpointer user_data);

/** The text has ended: @func is called with what was held back. */
void pt_thinking_stream_finish (PtThinkingStream *self, PtThinkingFunc func, gpointer user_data);

/** What comes is an answer without a thought, however it looks. Only at the beginning. */
void pt_thinking_stream_answer (PtThinkingStream *self);

/** @prompt, the end of a prompt, may have the first mark as its last word: then a thought has
 * begun. Only at the beginning. */
void pt_thinking_stream_see_prompt (PtThinkingStream *self, const char *prompt);

/** Whether the thought has begun and has not ended. */
gboolean pt_thinking_stream_thinks (const PtThinkingStream *self);

/** The first marks of thoughts: "<think>"…; NULL behind the last one. */
const char *pt_thinking_mark (guint i);

/** Whether @name, a special token of @length bytes, is a mark of thoughts or a part of one, and
 * therefore has to be in the text of an answer. */
gboolean pt_thinking_is_mark (const char *name, gsize length);

G_END_DECLS
