/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris transcribe: speech to text, on stdout or into files. */

#include <stdio.h>
#include <string.h>

#include "app/cli.h"

typedef struct {
  char *language, *format_name, *output;
  gboolean translate;
} TranscribeOptions;

typedef struct {
  GArray *segments; /* PtSegment; texts are ours */
  gboolean stream;  /* show text as it comes */
  gboolean no_speech;
  PtStats stats;
} Transcript;

static void
clear_segment (gpointer data)
{
  g_free ((char *) ((PtSegment *) data)->text);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Transcript *transcript = user_data;

  if (event->kind == PT_EVENT_SEGMENT) {
    PtSegment segment = { event->start, event->end, g_strdup (event->text) };

    g_array_append_val (transcript->segments, segment);
    if (transcript->stream) {
      g_autofree char *line = pt_format_segments (&segment, 1, PT_SUBTITLE_TXT);

      pteris_put (line);
    }
  } else if (event->kind == PT_EVENT_STATS) {
    transcript->stats = event->stats;
  } else if (event->kind == PT_EVENT_DONE) {
    transcript->no_speech = g_strcmp0 (event->text, "no-speech") == 0;
  }
}

static char *
output_path (const char *output, const char *audio, PtSubtitleFormat format)
{
  static const char *const suffixes[] = { "txt", "srt", "vtt", "json" };
  g_autofree char *name = NULL, *file = NULL;
  char *dot;

  if (!g_file_test (output, G_FILE_TEST_IS_DIR))
    return g_strdup (output);
  name = g_path_get_basename (audio);
  dot = strrchr (name, '.');
  if (dot != NULL && dot != name)
    *dot = '\0';
  file = g_strconcat (name, ".", suffixes[format], NULL);
  return g_build_filename (output, file, NULL);
}

static int
write_transcript (const Transcript *transcript, const char *output, const char *audio,
                  PtSubtitleFormat format)
{
  g_autofree char *text = pt_format_segments (
      (const PtSegment *) (gpointer) transcript->segments->data, transcript->segments->len, format);
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  if (output == NULL) {
    if (!transcript->stream)
      pteris_put (text);
    return PTERIS_EXIT_DONE;
  }
  path = output_path (output, audio, format);
  if (g_file_set_contents (path, text, -1, &error))
    return PTERIS_EXIT_DONE;
  pteris_complain ("The transcript could not be written: %s.", error->message);
  return PTERIS_EXIT_FAILED;
}

static void
show_end (const Transcript *transcript, const char *audio)
{
  const PtStats *s = &transcript->stats;

  if (transcript->no_speech)
    pteris_complain ("There is no speech in “%s”.", audio);
  else if (pteris_is_terminal (2) && s->elapsed_s > 0)
    fprintf (stderr, "[%.1f s of sound in %.1f s, language %s]\n", s->audio_s, s->elapsed_s,
             s->language[0] != '\0' ? s->language : "unknown");
}

static int
transcribe (PterisCli *cli, const TranscribeOptions *options, PtSubtitleFormat format,
            const char *audio)
{
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  Transcript transcript = { .stream = format == PT_SUBTITLE_TXT && options->output == NULL };
  int status;

  transcript.segments = g_array_new (FALSE, FALSE, sizeof (PtSegment));
  g_array_set_clear_func (transcript.segments, clear_segment);
  job.audio = audio;
  job.language = options->language;
  job.translate = options->translate;
  status = pteris_cli_run (cli, &job, on_event, &transcript);
  if (status == PTERIS_EXIT_DONE)
    show_end (&transcript, audio);
  /* What was understood until something went wrong is worth keeping. */
  if (status == PTERIS_EXIT_DONE || transcript.segments->len > 0) {
    int written = write_transcript (&transcript, options->output, audio, format);

    status = status == PTERIS_EXIT_DONE ? written : status;
  }
  g_array_unref (transcript.segments);
  return status;
}

static int
check (const TranscribeOptions *options, const PterisOptions *common, PtSubtitleFormat *format)
{
  *format = common->json ? PT_SUBTITLE_JSON : PT_SUBTITLE_TXT;
  if (options->format_name != NULL) {
    if (strchr (options->format_name, '.') != NULL ||
        !pt_subtitle_format_find (options->format_name, format))
      return pteris_usage_error ("transcribe", "The format “%s” is none of txt, srt, vtt and json.",
                                 options->format_name);
  } else if (options->output != NULL && !common->json) {
    pt_subtitle_format_find (options->output, format);
  }
  if (options->output != NULL && g_strv_length (common->arguments) > 2 &&
      !g_file_test (options->output, G_FILE_TEST_IS_DIR))
    return pteris_usage_error ("transcribe",
                               "Several recordings need a folder to write to, and “%s” is none.",
                               options->output);
  return -1;
}

int
pteris_transcribe_command (int argc, char **argv)
{
  TranscribeOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "language", 'l', 0, G_OPTION_ARG_FILENAME, &options.language,
      "Spoken language (en, de, …); default: detect it", "L" },
    { "translate", 0, 0, G_OPTION_ARG_NONE, &options.translate, "Translate to English", NULL },
    { "format", 'f', 0, G_OPTION_ARG_FILENAME, &options.format_name,
      "txt, srt, vtt or json; default: by --output, else txt", "F" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      "Write here; a folder: a file for each recording", "FILE" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  PtSubtitleFormat format = PT_SUBTITLE_TXT;
  int status = pteris_options_parse (&common, "transcribe MODEL AUDIO…", "Speech to text.", entries,
                                     2, G_MAXUINT, argc, argv);

  if (status < 0)
    status = check (&options, &common, &format);
  if (status < 0) {
    g_autoptr (PterisCli) cli = pteris_cli_new (&common);
    PtJob load = pteris_options_job (&common, PT_JOB_LOAD, common.arguments[0]);

    status = pteris_cli_run (cli, &load, NULL, NULL);
    for (guint i = 1; status != PTERIS_EXIT_STOPPED && common.arguments[i] != NULL; i++) {
      int one;

      if (i == 1 && status != PTERIS_EXIT_DONE)
        break;
      one = transcribe (cli, &options, format, common.arguments[i]);
      status = one != PTERIS_EXIT_DONE ? one : status;
    }
  }
  g_free (options.language);
  g_free (options.format_name);
  g_free (options.output);
  return status;
}
