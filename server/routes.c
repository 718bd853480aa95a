/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "server/serving.h"

const PterisRoute pteris_routes[] = {
  { "GET", "/v1/models", PTERIS_API_OPENAI, pteris_openai_models },
  { "GET", "/v1/models/*", PTERIS_API_OPENAI, pteris_openai_model },
  { "POST", "/v1/chat/completions", PTERIS_API_OPENAI, pteris_openai_chat },
  { "POST", "/v1/completions", PTERIS_API_OPENAI, pteris_openai_completions },
  { "POST", "/v1/responses", PTERIS_API_OPENAI, pteris_openai_responses },
  { "POST", "/v1/embeddings", PTERIS_API_OPENAI, pteris_openai_embeddings },
  { "POST", "/v1/audio/transcriptions", PTERIS_API_OPENAI, pteris_openai_transcriptions, TRUE },
  { "POST", "/v1/audio/translations", PTERIS_API_OPENAI, pteris_openai_translations, TRUE },
  { "POST", "/v1/audio/speech", PTERIS_API_OPENAI, pteris_openai_speech },
  { "GET", "/", PTERIS_API_OLLAMA, pteris_ollama_root },
  { "GET", "/api/version", PTERIS_API_OLLAMA, pteris_ollama_version },
  { "GET", "/api/tags", PTERIS_API_OLLAMA, pteris_ollama_tags },
  { "GET", "/api/ps", PTERIS_API_OLLAMA, pteris_ollama_ps },
  { "POST", "/api/show", PTERIS_API_OLLAMA, pteris_ollama_show },
  { "POST", "/api/chat", PTERIS_API_OLLAMA, pteris_ollama_chat },
  { "POST", "/api/generate", PTERIS_API_OLLAMA, pteris_ollama_generate },
  { "POST", "/api/embed", PTERIS_API_OLLAMA, pteris_ollama_embed },
  { "POST", "/api/embeddings", PTERIS_API_OLLAMA, pteris_ollama_embeddings },
  { NULL },
};

/* Whether @path is that of @route; @parameter: set to what “*” stands for. */
static gboolean
matches (const PterisRoute *route, const char *path, const char **parameter)
{
  gsize n = strlen (route->path);

  *parameter = NULL;
  if (route->path[n - 1] != '*')
    return strcmp (route->path, path) == 0;
  if (strncmp (route->path, path, n - 1) != 0 || path[n - 1] == '\0')
    return FALSE;
  *parameter = path + n - 1;
  return TRUE;
}

const PterisRoute *
pteris_route_find (const char *method, const char *path, const char **parameter, GError **error)
{
  const char *allowed = NULL, *inner;

  for (const PterisRoute *route = pteris_routes; route->method != NULL; route++) {
    if (!matches (route, path, &inner))
      continue;
    if (strcmp (route->method, method) == 0) {
      *parameter = inner;
      return route;
    }
    allowed = route->method;
  }
  if (allowed != NULL)
    pteris_fault_set (error, 405, "method_not_allowed", NULL, "Use %s for this address.", allowed);
  else
    pteris_fault_set (error, 404, "unknown_url", NULL,
                      "There is nothing at this address. docs/server.md lists the addresses.");
  return NULL;
}
