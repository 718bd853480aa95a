/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/embed-prompts.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-root.h"

/* Of sentence-transformers and PyLate. */
#define CONFIG "config_sentence_transformers.json"
#define MAX_CONFIG (1 << 20)
/* Bytes of a prompt; longer ones are ignored. */
#define MAX_PROMPT 4096

static char *
copy_prompt (const json_t *object, const char *key)
{
  const char *text = pt_json_string (object, key);

  return text != NULL && strlen (text) <= MAX_PROMPT ? g_strdup (text) : NULL;
}

static gboolean
read_config (PtEmbedPrompts *prompts, const char *folder)
{
  g_autofree char *path = pt_model_find_file (folder, CONFIG);
  g_autoptr (json_t) config = path != NULL ? pt_json_load (path, MAX_CONFIG, NULL) : NULL;
  const json_t *named = json_object_get (config, "prompts");

  if (config == NULL)
    return FALSE;
  prompts->query = copy_prompt (config, "query_prefix");
  prompts->document = copy_prompt (config, "document_prefix");
  if (prompts->query == NULL)
    prompts->query = copy_prompt (named, "query");
  if (prompts->document == NULL)
    prompts->document = copy_prompt (named, "document");
  return prompts->query != NULL || prompts->document != NULL;
}

/* Whether @name is LFM2.5's embedding model, however its words are joined. */
static gboolean
is_lfm2_embedding (const char *name)
{
  g_autoptr (GString) letters = g_string_new (NULL);

  for (; name != NULL && *name != '\0'; name++)
    if (g_ascii_isalnum (*name))
      g_string_append_c (letters, g_ascii_tolower (*name));
  return strstr (letters->str, "lfm25embedding") != NULL;
}

static gboolean
is_lfm2 (const PtModelSet *set)
{
  g_autoptr (PtModelConfig) config = pt_model_config_read (set->folder, NULL);
  g_autofree char *program = g_path_get_basename (set->program);
  g_auto (GStrv) folders = pt_model_folders (set->folder);

  if (is_lfm2_embedding (program) || is_lfm2_embedding (set->name) ||
      (config != NULL && (is_lfm2_embedding (config->model) || is_lfm2_embedding (config->family))))
    return TRUE;
  for (guint i = 0; folders[i] != NULL; i++) {
    g_autofree char *name = g_path_get_basename (folders[i]);

    if (is_lfm2_embedding (name))
      return TRUE;
  }
  return FALSE;
}

void
pt_embed_prompts_read (PtEmbedPrompts *prompts, const PtModelSet *set)
{
  *prompts = (PtEmbedPrompts){ NULL, NULL };
  if (read_config (prompts, set->folder)) {
    prompts->query = prompts->query != NULL ? prompts->query : g_strdup ("");
    prompts->document = prompts->document != NULL ? prompts->document : g_strdup ("");
  } else if (set->family == PT_FAMILY_TOKEN_EMBEDDING) {
    *prompts = (PtEmbedPrompts){ g_strdup ("[Q] "), g_strdup ("[D] ") };
  } else if (is_lfm2 (set)) {
    *prompts = (PtEmbedPrompts){ g_strdup ("query: "), g_strdup ("document: ") };
  } else {
    *prompts = (PtEmbedPrompts){ g_strdup (""), g_strdup ("") };
  }
}

void
pt_embed_prompts_clear (PtEmbedPrompts *prompts)
{
  g_clear_pointer (&prompts->query, g_free);
  g_clear_pointer (&prompts->document, g_free);
}
