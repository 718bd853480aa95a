/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-privacy.h"

#include <string.h>
#include <pteris/engine.h>

#include "engine/base/set-error.h"

FakeScript fake;

static const PtMachineStats STATS = {
  .valid = PT_MACHINE_CPU_LOAD | PT_MACHINE_MEMORY | PT_MACHINE_PROCESS_MEMORY,
  .cpu_name = (char *) "AMD EPYC 9R45",
  .cpu_level = (char *) "avx512-vnni",
  .cpu_cores = 2,
  .cpu_percent = 41,
  .cpu_process_percent = 32,
  .memory_total = 24000000000,
  .memory_available = 21500000000,
  .resident_bytes = 312000000,
  .peak_bytes = 312000000,
  .gpu_reason = (char *) "There is no NVIDIA driver on this machine.",
};

static const char *const SPEECH[] = {
  "And so, my fellow Americans, ask not what your country can do for you,",
  "ask what you can do for your country.",
  "My fellow citizens of the world, ask not what America will do for you,",
  "but what together we can do for the freedom of man.",
};

typedef struct {
  guint64 id;
  PtJobKind kind;
  guint step;
  gboolean cancelled, begins, follows, finished;
  char trust[72];
  const char *cursor; /* in the answer */
  char **texts;       /* EMBED, LOOK */
  char path[512];     /* LOOK */
  double threshold;
  GTimer *timer;
  const PtPrivacyReport *privacy;
} FakeJob;

struct _PtEngine {
  PtEventFunc func;
  gpointer user_data;
  GQueue jobs;
  guint64 last;
  guint source;
  gboolean paused;
  char loaded[512]; /* path of the latest LOAD */
};

void
fake_reset (void)
{
  g_free (fake.prompt);
  fake = (FakeScript){
    .with_models = TRUE,
    .answer = "The capital of France is **Paris**.",
    .n_segments = 2,
    .speech_s = 0.2,
    .step_ms = 2,
    .answer_code = PT_ERROR_CONTEXT_FULL,
    .stats = &STATS,
  };
}

static void
send (PtEngine *self, FakeJob *job, PtEvent event)
{
  event.job = job->id;
  self->func (&event, self->user_data);
}

static void
job_free (FakeJob *job)
{
  g_timer_destroy (job->timer);
  g_strfreev (job->texts);
  g_free (job);
}

static void
end (PtEngine *self, FakeJob *job, PtEvent event)
{
  g_queue_remove (&self->jobs, job);
  send (self, job, event);
  job_free (job);
}

static gboolean
is_agreed (const FakeJob *job)
{
  return fake.digest != NULL && g_str_equal (job->trust, fake.digest);
}

/* The end of a model's process. */
static const PtHostExit *
crash (void)
{
  static PtHostExit exit;

  exit = (PtHostExit){ .kind = PT_HOST_EXIT_SIGNAL, .code = 11, .report = fake.crash_report };
  return &exit;
}

static void
step_load (PtEngine *self, FakeJob *job)
{
  if (job->step == 1)
    fake.n_loads++;
  if (job->step <= 4) {
    send (self, job,
          (PtEvent){
              .kind = PT_EVENT_PROGRESS, .fraction = job->step / 5.0, .step = PT_STEP_OPENING });
  } else if (fake.load_error != NULL && !is_agreed (job)) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = fake.load_code,
                    .text = fake.load_error,
                    .digest = fake.digest,
                    .alternative = fake.alternative });
  } else {
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_LOADED,
                     .loaded = &(const PtLoadedModel){ .device = "CPU", .load_s = 0.018 } });
    end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
  }
}

static PtStats
chat_stats (FakeJob *job)
{
  return (PtStats){
    .prompt_tokens = 31,
    .new_tokens = job->step,
    .context_used = fake.context_used > 0 ? fake.context_used : 31 + job->step,
    .context_size = 2048,
    .first_token_s = 0.041,
    .decode_s = (job->step - 1) / 162.0,
    .elapsed_s = g_timer_elapsed (job->timer, NULL),
  };
}

