/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/device.h"
#include "engine/tasks/llm/llm.h"

G_BEGIN_DECLS

#define PT_LLM_MAX_CONVERSATIONS 8
/* The same where each has memory for a whole context on a device. */
#define PT_LLM_MAX_ON_DEVICE 4
/* More positions than any model has. */
#define PT_LLM_MAX_CONTEXT (1 << 24)
/* Limits of the number of guesses that one call reads behind the chosen id (llm-guesses.c). */
#define PT_LLM_MAX_GUESSES 8
#define PT_LLM_LEAST_GUESSES 2

typedef enum {
  PT_LLM_NO_CACHE,       /* ids [1, n]: all ids so far in every call */
  PT_LLM_START_POSITION, /* ids [1, n], position [1] of the first id */
  PT_LLM_POSITIONS,      /* ids [1, n], positions [n] */
} PtLlmLayout;

/** The input of the model at each position (docs/formats/protocols.md, sections 2.2 and 4.1). */
typedef enum {
  PT_LLM_IDS,
  PT_LLM_EMBEDDINGS,            /* embeddings, which "token_embedding" makes from ids */
  PT_LLM_LAYER_EMBEDDINGS,      /* the same, and embeddings of the ids for each layer */
  PT_LLM_IDS_BESIDE_EMBEDDINGS, /* both; the embedding is zero where the id counts */
} PtLlmReading;

/** A method that reads ids or embeddings. */
typedef struct {
  PtMethod *method;
  PtDType id_type, position_type;
  gboolean chooses; /* the method also takes a temperature and returns a token, not logits */
} PtLlmMethod;

/** The state of one conversation in the model. */
typedef struct {
  GArray *cached;  /* gint32: the ids in the cache; NULL: there is no such conversation */
  gboolean broken; /* a call failed: the state cannot be continued */
  guint64 used;    /* the clock at its last use */
  guint8 *saved;   /* a copy of its caches (llm-saved.c); NULL: there is none */
  guint64 saved_size;
} PtLlmConversation;

struct _PtLlm {
  PtLlmReading reading;
  PtLlmMethod prompt, step; /* the methods for many ids and for one id; often the same */
  const PtLlmMethod *last;  /* the method that was run last */
  PtLlmLayout layout;       /* of @prompt; with one id both layouts with positions are alike */
  guint chunk;              /* most ids in one call */
  guint least;              /* fewest ids in a call of @prompt; fewer are read by @step */
  guint fixed;              /* number of ids in every call of @prompt; 0: any up to @chunk */
  guint filled;             /* number of ids that filled up the last call to @fixed */
  guint context;            /* most ids in the cache */
  guint end;                /* number of ids that will be read in all */
  gsize width;              /* of the logits: the number of tokens */
  float temperature;        /* for methods that choose tokens */
  /* The cache is addressed by position, so that going back only needs a smaller position. Ring
   * caches and recurrent state can only be continued or reset. */
  gboolean can_rewind;
  PtLlmConversation conversations[PT_LLM_MAX_CONVERSATIONS];
  guint max_conversations;
  PtLlmConversation *now; /* the current one */
  guint64 clock;          /* counts uses of conversations */
  /* Where the method has one state only, others are copies (llm-saved.c). */
  GArray *caches;                      /* NULL: states are selected in the delegates */
  guint64 saved_bytes, most_saved;     /* of all copies; the limit */
  gpointer id_buffer, position_buffer; /* @chunk elements of 8 bytes; one more in that of ids */
  gpointer row;                        /* one row of logits, copied from a device */
  gboolean on_host;                    /* the device cannot choose tokens: the host does */
  gboolean keeps_logits;               /* the caller reads logits: the host chooses tokens */

  /* For all readings but PT_LLM_IDS. */
  PtMethod *embedding; /* the method "token_embedding" */
  PtDType token_type;  /* dtype of the ids that it takes */
  guint least_tokens;  /* fewest ids that it takes */
  gboolean pads;       /* it takes exactly this many ids: zeros follow the given ones */
  PtDType row_type;    /* dtype of the embeddings that the model takes */
  gsize row_width;     /* elements of an embedding; 0: PT_LLM_IDS */
  guint8 *rows;        /* room for @chunk embeddings */
  /* For PT_LLM_LAYER_EMBEDDINGS: what a token has for each layer. */
  PtDType layer_type;    /* dtype that the model takes */
  gint64 layer_sizes[2]; /* the number of layers, and elements for each */
  guint8 *layers;        /* room for those of @chunk tokens */

  /* The next step on a device, started before the host knows which id it reads. */
  const PtDevice *device; /* the device of @next */
  int device_index;
  guint8 *next;         /* memory of the device: the id and, some bytes behind it, its position */
  gint64 next_position; /* the position that is in @next */
  gboolean is_ahead;    /* the step that reads @ahead_id has been started */
  gint32 ahead_id;

