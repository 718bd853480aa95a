/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What a PterisModelPool is made of: model-pool.c and model-places.c. */

#include "server/conversation-marks.h"
#include "server/model-pool.h"
#include "server/turns.h"

G_BEGIN_DECLS

/* In the order in which a model gets there. */
typedef enum {
  SLOT_UNLOADED,
  SLOT_MEASURING, /* a thread finds out what it needs, and what memory there is */
  SLOT_CROWDED,   /* it waits until another model is unloaded */
  SLOT_LOADING,
  SLOT_READY,
} PterisSlotState;

/* A model and the jobs that wait for it. */
typedef struct {
  PterisModelPool *pool;
  char *name, *path, *task;
  guint64 bytes;
  PterisTurns *turns;
  GPtrArray *slots; /* PterisSlot: one for each GPU that it may run on */
  gboolean known;   /* @needs */
  PtNeeds needs;
  guint context_size;
} PterisPooled;

/* A model on a GPU, with its engine. */
typedef struct {
  PterisPooled *model;
  int device;
  PterisSlotState state;
  PtEngine *engine; /* LOADING, READY */
  guint64 load;     /* number of the job LOAD; 0: it has ended */
  PterisPoolJob *running;
  PterisConversationMarks marks; /* its latest conversations, if there are several GPUs */
  gint64 used;                   /* monotonic time of its last job */
  gint64 loaded;                 /* ... when it was loaded */
  gint64 retry;                  /* ... before which other GPUs are tried */
  guint n_done;                  /* jobs since then */
  gboolean yields;               /* it begins no job, so that another model gets its memory */
} PterisSlot;

struct _PterisPoolJob {
  PterisPooled *model;
  PterisSlot *slot; /* where it runs; NULL: it waits */
  PtJob job;
  guint64 conversation; /* pteris_marks_of_chat(); 0: it is no chat, or there is one GPU */
  char *client;
  PtEventFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
  guint64 number; /* of the job of the engine */
  gint64 queued;  /* monotonic time */
  gint64 begin;   /* time of the pool's clock */
  gboolean overdue;
};

struct _PterisModelPool {
  PterisPoolOptions options;
  GArray *devices;   /* int; at least one */
  GPtrArray *models; /* PterisPooled */
  GPtrArray *slots;  /* PterisSlot, of all models */
  GSource *sweep;
  GSource *working;
  GCancellable *cancellable; /* of threads that measure */
  guint n_waiting;
  gboolean ended;
  gint64 awake;  /* the pool's clock: microseconds in which this process could work */
  gint64 looked; /* monotonic time of the last look at it */
};

/** Jobs that wait for the model of @slot. */
guint pteris_slot_count_waiting (const PterisSlot *slot);

/** Whether it is loaded, or being loaded. */
gboolean pteris_slot_takes_memory (const PterisSlot *slot);

/** Whether its model has come to @least on another GPU, or further. */
gboolean pteris_slot_is_elsewhere (const PterisSlot *slot, PterisSlotState least);

/** Whether @slot fits into @memory beside the others, of which @n_others are loaded. */
gboolean pteris_slot_fits (const PterisSlot *slot, const PtMemory *memory, guint *n_others);

/** The loaded model that has to make room on @device: one without a job, of these the one whose
 * last job is the longest ago. NULL: none is loaded. */
PterisSlot *pteris_slot_find_victim (PterisModelPool *self, int device);

/** Where @model is loaded next: on the GPU with the fewest models, of those that are not to be left
 * alone at @now. NULL: nowhere. */
const PterisSlot *pteris_slot_find_place (const PterisPooled *model, gint64 now);

/** Whether the model of @slot, for which jobs wait, is to be loaded there: it is nowhere yet, or it
 * needs a GPU and has more jobs than the places where it is can begin. */
gboolean pteris_slot_is_wanted (const PterisSlot *slot);

/** Take the next job for @slot, which is idle. NULL: another idle place knows the conversations of
 * all that wait. */
PterisPoolJob *pteris_slot_take_job (PterisSlot *slot);

G_END_DECLS