static void
step_chat (PtEngine *self, FakeJob *job)
{
  if (job->step == 1) {
    fake.n_chats++;
    job->cursor = fake.answer;
  }
  if (job->step == 3 && fake.gpu_error != NULL) {
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_FALLBACK,
                     .code = PT_ERROR_GPU,
                     .text = fake.gpu_error,
                     .alternative = fake.alternative });
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_LOADED,
                     .loaded = &(const PtLoadedModel){ .device = "CPU (again)" } });
  }
  if (*job->cursor != '\0') {
    gsize n = strcspn (job->cursor + 1, " \n") + 1;
    g_autofree char *piece = g_strndup (job->cursor, n);

    job->cursor += n;
    send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = piece });
    send (self, job, (PtEvent){ .kind = PT_EVENT_STATS, .stats = chat_stats (job) });
  } else if (fake.answer_error != NULL) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = fake.answer_code,
                    .text = fake.answer_error,
                    .host = fake.answer_code == PT_ERROR_HOST ? crash () : NULL,
                    .alternative = fake.alternative });
  } else if (!fake.hold) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_DONE,
                    .reason = fake.answer_reason != PT_REASON_NONE ? fake.answer_reason
                                                                   : PT_REASON_STOP });
  }
}

/* A recording in progress: it always contains one sentence. */
static void
hear_live (PtEngine *self, FakeJob *job)
{
  double start = fake.audio_start;
  PtStats stats = { .audio_s = start + 2, .audio_total_s = start + 2, .language = "en" };

  send (self, job,
        (PtEvent){ .kind = PT_EVENT_SEGMENT, .start = start, .end = start + 2, .text = SPEECH[0] });
  send (self, job, (PtEvent){ .kind = PT_EVENT_STATS, .stats = stats });
  end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
}

/* Emits a word at each step, and the sentence when it is complete; ends with the recording. */
static void
hear_on (PtEngine *self, FakeJob *job)
{
  static const char *const WORDS[] = { "And", " so,", " my", " fellow", " Americans." };
  guint n = G_N_ELEMENTS (WORDS), round = (job->step - 1) / (n + 1);

  if (job->finished)
    end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
  else if (job->step % (n + 1) != 0)
    send (self, job, (PtEvent){ .kind = PT_EVENT_TEXT, .text = WORDS[(job->step - 1) % (n + 1)] });
  else if (round < fake.n_segments)
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_SEGMENT,
                     .start = 0.1 * round,
                     .end = 0.1 * (round + 1),
                     .text = "And so, my fellow Americans." });
}

static void
step_transcribe (PtEngine *self, FakeJob *job)
{
  static const PtWord DOUBT = { 0, 3, 0.25f };
  PtStats stats = {
    .audio_s = 5.0 * job->step,
    .audio_total_s = 5.0 * MAX (fake.n_segments, 1),
    .elapsed_s = 0.4 * job->step,
    .language = "en",
  };

  if (fake.crash_at > 0 && job->step == fake.crash_at) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = PT_ERROR_HOST,
                    .text = "The process of “whisper” crashed.",
                    .host = crash (),
                    .alternative = fake.alternative });
    return;
  }
  if (job->follows) {
    hear_on (self, job);
    return;
  }
  if (fake.live) {
    hear_live (self, job);
    return;
  }
  if (job->begins)
    fake.n_transcribes++;
  job->begins = FALSE;
  if (fake.n_transcribes == fake.fail_transcribe) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = PT_ERROR_AUDIO,
                    .text = "The recording “a.wav” is damaged." });
    return;
  }
  if (job->step <= fake.n_segments) {
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_SEGMENT,
                     .start = 5.0 * (job->step - 1),
                     .end = 5.0 * job->step - 0.4,
                     .words = &DOUBT,
                     .n_words = job->step == 2,
                     .speaker = fake.speakers ? 1 + (job->step - 1) % 2 : 0,
                     .text = SPEECH[(job->step - 1) % G_N_ELEMENTS (SPEECH)] });
    send (self, job, (PtEvent){ .kind = PT_EVENT_STATS, .stats = stats });
  } else if (!fake.hold) {
    stats.audio_s = stats.audio_total_s;
    send (self, job, (PtEvent){ .kind = PT_EVENT_STATS, .stats = stats });
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_DONE,
                    .reason = fake.n_segments > 0 ? PT_REASON_STOP : PT_REASON_NO_SPEECH });
  }
}