  /* Ids that were read in the last call although they were not chosen yet (llm-guesses.c). */
  gboolean guesses; /* guessing is on */
  gint32 guessed[PT_LLM_MAX_GUESSES];
  guint n_guessed,
      n_right;        /* guesses of the last call; those of them that have been chosen since */
  guint most_guesses; /* number of guesses in the next call */
};

/** Write @value to element @i of a buffer of ids or positions. */
static inline void
pt_llm_store (gpointer buffer, PtDType type, guint i, gint64 value)
{
  if (type == PT_DTYPE_I64)
    ((gint64 *) buffer)[i] = value;
  else
    ((gint32 *) buffer)[i] = (gint32) value;
}

/** Whether calls with too few ids are filled up. */
static inline gboolean
pt_llm_fills_up (const PtLlm *self)
{
  return self->fixed > 0 && self->step.method == self->prompt.method;
}

/** The input of the method with the positions. */
static inline guint
pt_llm_position_input (const PtLlm *self)
{
  return self->reading == PT_LLM_LAYER_EMBEDDINGS ? 2 : 1;
}

/** Elements of the embeddings of one token for all layers. */
static inline gsize
pt_llm_layers_width (const PtLlm *self)
{
  return (gsize) self->layer_sizes[0] * (gsize) self->layer_sizes[1];
}

/*
 * The state (llm-cache.c).
 */

/** The state can go back to an earlier position of a context of @context ids. */
gboolean pt_llm_finds_cache_by_position (PtModule *module, const PtMethod *method, guint context);
/** The cache has a window of @window cells that does not slide. */
gboolean pt_llm_holds_a_window_only (PtModule *module, const PtMethod *method, gint64 *window);
/** The cells of the smallest cache of the custom operators; PT_LLM_MAX_CONTEXT: there is none. */
guint pt_llm_count_cells (const PtMethod *method);

/** The rows of the largest table of embeddings in @method; G_MAXUINT: none is found. */
guint pt_llm_count_rows (const PtMethod *method);

/** Find the methods of @module and what they take (llm-methods.c). */
gboolean pt_llm_find_methods (PtLlm *self, PtModule *module, GError **error);

/*
 * Embeddings (llm-embeddings.c).
 */

/** Load "token_embedding". Call it when the chunk is known, which it may reduce. */
gboolean pt_llm_load_embedding (PtLlm *self, PtModule *module, GError **error);
/** Allocate memory for a chunk of embeddings. */
gboolean pt_llm_allocate_rows (PtLlm *self, GError **error);
/** Set the input of @method that takes embeddings: to those of @ids, or to @n of @media from @first
 * on. */
gboolean pt_llm_set_rows (PtLlm *self, const PtLlmMethod *method, const gint32 *ids, guint n,
                          const PtLlmEmbeddings *media, guint first, GCancellable *cancellable,
                          GError **error);

/** Select the conversation that @ids belongs to, or a new one (llm-conversations.c). */
gboolean pt_llm_choose_conversation (PtLlm *self, const gint32 *ids, guint n, GError **error);
/** Free the memory of all conversations but the current one. FALSE when there are no others. */
gboolean pt_llm_forget_others (PtLlm *self);
/** The length of the common prefix of @ids and the cache; always less than all of @ids. */
guint pt_llm_count_same (const PtLlmConversation *conversation, const gint32 *ids, guint n);

/*
 * Copies of caches (llm-saved.c).
 */

/** Whether the caches of other conversations can be kept as copies; then they are, from now on. */
gboolean pt_llm_can_save (PtLlm *self);
/** Save the current conversation, and go on with @other, which is saved. */
void pt_llm_restore (PtLlm *self, PtLlmConversation *other);
/** Save the current conversation, and go on in @empty, which is closed, with the first @n ids of
 * @from. These are fewer if there is no memory. */
void pt_llm_fork (PtLlm *self, PtLlmConversation *from, guint n, PtLlmConversation *empty);
/** Forget the ids of @conversation and its copy. */
void pt_llm_close_conversation (PtLlm *self, PtLlmConversation *conversation);

/*
 * Guesses (llm-guesses.c).
 */

/** Find up to @most ids that followed where the end of @ids has been before. */
guint pt_llm_find_guesses (const gint32 *ids, guint n, guint most, gint32 *guesses);
/** Write @id and the guesses behind it to @ids. Returns how many ids these are. */
guint pt_llm_guess (PtLlm *self, gint32 id, gint32 ids[PT_LLM_MAX_GUESSES + 1]);
/** Whether @ids is the next guess, which then has been read. If not, the guesses are dropped. */
gboolean pt_llm_take_guess (PtLlm *self, const gint32 *ids, guint n);
void pt_llm_drop_guesses (PtLlm *self);

/** The last row of logits that counts (llm.c). */
const guint8 *pt_llm_last_row (const PtLlm *self, const PtTensor **tensor);

G_END_DECLS
