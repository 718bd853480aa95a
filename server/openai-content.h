/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/question.h"

G_BEGIN_DECLS

/* Parts of OpenAI's requests that several of its routes share. */

/** Read “messages” of a chat. */
void pteris_openai_read_messages (PterisQuestion *question, PterisFields *fields);

/** Read “response_format”, or the same as “text.format” of responses. */
void pteris_openai_read_format (PterisQuestion *question, const json_t *format, const char *path,
                                gboolean is_response, GError **error);

/** Read “stream” and “stream_options”. */
void pteris_openai_read_stream (PterisQuestion *question, PterisFields *fields);

/** Read “tool_choice” and “parallel_tool_calls”, which belong to tools that were read before. */
void pteris_openai_read_tool_choice (PterisQuestion *question, PterisFields *fields);

/** Read “user”, “safety_identifier” and members that are for the sender's own bookkeeping. */
void pteris_openai_read_sender (PterisQuestion *question, PterisFields *fields);

/** Read “reasoning_effort” and such. */
void pteris_openai_read_effort (PterisQuestion *question, PterisFields *fields, const char *name);

/** OpenAI's “tool_calls” of @calls. @with_index: as in parts of a stream. Free with json_decref().
 */
json_t *pteris_openai_calls (const json_t *calls, gboolean with_index);

/** Text and files of “content”, a text or a list of parts. @text: appended to. FALSE: a fault. */
gboolean pteris_openai_read_content (PterisQuestion *question, const json_t *content,
                                     const char *path, GString *text, GPtrArray *files,
                                     GError **error);

G_END_DECLS
