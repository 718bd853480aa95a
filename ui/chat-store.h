/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "ui/message.h"

G_BEGIN_DECLS

/*
 * How a conversation is kept: one journal (ui/journal.h) for each, with a line for everything that
 * happens.
 *
 *     {"do":"user","text":"..."}            the user's message, whole
 *     {"do":"answer","model":"SmolLM2"}     an answer begins
 *     {"do":"text","text":" Paris"}         more of the answer
 *     {"do":"end","state":"done","reason":"stop","stats":{...}}
 *     {"do":"fail","code":7,"text":"..."}   the answer could not be given
 *     {"do":"drop"}                         the last message is taken back
 */

void pteris_chat_store_user (const char *path, const char *text);
void pteris_chat_store_answer (const char *path, const char *model);
void pteris_chat_store_text (const char *path, const char *text);
void pteris_chat_store_end (const char *path, PterisMessage *answer);
void pteris_chat_store_drop (const char *path);

/** The messages of @path: a GPtrArray of PterisMessage. An answer without an end is STOPPED.
 * Blocking. */
GPtrArray *pteris_chat_store_read (const char *path);

G_END_DECLS
