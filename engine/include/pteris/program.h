/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Any program: call its methods with tensors from files, benchmark it.
 *
 *     const char *inputs[] = { "tokens.npy", "zeros:1,7", NULL };
 *     PtJob job = PT_JOB_INIT (PT_JOB_RUN);
 *
 *     job.model.path = "encoder.pte";
 *     job.run.inputs = inputs;
 *     job.run.output_dir = "out";
 *     pt_engine_submit (engine, &job);
 *
 * Each gives one REPORT: RUN a PtRunReport, BENCH a PtBenchReport (pteris/report.h). What a program
 * has inside is in pteris/inspect.h.
 */

/** PT_JOB_RUN: how to call PtModelOptions.method. */
typedef struct {
  const char *const *inputs; /* .npy or .bin files (numbers as the method has them in memory,
                              * little-endian), "zeros:", "random:SEED" or "values:1,2,3",
                              * in order; NULL-terminated; NULL: none */
  const char *const *shapes; /* "1,7" for each input, or NULL for the declared one; or NULL */
  const char *output_dir; /* folder for the outputs "out0.npy", ...; NULL: they are not written */
  const char *steps;      /* a case.json: run its calls in order and compare; or NULL */
  guint repeat;           /* timed repetitions, at least 1 */
  gboolean bundled;       /* run the test cases in the program (a .bpte) and compare */
  gboolean profile;       /* measure every instruction */
  const char *trace;      /* profile, and write Chrome trace events to this file; or NULL */
} PtRunOptions;

/** PT_JOB_BENCH: what to measure. 0: the default, limited by the context size. */
typedef struct {
  const char *audio;               /* recording for speech models; NULL: a synthetic one */
  guint repeat;                    /* runs, at least 1 */
  guint prompt_tokens, new_tokens; /* chat models: tokens of the prompt, and generated tokens */
} PtBenchOptions;

G_END_DECLS
