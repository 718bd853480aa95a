/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * How a language model chooses the next token. All members start unset. Unset members are taken
 * from the model's files, else from pt_sampling_usual().
 *
 *     job.chat.sampling.temperature = 0.2;
 *     job.chat.sampling.top_k = 20;
 *
 * Plain data and pure functions: any thread, no errors.
 */

/** The value of a member of PtSampling that is not set; below every valid value. */
#define PT_SAMPLING_UNSET (-100.0)

/**
 * PtSampling: how a token is chosen from logits, with the names and the meaning that Hugging Face
 * transformers and llama.cpp give them. Plain data. They are applied in this order: penalties,
 * temperature, top-k, top-p, min-p.
 */
typedef struct {
  double temperature; /* logits are divided by it; 0: greedy decoding */
  double top_k;       /* keep only this many of the likeliest tokens; 0: all */
  double top_p;       /* keep the likeliest tokens up to this cumulative probability; 1: all */
  double min_p; /* keep tokens with at least this fraction of the highest probability; 0: all */
  double repetition_penalty; /* divides logits of earlier tokens, or multiplies those below 0; 1:
                                off */
  double repetition_window;  /* number of tokens that the penalties consider; 0: none, -1: all */
  double presence_penalty;   /* subtracted from the logit of every earlier token; 0: off */
  double frequency_penalty;  /* subtracted once for each occurrence; 0: off */
} PtSampling;

/** A PtSampling whose members are all unset. */
#define PT_SAMPLING_INIT                                                                           \
  {                                                                                                \
    PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, \
        PT_SAMPLING_UNSET, PT_SAMPLING_UNSET, PT_SAMPLING_UNSET                                    \
  }

/** Greedy decoding: always the likeliest token, no penalties. */
#define PT_SAMPLING_GREEDY \
  {                        \
    0, 0, 1, 0, 1, 0, 0, 0 \
  }

/** A member of PtSampling and its bounds. */
typedef struct {
  const char *name;   /* "top_k": in files */
  gsize offset;       /* of the double in PtSampling */
  double least, most; /* its bounds, which it may have */
  double usual;       /* default if neither the user nor the model sets it */
  gboolean is_whole;  /* it has no fraction */
} PtSamplingField;

/** Default temperature if neither the user nor the model sets one. */
#define PT_USUAL_TEMPERATURE 0.7
/** The usual PtSampling.top_k. */
#define PT_USUAL_TOP_K 40
/** The usual PtSampling.top_p. */
#define PT_USUAL_TOP_P 0.95
/** The usual PtSampling.min_p. */
#define PT_USUAL_MIN_P 0.05
/** The usual PtSampling.repetition_penalty. */
#define PT_USUAL_REPETITION_PENALTY 1.1
/** The usual PtSampling.repetition_window. */
#define PT_USUAL_REPETITION_WINDOW 64

/** How many members PtSampling has. */
#define PT_SAMPLING_N_FIELDS 8
/** The members of PtSampling, in their order. */
PT_API extern const PtSamplingField PT_SAMPLING_FIELDS[PT_SAMPLING_N_FIELDS];

/** Returns a member of PtSampling. @field: an index of PT_SAMPLING_FIELDS, below
   PT_SAMPLING_N_FIELDS. */
static inline double
pt_sampling_get (const PtSampling *sampling, guint field)
{
  return *(const double *) (gconstpointer) ((const char *) sampling +
                                            PT_SAMPLING_FIELDS[field].offset);
}

/** Set a member to @value. @field: as for pt_sampling_get(). */
static inline void
pt_sampling_set (PtSampling *sampling, guint field, double value)
{
  *(double *) (gpointer) ((char *) sampling + PT_SAMPLING_FIELDS[field].offset) = value;
}

/** Whether @value, a member of PtSampling, is set. */
static inline gboolean
pt_sampling_is_set (double value)
{
  return value > PT_SAMPLING_UNSET;
}

/** Whether @value is within the bounds of @field; FALSE for NaN. */
PT_API gboolean pt_sampling_may_be (guint field, double value);

/** Set the unset members of @sampling to those of @other. */
PT_API void pt_sampling_fill (PtSampling *sampling, const PtSampling *other);

/** The defaults if neither the user nor the model sets a member; none is unset. */
PT_API PtSampling pt_sampling_usual (void);

G_END_DECLS
