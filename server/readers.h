/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/question.h"

G_BEGIN_DECLS

/*
 * What each interface makes of the body of a request for text. NULL with a fault. Free with
 * pteris_question_free(). Any thread.
 */

PterisQuestion *pteris_openai_chat_read (const json_t *json, GError **error);
/** @echo: set to the text that comes before the answer, or NULL; free with g_free(). */
PterisQuestion *pteris_openai_completions_read (const json_t *json, char **echo, GError **error);
PterisQuestion *pteris_openai_responses_read (const json_t *json, GError **error);
/** These have no messages where Ollama only loads the model. */
PterisQuestion *pteris_ollama_chat_read (const json_t *json, GError **error);
PterisQuestion *pteris_ollama_generate_read (const json_t *json, GError **error);

G_END_DECLS
