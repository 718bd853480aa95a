/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris transcribe: speech to text, on stdout or into files. */

#include <stdio.h>
#include <string.h>

#include "app/cli.h"
#include "app/transcript-files.h"
#include "engine/base/output.h"

/* The values of --timestamps. */
typedef enum {
  TIMES_NONE,
  TIMES_SEGMENT,
  TIMES_WORD,
  TIMES_TOKEN,
} Times;

typedef struct {
  char *language, *format_name, *output, *times_name;
  gboolean translate, stream, raw, all_sound, no_speakers;
  Times times;
} TranscribeOptions;

typedef struct {
  GArray *segments; /* PtSegment; texts and words are ours */
  gboolean lines;   /* show segments as they come */
  gboolean pieces;  /* and text even before */
  gboolean open;    /* a piece has been shown, and its line has not ended */
  Times times;
  gboolean no_speech;
  PtStats stats;
} Transcript;

/* "  1.200 -   1.760 : text", as people who measure want it. */
static void
put_time (double start, double end, const char *text, gsize length)
{
  pteris_putf ("%8.3f - %8.3f : %.*s\n", start, end, (int) length, text);
}

/* Models that say no times of @words have those of the segment. */
static void
put_times (const PtSegment *segment, const PtWord *words, guint n)
{
  gboolean known = FALSE;

  for (guint i = 0; i < n && !known; i++)
    known = words[i].to > 0;
  if (!known)
    put_time (segment->start, segment->end, segment->text, strlen (segment->text));
  for (guint i = 0; known && i < n; i++)
    if (words[i].length > 0)
      put_time (words[i].from, words[i].to, segment->text + words[i].start, words[i].length);
}

static void
put_segment (const Transcript *transcript, const PtSegment *segment)
{
  g_autofree char *line = NULL;

  switch (transcript->times) {
  case TIMES_TOKEN: put_times (segment, segment->tokens, segment->n_tokens); break;
  case TIMES_WORD: put_times (segment, segment->words, segment->n_words); break;
  case TIMES_SEGMENT:
    put_time (segment->start, segment->end, segment->text, strlen (segment->text));
    break;
  case TIMES_NONE:
    line = pt_format_segments (segment, 1, PT_SUBTITLE_TXT);
    pteris_put (line);
    break;
  }
}

static void
take_segment (Transcript *transcript, const PtEvent *event)
{
  PtSegment segment = pt_segment_from_event (event);

  if (!transcript->lines) {
    g_array_append_val (transcript->segments, segment);
    return;
  }
  /* Shown segments are not kept, because a stream may be endless. The text may have been shown
   * piece by piece. */
  if (!transcript->open)
    put_segment (transcript, &segment);
  pt_segment_clear (&segment);
}

static void
take_piece (Transcript *transcript, const char *text)
{
  if (!transcript->pieces)
    return;
  pteris_put (text);
  transcript->open = TRUE;
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Transcript *transcript = user_data;

  if (event->kind == PT_EVENT_SEGMENT) {
    take_segment (transcript, event);
  } else if (event->kind == PT_EVENT_TEXT) {
    take_piece (transcript, event->text);
  } else if (event->kind == PT_EVENT_STATS) {
    transcript->stats = event->stats;
  } else if (event->kind == PT_EVENT_DONE) {
    transcript->no_speech = event->reason == PT_REASON_NO_SPEECH;
  }
}

/* The files that transcripts are written to, and the files that they must not replace. */
typedef struct {
  PtSubtitleFormat format;
  char **files;  /* one for each recording, or NULL: standard output */
  char **inputs; /* with @files */
} Output;

