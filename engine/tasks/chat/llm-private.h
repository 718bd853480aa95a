/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/tasks/chat/llm.h"

G_BEGIN_DECLS

#define PT_LLM_MAX_CONVERSATIONS 8

typedef enum {
  PT_LLM_NO_CACHE,       /* ids [1, n]: the whole history in every call */
  PT_LLM_START_POSITION, /* ids [1, n], position [1] of the first */
  PT_LLM_POSITIONS,      /* ids [1, n], positions [n] */
} PtLlmLayout;

/** A method that reads ids. */
typedef struct {
  PtMethod *method;
  PtDType id_type, position_type;
  gboolean chooses; /* takes a temperature, too, and gives a token instead of logits */
} PtLlmMethod;

/** What one conversation has left in the model. */
typedef struct {
  GArray *cached;  /* gint32: what is in the cache; NULL: there is no such conversation */
  gboolean broken; /* state that cannot be continued */
  guint64 used;    /* when it was last */
} PtLlmConversation;

struct _PtLlm {
  PtLlmMethod prompt, step; /* for many ids and for one; often the same */
  const PtLlmMethod *last;  /* that was run */
  PtLlmLayout layout;       /* of @prompt; with one id all are alike */
  guint chunk;              /* ids in one call */
  guint least;              /* ids that @prompt takes; fewer are read by @step */
  guint context;            /* ids in all */
  guint end;                /* ids in all that will be read */
  gsize width;
  float temperature; /* for methods that choose */
  /* The cache is addressed by position, so that going back is only a smaller position. Ring
   * caches and recurrent state can only be continued or begun anew. */
  gboolean can_rewind;
  PtLlmConversation conversations[PT_LLM_MAX_CONVERSATIONS];
  guint max_conversations;
  PtLlmConversation *now;
  guint64 clock;                       /* of uses */
  gpointer id_buffer, position_buffer; /* for chunk elements of 8 bytes */
  gpointer row;                        /* logits that were fetched from a device */
  gboolean on_host;                    /* the device cannot choose */

  /* The next step of a device, started before the host knows which id it reads. */
  const PtDevice *device; /* whose memory @next is */
  int device_index;
  guint8 *next;         /* an id and, some bytes behind it, its position */
  gint64 next_position; /* what is there now */
  gboolean is_ahead;    /* the step that reads @ahead_id has been started */
  gint32 ahead_id;
};

/** Find the methods of @module, what they take and how much (llm-methods.c). */
gboolean pt_llm_find_methods (PtLlm *self, PtModule *module, GError **error);

/** Go on with the conversation that @ids belongs to, or with a new one (llm-conversations.c). */
gboolean pt_llm_choose_conversation (PtLlm *self, const gint32 *ids, guint n, GError **error);
/** Give back the memory of all but the one now. FALSE when there are no others. */
gboolean pt_llm_forget_others (PtLlm *self);
/** How many of @ids the cache begins with; never all of them. */
guint pt_llm_count_same (const PtLlmConversation *conversation, const gint32 *ids, guint n);

/** Where the last row of logits is (llm.c). */
const guint8 *pt_llm_last_row (const PtLlm *self, const PtTensor **tensor);

G_END_DECLS
