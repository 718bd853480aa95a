/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/audio/speech. */

#include <string.h>

#include "server/errand.h"
#include "server/json-fields.h"

/* A text that is being spoken. */
typedef struct {
  PterisExchange *exchange;
  char *model, *text, *voice;
  double speed;
  gboolean pcm;    /* samples as they come, else a WAV file */
  GArray *samples; /* float */
} Speech;

static void
speech_free (gpointer data)
{
  Speech *self = data;

  pteris_exchange_unref (self->exchange);
  g_free (self->model);
  g_free (self->text);
  g_free (self->voice);
  g_array_unref (self->samples);
  g_free (self);
}

static gboolean
read_request (Speech *self, const json_t *json, GError **error)
{
  PterisFields fields;
  const char *format;

  pteris_fields_begin (&fields, json, NULL, error);
  pteris_fields_need (&fields, "model");
  self->model = g_strdup (pteris_fields_text (&fields, "model"));
  pteris_fields_need (&fields, "input");
  self->text = g_strdup (pteris_fields_text (&fields, "input"));
  if (self->text != NULL && (*self->text == '\0' || strlen (self->text) > PT_SPEECH_MAX_BYTES))
    pteris_fields_fail (&fields, "input", PTERIS_FAULT_VALUE, "must have 1 to %d bytes.",
                        PT_SPEECH_MAX_BYTES);
  pteris_fields_need (&fields, "voice");
  self->voice = g_strdup (pteris_fields_text (&fields, "voice"));
  /* The engine also takes paths of voices. */
  if (self->voice != NULL && strpbrk (self->voice, "/\\.:") != NULL)
    pteris_fields_fail (&fields, "voice", PTERIS_FAULT_VALUE, "must be the name of a voice.");
  self->speed =
      pteris_fields_number (&fields, "speed", PT_SPEECH_MIN_SPEED, PT_SPEECH_MAX_SPEED, 1);
  format = pteris_fields_text (&fields, "response_format");
  self->pcm = g_strcmp0 (format, "pcm") == 0;
  if (!self->pcm && g_strcmp0 (format, "wav") != 0 && !pteris_fields_failed (&fields))
    pteris_fields_fail (&fields, "response_format", PTERIS_FAULT_UNSUPPORTED,
                        "must be “wav” or “pcm”. Without it, OpenAI's interface means “mp3”.");
  pteris_fields_refuse (&fields, "stream_format", json_string ("audio"), NULL);
  pteris_fields_refuse (&fields, "instructions", NULL, NULL);
  return pteris_fields_end (&fields);
}

/* 16 bits, little-endian, PT_SPEECH_RATE per second, as OpenAI's “pcm”. */
static void
send_samples (Speech *self, const float *samples, gsize n)
{
  g_autofree guint16 *data = g_new (guint16, n);

  for (gsize i = 0; i < n; i++)
    data[i] = GUINT16_TO_LE ((guint16) (gint16) (CLAMP (samples[i], -1.0f, 1.0f) * 32767.0f));
  pteris_exchange_begin_bytes (self->exchange, "audio/pcm");
  pteris_exchange_send_bytes (self->exchange, data, n * sizeof (guint16));
}

static void
end (Speech *self)
{
  g_autoptr (GError) error = NULL, fault = NULL;
  g_autoptr (GBytes) wav = NULL;

  if (self->pcm) {
    pteris_exchange_begin_bytes (self->exchange, "audio/pcm");
    pteris_exchange_end (self->exchange, FALSE);
    return;
  }
  wav = pt_speech_to_wav ((const float *) (gconstpointer) self->samples->data, self->samples->len,
                          PT_SPEECH_RATE, &error);
  if (wav != NULL) {
    pteris_exchange_answer_bytes (self->exchange, "audio/wav", wav);
    return;
  }
  pteris_fault_set (&fault, 400, PTERIS_FAULT_VALUE, "input", "%s", error->message);
  pteris_exchange_fail (self->exchange, fault);
}

static void
on_event (const PtEvent *event, gpointer data)
{
  Speech *self = data;

  if (event->kind == PT_EVENT_SAMPLES && self->pcm)
    send_samples (self, event->samples, event->n_samples);
  else if (event->kind == PT_EVENT_SAMPLES)
    g_array_append_vals (self->samples, event->samples, (guint) event->n_samples);
  else if (event->kind == PT_EVENT_DONE)
    end (self);
}

void
pteris_openai_speech (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  Speech *self = g_new0 (Speech, 1);
  PtJob job = PT_JOB_INIT (PT_JOB_SPEAK);
  PterisErrandNeeds needs;
  g_autoptr (GError) error = NULL;

  self->exchange = pteris_exchange_ref (exchange);
  self->samples = g_array_new (FALSE, FALSE, sizeof (float));
  if (!read_request (self, body->json, &error)) {
    pteris_exchange_fail (exchange, error);
    speech_free (self);
    return;
  }
  job.speak.text = self->text;
  job.speak.voice = self->voice;
  job.speak.speed = self->speed;
  needs = (PterisErrandNeeds){ self->model, "speak", NULL };
  pteris_errand_begin (serving, exchange, &needs, &job, on_event, self, speech_free);
}
