/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/question.h"

G_BEGIN_DECLS

/** OpenAI's “usage” of chats and completions. Free with json_decref(). */
json_t *pteris_openai_usage (const PtStats *stats);

/** Read “temperature”, “top_p”, penalties, “logit_bias”, and the names that other servers have for
 * the other settings. */
void pteris_openai_read_sampling (PterisQuestion *question, PterisFields *fields);

G_END_DECLS
