/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris speak: text to speech, into a WAV file. */

#include <stdio.h>
#include <string.h>

#include "app/cli.h"

#define DEFAULT_OUTPUT "speech.wav"

typedef struct {
  char *voice, *language, *output;
  double speed;
  gboolean phonemes, list_voices;
} SpeakOptions;

static void
clear_options (SpeakOptions *options)
{
  g_free (options->voice);
  g_free (options->language);
  g_free (options->output);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SpeakOptions, clear_options)

typedef struct {
  GArray *samples; /* float: all, if they go to stdout; or NULL */
  double seconds;
  gboolean json;
} Spoken;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Spoken *spoken = user_data;

  if (event->kind != PT_EVENT_SAMPLES)
    return;
  spoken->seconds = event->end;
  if (spoken->samples != NULL)
    g_array_append_vals (spoken->samples, event->samples, (guint) event->n_samples);
  if (spoken->json) {
    g_autofree char *text = g_strdup_printf (
        "{\"start\": %.3f, \"end\": %.3f, \"phonemes\": ", event->start, event->end);
    g_autoptr (GString) line = g_string_new (text);

    g_string_append_c (line, '"');
    for (const char *p = event->text; *p != '\0'; p++) {
      if (*p == '"' || *p == '\\')
        g_string_append_c (line, '\\');
      g_string_append_c (line, *p);
    }
    g_string_append (line, "\"}");
    pteris_put_json (line->str);
  }
}

static int
list_voices (const PterisOptions *common)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) voices = pt_speech_voices (common->arguments[0], &error);

  if (voices == NULL) {
    pteris_complain ("%s", error->message);
    return PTERIS_EXIT_FAILED;
  }
  for (guint i = 0; voices[i] != NULL; i++)
    pteris_put_line ("%s", voices[i]);
  return PTERIS_EXIT_DONE;
}

/* All of the standard input; NULL with a message. */
static char *
read_input (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char block[4096];
  gsize n;

  while (text->len <= PT_SPEECH_MAX_BYTES && (n = fread (block, 1, sizeof block, stdin)) > 0)
    g_string_append_len (text, block, (gssize) n);
  if (ferror (stdin)) {
    pteris_complain ("The text could not be read from the standard input.");
    return NULL;
  }
  if (strlen (text->str) != text->len) {
    pteris_complain ("The text has zero bytes: it is not UTF-8.");
    return NULL;
  }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static int
put_wav (const GArray *samples)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) wav = pt_speech_to_wav ((const float *) (gpointer) samples->data, samples->len,
                                             PT_SPEECH_RATE, &error);

  if (wav == NULL) {
    pteris_complain ("%s", error->message);
    return PTERIS_EXIT_FAILED;
  }
  /* A failure is noticed when the program ends. */
  pteris_put_bytes (g_bytes_get_data (wav, NULL), g_bytes_get_size (wav));
  return PTERIS_EXIT_DONE;
}

static int
speak (const PterisOptions *common, const SpeakOptions *options)
{
  const char *output = options->output != NULL ? options->output : DEFAULT_OUTPUT;
  gboolean to_stdout = strcmp (output, "-") == 0;
  g_autofree char *input = NULL;
  g_autoptr (GArray) samples = to_stdout ? g_array_new (FALSE, FALSE, sizeof (float)) : NULL;
  g_autoptr (PterisCli) cli = NULL;
  Spoken spoken = { samples, 0, common->json && !to_stdout };
  PtJob job = pteris_options_job (common, PT_JOB_SPEAK, common->arguments[0]);
  int status;

  job.speak.text = common->arguments[1];
  if (strcmp (job.speak.text, "-") == 0) {
    job.speak.text = input = read_input ();
    if (input == NULL)
      return PTERIS_EXIT_FAILED;
  }
  job.speak.phonemes = options->phonemes;
  job.speak.voice = options->voice;
  job.speak.language = options->language;
  job.speak.speed = options->speed;
  job.speak.output = to_stdout ? NULL : output;
  cli = pteris_cli_new (common);
  status = pteris_cli_run (cli, &job, on_event, &spoken);
  if (status != PTERIS_EXIT_DONE)
    return status;
  if (to_stdout)
    return put_wav (samples);
  if (!common->json)
    pteris_note ("%s: %.1f s", output, spoken.seconds);
  return PTERIS_EXIT_DONE;
}

int
pteris_speak_command (int argc, char **argv)
{
  g_auto (SpeakOptions) options = { .speed = 1 };
  const GOptionEntry entries[] = {
    { "voice", 0, 0, G_OPTION_ARG_FILENAME, &options.voice,
      "Voice: a name, or a file; default: one of the language", "NAME" },
    { "language", 'l', 0, G_OPTION_ARG_FILENAME, &options.language,
      "Language of the text: en-us, de, …; default: that of the voice", "L" },
    { "speed", 0, 0, G_OPTION_ARG_DOUBLE, &options.speed, "Speed, 0.1 to 3; default: 1", "N" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      "WAV file to write; default: speech.wav; -: standard output", "FILE" },
    { "phonemes", 0, 0, G_OPTION_ARG_NONE, &options.phonemes, "TEXT is phonemes (IPA), not words",
      NULL },
    { "list-voices", 0, 0, G_OPTION_ARG_NONE, &options.list_voices, "List the model's voices",
      NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (&common, "speak MODEL TEXT", "Read a text aloud.", entries, 1,
                                     2, argc, argv);

  if (status >= 0)
    return status;
  if (options.list_voices)
    return list_voices (&common);
  if (common.arguments[1] == NULL)
    return pteris_usage_error ("speak", "An argument is missing: pteris speak MODEL TEXT.");
  if (!(options.speed >= PT_SPEECH_MIN_SPEED && options.speed <= PT_SPEECH_MAX_SPEED))
    return pteris_usage_error ("speak", "--speed must be between %g and %g.", PT_SPEECH_MIN_SPEED,
                               PT_SPEECH_MAX_SPEED);
  return speak (&common, &options);
}