static void
step_speak (PtEngine *self, FakeJob *job)
{
  gsize n = (gsize) (fake.speech_s * PT_SPEECH_RATE);
  g_autofree float *samples = g_new (float, n);

  if (job->step == 1)
    fake.n_speaks++;
  if (fake.hold_speech)
    return;
  for (gsize i = 0; i < n; i++)
    samples[i] = (i / 50) % 2 == 0 ? 0.1F : -0.1F;
  if (fake.speech_error != NULL) {
    end (self, job,
         (PtEvent){
             .kind = PT_EVENT_FAILED, .code = PT_ERROR_MISSING_FILE, .text = fake.speech_error });
    return;
  }
  send (self, job,
        (PtEvent){ .kind = PT_EVENT_SAMPLES,
                   .samples = samples,
                   .n_samples = n,
                   .end = fake.speech_s,
                   .text = "a" });
  end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
}

static void
step_run (PtEngine *self, FakeJob *job)
{
  if (job->step <= 2) {
    send (self, job,
          (PtEvent){
              .kind = PT_EVENT_PROGRESS, .fraction = job->step / 3.0, .step = PT_STEP_RUNNING });
  } else if (fake.answer_error != NULL && !is_agreed (job)) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = PT_ERROR_UNTRUSTED,
                    .text = fake.answer_error,
                    .digest = fake.digest });
  } else if (!fake.hold) {
    send (self, job, (PtEvent){ .kind = PT_EVENT_REPORT, .run = &fake_run_report });
    end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
  }
}

static void
step_look (PtEngine *self, FakeJob *job)
{
  if (job->step == 1)
    fake.n_looks++;
  if (job->step <= 2) {
    send (self, job,
          (PtEvent){ .kind = PT_EVENT_PROGRESS, .fraction = -1, .step = PT_STEP_LOOKING });
  } else if (fake.answer_error != NULL && !is_agreed (job)) {
    end (self, job,
         (PtEvent){ .kind = PT_EVENT_FAILED,
                    .code = fake.answer_code,
                    .text = fake.answer_error,
                    .digest = fake.digest,
                    .alternative = fake.alternative });
  } else if (!fake.hold) {
    g_autoptr (PtLookResult) result =
        fake_look_result (job->path, job->threshold, (const char *const *) job->texts);

    send (self, job, (PtEvent){ .kind = PT_EVENT_REPORT, .look = result });
    end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
  }
}

static void
step_privacy (PtEngine *self, FakeJob *job)
{
  if (fake.hold)
    return;
  send (self, job, (PtEvent){ .kind = PT_EVENT_REPORT, .privacy = job->privacy });
  end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
}

