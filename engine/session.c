/* SPDX-License-Identifier: BSD-3-Clause */

/* Runs each kind of job on the engine thread. */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/job-files.h"
#include "engine/session.h"
#include "engine/runtime/backend.h"
#include "engine/tasks/bench.h"
#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/embed/embedder.h"
#include "engine/tasks/embed/privacy-filter.h"
#include "engine/tasks/inspect/inspect-job.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/model-library.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-set.h"
#include "engine/tasks/run/run-job.h"
#include "engine/tasks/speak/speaker.h"
#include "engine/tasks/speech/transcribe-job.h"
#include "engine/tasks/vision/classify.h"
#include "engine/tasks/vision/look.h"

/* Interval of STATS events. */
#define STATS_INTERVAL_US (G_USEC_PER_SEC / 8)

struct _PtSession {
  PtModelSet *set; /* NULL: nothing is loaded */
  PtModule *module;
  PtModule *preprocessor;
  PtModule *other;          /* the other program of a speech model that has two */
  PtModule *vad, *diarizer; /* companions of a speech model */
  PtTokenizer *tokenizer;
  PtChat *chat;
  PtTranscriber *transcriber;
  PtLooker *looker;   /* of a loaded vision model; or NULL */
  PtSpeaker *speaker; /* of the latest PT_JOB_SPEAK; or NULL */
  int device;         /* number of the GPU */
  double load_s;
  /* Models of texts stay loaded beside the others. */
  PtEmbedder *embedder;
  PtPrivacyFilter *filter;
  char *embedder_key, *filter_key; /* which models they are */
  PtModelSet *searched;            /* the model that the job names, found already; or NULL */
};

/* User data of a task's callbacks. */
typedef struct {
  const PtEmitter *emitter;
  gint64 last_stats;
} Sink;

PtSession *
pt_session_new (void)
{
  return g_new0 (PtSession, 1);
}

void
pt_session_unload (PtSession *self)
{
  g_clear_pointer (&self->chat, pt_chat_free);
  g_clear_pointer (&self->transcriber, pt_transcriber_free);
  g_clear_pointer (&self->looker, pt_looker_free);
  g_clear_pointer (&self->tokenizer, pt_tokenizer_free);
  g_clear_pointer (&self->preprocessor, pt_module_free);
  g_clear_pointer (&self->other, pt_module_free);
  g_clear_pointer (&self->vad, pt_module_free);
  g_clear_pointer (&self->diarizer, pt_module_free);
  g_clear_pointer (&self->module, pt_module_free);
  g_clear_pointer (&self->set, pt_model_set_free);
  g_clear_pointer (&self->speaker, pt_speaker_free);
}

static void
unload_texts (PtSession *self)
{
  g_clear_pointer (&self->embedder, pt_embedder_free);
  g_clear_pointer (&self->filter, pt_privacy_filter_free);
  g_clear_pointer (&self->embedder_key, g_free);
  g_clear_pointer (&self->filter_key, g_free);
}

void
pt_session_free (PtSession *self)
{
  pt_session_unload (self);
  unload_texts (self);
  g_free (self);
}

/* ---- loading ---- */

static PtModelSet *
find_files (PtSession *self, const PtJob *job, GError **error)
{
  return pt_job_find_files (job, g_steal_pointer (&self->searched), error);
}

static gboolean
stopped (GCancellable *cancellable, GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return FALSE;
  pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  return TRUE;
}

static gboolean
open_chat (PtSession *self, GError **error)
{
  g_autofree char *text = pt_model_text_folder (self->set->folder, self->set->tokenizer);
  g_autofree char *settings = pt_model_settings_folder (self->set->folder);

  self->chat = pt_chat_new (self->module, self->tokenizer, text, error);
  if (self->chat == NULL ||
      (strcmp (text, settings) != 0 && !pt_chat_use_settings (self->chat, settings, error)))
    return FALSE;
  return self->preprocessor == NULL ||
         pt_chat_use_preprocessor (self->chat, self->preprocessor, error);
}

static gboolean
open_transcriber (PtSession *self, GError **error)
{
  const char *decoder = pt_model_set_part (self->set, "decoder");
  gboolean is_decoder = g_strcmp0 (decoder, self->set->program) == 0;

  if (self->other != NULL)
    self->transcriber =
        pt_transcriber_new_of_two (is_decoder ? self->other : self->module,
                                   is_decoder ? self->module : self->other, self->tokenizer, error);
  else
    self->transcriber =
        pt_transcriber_new (self->module, self->tokenizer, self->preprocessor, error);
  return self->transcriber != NULL;
}

