/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris bench: how fast a model is here. */

#include "app/show-report.h"

static void
show_chat (const PtBenchReport *report)
{
  pteris_put_line ("first token    %.3f s after a prompt of %u tokens", report->first_token_s,
                   report->prompt_tokens);
  pteris_put_line ("prefill        %.1f tokens/s", report->prefill_tokens_per_s);
  pteris_put_line ("decode         %.1f tokens/s", report->decode_tokens_per_s);
}

static void
show_speech (const PtBenchReport *report)
{
  pteris_put_line ("encode         %.3f s", report->encode_s);
  pteris_put_line ("decode         %.3f s", report->decode_s);
  pteris_put_line ("total          %.3f s for %.1f s of audio, real-time factor %.3f",
                   report->elapsed_s, report->audio_s, report->real_time_factor);
}

static int
show_report (const PtEvent *event, gboolean json)
{
  const PtBenchReport *report = event->bench;
  const char *device = report->device != NULL ? report->device : "";
  char size[32];

  if (json) {
    g_autofree char *text = pt_bench_report_to_json (report);

    pteris_put_json (text);
    return PTERIS_EXIT_DONE;
  }
  pteris_put_line ("%s on %s%s%s, %u threads, medians of %u runs", report->model, device,
                   *device != '\0' ? ", " : "", report->cpu != NULL ? report->cpu : "",
                   report->threads, report->runs);
  pteris_put_line ("load           %.3f s", report->load_s);
  if (report->kind == PT_BENCH_CHAT)
    show_chat (report);
  else
    show_speech (report);
  pteris_put_line ("peak memory    %s",
                   pteris_format_bytes (report->peak_bytes, size, sizeof size));
  return PTERIS_EXIT_DONE;
}

int
pteris_bench_command (int argc, char **argv)
{
  g_autofree char *audio = NULL;
  int runs = 5, prompt_tokens = 0, new_tokens = 0;
  const GOptionEntry entries[] = {
    { "audio", 'a', 0, G_OPTION_ARG_FILENAME, &audio,
      "Recording to transcribe; default: synthetic audio", "FILE" },
    { "repeat", 'r', 0, G_OPTION_ARG_INT, &runs, "Number of runs for the medians; default: 5",
      "N" },
    { "prompt-tokens", 0, 0, G_OPTION_ARG_INT, &prompt_tokens,
      "Prompt length in tokens; default: 128", "N" },
    { "new-tokens", 0, 0, G_OPTION_ARG_INT, &new_tokens, "Tokens to generate; default: 64", "N" },
    { NULL },
  };
  g_auto (PterisOptions) common = { 0 };
  int status = pteris_options_parse (
      &common, "bench MODEL",
      "Measure load time, time to first token, prefill and decode speed, or the real-time factor.",
      entries, 1, 1, argc, argv);
  PtJob job;

  if (status >= 0)
    return status;
  if (runs < 2)
    return pteris_usage_error ("bench", "--repeat must be 2 or more.");
  if (prompt_tokens < 0 || new_tokens < 0)
    return pteris_usage_error ("bench", "--prompt-tokens and --new-tokens must be 0 or more.");
  job = pteris_options_job (&common, PT_JOB_BENCH, common.arguments[0]);
  job.bench.audio = audio;
  job.bench.repeat = (guint) runs;
  job.bench.prompt_tokens = (guint) prompt_tokens;
  job.bench.new_tokens = (guint) new_tokens;
  return pteris_report_show (&common, &job, show_report);
}
