/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris bench: how fast a model is here. */

#include <string.h>

#include "app/report.h"

static int
show_report (const json_t *report)
{
  const char *device = pteris_report_text (report, "device");
  gboolean on_cpu = strcmp (device, "CPU") == 0;
  char size[32];

  pteris_putf ("%s on %s%s%s, %.0f threads, medians of %.0f runs\n",
               pteris_report_text (report, "model"), on_cpu ? "" : device, on_cpu ? "" : ", ",
               pteris_report_text (report, "cpu"), pteris_report_number (report, "threads"),
               pteris_report_number (report, "runs"));
  pteris_putf ("load           %.3f s\n", pteris_report_number (report, "load_s"));
  if (strcmp (pteris_report_text (report, "task"), "chat") == 0) {
    pteris_putf ("first token    %.3f s after a prompt of %.0f tokens\n",
                 pteris_report_number (report, "first_token_s"),
                 pteris_report_number (report, "prompt_tokens"));
    pteris_putf ("prefill        %.1f tokens/s\n",
                 pteris_report_number (report, "prefill_tokens_per_s"));
    pteris_putf ("decode         %.1f tokens/s\n",
                 pteris_report_number (report, "decode_tokens_per_s"));
  } else {
    pteris_putf ("encode         %.3f s\n", pteris_report_number (report, "encode_s"));
    pteris_putf ("decode         %.3f s\n", pteris_report_number (report, "decode_s"));
    pteris_putf ("total          %.3f s for %.1f s of audio, real-time factor %.3f\n",
                 pteris_report_number (report, "elapsed_s"),
                 pteris_report_number (report, "audio_s"),
                 pteris_report_number (report, "real_time_factor"));
  }
  pteris_putf ("peak memory    %s\n",
               pteris_format_bytes ((guint64) pteris_report_number (report, "peak_bytes"), size,
                                    sizeof size));
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
  return pteris_report_run (&common, &job, show_report);
}
