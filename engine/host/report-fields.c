/* SPDX-License-Identifier: BSD-3-Clause */

/* The members of the reports of RUN, BENCH, EMBED and PRIVACY. */

#include "engine/host/messages.h"

#include <string.h>

/* ---- values ---- */

static const PtField argument[] = {
  PT_ENUM (PtArgument, kind, PT_ARGUMENT_LIST + 1),
  PT_PLAIN (PtArgument, as_int),
  PT_PLAIN (PtArgument, as_double),
  PT_TEXT (PtArgument, as_string),
  PT_TEXT (PtArgument, dtype),
  PT_NUMBERS (PtArgument, shape, rank),
};

static const char *
check_argument (gconstpointer self, gconstpointer parent)
{
  const PtArgument *value = self;

  if (value->kind == PT_ARGUMENT_TENSOR && value->dtype == NULL)
    return "a tensor has no dtype";
  return value->kind == PT_ARGUMENT_STRING && value->as_string == NULL ? "a text is missing" : NULL;
}

PT_STRUCT (pt_argument_fields, PtArgument, argument, check_argument);

/* ---- RUN ---- */

static const PtField output[] = {
  PT_INSIDE (PtRunOutput, value, &pt_argument_fields),
  PT_PLAIN (PtRunOutput, valid),
  PT_PLAIN (PtRunOutput, min),
  PT_PLAIN (PtRunOutput, max),
  PT_PLAIN (PtRunOutput, mean),
  PT_PLAIN (PtRunOutput, deviation),
  PT_PLAIN (PtRunOutput, not_finite),
  PT_PLAIN (PtRunOutput, values),
  PT_PLAIN (PtRunOutput, n_values),
  PT_PLAIN (PtRunOutput, top),
  PT_PLAIN (PtRunOutput, n_top),
  PT_PLAIN (PtRunOutput, max_abs_diff),
  PT_BOOL (PtRunOutput, ok),
  PT_BOOL (PtRunOutput, skipped),
  PT_TEXT (PtRunOutput, why),
  PT_PATH (PtRunOutput, file),
};

static const char *
check_output (gconstpointer self, gconstpointer parent)
{
  const PtRunOutput *one = self;

  return one->n_values > PT_RUN_MAX_VALUES || one->n_top > PT_RUN_MAX_TOP
             ? "an output has too many numbers"
             : NULL;
}

static PT_STRUCT (output_info, PtRunOutput, output, check_output);

static const PtField run_check[] = {
  PT_TEXT (PtRunCheck, method),   PT_PLAIN (PtRunCheck, test),
  PT_BOOL (PtRunCheck, ok),       PT_BOOL (PtRunCheck, checked),
  PT_PLAIN (PtRunCheck, seconds), PT_PLAIN (PtRunCheck, max_abs_diff),
  PT_TEXT (PtRunCheck, why),      PT_ROWS (PtRunCheck, outputs, n_outputs, &output_info),
};
static PT_STRUCT (run_check_info, PtRunCheck, run_check, NULL);

static const PtField instruction[] = {
  PT_PLAIN (PtRunInstruction, chain),
  PT_PLAIN (PtRunInstruction, index),
  PT_ENUM (PtRunInstruction, kind, PT_RUN_CONTROL + 1),
  PT_NAME (PtRunInstruction, name),
  PT_PLAIN (PtRunInstruction, delegate),
  PT_ROWS (PtRunInstruction, tensors, n_tensors, &pt_argument_fields),
  PT_BOOL (PtRunInstruction, varies),
  PT_PLAIN (PtRunInstruction, calls),
  PT_PLAIN (PtRunInstruction, total_s),
  PT_PLAIN (PtRunInstruction, median_s),
  PT_PLAIN (PtRunInstruction, min_s),
  PT_PLAIN (PtRunInstruction, max_s),
  PT_PLAIN (PtRunInstruction, share),
};
static PT_STRUCT (instruction_info, PtRunInstruction, instruction, NULL);

static const PtField total[] = {
  PT_NAME (PtRunTotal, name),          PT_ENUM (PtRunTotal, kind, PT_RUN_CONTROL + 1),
  PT_PLAIN (PtRunTotal, instructions), PT_PLAIN (PtRunTotal, calls),
  PT_PLAIN (PtRunTotal, total_s),      PT_PLAIN (PtRunTotal, share),
};
static PT_STRUCT (total_info, PtRunTotal, total, NULL);