/** Opens the tokenizer and loads the methods that the task of the model needs. */
static gboolean
load_task (PtSession *self, const PtJob *job, const PtEmitter *emitter, GError **error)
{
  if (pt_looker_takes (self->set)) {
    pt_emit_progress (emitter, PT_STEP_PREPARING, 0.5);
    self->looker = pt_looker_new (self->set, job, error);
    return self->looker != NULL;
  }
  if (self->set->task != PT_TASK_CHAT && self->set->task != PT_TASK_TRANSCRIBE)
    return TRUE;
  pt_emit_progress (emitter, PT_STEP_TOKENIZER, 0.2);
  self->tokenizer = pt_tokenizer_open (self->set->tokenizer, error);
  if (self->tokenizer == NULL)
    return FALSE;
  pt_emit_progress (emitter, PT_STEP_PREPARING, 0.5);
  return self->set->task == PT_TASK_CHAT ? open_chat (self, error) : open_transcriber (self, error);
}

/* Opens a program that a speech model uses, such as the voice activity detector. */
static gboolean
open_companion (PtSession *self, const char *path, const PtMethodOptions *options,
                PtModule **module, GError **error)
{
  if (path == NULL || *module != NULL)
    return TRUE;
  *module = pt_model_set_open_companion (self->set, path, options, error);
  return *module != NULL;
}

static gboolean
load_companions (PtSession *self, const PtMethodOptions *options, GError **error)
{
  g_autofree char *vad = g_strdup (self->set->vad), *diarizer = g_strdup (self->set->diarizer);

  /* Companions that are not beside the model may be in the library. */
  if (vad == NULL || diarizer == NULL)
    pt_library_find_companions (self->set, &vad, &diarizer);
  if (!open_companion (self, vad, options, &self->vad, error) ||
      !open_companion (self, diarizer, options, &self->diarizer, error))
    return FALSE;
  return (self->vad == NULL || pt_transcriber_use_vad (self->transcriber, self->vad, error)) &&
         (self->diarizer == NULL ||
          pt_transcriber_use_diarizer (self->transcriber, self->diarizer, error));
}

/* Some models both chat and transcribe with one KV cache: a change of task resets it. */
static gboolean
change_to_chat (PtSession *self, GError **error)
{
  if (self->set == NULL || self->set->task != PT_TASK_CHAT || self->chat != NULL)
    return TRUE;
  g_clear_pointer (&self->transcriber, pt_transcriber_free);
  return open_chat (self, error);
}

static gboolean
change_to_transcriber (PtSession *self, GError **error)
{
  const PtMethodOptions options = { .device = self->device };

  if (self->set == NULL || self->transcriber != NULL ||
      !pt_family_info (self->set->family)->transcribes)
    return TRUE;
  g_clear_pointer (&self->chat, pt_chat_free);
  return open_transcriber (self, error) && load_companions (self, &options, error);
}

/*
 * Our own code computes Whisper's mel spectrogram faster with the same result; a preprocessor is
 * used only if it is named. The preprocessor of Voxtral Realtime also selects the mode of the model
 * (speech/realtime.c).
 */
static const char *
choose_preprocessor (const PtSession *self, const PtJob *job)
{
  if (job->model.preprocessor != NULL || self->set->family != PT_FAMILY_VOXTRAL_REALTIME)
    return job->model.preprocessor;
  return self->set->preprocessor;
}

/* The other program of a speech model that is an encoder and a decoder, or NULL. */
static const char *
find_other (const PtSession *self)
{
  const char *decoder = pt_model_set_part (self->set, "decoder");

  if (self->set->family != PT_FAMILY_SPLIT_WHISPER)
    return NULL;
  return g_strcmp0 (decoder, self->set->program) == 0 ? pt_model_set_part (self->set, "encoder")
                                                      : decoder;
}

