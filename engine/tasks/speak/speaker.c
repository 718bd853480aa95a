/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/speaker.h"

#include <string.h>

#include "engine/base/output.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/backend-choice.h"
#include "engine/tasks/models/model-library.h"
#include "engine/tasks/models/model-parts.h"
#include "engine/tasks/speak/durations.h"
#include "engine/tasks/speak/kokoro.h"
#include "engine/tasks/speak/partition.h"
#include "engine/tasks/speak/phonemizer.h"
#include "engine/tasks/speak/spoken-text.h"
#include "engine/tasks/speak/voice.h"

G_STATIC_ASSERT (PT_SPEECH_RATE == PT_SPEAK_RATE);

struct _PtSpeaker {
  PtModelSet *set;
  PtModule *predictor, *synthesizer;
  PtKokoro *kokoro;
  char *model;       /* as the job named it */
  const char *asked; /* pt_speaker_asked_language() of the job */
  int device;
  PtPhonemizer *phonemizer; /* of @language; or NULL */
  const PtLanguage *language;
};

/* One job. */
typedef struct {
  PtSpeaker *speaker;
  const PtVoice *voice;
  float speed;
  PtSpeakFunc func;
  gpointer user_data;
  GArray *spoken; /* all samples, for the output; or NULL */
  gsize n_spoken;
  double fraction; /* done of the text, and the part of it that the current passage is */
  double part;
} Speech;

/* ---- the model ---- */

static PtModule *
open_part (PtModelSet *set, const char *role, const PtMethodOptions *options, GError **error)
{
  const char *path = pt_model_set_part (set, role);

  if (path == NULL) {
    pt_fail (error, PT_ERROR_MISSING_FILE, "“%s” has no part “%s” beside it in “%s”.", set->name,
             role, set->folder);
    return NULL;
  }
  return strcmp (path, set->program) == 0 ? pt_model_set_open (set, options, error)
                                          : pt_model_set_open_companion (set, path, options, error);
}

PtSpeaker *
pt_speaker_new (PtModelSet *set, const PtJob *job, GError **error)
{
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  g_autoptr (PtSpeaker) self = g_new0 (PtSpeaker, 1);

  self->set = set;
  self->model = g_strdup (job->model.path);
  self->asked = pt_speaker_asked_language (job);
  self->device = job->model.device;
  if (set->family != PT_FAMILY_KOKORO) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” cannot speak: it is %s %s.", set->name,
             pt_family_article (set->family), pt_family_info (set->family)->name);
    return NULL;
  }
  self->predictor = open_part (set, "duration_predictor", &options, error);
  if (self->predictor == NULL)
    return NULL;
  self->synthesizer = open_part (set, "synthesizer", &options, error);
  if (self->synthesizer == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (self->synthesizer), error))
    return NULL;
  self->kokoro = pt_kokoro_new (self->predictor, self->synthesizer, error);
  if (self->kokoro == NULL)
    return NULL;
  pt_model_set_close_files (set);
  return g_steal_pointer (&self);
}

void
pt_speaker_free (PtSpeaker *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->phonemizer, pt_phonemizer_free);
  g_clear_pointer (&self->kokoro, pt_kokoro_free);
  g_clear_pointer (&self->predictor, pt_module_free);
  g_clear_pointer (&self->synthesizer, pt_module_free);
  g_clear_pointer (&self->set, pt_model_set_free);
  g_free (self->model);
  g_free (self);
}

gboolean
pt_speaker_is_for (const PtSpeaker *self, const PtJob *job)
{
  return g_strcmp0 (self->model, job->model.path) == 0 && self->device == job->model.device &&
         g_strcmp0 (self->asked, pt_speaker_asked_language (job)) == 0 &&
         (job->model.backend == PT_BACKEND_AUTO || job->model.backend == PT_BACKEND_CPU);
}

const char *
pt_speaker_asked_language (const PtJob *job)
{
  if (job->kind != PT_JOB_SPEAK)
    return NULL;
  return pt_model_asked_language (job->speak.language, job->speak.voice);
}

/* ---- voice and language ---- */

static char *
find_voice (const GPtrArray *paths, const char *name)
{
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *own = pt_voice_name (paths->pdata[i]);

    if (strcmp (own, name) == 0)
      return g_strdup (paths->pdata[i]);
  }
  return NULL;
}

/* The usual voice of @language, else the first one that may be of it. */
static char *
voice_of_language (const GPtrArray *paths, const PtLanguage *language)
{
  char *path = find_voice (paths, language->voice);

  for (guint i = 0; path == NULL && i < paths->len; i++) {
    g_autofree char *name = pt_voice_name (paths->pdata[i]);

    if (name[0] == language->letter)
      path = g_strdup (paths->pdata[i]);
  }
  return path != NULL ? path : g_strdup (paths->pdata[0]);
}

