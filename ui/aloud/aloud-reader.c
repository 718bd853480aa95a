/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/aloud/aloud-reader.h"

#include "ui/aloud/speech-play.h"
#include "ui/i18n.h"
#include "ui/settings.h"
#include "ui/sound/sound-choice.h"

/* Sentences are computed until so much is ready to be heard. */
#define AHEAD_S 20
#define TICK_MS 50
#define NO_SENTENCE G_MAXUINT
/* The engine and its model are freed after so long without use. */
#define IDLE_S 60

/* A job of the engine that has not ended. */
typedef struct {
  PtEventFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
} Job;

struct _PterisReader {
  GObject parent_instance;

  PterisLibrary *library;
  PtEngine *engine; /* NULL: it is not needed */
  GHashTable *jobs; /* id -> Job */
  guint idle;       /* frees the engine */

  GPtrArray *sentences; /* NULL: nothing is read */
  GObject *subject;
  guint round;               /* number of the reading, so that late answers are recognised */
  GCancellable *preparation; /* of the reading; or NULL */
  PterisSoundDevice *device; /* that plays it; NULL: not found yet */
  char *note;                /* about the device; NULL: none */
  char *model, *voice;       /* voice: NULL for the usual one */
  guint next;                /* the sentence to compute next */
  guint64 job;               /* that computes it; 0: none */
  PterisSpeechPlay *play;    /* NULL before the first samples */
  guint heard;               /* the sentence that is heard, or NO_SENTENCE */
  guint tick;
  char *error;
};

G_DEFINE_FINAL_TYPE (PterisReader, pteris_reader, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisReader *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- models ---- */

static gboolean
speaks (PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);

  return g_strcmp0 (info->task, "speak") == 0 && info->missing == NULL && info->why == NULL &&
         !info->damaged && !pteris_model_is_away (model);
}

GPtrArray *
pteris_reader_list_models (PterisLibrary *library)
{
  GPtrArray *models = g_ptr_array_new_with_free_func (g_object_unref);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (library));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) model = g_list_model_get_item (G_LIST_MODEL (library), i);

    if (speaks (model))
      g_ptr_array_add (models, g_steal_pointer (&model));
  }
  return models;
}

/* The path of the model of the settings, else of the first one; NULL: there is none. @voice: set to
 * its voice in the settings; NULL: the usual one. Free both with g_free(). */
static char *
choose_model (PterisReader *self, char **voice)
{
  g_autoptr (GPtrArray) models = pteris_reader_list_models (self->library);
  g_autofree char *preferred = pteris_settings_get_string (PTERIS_SETTING_VOICE_MODEL);

  *voice = NULL;
  for (guint i = 0; i < models->len; i++) {
    const char *path = pteris_model_get_info (models->pdata[i])->path;

    if (g_strcmp0 (path, preferred) == 0) {
      *voice = pteris_settings_get_string (PTERIS_SETTING_VOICE);
      return g_strdup (path);
    }
  }
  return models->len > 0 ? g_strdup (pteris_model_get_info (models->pdata[0])->path) : NULL;
}

gboolean
pteris_reader_can_read (PterisReader *self)
{
  g_autofree char *voice = NULL;
  g_autofree char *model = choose_model (self, &voice);

  return model != NULL;
}

/* ---- the engine ---- */

static void
job_free (gpointer data)
{
  Job *job = data;

  job->destroy (job->user_data);
  g_free (job);
}

static gboolean
on_idle (gpointer user_data)
{
  PterisReader *self = PTERIS_READER (user_data);

  self->idle = 0;
  g_clear_pointer (&self->engine, pt_engine_free);
  return G_SOURCE_REMOVE;
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  g_autoptr (PterisReader) self = g_object_ref (user_data);
  Job *job = g_hash_table_lookup (self->jobs, &event->job);
  gboolean last = event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
                  event->kind == PT_EVENT_STOPPED;

  if (job == NULL)
    return;
  job->func (event, job->user_data);
  if (!last)
    return;
  g_hash_table_remove (self->jobs, &event->job);
  if (g_hash_table_size (self->jobs) == 0 && self->engine != NULL && self->idle == 0)
    self->idle = g_timeout_add_seconds (IDLE_S, on_idle, self);
}

