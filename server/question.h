/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "server/data-files.h"
#include "server/json-fields.h"

G_BEGIN_DECLS

/**
 * PterisQuestion: a request for text, as all interfaces mean it. It owns what the members of @chat
 * point to. Server thread.
 */
typedef struct {
  char *model;        /* name */
  char *user;         /* who asks, for taking turns, or NULL */
  GArray *messages;   /* PtMessage */
  PtChatOptions chat; /* without messages */
  PterisDataFiles *files;
  gboolean stream;   /* send the answer in parts */
  gboolean usage;    /* OpenAI: send the numbers of tokens behind the parts */
  gboolean one_call; /* at most one call of a tool */
} PterisQuestion;

PterisQuestion *pteris_question_new (void);
void pteris_question_free (PterisQuestion *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisQuestion, pteris_question_free)

/** Add a message. @text: copied, NULL: "". @files: paths that live as long as the question; its
 * array is consumed; or NULL. */
void pteris_question_add (PterisQuestion *self, const char *role, const char *text,
                          GPtrArray *files);

/** Read the member “model”, which has to be there. */
void pteris_question_read_model (PterisQuestion *self, PterisFields *fields);

/** Read a member that is a number of sampling settings. @name: of the request; @setting: of
 * PtSampling, “top_p”. */
void pteris_question_read_sampling (PterisQuestion *self, PterisFields *fields, const char *name,
                                    const char *setting);

/** Read “stop” and such: a text or a list of texts. */
void pteris_question_read_stop (PterisQuestion *self, PterisFields *fields, const char *name);

/** Read “seed” and such. */
void pteris_question_read_seed (PterisQuestion *self, PterisFields *fields, const char *name);

/** Read “tools”, a list of {"type": "function", "function": {"name", "description",
 * "parameters"}}. */
void pteris_question_read_tools (PterisQuestion *self, PterisFields *fields, const char *name);

/** Whether a tool of the question has this name. */
gboolean pteris_question_has_tool (const PterisQuestion *self, const char *name);

/** The text that stands for calls of tools in an answer of the assistant. @calls: a list of
 * {"name", "arguments"}. Free with g_free(). */
char *pteris_question_calls_text (const json_t *calls);

G_END_DECLS
