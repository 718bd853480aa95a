/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/report.h>

#include "engine/base/heap.h"
#include "engine/base/json.h"

PtBenchReport *
pt_bench_report_ref (const PtBenchReport *report)
{
  if (report->owner != NULL)
    pt_heap_ref (report->owner);
  return (PtBenchReport *) report;
}

void
pt_bench_report_unref (PtBenchReport *report)
{
  if (report != NULL && report->owner != NULL)
    pt_heap_unref (report->owner);
}

static void
put (json_t *object, const char *key, double value)
{
  json_object_set_new (object, key, json_real (value));
}

static void
put_chat (json_t *object, const PtBenchReport *report)
{
  json_t *ids = json_array ();

  json_object_set_new (object, "prompt_tokens", json_integer (report->prompt_tokens));
  json_object_set_new (object, "new_tokens", json_integer (report->new_tokens));
  put (object, "load_s", report->load_s);
  put (object, "first_token_s", report->first_token_s);
  put (object, "prefill_tokens_per_s", report->prefill_tokens_per_s);
  put (object, "decode_tokens_per_s", report->decode_tokens_per_s);
  for (guint i = 0; i < report->n_tokens; i++)
    json_array_append_new (ids, json_integer (report->tokens[i]));
  json_object_set_new (object, "tokens", ids);
}

static void
put_speech (json_t *object, const PtBenchReport *report)
{
  put (object, "load_s", report->load_s);
  put (object, "audio_s", report->audio_s);
  put (object, "encode_s", report->encode_s);
  put (object, "decode_s", report->decode_s);
  put (object, "elapsed_s", report->elapsed_s);
  put (object, "real_time_factor", report->real_time_factor);
}

char *
pt_bench_report_to_json (const PtBenchReport *report)
{
  gboolean chat = report->kind == PT_BENCH_CHAT;
  json_t *object = json_object ();

  json_object_set_new (object, "model", pt_json_text (report->model));
  json_object_set_new (object, "task", json_string (chat ? "chat" : "transcribe"));
  json_object_set_new (object, "cpu", pt_json_text (report->cpu));
  json_object_set_new (object, "cpu_level", pt_json_text (report->cpu_level));
  json_object_set_new (object, "threads", json_integer (report->threads));
  json_object_set_new (object, "runs", json_integer (report->runs));
  json_object_set_new (object, "bytes", json_integer ((json_int_t) report->bytes));
  json_object_set_new (object, "device",
                       pt_json_text (report->device != NULL ? report->device : "CPU"));
  if (chat)
    put_chat (object, report);
  else
    put_speech (object, report);
  json_object_set_new (object, "peak_bytes", json_integer ((json_int_t) report->peak_bytes));
  return pt_json_steal_text (object);
}