static guint64
submit (PterisReader *self, const PtJob *request, PtEventFunc func, gpointer user_data,
        GDestroyNotify destroy)
{
  Job *job = g_new (Job, 1);
  guint64 *id = g_new (guint64, 1);

  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->engine == NULL)
    self->engine = pt_engine_new_with_options (NULL, NULL, on_event, self);
  *job = (Job){ func, user_data, destroy };
  *id = pt_engine_submit (self->engine, request);
  g_hash_table_insert (self->jobs, id, job);
  return *id;
}

/* ---- the end ---- */

/* Silence; the job ends later. */
static void
end (PterisReader *self)
{
  self->round++;
  g_clear_handle_id (&self->tick, g_source_remove);
  g_clear_pointer (&self->play, pteris_speech_play_free);
  if (self->preparation != NULL)
    g_cancellable_cancel (self->preparation);
  g_clear_object (&self->preparation);
  g_clear_pointer (&self->device, pteris_sound_device_unref);
  g_clear_pointer (&self->note, g_free);
  if (self->job != 0)
    pt_engine_cancel (self->engine, self->job);
  self->job = 0;
  self->heard = NO_SENTENCE;
  g_clear_pointer (&self->sentences, g_ptr_array_unref);
  g_clear_object (&self->subject);
  g_clear_pointer (&self->model, g_free);
  g_clear_pointer (&self->voice, g_free);
}

static void
fail (PterisReader *self, const char *sentence)
{
  g_autofree char *copy = g_strdup (sentence);

  end (self);
  g_free (self->error);
  self->error = g_steal_pointer (&copy);
  changed (self);
}

static void
fail_to_play (PterisReader *self, const char *why)
{
  /* Translators: followed by what is wrong with the sound, which completes the sentence. */
  g_autofree char *sentence = g_strdup_printf (_ ("The text cannot be read aloud: %s"), why);

  fail (self, sentence);
}

void
pteris_reader_stop (PterisReader *self)
{
  if (self->sentences == NULL && self->error == NULL)
    return;
  end (self);
  g_clear_pointer (&self->error, g_free);
  changed (self);
}

/* ---- computing ---- */

/* A sentence that the engine computes. */
typedef struct {
  PterisReader *reader;
  guint round, sentence;
} Request;

static void compute_next (PterisReader *self);

static void
request_free (gpointer data)
{
  Request *request = data;

  g_object_unref (request->reader);
  g_free (request);
}

static gboolean on_tick (gpointer user_data);

static void
take_samples (PterisReader *self, guint sentence, const PtEvent *event)
{
  if (self->play == NULL) {
    self->play = pteris_speech_play_new (self->device, PT_SPEECH_RATE);
    self->tick = g_timeout_add (TICK_MS, on_tick, self);
  }
  pteris_speech_play_add (self->play, sentence, event->samples, event->n_samples);
}

static void
on_job (const PtEvent *event, gpointer user_data)
{
  Request *request = user_data;
  PterisReader *self = request->reader;

  if (request->round != self->round)
    return;
  switch (event->kind) {
  case PT_EVENT_SAMPLES: take_samples (self, request->sentence, event); return;
  case PT_EVENT_FAILED:
    /* A sentence that the voice cannot say is left out, but not a whole text. */
    if (event->code != PT_ERROR_ARGUMENT ||
        (self->play == NULL && self->next + 1 == self->sentences->len)) {
      self->job = 0;
      fail (self, event->text);
      return;
    }
    break;
  case PT_EVENT_DONE: break;
  case PT_EVENT_STOPPED: pteris_reader_stop (self); return;
  default: return;
  }
  self->job = 0;
  self->next++;
  if (self->next < self->sentences->len)
    compute_next (self);
  else if (self->play != NULL)
    pteris_speech_play_finish (self->play);
  else
    pteris_reader_stop (self);
}

static void
compute_next (PterisReader *self)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  Request *request;

  if (self->job != 0 || self->next == self->sentences->len ||
      (self->play != NULL && pteris_speech_play_get_ahead (self->play) > AHEAD_S))
    return;
  request = g_new0 (Request, 1);
  request->reader = g_object_ref (self);
  request->round = self->round;
  request->sentence = self->next;
  job.model.path = self->model;
  job.model.backend = PT_BACKEND_CPU;
  job.speak.text = self->sentences->pdata[self->next];
  job.speak.voice = self->voice;
  job.speak.speed = pteris_settings_get_int (PTERIS_SETTING_VOICE_SPEED) / 100.0;
  self->job = submit (self, &job, on_job, request, request_free);
}

/* ---- playing ---- */