static const PtField profile[] = {
  PT_PLAIN (PtRunProfile, calls),
  PT_PLAIN (PtRunProfile, calls_s),
  PT_PLAIN (PtRunProfile, total_s),
  PT_ROWS (PtRunProfile, instructions, n_instructions, &instruction_info),
  PT_ROWS (PtRunProfile, totals, n_totals, &total_info),
  PT_PLAIN (PtRunProfile, lost),
  PT_TEXTS (PtRunProfile, remarks),
};
static PT_STRUCT (profile_info, PtRunProfile, profile, NULL);

static const PtField run[] = {
  PT_ENUM (PtRunReport, kind, PT_RUN_BUNDLED + 1),
  PT_PATH (PtRunReport, model),
  PT_PLAIN (PtRunReport, load_s),
  PT_TEXT (PtRunReport, method),
  PT_PLAIN (PtRunReport, planned_bytes),
  PT_PLAIN (PtRunReport, repeat),
  PT_PLAIN (PtRunReport, first_s),
  PT_PLAIN (PtRunReport, median_s),
  PT_PLAIN (PtRunReport, min_s),
  PT_ROWS (PtRunReport, inputs, n_inputs, &pt_argument_fields),
  PT_ROWS (PtRunReport, outputs, n_outputs, &output_info),
  PT_ONE (PtRunReport, profile, &profile_info),
  PT_PATH (PtRunReport, trace),
  PT_PATH (PtRunReport, steps),
  PT_BOOL (PtRunReport, ok),
  PT_PLAIN (PtRunReport, passed),
  PT_PLAIN (PtRunReport, failed),
  PT_PLAIN (PtRunReport, unchecked),
  PT_PLAIN (PtRunReport, rtol),
  PT_PLAIN (PtRunReport, atol),
  PT_ROWS (PtRunReport, checks, n_checks, &run_check_info),
  PT_OWNER (PtRunReport),
};

static const char *
check_run (gconstpointer self, gconstpointer parent)
{
  const PtRunReport *report = self;

  if (report->kind == PT_RUN_METHOD && report->method == NULL)
    return "a run has no method";
  for (guint i = 0; i < report->n_checks; i++)
    if (report->checks[i].method == NULL)
      return "a call has no method";
  return NULL;
}

PT_STRUCT (pt_run_fields, PtRunReport, run, check_run);

/* ---- BENCH ---- */

static const PtField bench[] = {
  PT_ENUM (PtBenchReport, kind, PT_BENCH_SPEECH + 1),
  PT_NAME (PtBenchReport, model),
  PT_TEXT (PtBenchReport, device),
  PT_TEXT (PtBenchReport, cpu),
  PT_TEXT (PtBenchReport, cpu_level),
  PT_PLAIN (PtBenchReport, threads),
  PT_PLAIN (PtBenchReport, runs),
  PT_PLAIN (PtBenchReport, bytes),
  PT_PLAIN (PtBenchReport, peak_bytes),
  PT_PLAIN (PtBenchReport, load_s),
  PT_PLAIN (PtBenchReport, prompt_tokens),
  PT_PLAIN (PtBenchReport, new_tokens),
  PT_PLAIN (PtBenchReport, first_token_s),
  PT_PLAIN (PtBenchReport, prefill_tokens_per_s),
  PT_PLAIN (PtBenchReport, decode_tokens_per_s),
  PT_PLAIN (PtBenchReport, tokens),
  PT_PLAIN (PtBenchReport, n_tokens),
  PT_PLAIN (PtBenchReport, audio_s),
  PT_PLAIN (PtBenchReport, encode_s),
  PT_PLAIN (PtBenchReport, decode_s),
  PT_PLAIN (PtBenchReport, elapsed_s),
  PT_PLAIN (PtBenchReport, real_time_factor),
  PT_OWNER (PtBenchReport),
};

static const char *
check_bench (gconstpointer self, gconstpointer parent)
{
  return ((const PtBenchReport *) self)->n_tokens > PT_BENCH_MAX_TOKENS ? "there are too many ids"
                                                                        : NULL;
}