static gboolean
no_voice (const PtSpeaker *self, const GPtrArray *paths, const char *wanted, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < paths->len && i < 60; i++) {
    g_autofree char *name = pt_voice_name (paths->pdata[i]);

    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
  }
  if (wanted == NULL)
    return pt_fail (error, PT_ERROR_MISSING_FILE,
                    "“%s” needs a voice, and there is none in “%s”. Put the folder “voices” of the "
                    "model's repository there, or name the file of a voice.",
                    self->set->name, self->set->folder);
  return pt_fail (error, PT_ERROR_NOT_FOUND, "There is no voice “%.80s”.%s%s%s", wanted,
                  paths->len > 0 ? " The voices of this model are " : "", names->str,
                  paths->len > 0 ? "." : "");
}

/* The path of the voice that @options name, or of a suitable one. */
static char *
choose_voice (const PtSpeaker *self, const PtSpeakOptions *options, const PtLanguage *language,
              GError **error)
{
  g_autoptr (GPtrArray) paths = pt_voice_paths (self->set->folder);
  char *path = options->voice != NULL ? find_voice (paths, options->voice) : NULL;

  if (path == NULL && options->voice != NULL && strpbrk (options->voice, "/\\.") != NULL)
    return g_strdup (options->voice);
  if (path == NULL && (options->voice != NULL || paths->len == 0)) {
    no_voice (self, paths, options->voice, error);
    return NULL;
  }
  if (path != NULL)
    return path;
  return voice_of_language (paths, language != NULL ? language : pt_language_find ("en-us", NULL));
}

/* ---- speaking ---- */

static gboolean
say_piece (Speech *speech, const gunichar *phonemes, gsize n, GCancellable *cancellable,
           GError **error)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, TRUE, sizeof (float));
  g_autofree char *text = g_ucs4_to_utf8 (phonemes, (glong) n, NULL, NULL, NULL);
  PtEvent event = { .kind = PT_EVENT_SAMPLES, .text = text };

  if (!pt_kokoro_say (speech->speaker->kokoro, phonemes, n, speech->voice, speech->speed, samples,
                      cancellable, error))
    return FALSE;
  event.samples = (const float *) (gpointer) samples->data;
  event.n_samples = samples->len;
  event.start = (double) speech->n_spoken / PT_SPEAK_RATE;
  speech->n_spoken += samples->len;
  event.end = (double) speech->n_spoken / PT_SPEAK_RATE;
  if (speech->spoken != NULL)
    g_array_append_vals (speech->spoken, samples->data, samples->len);
  if (samples->len > 0)
    speech->func (&event, speech->user_data);
  return TRUE;
}

/* Says the phonemes of a passage piece by piece. */
static gboolean
say_phonemes (Speech *speech, const char *text, GCancellable *cancellable, GError **error)
{
  glong n = 0;
  g_autofree gunichar *phonemes = g_utf8_to_ucs4_fast (text, -1, &n);
  g_autoptr (GArray) ends =
      pt_partition (phonemes, (gsize) n, pt_kokoro_limit (speech->speaker->kokoro));
  double done = speech->fraction;
  gsize begin = 0;

  for (guint i = 0; i < ends->len; i++) {
    gsize end = g_array_index (ends, gsize, i);
    PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = PT_STEP_SPEAKING };

    if (!say_piece (speech, phonemes + begin, end - begin, cancellable, error))
      return FALSE;
    begin = end;
    event.fraction = done + speech->part * (double) end / (double) n;
    speech->func (&event, speech->user_data);
  }
  speech->fraction = done + speech->part;
  return TRUE;
}

static gboolean
prepare_phonemizer (PtSpeaker *self, const PtLanguage *language, GError **error)
{
  const PtMethodOptions options = { .device = self->device };

  if (self->phonemizer != NULL && self->language == language)
    return TRUE;
  g_clear_pointer (&self->phonemizer, pt_phonemizer_free);
  self->language = language;
  self->phonemizer = pt_phonemizer_new (self->set->folder, language, &options, error);
  return self->phonemizer != NULL;
}