static void
output_clear (Output *output)
{
  g_strfreev (output->files);
  g_strfreev (output->inputs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Output, output_clear)

/* Before hours of listening; FALSE, and said so, when one of them must not be written. */
static gboolean
plan_output (Output *output, const TranscribeOptions *options, const PterisOptions *common)
{
  if (options->output == NULL)
    return TRUE;
  output->inputs = pteris_transcript_inputs (common);
  output->files = pteris_transcript_files (
      options->output, (const char *const *) common->arguments + 1, output->format);
  for (guint i = 0; output->files[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;

    if (!pt_output_check (output->files[i], PT_OUTPUT_TEXT, (const char *const *) output->inputs,
                          &error)) {
      pteris_complain ("%s", error->message);
      return FALSE;
    }
  }
  return TRUE;
}

static int
write_transcript (const Transcript *transcript, const Output *output, guint number)
{
  g_autofree char *text =
      pt_format_segments ((const PtSegment *) (gpointer) transcript->segments->data,
                          transcript->segments->len, output->format);
  g_autoptr (GError) error = NULL;

  if (output->files == NULL) {
    if (output->format == PT_SUBTITLE_JSON)
      pteris_put_json (text);
    else if (!transcript->lines)
      pteris_put (text);
    else if (transcript->open)
      pteris_put ("\n");
    return PTERIS_EXIT_DONE;
  }
  if (pt_output_write (output->files[number], PT_OUTPUT_TEXT, (const char *const *) output->inputs,
                       &(const PtOutputPart){ text, strlen (text) }, 1, &error))
    return PTERIS_EXIT_DONE;
  pteris_complain ("The transcript could not be written. %s", error->message);
  return PTERIS_EXIT_FAILED;
}

static void
show_end (const Transcript *transcript, const char *audio)
{
  const PtStats *s = &transcript->stats;

  if (transcript->no_speech)
    pteris_complain ("No speech was found in “%s”.", audio);
  else if (pteris_is_terminal (2) && s->elapsed_s > 0)
    pteris_note ("[%.1f s of audio in %.1f s, language %s]", s->audio_s, s->elapsed_s,
                 s->language[0] != '\0' ? s->language : "unknown");
}

/* The recording @audio, the one with that @number. */
static int
transcribe (PterisCli *cli, const TranscribeOptions *options, const Output *output,
            const char *audio, guint number)
{
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  Transcript transcript = { .lines = output->format == PT_SUBTITLE_TXT && output->files == NULL,
                            .times = options->times };
  int status;

  transcript.pieces = transcript.lines && options->stream && options->times == TIMES_NONE;

  transcript.segments = g_array_new (FALSE, FALSE, sizeof (PtSegment));
  g_array_set_clear_func (transcript.segments, (GDestroyNotify) pt_segment_clear);
  job.speech.audio = audio;
  job.speech.follow = strcmp (audio, "-") == 0;
  job.speech.raw = options->raw;
  job.speech.all_sound = options->all_sound;
  job.speech.no_speakers = options->no_speakers;
  job.speech.language = options->language;
  job.speech.translate = options->translate;
  status = pteris_cli_run (cli, &job, on_event, &transcript);
  if (status == PTERIS_EXIT_DONE)
    show_end (&transcript, audio);
  /* The segments before an error are written, too. */
  if (status == PTERIS_EXIT_DONE || transcript.segments->len > 0) {
    int written = write_transcript (&transcript, output, number);

    status = status == PTERIS_EXIT_DONE ? written : status;
  }
  g_array_unref (transcript.segments);
  return status;
}

static int
check (TranscribeOptions *options, const PterisOptions *common, PtSubtitleFormat *format)
{
  static const char *const TIMES[] = { "none", "segment", "word", "token", NULL };

  *format = common->json ? PT_SUBTITLE_JSON : PT_SUBTITLE_TXT;
  if (options->times_name != NULL) {
    if (!g_strv_contains (TIMES, options->times_name))
      return pteris_usage_error (
          "transcribe", "“%s” is not a kind of timestamps. Use none, segment, word or token.",
          options->times_name);
    while (strcmp (TIMES[options->times], options->times_name) != 0)
      options->times++;
  }
  if (options->format_name != NULL) {
    if (strchr (options->format_name, '.') != NULL ||
        !pt_subtitle_format_find (options->format_name, format))
      return pteris_usage_error ("transcribe", "“%s” is not a format. Use txt, srt, vtt or json.",
                                 options->format_name);
  } else if (options->output != NULL && !common->json) {
    pt_subtitle_format_find (options->output, format);
  }
  if (options->output != NULL && g_strv_length (common->arguments) > 2 &&
      !g_file_test (options->output, G_FILE_TEST_IS_DIR))
    return pteris_usage_error ("transcribe",
                               "Several recordings need a folder as --output, and “%s” is not one.",
                               options->output);
  return -1;
}

int
pteris_transcribe_command (int argc, char **argv)
{
  TranscribeOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "language", 'l', 0, G_OPTION_ARG_FILENAME, &options.language,
      "Spoken language (en, de, …); default: detect", "L" },
    { "translate", 0, 0, G_OPTION_ARG_NONE, &options.translate, "Translate to English", NULL },
    { "format", 'f', 0, G_OPTION_ARG_FILENAME, &options.format_name,
      "Format: txt, srt, vtt or json; default: from --output, else txt", "F" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
      "Output file, or a folder for one file per recording", "FILE" },
    { "stream", 0, 0, G_OPTION_ARG_NONE, &options.stream,
      "Transcribe while the audio arrives, if the model can (Voxtral Realtime)", NULL },
    { "timestamps", 0, 0, G_OPTION_ARG_FILENAME, &options.times_name,
      "Timestamps: segment, word or token", "KIND" },
    { "raw", 0, 0, G_OPTION_ARG_NONE, &options.raw,
      "Standard input is raw audio: 16-bit samples, 16 kHz, mono", NULL },
    { "all-sound", 0, 0, G_OPTION_ARG_NONE, &options.all_sound,
      "Transcribe silence too, without voice activity detection", NULL },
    { "no-speakers", 0, 0, G_OPTION_ARG_NONE, &options.no_speakers,
      "Do not label speakers, even if a diarization model is available", NULL },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  g_auto (Output) output = { .format = PT_SUBTITLE_TXT };
  int status = pteris_options_parse (&common, "transcribe MODEL AUDIO…",
                                     "Transcribe speech to text. AUDIO “-” is standard input.",
                                     entries, 2, G_MAXUINT, argc, argv);

  if (status < 0)
    status = check (&options, &common, &output.format);
  if (status < 0 && !plan_output (&output, &options, &common))
    status = PTERIS_EXIT_FAILED;
  if (status < 0) {
    g_autoptr (PterisCli) cli = pteris_cli_new (&common);
    PtJob load = pteris_options_job (&common, PT_JOB_LOAD, common.arguments[0]);

    status = pteris_cli_run (cli, &load, NULL, NULL);
    for (guint i = 1; status != PTERIS_EXIT_STOPPED && common.arguments[i] != NULL; i++) {
      int one;

      if (i == 1 && status != PTERIS_EXIT_DONE)
        break;
      one = transcribe (cli, &options, &output, common.arguments[i], i - 1);
      status = one != PTERIS_EXIT_DONE ? one : status;
    }
  }
  g_free (options.language);
  g_free (options.format_name);
  g_free (options.output);
  g_free (options.times_name);
  return status;
}
