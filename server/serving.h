/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/exchange.h"
#include "server/model-pool.h"
#include "server/served-models.h"

G_BEGIN_DECLS

/**
 * PterisServing: what the functions that answer requests share. Server thread.
 */
typedef struct {
  PterisServedModels *models;
  PterisModelPool *pool;
  guint most_tokens;   /* of an answer; 0: up to the end of the context */
  const char *version; /* "0.2.0" */
} PterisServing;

/** The body of a request. */
typedef struct {
  const json_t *json;    /* NULL: it is no JSON, or there is none */
  GBytes *bytes;         /* of a form with files */
  const char *parameter; /* the last part of the path of routes that have one; or NULL */
} PterisBody;

/** Answers @exchange, now or later. @body: valid during the call. */
typedef void (*PterisRouteFunc) (PterisServing *serving, PterisExchange *exchange,
                                 const PterisBody *body);

/** A path and what answers it. */
typedef struct {
  const char *method;
  const char *path; /* with "*" as its last part: any name */
  PterisApi api;
  PterisRouteFunc func;
  gboolean is_form; /* the body is multipart/form-data, not JSON */
} PterisRoute;

/** All of them; ends with a method of NULL. */
extern const PterisRoute pteris_routes[];

/** The route of a request; NULL with 404, or with 405 where the path has other methods.
 * @parameter: set to the last part of @path where the route has one, else to NULL. */
const PterisRoute *pteris_route_find (const char *method, const char *path, const char **parameter,
                                      GError **error);

/* The functions. */
void pteris_openai_models (PterisServing *serving, PterisExchange *exchange,
                           const PterisBody *body);
void pteris_openai_model (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_openai_chat (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_openai_completions (PterisServing *serving, PterisExchange *exchange,
                                const PterisBody *body);
void pteris_openai_responses (PterisServing *serving, PterisExchange *exchange,
                              const PterisBody *body);
void pteris_openai_embeddings (PterisServing *serving, PterisExchange *exchange,
                               const PterisBody *body);
void pteris_openai_transcriptions (PterisServing *serving, PterisExchange *exchange,
                                   const PterisBody *body);
void pteris_openai_translations (PterisServing *serving, PterisExchange *exchange,
                                 const PterisBody *body);
void pteris_openai_speech (PterisServing *serving, PterisExchange *exchange,
                           const PterisBody *body);
void pteris_ollama_embed (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_ollama_embeddings (PterisServing *serving, PterisExchange *exchange,
                               const PterisBody *body);
void pteris_ollama_chat (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_ollama_generate (PterisServing *serving, PterisExchange *exchange,
                             const PterisBody *body);
void pteris_ollama_tags (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_ollama_show (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_ollama_ps (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);
void pteris_ollama_version (PterisServing *serving, PterisExchange *exchange,
                            const PterisBody *body);
void pteris_ollama_root (PterisServing *serving, PterisExchange *exchange, const PterisBody *body);

G_END_DECLS
