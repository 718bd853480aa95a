/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * How a language model chooses the next token. All members start unset, and then come from the
 * model or from pt_sampling_usual(); a program sets those that it wants otherwise.
 *
 *     job.chat.sampling.temperature = 0.2;
 *     job.chat.sampling.top_k = 20;
 *
 * Everything here is plain data and functions of their arguments alone: any thread, no errors.
 */

/** Below everything that a member of PtSampling can be: not set. */
#define PT_SAMPLING_UNSET (-100.0)

/**
 * PtSampling: how a token is chosen from logits, with the names and the meaning that Hugging Face
 * transformers and llama.cpp give them. Plain data. Members count in this order: penalties,
 * temperature, top-k, top-p, min-p.
 */
typedef struct {
  double temperature;        /* logits are divided by it; 0: always the likeliest token */
  double top_k;              /* only so many of the likeliest tokens; 0: all */
  double top_p;              /* only the likeliest that have this probability together; 1: all */
  double min_p;              /* only those that have this part of the likeliest's; 0: all */
  double repetition_penalty; /* earlier tokens become less likely by this factor; 1: off */
  double repetition_window;  /* how many earlier tokens the penalties look at; 0: none, -1: all */
  double presence_penalty;   /* taken off the logit of every earlier token; 0: off */
  double frequency_penalty;  /* the same for each of its occurrences; 0: off */
} PtSampling;

#define PT_SAMPLING_INIT                                                                           \
  {                                                                                                \
    PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, \
        PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET                                    \
  }

/** Always the likeliest token, without penalties. */
#define PT_SAMPLING_GREEDY \
  {                        \
    0, 0, 1, 0, 1, 0, 0, 0 \
  }

/** A member of PtSampling, and its bounds. */
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
PT_API extern const PtSamplingField PT_SAMPLING_FIELDS[PT_SAMPLING_N_FIELDS];

/* @field: below PT_SAMPLING_N_FIELDS, an index of PT_SAMPLING_FIELDS. */
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

/** Whether @value is within the bounds of @field; NaN is not. */
PT_API gboolean pt_sampling_may_be (guint field, double value);

/** Copy the members of @other that are unset in @sampling. */
PT_API void pt_sampling_fill (PtSampling *sampling, const PtSampling *other);

/** The defaults where neither a person nor the model says anything; nothing in it is unset. */
PT_API PtSampling pt_sampling_usual (void);

G_END_DECLS
