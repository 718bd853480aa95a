/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/tasks/chat/llm.h"

G_BEGIN_DECLS

#define PT_LLM_MAX_CONVERSATIONS 8
/* Ids that are read at once behind the one that was chosen. */
#define PT_LLM_MAX_GUESSES 8
#define PT_LLM_LEAST_GUESSES 2

typedef enum {
  PT_LLM_NO_CACHE,       /* ids [1, n]: the whole history in every call */
  PT_LLM_START_POSITION, /* ids [1, n], position [1] of the first */
  PT_LLM_POSITIONS,      /* ids [1, n], positions [n] */
} PtLlmLayout;

/** What the model reads at each position. */
typedef enum {
  PT_LLM_IDS,
  PT_LLM_EMBEDDINGS,            /* which "token_embedding" makes of ids (runners, section 5.1) */
  PT_LLM_IDS_BESIDE_EMBEDDINGS, /* which are zero where an id counts (section 5.5) */
} PtLlmReading;

/** A method that reads ids, or embeddings. */
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
  PtLlmReading reading;
  PtLlmMethod prompt, step; /* for many ids and for one; often the same */
  const PtLlmMethod *last;  /* that was run */
  PtLlmLayout layout;       /* of @prompt; with one id all are alike */
  guint chunk;              /* ids in one call */
  guint least;              /* ids that @prompt takes; fewer are read by @step */
  guint fixed;              /* ids that a call of @prompt takes exactly; 0: up to @chunk */
  guint filled;             /* ids behind the last one in the call of before, to make up for that */
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
  gpointer id_buffer, position_buffer; /* for chunk elements of 8 bytes; of ids one more */
  gpointer row;                        /* logits that were fetched from a device */
  gboolean on_host;                    /* the device cannot choose */

  /* For PT_LLM_EMBEDDINGS and PT_LLM_IDS_BESIDE_EMBEDDINGS. */
  PtMethod *embedding; /* "token_embedding" */
  PtDType token_type;  /* of the ids that it takes */
  guint least_tokens;  /* that it takes */
  PtDType row_type;    /* of the embeddings that the model takes */
  gsize row_width;     /* elements; 0: PT_LLM_IDS */
  guint8 *rows;        /* for chunk of them */

  /* The next step of a device, started before the host knows which id it reads. */
  const PtDevice *device; /* whose memory @next is */
  int device_index;
  guint8 *next;         /* an id and, some bytes behind it, its position */
  gint64 next_position; /* what is there now */
  gboolean is_ahead;    /* the step that reads @ahead_id has been started */
  gint32 ahead_id;

  /* Ids that were read in the last call though nobody has chosen them (llm-guesses.c). */
  gboolean guesses;
  gint32 guessed[PT_LLM_MAX_GUESSES];
  guint n_guessed, n_right; /* those that have been chosen meanwhile */
  guint most_guesses;       /* to be made now */
};

/** Put @value at @i of a buffer of ids or positions. */
static inline void
pt_llm_store (gpointer buffer, PtDType type, guint i, gint64 value)
{
  if (type == PT_DTYPE_I64)
    ((gint64 *) buffer)[i] = value;
  else
    ((gint32 *) buffer)[i] = (gint32) value;
}

/** Calls with too few ids are filled up. */
static inline gboolean
pt_llm_fills_up (const PtLlm *self)
{
  return self->fixed > 0 && self->step.method == self->prompt.method;
}

/** Find the methods of @module, what they take and how much (llm-methods.c). */
gboolean pt_llm_find_methods (PtLlm *self, PtModule *module, GError **error);

/*
 * Embeddings (llm-embeddings.c).
 */

/** Load "token_embedding", when what the chunk may be is known. */
gboolean pt_llm_load_embedding (PtLlm *self, PtModule *module, GError **error);
/** Memory for a chunk of them. */
gboolean pt_llm_allocate_rows (PtLlm *self, GError **error);
/** Give the input of @method that takes embeddings those of @ids, or @n of @media from @first on.
 */
gboolean pt_llm_set_rows (PtLlm *self, const PtLlmMethod *method, const gint32 *ids, guint n,
                          const PtLlmEmbeddings *media, guint first, GCancellable *cancellable,
                          GError **error);

/** Go on with the conversation that @ids belongs to, or with a new one (llm-conversations.c). */
gboolean pt_llm_choose_conversation (PtLlm *self, const gint32 *ids, guint n, GError **error);
/** Give back the memory of all but the one now. FALSE when there are no others. */
gboolean pt_llm_forget_others (PtLlm *self);
/** How many of @ids the cache begins with; never all of them. */
guint pt_llm_count_same (const PtLlmConversation *conversation, const gint32 *ids, guint n);

/*
 * Guesses (llm-guesses.c).
 */

/** Up to @most ids that follow where the end of @ids has been before. */
guint pt_llm_find_guesses (const gint32 *ids, guint n, guint most, gint32 *guesses);
/** @ids: @id, and what may come behind it. Returns how many these are. */
guint pt_llm_guess (PtLlm *self, gint32 id, gint32 ids[PT_LLM_MAX_GUESSES + 1]);
/** Whether @ids is the next guess: then it has been read. If not, the guesses are dropped. */
gboolean pt_llm_take_guess (PtLlm *self, const gint32 *ids, guint n);
void pt_llm_drop_guesses (PtLlm *self);

/** Where the last row of logits is (llm.c). */
const guint8 *pt_llm_last_row (const PtLlm *self, const PtTensor **tensor);

G_END_DECLS