static gboolean
load_model (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
            GError **error)
{
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  gint64 begin = g_get_monotonic_time ();

  pt_emit_progress (emitter, PT_STEP_OPENING, 0);
  self->set = find_files (self, job, error);
  if (self->set == NULL || !pt_model_set_check (self->set, error))
    return FALSE;
  self->module = pt_model_set_open (self->set, &options, error);
  if (self->module == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (self->module), error))
    return FALSE;
  if (!pt_module_choose_method (self->module, job->model.method, error))
    return FALSE;
  self->device = job->model.device;
  if (!open_companion (self, choose_preprocessor (self, job), &options, &self->preprocessor,
                       error) ||
      !open_companion (self, find_other (self), &options, &self->other, error))
    return FALSE;
  if (stopped (cancellable, error) || !load_task (self, job, emitter, error) ||
      (self->transcriber != NULL && !load_companions (self, &options, error)) ||
      stopped (cancellable, error))
    return FALSE;
  pt_model_set_close_files (self->set);
  self->load_s = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  return TRUE;
}

static void
send_loaded (const PtSession *self, const PtEmitter *emitter)
{
  g_autoptr (PtModelInfo) info = pt_model_info_new (self->set);
  const PtLoadedModel loaded = {
    .name = info->name,
    .title = info->title,
    .task = info->task,
    .license = info->license,
    .path = info->path,
    .data = (const char *const *) self->set->data,
    .tokenizer = self->set->tokenizer,
    .bytes = info->bytes,
    .device = pt_backend_choice_device_name (pt_module_program (self->module), self->device),
    .load_s = self->load_s,
    .streams = self->transcriber != NULL && pt_transcriber_streams (self->transcriber),
    .context_size = self->chat != NULL ? pt_chat_context (self->chat) : 0,
  };
  PtEvent event = { .kind = PT_EVENT_LOADED, .loaded = &loaded };

  pt_emitter_send (emitter, &event);
}

static gboolean
do_load (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
         GError **error)
{
  pt_session_unload (self);
  if (!pt_job_check_backend (job->model.backend, error))
    return FALSE;
  if (!load_model (self, job, emitter, cancellable, error)) {
    pt_session_unload (self);
    return FALSE;
  }
  pt_emit_progress (emitter, PT_STEP_READY, 1);
  send_loaded (self, emitter);
  return TRUE;
}

/* The purpose of the models of @task, the end of a sentence. */
static const char *
purpose_of (PtModelTask task)
{
  switch (task) {
  case PT_TASK_CHAT: return "it is made for chat";
  case PT_TASK_TRANSCRIBE: return "it is made for transcription";
  case PT_TASK_COMPANION: return "it helps a speech model, and belongs beside one";
  default: return "it is neither for chat nor for speech";
  }
}

static gboolean
check_task (const PtSession *self, gboolean can, const char *what, GError **error)
{
  if (self->set == NULL)
    return pt_fail (error, PT_ERROR_STATE, "No model is loaded.");
  return can || pt_fail (error, PT_ERROR_UNSUPPORTED, "The model “%s” cannot %s: %s.",
                         self->set->name, what, purpose_of (self->set->task));
}

/* ---- chat ---- */

static void
on_answer (const char *text, PtAnswerPart part, const PtStats *stats, gpointer user_data)
{
  Sink *sink = user_data;
  gint64 now = g_get_monotonic_time ();

  if (*text != '\0')
    pt_emitter_send (sink->emitter,
                     &(PtEvent){ .kind = PT_EVENT_TEXT, .text = text, .part = part });
  if (now - sink->last_stats >= STATS_INTERVAL_US) {
    pt_emit_stats (sink->emitter, stats);
    sink->last_stats = now;
  }
}

static void
on_tokens (const PtChosenToken *tokens, guint n, gpointer user_data)
{
  Sink *sink = user_data;
  PtEvent event = { .kind = PT_EVENT_TOKENS, .chosen = tokens, .n_chosen = n };

  pt_emitter_send (sink->emitter, &event);
}

/* Sends the calls of tools of the last answer, if it has any. */
static void
send_tool_calls (const PtChat *chat, const PtChatOptions *request, const PtEmitter *emitter)
{
  g_autofree char *calls = pt_chat_tool_calls (chat, request);
  PtEvent event = { .kind = PT_EVENT_TOOL_CALLS, .text = calls };

  if (calls != NULL)
    pt_emitter_send (emitter, &event);
}

