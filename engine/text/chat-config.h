/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/json.h"

G_BEGIN_DECLS

/* The files beside a tokenizer that say how to chat: tokenizer_config.json, chat_template.jinja and
 * others (docs/formats/tokenizers.md, section 10). Blocking; any thread. */

/** Read the JSON file @name in @folder. FALSE with an error when it cannot be read; *json = NULL
 * when there is none. */
gboolean pt_chat_config_load (const char *folder, const char *name, json_t **json, GError **error);

/** Find the text of the chat template in @folder; @config: its tokenizer_config.json or NULL. FALSE
 * with an error when a file cannot be read; *text = NULL when there is none. Free with g_free(). */
gboolean pt_chat_config_template (const char *folder, const json_t *config, char **text,
                                  GError **error);

/** The text of the token @key of tokenizer_config.json, or NULL. Belongs to @config. */
const char *pt_chat_config_token (const json_t *config, const char *key);

G_END_DECLS
