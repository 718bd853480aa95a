/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of PtJob. */

#include "engine/host/messages.h"

static const PtField model[] = {
  PT_PATH (PtModelOptions, path),      PT_PATHS (PtModelOptions, data),
  PT_PATH (PtModelOptions, tokenizer), PT_PATH (PtModelOptions, preprocessor),
  PT_TEXT (PtModelOptions, family),    PT_TEXT (PtModelOptions, variant),
  PT_TEXT (PtModelOptions, method),    PT_ENUM (PtModelOptions, backend, PT_BACKEND_VULKAN + 1),
  PT_PLAIN (PtModelOptions, device),   PT_TEXT (PtModelOptions, trust),
  PT_BOOL (PtModelOptions, exact),
};
static PT_STRUCT (model_info, PtModelOptions, model, NULL);

static const PtField message[] = {
  PT_TEXT (PtMessage, role),
  PT_TEXT (PtMessage, text),
  PT_PATHS (PtMessage, files),
};
static PT_STRUCT (message_info, PtMessage, message, NULL);

static const PtField sampling[] = {
  PT_PLAIN (PtSampling, temperature),
  PT_PLAIN (PtSampling, top_k),
  PT_PLAIN (PtSampling, top_p),
  PT_PLAIN (PtSampling, min_p),
  PT_PLAIN (PtSampling, repetition_penalty),
  PT_PLAIN (PtSampling, repetition_window),
  PT_PLAIN (PtSampling, presence_penalty),
  PT_PLAIN (PtSampling, frequency_penalty),
};
static PT_STRUCT (sampling_info, PtSampling, sampling, NULL);

static const PtField bias[] = {
  PT_PLAIN (PtLogitBias, id),
  PT_PLAIN (PtLogitBias, bias),
};
static PT_STRUCT (bias_info, PtLogitBias, bias, NULL);

static const PtField chat[] = {
  PT_ROWS (PtChatOptions, messages, n_messages, &message_info),
  PT_PLAIN (PtChatOptions, max_new_tokens),
  PT_INSIDE (PtChatOptions, sampling, &sampling_info),
  PT_TEXTS (PtChatOptions, stop),
  PT_PLAIN (PtChatOptions, seed),
  PT_ENUM (PtChatOptions, thinking, PT_THINKING_OFF + 1),
  PT_TEXT (PtChatOptions, tools),
  PT_BOOL (PtChatOptions, lookup),
  PT_BOOL (PtChatOptions, raw),
  PT_BOOL (PtChatOptions, reseed),
  PT_ROWS (PtChatOptions, logit_bias, n_logit_bias, &bias_info),
  PT_BOOL (PtChatOptions, logprobs),
  PT_PLAIN (PtChatOptions, top_logprobs),
  PT_TEXT (PtChatOptions, json_schema),
  PT_BOOL (PtChatOptions, must_call),
  PT_TEXT (PtChatOptions, called),
};
static PT_STRUCT (chat_info, PtChatOptions, chat, NULL);

static const PtField speech[] = {
  PT_PATH (PtSpeechOptions, audio),     PT_TEXT (PtSpeechOptions, language),
  PT_BOOL (PtSpeechOptions, translate), PT_PLAIN (PtSpeechOptions, start),
  PT_BOOL (PtSpeechOptions, follow),    PT_BOOL (PtSpeechOptions, raw),
  PT_BOOL (PtSpeechOptions, all_sound), PT_BOOL (PtSpeechOptions, no_speakers),
};
static PT_STRUCT (speech_info, PtSpeechOptions, speech, NULL);

static const PtField vision[] = {
  PT_PATHS (PtVisionOptions, images), PT_PATH (PtVisionOptions, labels),
  PT_PLAIN (PtVisionOptions, top),    PT_PLAIN (PtVisionOptions, threshold),
  PT_PLAIN (PtVisionOptions, size),   PT_TEXTS (PtVisionOptions, texts),
};
static PT_STRUCT (vision_info, PtVisionOptions, vision, NULL);

/* Shapes go with inputs. */
static guint64
n_inputs (gconstpointer self, gconstpointer parent)
{
  const PtRunOptions *run = self;

  return run->inputs != NULL ? g_strv_length ((char **) run->inputs) : 0;
}

static const PtField run[] = {
  PT_PATHS (PtRunOptions, inputs),    PT_SPARSE (PtRunOptions, shapes, n_inputs),
  PT_PATH (PtRunOptions, output_dir), PT_PATH (PtRunOptions, steps),
  PT_PLAIN (PtRunOptions, repeat),    PT_BOOL (PtRunOptions, bundled),
  PT_BOOL (PtRunOptions, profile),    PT_PATH (PtRunOptions, trace),
};
static PT_STRUCT (run_info, PtRunOptions, run, NULL);

static const PtField bench[] = {
  PT_PATH (PtBenchOptions, audio),
  PT_PLAIN (PtBenchOptions, repeat),
  PT_PLAIN (PtBenchOptions, prompt_tokens),
  PT_PLAIN (PtBenchOptions, new_tokens),
};
static PT_STRUCT (bench_info, PtBenchOptions, bench, NULL);

static const PtField embed[] = {
  PT_TEXTS (PtEmbedOptions, texts),
  PT_PLAIN (PtEmbedOptions, n_queries),
  PT_BOOL (PtEmbedOptions, normalize),
};
static PT_STRUCT (embed_info, PtEmbedOptions, embed, NULL);

static const PtField privacy[] = {
  PT_TEXTS (PtPrivacyOptions, texts),
};
static PT_STRUCT (privacy_info, PtPrivacyOptions, privacy, NULL);

static const PtField speak[] = {
  PT_TEXT (PtSpeakOptions, text),   PT_BOOL (PtSpeakOptions, phonemes),
  PT_PATH (PtSpeakOptions, voice),  PT_TEXT (PtSpeakOptions, language),
  PT_PLAIN (PtSpeakOptions, speed), PT_PATH (PtSpeakOptions, output),
};
static PT_STRUCT (speak_info, PtSpeakOptions, speak, NULL);

static const PtField job[] = {
  PT_PLAIN (PtJob, size),
  PT_ENUM (PtJob, kind, PT_N_JOBS),
  PT_INSIDE (PtJob, model, &model_info),
  PT_INSIDE (PtJob, chat, &chat_info),
  PT_INSIDE (PtJob, speech, &speech_info),
  PT_INSIDE (PtJob, vision, &vision_info),
  PT_INSIDE (PtJob, run, &run_info),
  PT_INSIDE (PtJob, bench, &bench_info),
  PT_INSIDE (PtJob, embed, &embed_info),
  PT_INSIDE (PtJob, privacy, &privacy_info),
  PT_INSIDE (PtJob, speak, &speak_info),
  PT_BOOL (PtJob, keep_device),
};
PT_STRUCT (pt_job_fields, PtJob, job, NULL);
