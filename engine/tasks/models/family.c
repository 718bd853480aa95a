/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/family.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/models/family-private.h"

/* The obstacle of a family says what its task cannot do yet; remove it with that limit. */
static const PtFamilyInfo FAMILIES[PT_N_FAMILIES] = {
  [PT_FAMILY_UNKNOWN] = { "program", "program", PT_TASK_PROGRAM, FALSE, 0, 0, NULL },
  [PT_FAMILY_TEXT_LLM] = { "text-llm", "text model", PT_TASK_CHAT, FALSE, PT_MODEL_TOKENIZER, 0,
                           NULL },
  [PT_FAMILY_VISION_CHAT] = { "vision-chat", "vision language model", PT_TASK_CHAT, FALSE,
                              PT_MODEL_TOKENIZER, PT_MODEL_IMAGES, NULL },
  [PT_FAMILY_AUDIO_CHAT] = { "audio-chat", "audio language model", PT_TASK_CHAT, TRUE,
                             PT_MODEL_TOKENIZER, PT_MODEL_AUDIO, NULL },
  [PT_FAMILY_GEMMA4] = { "gemma4", "Gemma 4", PT_TASK_CHAT, FALSE, PT_MODEL_TOKENIZER,
                         PT_MODEL_IMAGES | PT_MODEL_AUDIO, NULL },
  [PT_FAMILY_MUSE] = { "muse", "Muse-Glimmer", PT_TASK_PROGRAM, FALSE, 0, 0,
                       "It takes embeddings as Muse-Glimmer does, which Pteris does not support." },
  [PT_FAMILY_WHISPER] = { "whisper", "Whisper", PT_TASK_TRANSCRIBE, FALSE, PT_MODEL_TOKENIZER, 0,
                          NULL },
  [PT_FAMILY_TEXT_TO_TEXT] = { "text-to-text", "encoder-decoder language model", PT_TASK_PROGRAM,
                               FALSE, 0, 0,
                               "It turns one text into another, as T5 does, which Pteris does not "
                               "support." },
  [PT_FAMILY_VOXTRAL_REALTIME] = { "voxtral-realtime", "Voxtral Realtime", PT_TASK_TRANSCRIBE,
                                   FALSE, PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_TRANSDUCER] = { "transducer", "transducer", PT_TASK_TRANSCRIBE, FALSE,
                             PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_DIARIZER] = { "diarizer", "speaker diarizer", PT_TASK_COMPANION, FALSE, 0, 0, NULL },
  [PT_FAMILY_VAD] = { "vad", "voice activity detector", PT_TASK_COMPANION, FALSE, 0, 0, NULL },
  [PT_FAMILY_CLASSIFIER] = { "classifier", "image classifier", PT_TASK_CLASSIFY, FALSE, 0, 0,
                             NULL },
  [PT_FAMILY_MASKED_LM] = { "masked-lm", "masked language model", PT_TASK_PROGRAM, FALSE, 0, 0,
                            NULL },
  [PT_FAMILY_PREPROCESSOR] = { "preprocessor", "audio preprocessor", PT_TASK_COMPANION, FALSE, 0, 0,
                               NULL },
  [PT_FAMILY_LFM2_VL] = { "lfm2-vl", "LFM2-VL", PT_TASK_CHAT, FALSE, PT_MODEL_TOKENIZER,
                          PT_MODEL_IMAGES, NULL },
  [PT_FAMILY_GEMMA4_LAYERS] = { "gemma4-layers", "Gemma 4 with per-layer embeddings", PT_TASK_CHAT,
                                FALSE, PT_MODEL_TOKENIZER, PT_MODEL_IMAGES | PT_MODEL_AUDIO, NULL },
  [PT_FAMILY_WHISPER_SAMPLES] = { "whisper-samples", "Whisper that reads samples",
                                  PT_TASK_TRANSCRIBE, FALSE, PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_SPLIT_WHISPER] = { "split-whisper", "Whisper or Moonshine in two programs",
                                PT_TASK_TRANSCRIBE, FALSE, PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_FSMN_VAD] = { "fsmn-vad", "voice activity detector FSMN", PT_TASK_COMPANION, FALSE, 0,
                           0, NULL },
  [PT_FAMILY_TEXT_EMBEDDING] = { "text-embedding", "text embedding model", PT_TASK_EMBED, FALSE,
                                 PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_TOKEN_EMBEDDING] = { "token-embedding", "multi-vector text embedding model",
                                  PT_TASK_EMBED, FALSE, PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_TEXT_CLASSIFIER] = { "text-classifier", "text classifier", PT_TASK_PROGRAM, FALSE, 0,
                                  0, "It classifies texts, which Pteris does not do." },
  [PT_FAMILY_TOKEN_CLASSIFIER] = { "token-classifier", "token classifier", PT_TASK_EMBED, FALSE,
                                   PT_MODEL_TOKENIZER, 0, NULL },
  [PT_FAMILY_IMAGE_EMBEDDING] = { "image-embedding", "image embedding model", PT_TASK_EMBED, FALSE,
                                  0, 0, NULL },
  [PT_FAMILY_DETECTOR] = { "detector", "object detector", PT_TASK_LOOK, FALSE, 0, 0, NULL },
  [PT_FAMILY_KEYPOINTS] = { "keypoints", "keypoint detector", PT_TASK_LOOK, FALSE, 0, 0, NULL },
  [PT_FAMILY_SEGMENTATION] = { "segmentation", "segmentation model", PT_TASK_LOOK, FALSE, 0, 0,
                               NULL },
  [PT_FAMILY_INSTANCES] = { "instances", "instance segmentation model", PT_TASK_LOOK, FALSE, 0, 0,
                            NULL },
  [PT_FAMILY_STYLE] = { "style", "image-to-image model", PT_TASK_LOOK, FALSE, 0, 0, NULL },
  [PT_FAMILY_TEXT_DETECTOR] = { "text-detector", "text detector (OCR)", PT_TASK_LOOK, FALSE, 0, 0,
                                NULL },
  [PT_FAMILY_TEXT_RECOGNIZER] = { "text-recognizer", "text recognizer (OCR)", PT_TASK_LOOK, FALSE,
                                  0, 0, NULL },
  [PT_FAMILY_KOKORO] = { "kokoro", "Kokoro", PT_TASK_SPEAK, FALSE, 0, 0, NULL },
  [PT_FAMILY_VOXTRAL_TTS] = { "voxtral-tts", "Voxtral TTS", PT_TASK_SPEAK, FALSE, 0, 0,
                              "It is a text-to-speech model; Pteris does not speak yet." },
  [PT_FAMILY_TEXT_TO_IMAGE] = { "text-to-image", "text-to-image model", PT_TASK_PROGRAM, FALSE, 0,
                                0,
                                "It is a text-to-image model; Pteris does not make pictures "
                                "yet." },
};

