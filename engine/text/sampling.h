/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

#include "engine/error.h"

G_BEGIN_DECLS

/** Below everything that a member of PtSampling can be: nobody has said what it is. */
#define PT_SAMPLING_UNSET (-100.0)

/**
 * PtSampling: how a token is chosen from logits, with the names and the meaning that Hugging Face
 * transformers and llama.cpp give them. Plain data. PtSampler says in which order they count.
 */
typedef struct {
  double temperature;        /* 0: always the likeliest token */
  double top_k;              /* only so many of the likeliest tokens; 0: all */
  double top_p;              /* only the likeliest that have this probability together; 1: all */
  double min_p;              /* only those that have this part of the likeliest's; 0: all */
  double repetition_penalty; /* what was said becomes less likely by this factor; 1: it does not */
  double repetition_window;  /* tokens that count as said; 0: none, -1: all */
  double presence_penalty;   /* taken off the logit of what was said; 0: nothing */
  double frequency_penalty;  /* the same for each time that it was said */
} PtSampling;

#define PT_SAMPLING_INIT                                                                           \
  {                                                                                                \
    PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, \
        PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET                                    \
  }

/** The likeliest token as the model says it, whatever was said before. */
#define PT_SAMPLING_GREEDY \
  {                        \
    0, 0, 1, 0, 1, 0, 0, 0 \
  }

/** A member of PtSampling, and what it may be. */
typedef struct {
  const char *name; /* "top_k": in files */
  gsize offset;     /* in PtSampling, of a double */
  double least, most;
  double usual; /* where neither a person nor the model says anything */
  gboolean is_whole;
} PtSamplingField;

/* Where neither a person nor the model says anything. */
#define PT_USUAL_TEMPERATURE 0.7
#define PT_USUAL_TOP_K 40
#define PT_USUAL_TOP_P 0.95
#define PT_USUAL_MIN_P 0.05
#define PT_USUAL_REPETITION_PENALTY 1.1
#define PT_USUAL_REPETITION_WINDOW 64

#define PT_SAMPLING_N_FIELDS 8
extern const PtSamplingField PT_SAMPLING_FIELDS[PT_SAMPLING_N_FIELDS];

static inline double
pt_sampling_get (const PtSampling *sampling, guint field)
{
  return *(const double *) (gconstpointer) ((const char *) sampling +
                                            PT_SAMPLING_FIELDS[field].offset);
}

static inline void
pt_sampling_set (PtSampling *sampling, guint field, double value)
{
  *(double *) (gpointer) ((char *) sampling + PT_SAMPLING_FIELDS[field].offset) = value;
}

static inline gboolean
pt_sampling_is_set (double value)
{
  return value > PT_SAMPLING_UNSET;
}

/** Whether @value is one that @field may have: NaN is none. */
gboolean pt_sampling_may_be (guint field, double value);

/** What @sampling does not say, as @other says it. */
void pt_sampling_fill (PtSampling *sampling, const PtSampling *other);

/** What is used where nobody says anything; nothing in it is unset. */
PtSampling pt_sampling_usual (void);

/** The members of @object that have our names. What is no number, or out of bounds, is unset. */
PtSampling pt_sampling_from_json (const json_t *object);
/** Add what is set to @object. */
void pt_sampling_to_json (const PtSampling *sampling, json_t *object);

/**
 * What the generation_config.json in @folder says, by the same names; also "max_new_tokens" (0: it
 * says nothing), and "do_sample": false is a temperature of 0. What it does not name is unset:
 * transformers' own defaults for it are not taken. There need not be such a file; FALSE when there
 * is one that cannot be read.
 */
gboolean pt_sampling_load (const char *folder, PtSampling *sampling, int *max_new_tokens,
                           GError **error);

G_END_DECLS