/* Texts of the same things have the same vector. */
static guint
topic_of (const char *text)
{
  static const char *const TOPICS[][3] = {
    { "fern", "plant", "moss" },
    { "car", "vehicle", "engine" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (TOPICS); i++)
    for (guint k = 0; k < G_N_ELEMENTS (TOPICS[i]); k++)
      if (strstr (text, TOPICS[i][k]) != NULL)
        return i + 1;
  return 0;
}

static void
step_embed (PtEngine *self, FakeJob *job)
{
  static const float VECTORS[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  guint n = g_strv_length (job->texts);
  g_autofree PtEmbedding *embeddings = g_new0 (PtEmbedding, n);
  PtEmbedReport report = { .dimension = 3, .n_embeddings = n, .embeddings = embeddings };

  if (fake.embed_fails) {
    end (self, job, (PtEvent){ .kind = PT_EVENT_FAILED, .text = "The file is damaged." });
    return;
  }
  for (guint i = 0; i < n; i++)
    if (fake.embed_waits != NULL && strstr (job->texts[i], fake.embed_waits) != NULL)
      return;
  for (guint i = 0; i < n; i++)
    embeddings[i] = (PtEmbedding){ .n_vectors = 1, .values = VECTORS[topic_of (job->texts[i])] };
  fake.n_embeds += n;
  send (self, job, (PtEvent){ .kind = PT_EVENT_REPORT, .embedded = &report });
  end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
}

static gboolean
step (gpointer user_data)
{
  PtEngine *self = user_data;
  FakeJob *job = g_queue_peek_head (&self->jobs);

  if (job == NULL || (self->paused && !job->cancelled)) {
    self->source = 0;
    return G_SOURCE_REMOVE;
  }
  job->step++;
  if (job->cancelled)
    end (self, job, (PtEvent){ .kind = PT_EVENT_STOPPED, .reason = PT_REASON_STOPPED });
  else if (job->kind == PT_JOB_LOAD)
    step_load (self, job);
  else if (job->kind == PT_JOB_CHAT)
    step_chat (self, job);
  else if (job->kind == PT_JOB_TRANSCRIBE)
    step_transcribe (self, job);
  else if (job->kind == PT_JOB_SPEAK)
    step_speak (self, job);
  else if (job->kind == PT_JOB_RUN)
    step_run (self, job);
  else if (job->kind == PT_JOB_LOOK)
    step_look (self, job);
  else if (job->kind == PT_JOB_PRIVACY)
    step_privacy (self, job);
  else if (job->kind == PT_JOB_EMBED)
    step_embed (self, job);
  else
    end (self, job, (PtEvent){ .kind = PT_EVENT_DONE, .reason = PT_REASON_STOP });
  self->source = g_timeout_add (fake.step_ms, step, self); /* the script may have changed */
  return G_SOURCE_REMOVE;
}

PtEngine *
pt_engine_new_with_options (const PtEngineOptions *options, GMainContext *context, PtEventFunc func,
                            gpointer user_data)
{
  PtEngine *self = g_new0 (PtEngine, 1);

  self->func = func;
  self->user_data = user_data;
  g_queue_init (&self->jobs);
  return self;
}

void
pt_engine_free (PtEngine *self)
{
  FakeJob *job;

  g_clear_handle_id (&self->source, g_source_remove);
  while ((job = g_queue_pop_head (&self->jobs)) != NULL)
    job_free (job);
  g_free (self);
}

static void
run_soon (PtEngine *self)
{
  if (self->source == 0)
    self->source = g_timeout_add (fake.step_ms, step, self);
}

void
pt_engine_set_isolation (PtEngine *self, PtIsolation isolation)
{
  fake.isolation = isolation;
}

void
pt_engine_set_paused (PtEngine *self, gboolean paused)
{
  self->paused = paused;
  run_soon (self);
}

static void
note_chat (const PtJob *request)
{
  GString *prompt = g_string_new (NULL);

  for (guint i = 0; i < request->chat.n_messages; i++) {
    const PtMessage *message = &request->chat.messages[i];
    g_autofree char *files =
        message->files != NULL ? g_strjoinv (" ", (char **) message->files) : g_strdup ("");

    g_string_append_printf (prompt, "%s: %s%s\n", message->role, message->text, files);
  }
  g_free (fake.prompt);
  fake.prompt = g_string_free (prompt, FALSE);
  fake.n_messages = request->chat.n_messages;
  fake.sampling = request->chat.sampling;
  g_strlcpy (fake.stop, request->chat.stop != NULL ? request->chat.stop[0] : "", sizeof fake.stop);
  fake.max_new_tokens = request->chat.max_new_tokens;
  fake.seed = request->chat.seed;
}

static void
note_look (FakeJob *job, const PtJob *request, const char *loaded)
{
  const char *const *texts = request->vision.texts;
  g_autofree char *joined = texts != NULL ? g_strjoinv ("|", (char **) texts) : g_strdup ("");

  job->texts = g_strdupv ((char **) texts);
  job->threshold = request->vision.threshold;
  g_strlcpy (job->path, request->vision.images[0], sizeof job->path);
  fake.look_threshold = request->vision.threshold;
  g_strlcpy (fake.look_path, request->vision.images[0], sizeof fake.look_path);
  g_assert_null (request->model.path);
  g_strlcpy (fake.look_model, loaded, sizeof fake.look_model);
  g_strlcpy (fake.look_texts, joined, sizeof fake.look_texts);
}

guint64
pt_engine_submit (PtEngine *self, const PtJob *request)
{
  FakeJob *job = g_new0 (FakeJob, 1);

  job->id = ++self->last;
  job->kind = request->kind;
  g_strlcpy (job->trust, request->model.trust != NULL ? request->model.trust : "",
             sizeof job->trust);
  if (job->kind == PT_JOB_LOAD) {
    fake.load_backend = request->model.backend;
    g_strlcpy (fake.load_tokenizer,
               request->model.tokenizer != NULL ? request->model.tokenizer : "",
               sizeof fake.load_tokenizer);
    g_strlcpy (fake.load_path, request->model.path, sizeof fake.load_path);
    g_strlcpy (self->loaded, request->model.path, sizeof self->loaded);
  }
  job->timer = g_timer_new ();
  if (job->kind == PT_JOB_EMBED)
    job->texts = g_strdupv ((char **) request->embed.texts);
  if (job->kind == PT_JOB_CHAT)
    note_chat (request);
  if (job->kind == PT_JOB_SPEAK) {
    g_strlcpy (fake.spoken, request->speak.text, sizeof fake.spoken);
    g_strlcpy (fake.voice, request->speak.voice != NULL ? request->speak.voice : "",
               sizeof fake.voice);
    g_strlcpy (fake.speech_output, request->speak.output != NULL ? request->speak.output : "",
               sizeof fake.speech_output);
    fake.speed = request->speak.speed;
  }
  if (job->kind == PT_JOB_LOOK)
    note_look (job, request, self->loaded);
  if (job->kind == PT_JOB_PRIVACY)
    job->privacy = fake_privacy_report (request->privacy.texts);
  if (job->kind == PT_JOB_TRANSCRIBE) {
    /* A segment is 5 s long; the part before the start is done. */
    job->step = fake.live ? 0 : (guint) ((request->speech.start + 0.5) / 5);
    job->begins = TRUE;
    job->follows = request->speech.follow;
    fake.audio_start = request->speech.start;
    fake.translate = request->speech.translate;
    g_strlcpy (fake.language, request->speech.language != NULL ? request->speech.language : "",
               sizeof fake.language);
  }
  g_queue_push_tail (&self->jobs, job);
  run_soon (self);
  return job->id;
}

void
pt_engine_cancel (PtEngine *self, guint64 id)
{
  for (GList *l = self->jobs.head; l != NULL; l = l->next)
    if (((FakeJob *) l->data)->id == id)
      ((FakeJob *) l->data)->cancelled = TRUE;
  run_soon (self);
}

void
pt_engine_finish (PtEngine *self, guint64 id)
{
  for (GList *l = self->jobs.head; l != NULL; l = l->next)
    if (((FakeJob *) l->data)->id == id)
      ((FakeJob *) l->data)->finished = TRUE;
}

void
pt_engine_set_threads (guint n_threads)
{
}

void
pt_trusted_file_free (PtTrustedFile *file)
{
  g_free (file->digest);
  g_free (file->name);
  g_free (file);
}

GPtrArray *
pt_trusted_list (void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_trusted_file_free);
  PtTrustedFile *file;

  if (!fake.trusted)
    return files;
  file = g_new (PtTrustedFile, 1);
  file->digest = g_strdup ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
  file->name = g_strdup ("/models/smollm2-135m-instruct-cuda/model.pte");
  g_ptr_array_add (files, file);
  return files;
}

gboolean
pt_trusted_forget (const char *digest, GError **error)
{
  fake.trusted = FALSE;
  return TRUE;
}

static PtGpuStats *
copy_gpus (const PtGpuStats *from, guint n)
{
  PtGpuStats *gpus = g_memdup2 (from, n * sizeof *from);

  for (guint i = 0; i < n; i++) {
    gpus[i].name = g_strdup (gpus[i].name);
    gpus[i].uuid = g_strdup (gpus[i].uuid);
    gpus[i].compute_capability = g_strdup (gpus[i].compute_capability);
  }
  return gpus;
}

void
pt_stats_find_vulkan_gpus (void)
{
}

PtMachineStats *
pt_stats_read (void)
{
  PtMachineStats *stats = g_memdup2 (fake.stats, sizeof *stats);

  g_atomic_int_inc (&fake.n_reads);
  stats->cpu_name = g_strdup (stats->cpu_name);
  stats->cpu_level = g_strdup (stats->cpu_level);
  stats->gpu_reason = g_strdup (stats->gpu_reason);
  stats->gpu_driver = g_strdup (stats->gpu_driver);
  stats->cuda_version = g_strdup (stats->cuda_version);
  stats->gpus = copy_gpus (stats->gpus, stats->n_gpus);
  stats->vulkan_gpus = copy_gpus (stats->vulkan_gpus, stats->n_vulkan_gpus);
  return stats;
}

PtDiagnosis *
pt_diagnose (void)
{
  PtDiagnosis *diagnosis = g_new0 (PtDiagnosis, 1);
  gboolean found = fake.stats->n_gpus > 0;

  diagnosis->found = found;
  diagnosis->usable = found && !fake.cuda_fails;
  if (!diagnosis->usable)
    diagnosis->reason = g_strdup (found ? "The CUDA driver shows no GPU: the environment variable "
                                          "CUDA_VISIBLE_DEVICES is “-1”. Unset it."
                                        : "There is no NVIDIA driver.");
  diagnosis->report = g_strdup ("CUDA_VISIBLE_DEVICES: not set\n");
  return diagnosis;
}

void
pt_diagnosis_free (PtDiagnosis *diagnosis)
{
  g_free (diagnosis->reason);
  g_free (diagnosis->report);
  g_free (diagnosis);
}

PtWaveform *
pt_waveform_read (const char *path, GCancellable *cancellable, GError **error)
{
  PtWaveform *waveform = g_new0 (PtWaveform, 1);

  g_atomic_int_inc (&fake.n_waveforms);
  waveform->duration = 5.0 * fake.n_segments;
  waveform->n = 50 * 5 * fake.n_segments;
  waveform->peaks = g_malloc (waveform->n + 1);
  for (guint i = 0; i < waveform->n; i++)
    waveform->peaks[i] = (guint8) (i % 250 > 220 ? 4 : 40 + (i * 7919 + i * i / 3) % 160);
  return waveform;
}

void
pt_waveform_free (PtWaveform *waveform)
{
  g_free (waveform->peaks);
  g_free (waveform);
}

/* Everything, as on a Linux with Landlock, unless the test says otherwise. */
guint
pt_host_stops (void)
{
  return fake.stops != 0 ? fake.stops
                         : PT_HOST_STOPS_NETWORK | PT_HOST_STOPS_PROGRAMS | PT_HOST_STOPS_READING |
                               PT_HOST_STOPS_WRITING;
}