PT_STRUCT (pt_bench_fields, PtBenchReport, bench, check_bench);

/* ---- EMBED ---- */

static guint64
n_values (gconstpointer self, gconstpointer parent)
{
  return (guint64) ((const PtEmbedding *) self)->n_vectors *
         ((const PtEmbedReport *) parent)->dimension;
}

static guint64
n_counts (gconstpointer self, gconstpointer parent)
{
  return ((const PtEmbedding *) self)->n_vectors;
}

static const PtField embedding[] = {
  PT_TEXT (PtEmbedding, error),
  PT_PLAIN (PtEmbedding, elapsed_s),
  PT_PLAIN (PtEmbedding, n_tokens),
  PT_BOOL (PtEmbedding, truncated),
  PT_PLAIN (PtEmbedding, n_vectors),
  PT_COUNTED (PtEmbedding, values, n_values),
  PT_COUNTED (PtEmbedding, counts, n_counts),
};

static const char *
check_embedding (gconstpointer self, gconstpointer parent)
{
  const PtEmbedding *one = self;

  return one->n_vectors > 0 &&
                 (one->counts == NULL || (one->values == NULL && n_values (self, parent) > 0))
             ? "vectors are missing"
             : NULL;
}

static PT_STRUCT (embedding_info, PtEmbedding, embedding, check_embedding);

static const PtField embed[] = {
  PT_NAME (PtEmbedReport, model),
  PT_TEXT (PtEmbedReport, device),
  PT_PLAIN (PtEmbedReport, load_s),
  PT_PLAIN (PtEmbedReport, dimension),
  PT_BOOL (PtEmbedReport, many),
  PT_BOOL (PtEmbedReport, normalized),
  PT_PLAIN (PtEmbedReport, n_queries),
  PT_ROWS (PtEmbedReport, embeddings, n_embeddings, &embedding_info),
  PT_OWNER (PtEmbedReport),
};

static const char *
check_embed (gconstpointer self, gconstpointer parent)
{
  const PtEmbedReport *report = self;

  if (report->n_queries > report->n_embeddings)
    return "there are more questions than texts";
  for (guint i = 0; i < report->n_embeddings; i++)
    if (report->embeddings[i].error == NULL &&
        (report->embeddings[i].n_vectors == 0 ||
         (!report->many && report->embeddings[i].n_vectors != 1)))
      return "a text has no vector";
  return NULL;
}

PT_STRUCT (pt_embed_fields, PtEmbedReport, embed, check_embed);

/* ---- PRIVACY ---- */

static const PtField span[] = {
  PT_PLAIN (PtPrivacySpan, start),
  PT_PLAIN (PtPrivacySpan, end),
  PT_NAME (PtPrivacySpan, label),
  PT_PLAIN (PtPrivacySpan, probability),
};
static PT_STRUCT (span_info, PtPrivacySpan, span, NULL);

static const PtField privacy_text[] = {
  PT_NAME (PtPrivacyText, text),
  PT_TEXT (PtPrivacyText, error),
  PT_PLAIN (PtPrivacyText, elapsed_s),
  PT_PLAIN (PtPrivacyText, n_tokens),
  PT_ROWS (PtPrivacyText, spans, n_spans, &span_info),
};

static const char *
check_privacy_text (gconstpointer self, gconstpointer parent)
{
  const PtPrivacyText *one = self;
  gsize at = 0, length = strlen (one->text);

  for (guint i = 0; i < one->n_spans; i++) {
    if (one->spans[i].start < at || one->spans[i].end < one->spans[i].start ||
        one->spans[i].end > length)
      return "a span lies outside of its text";
    at = one->spans[i].end;
  }
  return NULL;
}

static PT_STRUCT (privacy_text_info, PtPrivacyText, privacy_text, check_privacy_text);

static const PtField privacy[] = {
  PT_NAME (PtPrivacyReport, model),   PT_TEXT (PtPrivacyReport, device),
  PT_PLAIN (PtPrivacyReport, load_s), PT_ROWS (PtPrivacyReport, texts, n_texts, &privacy_text_info),
  PT_OWNER (PtPrivacyReport),
};
PT_STRUCT (pt_privacy_fields, PtPrivacyReport, privacy, NULL);