static gboolean
say_text (Speech *speech, const PtSpeakOptions *options, const PtLanguage *language,
          GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) passages = pt_spoken_passages (options->text);
  double total = 0;

  if (!options->phonemes && !prepare_phonemizer (speech->speaker, language, error))
    return FALSE;
  for (guint i = 0; i < passages->len; i++)
    total += (double) strlen (passages->pdata[i]);
  for (guint i = 0; i < passages->len; i++) {
    const char *passage = passages->pdata[i];
    g_autofree char *phonemes =
        pt_phonemizer_run (speech->speaker->phonemizer, passage, cancellable, error);

    if (phonemes == NULL)
      return FALSE;
    speech->part = (double) strlen (passage) / total;
    if (!say_phonemes (speech, phonemes, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_options (const PtSpeakOptions *options, GError **error)
{
  if (options->text == NULL || !g_utf8_validate (options->text, -1, NULL))
    return pt_fail (error, PT_ERROR_ARGUMENT, "No text was given, or it is not UTF-8.");
  if (strlen (options->text) > PT_SPEECH_MAX_BYTES)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The text is longer than %d bytes. Speak it in several parts.",
                    PT_SPEECH_MAX_BYTES);
  if (!(options->speed == 0 ||
        (options->speed >= PT_SPEECH_MIN_SPEED && options->speed <= PT_SPEECH_MAX_SPEED)))
    return pt_fail (error, PT_ERROR_ARGUMENT, "The speed must be between %g and %g.",
                    PT_SPEECH_MIN_SPEED, PT_SPEECH_MAX_SPEED);
  return options->output == NULL || pt_output_check (options->output, PT_OUTPUT_WAV, NULL, error);
}

static gboolean
write_output (const char *path, const GArray *spoken, GError **error)
{
  g_autoptr (GBytes) wav =
      pt_speech_to_wav ((const float *) (gpointer) spoken->data, spoken->len, PT_SPEAK_RATE, error);
  PtOutputPart part = { 0 };

  if (wav == NULL)
    return FALSE;
  part.data = g_bytes_get_data (wav, &part.size);
  return pt_output_write (path, PT_OUTPUT_WAV, NULL, &part, 1, error);
}

/* The language of the text; NULL with an error. */
static const PtLanguage *
choose_language (const PtSpeaker *self, const PtSpeakOptions *options, const char *voice,
                 GError **error)
{
  g_autofree char *name = voice != NULL ? pt_voice_name (voice) : NULL;
  const PtLanguage *language = pt_language_of_program (self->set->name);

  if (options->language != NULL)
    return pt_language_find (options->language, error);
  return language != NULL || name == NULL ? language : pt_language_of_voice (name);
}

gboolean
pt_speaker_run (PtSpeaker *self, const PtJob *job, PtSpeakFunc func, gpointer user_data,
                GCancellable *cancellable, GError **error)
{
  const PtSpeakOptions *options = &job->speak;
  g_autofree char *path = NULL;
  g_autoptr (PtVoice) voice = NULL;
  g_autoptr (GArray) spoken = NULL;
  const PtLanguage *language = NULL;
  Speech speech = { .speaker = self, .func = func, .user_data = user_data };

  if (!check_options (options, error))
    return FALSE;
  language = choose_language (self, options, NULL, error);
  if (language == NULL && options->language != NULL)
    return FALSE;
  path = choose_voice (self, options, language, error);
  voice = path != NULL ? pt_voice_read (path, error) : NULL;
  if (voice == NULL)
    return FALSE;
  language = choose_language (self, options, path, error);
  speech.voice = voice;
  speech.speed = options->speed > 0 ? (float) options->speed : 1;
  if (options->output != NULL)
    speech.spoken = spoken = g_array_new (FALSE, TRUE, sizeof (float));
  if (options->phonemes) {
    g_autofree char *phonemes = g_strstrip (g_strdup (options->text));

    speech.part = 1;
    if (!say_phonemes (&speech, phonemes, cancellable, error))
      return FALSE;
  } else if (!say_text (&speech, options, language, cancellable, error)) {
    return FALSE;
  }
  if (speech.n_spoken == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "There is nothing to say in this text.");
  return options->output == NULL || write_output (options->output, spoken, error);
}

/* ---- public functions ---- */

char **
pt_speech_voices (const char *model, GError **error)
{
  g_autofree char *path = pt_library_find (model, NULL, error);
  g_autoptr (PtModelSet) set =
      path != NULL ? pt_model_set_find (path, NULL, NULL, NULL, NULL, error) : NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray) paths = NULL;

  if (set == NULL)
    return NULL;
  if (set->task != PT_TASK_SPEAK) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” cannot speak: it is %s %s.", set->name,
             pt_family_article (set->family), pt_family_info (set->family)->name);
    return NULL;
  }
  paths = pt_voice_paths (set->folder);
  for (guint i = 0; i < paths->len; i++)
    g_ptr_array_add (names, pt_voice_name (paths->pdata[i]));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}