static gboolean
do_chat (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
         PtReason *reason, GError **error)
{
  Sink sink = { emitter, 0 };
  PtStats stats;

  if (!change_to_chat (self, error) || !check_task (self, self->chat != NULL, "chat", error))
    return FALSE;
  pt_chat_set_tokens_func (self->chat, on_tokens, &sink);
  *reason = pt_chat_answer (self->chat, &job->chat, on_answer, &sink, cancellable, &stats, error);
  pt_chat_set_tokens_func (self->chat, NULL, NULL);
  pt_emit_stats (emitter, &stats);
  if (*reason != PT_REASON_NONE && job->chat.tools != NULL)
    send_tool_calls (self->chat, &job->chat, emitter);
  return *reason != PT_REASON_NONE;
}

/* ---- transcription ---- */

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  Sink *sink = user_data;
  PtEvent event = {
    .kind = PT_EVENT_SEGMENT,
    .start = segment->start,
    .end = segment->end,
    .text = segment->text,
    .words = segment->words,
    .n_words = segment->n_words,
    .tokens = segment->tokens,
    .n_tokens = segment->n_tokens,
    .speaker = segment->speaker,
  };

  pt_emitter_send (sink->emitter, &event);
}

static void
on_text (const char *text, gpointer user_data)
{
  pt_emit_text (((Sink *) user_data)->emitter, PT_EVENT_TEXT, text);
}

static void
on_window (const PtStats *stats, gpointer user_data)
{
  Sink *sink = user_data;

  pt_emit_stats (sink->emitter, stats);
  if (stats->audio_total_s > 0)
    pt_emit_progress (sink->emitter, PT_STEP_TRANSCRIBING,
                      CLAMP (stats->audio_s / stats->audio_total_s, 0, 1));
}

static gboolean
do_transcribe (PtSession *self, const PtJob *job, const PtEmitter *emitter,
               GCancellable *cancellable, PtReason *reason, GError **error)
{
  PtTranscribeOptions options = {
    .language = job->speech.language,
    .translate = job->speech.translate,
    .start = job->speech.start,
    .follow = job->speech.follow,
    .raw = job->speech.raw,
    .finish = emitter->finish,
    .all_sound = job->speech.all_sound,
    .no_speakers = job->speech.no_speakers,
    .text = on_text,
  };
  PtTranscribeResult result;
  Sink sink = { emitter, 0 };

  if (!change_to_transcriber (self, error) ||
      !check_task (self, self->transcriber != NULL, "transcribe", error))
    return FALSE;
  if (job->speech.audio == NULL)
    return pt_fail (error, PT_ERROR_ARGUMENT, "No recording was given. Choose a recording.");
  if (!pt_transcriber_run (self->transcriber, &options, job->speech.audio, on_segment, on_window,
                           &sink, cancellable, &result, error))
    return FALSE;
  pt_emit_stats (emitter, &result.stats);
  *reason = result.no_speech ? PT_REASON_NO_SPEECH : PT_REASON_STOP;
  return TRUE;
}

/* ---- reports ---- */

static gboolean
do_inspect (const PtJob *job, const PtEmitter *emitter, GError **error)
{
  g_autoptr (PtModelSet) set = NULL;
  g_autofree char *program = pt_job_find_program (&job->model, &set, error);
  g_autoptr (PtInspectReport) report = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };

  if (program == NULL)
    return FALSE;
  report = set != NULL ? pt_inspect_set (set, job->model.data, error)
                       : pt_inspect (program, job->model.data, error);
  event.inspect = report;
  if (report == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static void
on_step (PtStep step, guint number, guint count, gpointer user_data)
{
  PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = step, .number = number, .count = count };

  event.fraction = count > 0 ? (number - 1.0) / count : 0;
  pt_emitter_send (((Sink *) user_data)->emitter, &event);
}

