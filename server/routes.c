/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "server/serving.h"

const PterisRoute pteris_routes[] = {
  { "GET", "/v1/models", PTERIS_API_OPENAI, pteris_openai_models },
  { "GET", "/v1/models/*", PTERIS_API_OPENAI, pteris_openai_model },
  { "POST", "/v1/chat/completions", PTERIS_API_OPENAI, pteris_openai_chat },
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
