/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * What PT_JOB_BENCH finds.
 *
 *     case PT_EVENT_REPORT:
 *       self->report = pt_bench_report_ref (event->bench);
 *
 * Reports are plain data that never changes. Everything in a report belongs to it, and a report
 * belongs to who has a reference: that of an event goes with the event. References may be taken and
 * given back on any thread. Texts are UTF-8; NULL where there is none.
 */

/* --- PT_JOB_BENCH --- */

typedef enum {
  PT_BENCH_CHAT,
  PT_BENCH_SPEECH,
} PtBenchKind;

#define PT_BENCH_MAX_TOKENS 16

/** The result of PT_JOB_BENCH; times and speeds are medians of all runs. */
typedef struct {
  PtBenchKind kind;
  const char *model;     /* its name */
  const char *device;    /* name of the GPU that it ran on; NULL: on the CPU */
  const char *cpu;       /* NULL: unknown */
  const char *cpu_level; /* instruction set that kernels use */
  guint threads, runs;
  guint64 bytes;      /* of the model's files */
  guint64 peak_bytes; /* memory of the process at most */
  double load_s;

  /* CHAT */
  guint prompt_tokens, new_tokens; /* that were read, and generated */
  double first_token_s;            /* of the first prompt after the load */
  double prefill_tokens_per_s, decode_tokens_per_s;
  gint32 tokens[PT_BENCH_MAX_TOKENS]; /* the first ids that were generated */
  guint n_tokens;

  /* SPEECH */
  double audio_s; /* of the recording */
  double encode_s, decode_s, elapsed_s;
  double real_time_factor; /* @elapsed_s for a second of the recording; 0: it has none */
  gpointer owner;          /* private; NULL in a report of your own, which references do not free */
} PtBenchReport;

PT_API PtBenchReport *pt_bench_report_ref (const PtBenchReport *report);
PT_API void pt_bench_report_unref (PtBenchReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtBenchReport, pt_bench_report_unref)

/**
 * One line of JSON, for scripts:
 *
 *     { "model", "task": "chat" or "transcribe", "cpu", "cpu_level", "threads", "runs", "bytes",
 *       "device": "CPU" or the name of a GPU,
 *       chat: "prompt_tokens", "new_tokens", "load_s", "first_token_s", "prefill_tokens_per_s",
 *             "decode_tokens_per_s", "tokens"
 *       speech: "load_s", "audio_s", "encode_s", "decode_s", "elapsed_s", "real_time_factor"
 *       "peak_bytes" }
 *
 * Free with g_free(). Any thread.
 */
PT_API char *pt_bench_report_to_json (const PtBenchReport *report);

G_END_DECLS