static gboolean
on_tick (gpointer user_data)
{
  PterisReader *self = PTERIS_READER (user_data);
  g_autoptr (GError) error = NULL;
  guint heard = self->heard;

  if (pteris_speech_play_check (self->play, &self->heard, &error)) {
    if (self->heard != heard)
      changed (self);
    compute_next (self);
    return G_SOURCE_CONTINUE;
  }
  self->tick = 0;
  if (error != NULL)
    fail_to_play (self, error->message);
  else
    pteris_reader_stop (self);
  return G_SOURCE_REMOVE;
}

/* ---- the beginning ---- */

static void
on_found (GObject *object, GAsyncResult *result, gpointer user_data)
{
  PterisReader *self = PTERIS_READER (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisSoundDevice) device = pteris_sound_find_finish (result, &error);

  if (g_task_get_cancellable (G_TASK (result)) != self->preparation)
    return;
  g_clear_object (&self->preparation);
  if (device == NULL) {
    fail_to_play (self, error->message);
    return;
  }
  self->note = pteris_sound_choice_note (device);
  self->device = g_steal_pointer (&device);
  changed (self);
  compute_next (self);
}

void
pteris_reader_read (PterisReader *self, GPtrArray *sentences, gpointer subject)
{
  g_autoptr (PterisSoundDevice) chosen = pteris_sound_choice_get (PTERIS_SOUND_PLAYS);
  g_autoptr (GPtrArray) taken = sentences;

  end (self);
  g_clear_pointer (&self->error, g_free);
  self->model = choose_model (self, &self->voice);
  if (taken->len == 0 || self->model == NULL) {
    fail (self, taken->len == 0 ? _ ("There is nothing to read aloud in this text.")
                                : _ ("No installed model can speak."));
    return;
  }
  self->sentences = g_steal_pointer (&taken);
  g_set_object (&self->subject, subject);
  self->next = 0;
  self->preparation = g_cancellable_new ();
  pteris_sound_find_async (self, chosen, self->preparation, on_found);
  changed (self);
}

void
pteris_reader_save (PterisReader *self, const GPtrArray *sentences, const char *path,
                    PtEventFunc func, gpointer user_data, GDestroyNotify destroy)
{
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  g_autofree char *voice = NULL;
  g_autofree char *model = choose_model (self, &voice);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < sentences->len; i++)
    g_string_append_printf (text, "%s\n\n", (const char *) sentences->pdata[i]);
  job.model.path = model;
  job.model.backend = PT_BACKEND_CPU;
  job.speak.text = text->str;
  job.speak.voice = voice;
  job.speak.speed = pteris_settings_get_int (PTERIS_SETTING_VOICE_SPEED) / 100.0;
  job.speak.output = path;
  submit (self, &job, func, user_data, destroy);
}

/* ---- what is read ---- */

gboolean
pteris_reader_is_reading (PterisReader *self)
{
  return self->sentences != NULL;
}

gpointer
pteris_reader_get_subject (PterisReader *self)
{
  return self->subject;
}

const char *
pteris_reader_get_sentence (PterisReader *self)
{
  return self->sentences != NULL && self->heard < self->sentences->len
             ? self->sentences->pdata[self->heard]
             : NULL;
}

const char *
pteris_reader_get_note (PterisReader *self)
{
  return self->note;
}

const char *
pteris_reader_get_error (PterisReader *self)
{
  return self->error;
}

/* ---- the object ---- */

static void
pteris_reader_dispose (GObject *object)
{
  PterisReader *self = PTERIS_READER (object);

  end (self);
  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_pointer (&self->engine, pt_engine_free);
  g_hash_table_remove_all (self->jobs);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (pteris_reader_parent_class)->dispose (object);
}

static void
pteris_reader_finalize (GObject *object)
{
  g_hash_table_unref (PTERIS_READER (object)->jobs);
  g_free (PTERIS_READER (object)->error);
  G_OBJECT_CLASS (pteris_reader_parent_class)->finalize (object);
}

static void
pteris_reader_class_init (PterisReaderClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_reader_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_reader_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_READER, G_SIGNAL_RUN_LAST, 0, NULL,
                                          NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_reader_init (PterisReader *self)
{
  self->heard = NO_SENTENCE;
  self->jobs = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, job_free);
}

PterisReader *
pteris_reader_new (PterisLibrary *library)
{
  PterisReader *self = g_object_new (PTERIS_TYPE_READER, NULL);

  self->library = g_object_ref (library);
  return self;
}
