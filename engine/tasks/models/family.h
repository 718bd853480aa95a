/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/program/program.h"

G_BEGIN_DECLS

/*
 * What kind of model a program is, and what can be done with it here: recognised by the names of
 * its methods, then by what they take, then by its metadata (runners, sections 1 and 2).
 */

typedef enum {
  PT_TASK_PROGRAM,    /* pteris run and inspect */
  PT_TASK_CHAT,       /* PtChat */
  PT_TASK_TRANSCRIBE, /* PtTranscriber */
  PT_TASK_CLASSIFY,   /* PtClassifier */
  PT_TASK_COMPANION,  /* nothing by itself: models beside it use it */
} PtModelTask;

typedef enum {
  PT_FAMILY_UNKNOWN,
  PT_FAMILY_TEXT_LLM,         /* token ids, perhaps positions, to logits (section 3) */
  PT_FAMILY_VISION_CHAT,      /* embeddings of text and pictures: Gemma 3, LLaVA (5.2, 5.4) */
  PT_FAMILY_AUDIO_CHAT,       /* embeddings of text and sound: Voxtral (5.3) */
  PT_FAMILY_GEMMA4,           /* ids and embeddings at once (5.5) */
  PT_FAMILY_MUSE,             /* 5.7 */
  PT_FAMILY_WHISPER,          /* 6 */
  PT_FAMILY_TEXT_TO_TEXT,     /* encoder and decoder of text: T5 */
  PT_FAMILY_VOXTRAL_REALTIME, /* 7 */
  PT_FAMILY_TRANSDUCER,       /* Parakeet TDT, RNN-T (8) */
  PT_FAMILY_DIARIZER,         /* who speaks: Sortformer (9.1) */
  PT_FAMILY_VAD,              /* whether somebody speaks: Silero (9.2) */
  PT_FAMILY_CLASSIFIER,       /* a picture to classes (10) */
  PT_FAMILY_MASKED_LM,        /* 10 */
  PT_FAMILY_PREPROCESSOR,     /* sound to mel (11.2) */
} PtFamily;

#define PT_N_FAMILIES (PT_FAMILY_PREPROCESSOR + 1)

typedef struct {
  const char *id;   /* for --family and PtJob.family: "text-llm" */
  const char *name; /* for people: "text model" */
  PtModelTask task;
  gboolean transcribes; /* besides @task */
  guint needs;          /* PtModelPart: members it does not work without */
  guint takes;          /* PtModelInput: what messages of a chat may carry beside text */
  const char *obstacle; /* why none of them can be used yet, a sentence; NULL: they can */
} PtFamilyInfo;

/** The row of @family; never NULL. */
const PtFamilyInfo *pt_family_info (PtFamily family);

/** The family called @id. FALSE with an error that lists them. */
gboolean pt_family_find (const char *id, PtFamily *out, GError **error);

/**
 * What @program is. @why: NULL, or set to a sentence that says why nothing but running its methods
 * can be done with it, or to NULL when there is more; free with g_free(). Any thread.
 */
PtFamily pt_family_of (const PtProgram *program, char **why);

/** "chat", "transcribe", "classify", "companion", "program" */
const char *pt_model_task_name (PtModelTask task);

/** TRUE for a method that computes something, FALSE for one that only holds metadata. */
gboolean pt_plan_computes (const PtPlan *plan);

/**
 * Whether @plan reads token ids as text models do: [1, n], perhaps their positions [1] or [n], to
 * logits, or with a temperature to a token.
 */
gboolean pt_plan_reads_ids (const PtPlan *plan);

G_END_DECLS