const PtFamilyInfo *
pt_family_info (PtFamily family)
{
  return &FAMILIES[family];
}

const char *
pt_family_article (PtFamily family)
{
  return strchr ("aeiouAEIOU", FAMILIES[family].name[0]) != NULL ? "an" : "a";
}

gboolean
pt_family_find (const char *id, PtFamily *out, GError **error)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < PT_N_FAMILIES; i++) {
    if (strcmp (FAMILIES[i].id, id) == 0) {
      *out = (PtFamily) i;
      return TRUE;
    }
    g_string_append_printf (all, "%s%s",
                            i == 0                   ? ""
                            : i + 1 == PT_N_FAMILIES ? " and "
                                                     : ", ",
                            FAMILIES[i].id);
  }
  return pt_fail (error, PT_ERROR_ARGUMENT, "“%s” is not a model family. Use one of %s.", id,
                  all->str);
}

const char *
pt_model_task_name (PtModelTask task)
{
  static const char *const names[] = {
    [PT_TASK_PROGRAM] = "program",       [PT_TASK_CHAT] = "chat",
    [PT_TASK_TRANSCRIBE] = "transcribe", [PT_TASK_CLASSIFY] = "classify",
    [PT_TASK_EMBED] = "embed",           [PT_TASK_LOOK] = "look",
    [PT_TASK_SPEAK] = "speak",           [PT_TASK_COMPANION] = "companion",
  };

  return names[task];
}

const PtFamilyChoice *
pt_library_families (guint *n)
{
  static PtFamilyChoice choices[PT_N_FAMILIES];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    for (guint i = 0; i < PT_N_FAMILIES; i++)
      choices[i] = (PtFamilyChoice){ FAMILIES[i].id, FAMILIES[i].name,
                                     pt_model_task_name (FAMILIES[i].task) };
    g_once_init_leave (&once, 1);
  }
  *n = PT_N_FAMILIES;
  return choices;
}

PtFamily
pt_family_of (const PtProgram *program, char **why)
{
  PtFamily family = pt_family_recognise (program);

  if (why != NULL)
    *why = family == PT_FAMILY_UNKNOWN ? pt_family_explain (program)
                                       : g_strdup (FAMILIES[family].obstacle);
  return family;
}
