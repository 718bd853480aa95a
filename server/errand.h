/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "server/serving.h"

G_BEGIN_DECLS

/** What a request needs of a model. */
typedef struct {
  const char *model; /* its name; copied */
  const char *task;  /* of PtModelInfo: "chat" */
  const char *user;  /* who asks, a member of the request, or NULL; copied */
} PterisErrandNeeds;

/**
 * Have a model do @job for @exchange. @func gets its events but FAILED, with which the exchange
 * fails, and STOPPED, before which the client has gone. If the model does not exist, cannot do it
 * or the queue is full, the exchange fails. In any case @destroy frees @user_data at the end; what
 * @job points to must live as long. Server thread.
 */
void pteris_errand_begin (PterisServing *serving, PterisExchange *exchange,
                          const PterisErrandNeeds *needs, const PtJob *job, PtEventFunc func,
                          gpointer user_data, GDestroyNotify destroy);

G_END_DECLS