static gboolean
do_run (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
        GError **error)
{
  g_autofree char *found = NULL, *program = NULL;
  g_autoptr (PtModelSet) set = NULL;
  g_autoptr (PtRunReport) report = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };
  Sink sink = { emitter, 0 };
  PtJob resolved = *job;

  /* pt_run() opens the program itself. */
  g_clear_pointer (&self->searched, pt_model_set_free);
  if (!pt_job_check_backend (job->model.backend, error))
    return FALSE;
  if (job->model.path != NULL || job->run.steps == NULL) {
    found = pt_job_find_program (&job->model, &set, error);
    if (found == NULL)
      return FALSE;
    program = pt_job_choose_program (job, found, set);
    resolved.model.path = program;
  }
  event.run = report = pt_run (&resolved, on_step, &sink, cancellable, error);
  if (report == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static gboolean
do_classify (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
             GError **error)
{
  g_autoptr (PtModelSet) set = NULL;
  g_autoptr (PtClassification) found = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };

  if (!pt_job_check_backend (job->model.backend, error))
    return FALSE;
  set = find_files (self, job, error);
  if (set == NULL || !pt_model_set_check (set, error))
    return FALSE;
  event.classification = found = pt_classify (set, job, cancellable, error);
  if (found == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

/* ---- models of texts ---- */

/* A key of the loaded text model: its files and its options. */
static char *
key_of (const PtJob *job)
{
  return g_strdup_printf ("%s\n%s\n%s\n%s\n%s\n%d %d", job->model.path, job->model.tokenizer,
                          job->model.family, job->model.method, job->model.trust,
                          job->model.backend, job->model.device);
}

static PtModelSet *
find_text_model (PtSession *self, const PtJob *job, const PtEmitter *emitter, GError **error)
{
  g_autoptr (PtModelSet) set = NULL;

  pt_emit_progress (emitter, PT_STEP_OPENING, 0);
  if (!pt_job_check_backend (job->model.backend, error))
    return NULL;
  set = find_files (self, job, error);
  return set != NULL && pt_model_set_check (set, error) ? g_steal_pointer (&set) : NULL;
}

static gboolean
open_embedder (PtSession *self, const PtJob *job, const PtEmitter *emitter, GError **error)
{
  g_autofree char *key = job->model.path != NULL ? key_of (job) : NULL;
  g_autoptr (PtModelSet) set = NULL;

  if (self->embedder != NULL && g_strcmp0 (key, self->embedder_key) == 0)
    return TRUE;
  g_clear_pointer (&self->embedder, pt_embedder_free);
  g_clear_pointer (&self->embedder_key, g_free);
  set = find_text_model (self, job, emitter, error);
  self->embedder = set != NULL ? pt_embedder_new (set, job, error) : NULL;
  self->embedder_key = g_steal_pointer (&key);
  return self->embedder != NULL;
}

static gboolean
open_filter (PtSession *self, const PtJob *job, const PtEmitter *emitter, GError **error)
{
  g_autofree char *key = job->model.path != NULL ? key_of (job) : NULL;
  g_autoptr (PtModelSet) set = NULL;

  if (self->filter != NULL && g_strcmp0 (key, self->filter_key) == 0)
    return TRUE;
  g_clear_pointer (&self->filter, pt_privacy_filter_free);
  g_clear_pointer (&self->filter_key, g_free);
  set = find_text_model (self, job, emitter, error);
  self->filter = set != NULL ? pt_privacy_filter_new (set, job, error) : NULL;
  self->filter_key = g_steal_pointer (&key);
  return self->filter != NULL;
}

static gboolean
do_embed (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
          GError **error)
{
  g_autoptr (PtEmbedReport) report = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };
  Sink sink = { emitter, 0 };

  if (!open_embedder (self, job, emitter, error))
    return FALSE;
  event.embedded = report =
      pt_embedder_run (self->embedder, &job->embed, on_step, &sink, cancellable, error);
  if (report == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static gboolean
do_privacy (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
            GError **error)
{
  g_autoptr (PtPrivacyReport) report = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };
  Sink sink = { emitter, 0 };

  if (!open_filter (self, job, emitter, error))
    return FALSE;
  event.privacy = report =
      pt_privacy_filter_run (self->filter, &job->privacy, on_step, &sink, cancellable, error);
  if (report == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static void
on_speech (const PtEvent *event, gpointer user_data)
{
  pt_emitter_send (user_data, event);
}

/* Opens the model that @job names, unless it spoke before. */
static gboolean
open_speaker (PtSession *self, const PtJob *job, const PtEmitter *emitter, GError **error)
{
  PtModelSet *set;

  if (self->speaker != NULL && pt_speaker_is_for (self->speaker, job))
    return TRUE;
  g_clear_pointer (&self->speaker, pt_speaker_free);
  pt_emit_progress (emitter, PT_STEP_OPENING, 0);
  set = find_files (self, job, error);
  if (set == NULL)
    return FALSE;
  if (!pt_model_set_check (set, error)) {
    pt_model_set_free (set);
    return FALSE;
  }
  self->speaker = pt_speaker_new (set, job, error);
  return self->speaker != NULL;
}

static gboolean
do_speak (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
          GError **error)
{
  return pt_job_check_backend (job->model.backend, error) &&
         open_speaker (self, job, emitter, error) && !stopped (cancellable, error) &&
         pt_speaker_run (self->speaker, job, on_speech, (gpointer) emitter, cancellable, error);
}

static PtLookResult *
look_once (PtSession *self, const PtJob *job, Sink *sink, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtModelSet) set = NULL;

  if (!pt_job_check_backend (job->model.backend, error))
    return NULL;
  pt_emit_progress (sink->emitter, PT_STEP_OPENING, -1);
  set = find_files (self, job, error);
  if (set == NULL || !pt_model_set_check (set, error))
    return NULL;
  return pt_look (set, job, on_step, sink, cancellable, error);
}

static gboolean
do_look (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
         GError **error)
{
  g_autoptr (PtLookResult) found = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };
  Sink sink = { emitter, 0 };

  if (job->model.path != NULL)
    found = look_once (self, job, &sink, cancellable, error);
  else if (check_task (self, self->looker != NULL, "look at pictures", error))
    found = pt_looker_look (self->looker, job, self->load_s, on_step, &sink, cancellable, error);
  event.look = found;
  if (found == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static gboolean
do_bench (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
          GError **error)
{
  g_autoptr (PtModelSet) set = NULL;
  g_autoptr (PtBenchReport) report = NULL;
  PtEvent event = { .kind = PT_EVENT_REPORT };
  Sink sink = { emitter, 0 };

  /* The memory of a loaded model would be counted as the benchmark's. */
  pt_session_unload (self);
  unload_texts (self);
  if (!pt_job_check_backend (job->model.backend, error))
    return FALSE;
  set = find_files (self, job, error);
  if (set == NULL || !pt_model_set_check (set, error))
    return FALSE;
  /* Memory of the files opened to find the model would be counted, too. */
  pt_model_set_close_files (set);
  event.bench = report = pt_bench (set, job, on_step, &sink, cancellable, error);
  if (report == NULL)
    return FALSE;
  pt_emitter_send (emitter, &event);
  return TRUE;
}

static gboolean
do_job (PtSession *self, const PtJob *job, const PtEmitter *emitter, GCancellable *cancellable,
        PtReason *reason, GError **error)
{
  *reason = PT_REASON_STOP;
  switch (job->kind) {
  case PT_JOB_LOAD: return do_load (self, job, emitter, cancellable, error);
  case PT_JOB_UNLOAD:
    pt_session_unload (self);
    unload_texts (self);
    return TRUE;
  case PT_JOB_CHAT: return do_chat (self, job, emitter, cancellable, reason, error);
  case PT_JOB_TRANSCRIBE: return do_transcribe (self, job, emitter, cancellable, reason, error);
  case PT_JOB_CLASSIFY: return do_classify (self, job, emitter, cancellable, error);
  case PT_JOB_INSPECT: return do_inspect (job, emitter, error);
  case PT_JOB_RUN: return do_run (self, job, emitter, cancellable, error);
  case PT_JOB_BENCH: return do_bench (self, job, emitter, cancellable, error);
  case PT_JOB_EMBED: return do_embed (self, job, emitter, cancellable, error);
  case PT_JOB_PRIVACY: return do_privacy (self, job, emitter, cancellable, error);
  case PT_JOB_LOOK: return do_look (self, job, emitter, cancellable, error);
  case PT_JOB_SPEAK: return do_speak (self, job, emitter, cancellable, error);
  case PT_N_JOBS: break;
  }
  return pt_fail (error, PT_ERROR_ARGUMENT, "There is no such job.");
}

gboolean
pt_session_run (PtSession *self, const PtJob *job, PtModelSet *searched, const PtEmitter *emitter,
                GCancellable *cancellable, PtReason *reason, GError **error)
{
  gboolean done;

  self->searched = searched;
  done = do_job (self, job, emitter, cancellable, reason, error);
  g_clear_pointer (&self->searched, pt_model_set_free);
  return done;
}
