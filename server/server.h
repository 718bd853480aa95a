/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/engine.h>

G_BEGIN_DECLS

/**
 * PterisServer: the models of this machine for other programs, over HTTP, with the interfaces of
 * OpenAI and Ollama (docs/server.md). It works in a thread of its own, with engines of its own.
 *
 *     PterisServerOptions options = PTERIS_SERVER_OPTIONS_INIT;
 *     g_autoptr (PterisServer) server = pteris_server_new (&options, &error);
 *
 * All functions may be called from any thread, one at a time.
 */
typedef struct _PterisServer PterisServer;

/** The port that is tried first if none is named. */
#define PTERIS_SERVER_PORT 11435

/** One request has ended. Only @fault may quote texts of users. */
typedef struct {
  guint64 connection;  /* its number */
  const char *method;  /* "POST" */
  const char *program; /* User-Agent, or NULL; may be any text */
  const char *route;   /* "/v1/chat/completions"; "" for an unknown one */
  const char *model;   /* its name, if it exists; or NULL */
  const char *fault;   /* sentence of the error, or NULL; for the user, not for a log */
  const char *code;    /* code of the error, "invalid_value", or NULL */
  guint status;        /* of HTTP; 499: the client went away */
  guint prompt_tokens, reused_tokens, new_tokens; /* as in PtStats */
  double seconds;                                 /* from the request to the end of the response */
} PterisServerEntry;

/** Called in the server's thread. @entry: valid during the call. */
typedef void (*PterisServerFunc) (const PterisServerEntry *entry, gpointer user_data);

/** How it works. What it points to is copied. Start from PTERIS_SERVER_OPTIONS_INIT. */
typedef struct {
  const char *address;        /* to listen on; NULL: 127.0.0.1 */
  guint port;                 /* 0: PTERIS_SERVER_PORT or the next one that is free */
  const char *key;            /* what clients have to send; NULL: nothing */
  const char *const *origins; /* pages that may use it, "https://example.org"; or NULL */
  const char *const *hosts;   /* names of this machine, for the header Host; or NULL */
  const char *const *models;  /* names, files or folders; NULL: all models of the library */
  PtModelOptions model;       /* how models are loaded: backend, device, trust */
  const int *devices;         /* GPUs that answer side by side; NULL: that of @model */
  guint n_devices;            /* how many */
  gboolean keep_device;       /* as in PtJob */
  PtEngineOptions engine;     /* ... */
  guint most_connections;     /* at a time */
  guint most_waiting;         /* requests that wait for a model */
  guint most_models;          /* that are loaded at a time */
  guint most_tokens;          /* of an answer; 0: up to the end of the context */
  guint64 most_bytes;         /* of a request */
  guint unload_seconds;       /* a model without requests is unloaded after so long; 0: never */
  guint request_seconds;      /* a request is stopped after so long; 0: never */
  PterisServerFunc func;      /* or NULL */
  gpointer user_data;
} PterisServerOptions;

#define PTERIS_SERVER_OPTIONS_INIT                                                            \
  {                                                                                           \
    .engine = PT_ENGINE_OPTIONS_INIT, .most_connections = 128, .most_waiting = 256,           \
    .most_models = 3, .most_bytes = 64 << 20, .unload_seconds = 600, .request_seconds = 1800, \
  }

/** What it does. */
typedef struct {
  guint connections;         /* that are open */
  guint running, waiting;    /* requests for models */
  guint requests_per_minute; /* that have ended within the last minute */
  double tokens_per_second;  /* of the answers within the last minute, while they were written */
  guint64 requests;          /* that have ended, in all */
} PterisServerStatus;

/** Listen. NULL with an error: the address or the port cannot be had, or the key is missing that a
 * server on another address than that of this machine needs. Free with pteris_server_free(). */
PterisServer *pteris_server_new (const PterisServerOptions *options, GError **error);
/** Stop all requests, and wait for the thread. NULL: does nothing. */
void pteris_server_free (PterisServer *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisServer, pteris_server_free)

guint pteris_server_get_port (PterisServer *self);

/** "http://127.0.0.1:11435". Belongs to @self. */
const char *pteris_server_get_address (PterisServer *self);

void pteris_server_get_status (PterisServer *self, PterisServerStatus *status);

/** The functions above, for the window, which is not linked with the server. */
typedef struct {
  PterisServer *(*start) (const PterisServerOptions *options, GError **error);
  void (*stop) (PterisServer *server);
  const char *(*get_address) (PterisServer *server);
  void (*get_status) (PterisServer *server, PterisServerStatus *status);
} PterisServerFunctions;

extern const PterisServerFunctions pteris_server_functions;

G_END_DECLS
