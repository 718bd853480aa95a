/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/*
 * The kind of model that a program is, and the tasks that it can do here. It is recognised by the
 * names of its methods, then by their inputs and outputs, then by its metadata
 * (docs/formats/protocols.md, section 1.2).
 */

typedef enum {
  PT_TASK_PROGRAM,    /* only for pteris run and inspect */
  PT_TASK_CHAT,       /* PtChat */
  PT_TASK_TRANSCRIBE, /* PtTranscriber */
  PT_TASK_CLASSIFY,   /* PtClassifier */
  PT_TASK_EMBED,      /* vectors of texts and pictures, or labels of words */
  PT_TASK_LOOK,       /* what is where in a picture, or another picture */
  PT_TASK_SPEAK,      /* sound from text */
  PT_TASK_COMPANION,  /* none by itself: models beside it use it */
} PtModelTask;

typedef enum {
  PT_FAMILY_UNKNOWN,
  PT_FAMILY_TEXT_LLM,         /* token ids, perhaps positions, to logits */
  PT_FAMILY_VISION_CHAT,      /* embeddings of text and pictures: Gemma 3, LLaVA */
  PT_FAMILY_AUDIO_CHAT,       /* embeddings of text and sound: Voxtral */
  PT_FAMILY_GEMMA4,           /* ids and embeddings in one call */
  PT_FAMILY_MUSE,             /* Muse-Glimmer, which is not supported */
  PT_FAMILY_WHISPER,          /* a spectrogram to token ids */
  PT_FAMILY_TEXT_TO_TEXT,     /* encoder and decoder of text: T5 */
  PT_FAMILY_VOXTRAL_REALTIME, /* a token for each frame of sound */
  PT_FAMILY_TRANSDUCER,       /* Parakeet TDT, RNN-T */
  PT_FAMILY_DIARIZER,         /* which speaker speaks: Sortformer */
  PT_FAMILY_VAD,              /* whether somebody speaks: Silero */
  PT_FAMILY_CLASSIFIER,       /* a picture to classes */
  PT_FAMILY_MASKED_LM,        /* ids and an attention mask to logits: BERT */
  PT_FAMILY_PREPROCESSOR,     /* samples to a mel spectrogram */
  PT_FAMILY_LFM2_VL,          /* as VISION_CHAT, but pixels are 0 to 255: LFM2-VL */
  PT_FAMILY_GEMMA4_LAYERS,    /* embeddings of text in two outputs: Gemma 4 with per-layer ones */
  PT_FAMILY_WHISPER_SAMPLES,  /* samples to token ids: encode, decode */
  PT_FAMILY_SPLIT_WHISPER,    /* a program that encodes sound, one that decodes: Moonshine, too */
  PT_FAMILY_FSMN_VAD,         /* whether somebody speaks, without a state */
  PT_FAMILY_TEXT_EMBEDDING,   /* a text to a vector */
  PT_FAMILY_TOKEN_EMBEDDING,  /* a text to a vector for each token: ColBERT */
  PT_FAMILY_TEXT_CLASSIFIER,  /* a text to classes */
  PT_FAMILY_TOKEN_CLASSIFIER, /* a text to a class for each token: privacy filters */
  PT_FAMILY_IMAGE_EMBEDDING,  /* a picture to a vector: CLIP */
  PT_FAMILY_DETECTOR,         /* a picture to boxes, scores and classes */
  PT_FAMILY_KEYPOINTS,        /* a picture to boxes and points in them */
  PT_FAMILY_SEGMENTATION,     /* a picture to a class for each pixel */
  PT_FAMILY_INSTANCES,        /* a picture to boxes with a mask for each */
  PT_FAMILY_STYLE,            /* a picture to a picture */
  PT_FAMILY_TEXT_DETECTOR,    /* a picture to places with writing: CRAFT */
  PT_FAMILY_TEXT_RECOGNIZER,  /* a picture of writing to characters: CRNN */
  PT_FAMILY_KOKORO,           /* phonemes to durations to samples, in two programs */
  PT_FAMILY_VOXTRAL_TTS,      /* text to sound, in two programs */
  PT_FAMILY_TEXT_TO_IMAGE,    /* diffusion in three programs or more: BK-SDM */
} PtFamily;

#define PT_N_FAMILIES (PT_FAMILY_TEXT_TO_IMAGE + 1)

typedef struct {
  const char *id;   /* for --family and PtJob.family: "text-llm" */
  const char *name; /* for people: "text model" */
  PtModelTask task;
  gboolean transcribes; /* it can also transcribe, besides @task */
  guint needs;          /* PtModelPart: members that a model does not work without */
  guint takes;          /* PtModelInput: what messages of a chat may carry besides text */
  const char *obstacle; /* a sentence: why no model of the family can be used; NULL: they can */
} PtFamilyInfo;

/** The row of @family; never NULL. */
const PtFamilyInfo *pt_family_info (PtFamily family);

/** "a" or "an", as it stands before the name of @family in a sentence. */
const char *pt_family_article (PtFamily family);

/** Find the family called @id. FALSE with an error that lists all families. */
gboolean pt_family_find (const char *id, PtFamily *out, GError **error);

/**
 * The family of @program. @why: NULL, or set to a sentence that says why its methods can only be
 * run, or to NULL when a task can use it; free with g_free(). Where methods and shapes fit several
 * families, the capabilities of a config.json beside it decide, then the names of its file and
 * folders. Blocking; any thread.
 */
PtFamily pt_family_of (const PtProgram *program, char **why);

/**
 * Which part of a model of several programs @program is, such as "encoder"; @family: its family.
 * NULL: it is a model by itself. Any thread.
 */
const char *pt_family_role (const PtProgram *program, PtFamily family);

/** "chat", "transcribe", "classify", "embed", "look", "speak", "companion", "program" */
const char *pt_model_task_name (PtModelTask task);

/** Whether @plan is a method that computes, and not one that only holds metadata. */
gboolean pt_plan_computes (const PtPlan *plan);

/**
 * Whether @plan reads token ids as text models do: it takes ids [1, n], perhaps with positions [1]
 * or [n], and returns logits; or it also takes a temperature and returns a token.
 */
gboolean pt_plan_reads_ids (const PtPlan *plan);

G_END_DECLS
