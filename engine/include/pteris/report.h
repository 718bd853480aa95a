/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * What PT_JOB_RUN and PT_JOB_BENCH find, and the values that methods take and return.
 *
 *     case PT_EVENT_REPORT:
 *       self->report = pt_run_report_ref (event->run);
 *
 * Reports are plain data that never changes. Everything in a report belongs to it, and a report
 * belongs to who has a reference: that of an event goes with the event. References may be taken and
 * given back on any thread. Texts are UTF-8; NULL where there is none.
 */

/** The kind of a value. */
typedef enum {
  PT_ARGUMENT_NONE,   /* nothing */
  PT_ARGUMENT_INT,    /* a whole number, 64 bits */
  PT_ARGUMENT_BOOL,   /* true or false */
  PT_ARGUMENT_DOUBLE, /* a number */
  PT_ARGUMENT_STRING, /* a text */
  PT_ARGUMENT_TENSOR, /* an array of numbers */
  PT_ARGUMENT_LIST,   /* a list of the others */
} PtArgumentKind;

/** A value that a method takes or returns. Members that are not of its @kind are 0. */
typedef struct {
  PtArgumentKind kind;   /* which of the next members is set */
  gint64 as_int;         /* INT; BOOL: 0 or 1 */
  double as_double;      /* DOUBLE; may be infinite or no number */
  const char *as_string; /* STRING */
  const char *dtype;     /* TENSOR: "float32" */
  const gint64 *shape;   /* TENSOR: [rank] */
  guint rank;            /* TENSOR: number of dimensions */
} PtArgument;

/** "tensor", "int", ...: for reports, in English. */
PT_API const char *pt_argument_kind_name (PtArgumentKind kind);

/** "float32 [1, 7, 64]" of a tensor, else its kind and value as JSON writes it: "int 5"; "list"
 * where the value is not told. Free with g_free(). */
PT_API char *pt_argument_to_text (const PtArgument *argument);

/* ---- PT_JOB_RUN ---- */

/** Members of PtRunOutput that are known; bits. */
typedef enum {
  PT_RUN_OUTPUT_NUMBERS = 1 << 0,    /* @min to @values */
  PT_RUN_OUTPUT_TOP = 1 << 1,        /* @top */
  PT_RUN_OUTPUT_DIFFERENCE = 1 << 2, /* @max_abs_diff */
} PtRunOutputValid;

/** One of the largest numbers of a row, such as a classifier's scores. */
typedef struct {
  guint64 index; /* place in the row, from 0 */
  double value;  /* the number there */
  double share;  /* of 1, by softmax; may be no number, as may the other */
} PtRunBest;

/** Most numbers in PtRunOutput.values. */
#define PT_RUN_MAX_VALUES 8
/** Most entries in PtRunOutput.top. */
#define PT_RUN_MAX_TOP 5

/** An output of a call. */
typedef struct {
  PtArgument value;                 /* its kind, dtype and shape */
  guint valid;                      /* PtRunOutputValid */
  double min, max, mean, deviation; /* no numbers where the tensor has none */
  guint64 not_finite;               /* how many are infinite or no numbers */
  double values[PT_RUN_MAX_VALUES]; /* the first ones */
  guint n_values;
  PtRunBest top[PT_RUN_MAX_TOP]; /* the largest first */
  guint n_top;
  double max_abs_diff; /* from what was expected */
  gboolean ok;         /* of a PtRunCheck: it is as expected */
  gboolean skipped;    /* of a PtRunCheck: nothing is expected of it */
  const char *why;     /* it is not @ok: a sentence without its subject */
  const char *file;    /* where it was written, a .npy */
} PtRunOutput;

/** A call whose outputs were compared. */
typedef struct {
  const char *method;         /* its name */
  guint test;                 /* BUNDLED: its number in the method */
  gboolean ok;                /* nothing differs */
  gboolean checked;           /* BUNDLED: something is expected of it */
  double seconds;             /* -1: the call failed */
  double max_abs_diff;        /* the largest of its outputs; -1: none was compared by numbers */
  const char *why;            /* BUNDLED: it is not @ok: the first reason */
  const PtRunOutput *outputs; /* in their order */
  guint n_outputs;
} PtRunCheck;

/** The kind of an instruction. */
typedef enum {
  PT_RUN_OPERATOR, /* a call of an operator */
  PT_RUN_DELEGATE, /* a call of a delegate */
  PT_RUN_CONTROL,  /* moves and jumps */
} PtRunInstructionKind;

/** The time of one instruction. */
typedef struct {
  guint chain, index;        /* number of its chain in the method, and in the chain */
  PtRunInstructionKind kind; /* what it does */
  const char *name;          /* of the operator or backend, or "move", "jump", "free" */
  int delegate;              /* DELEGATE: its number; else -1 */
  const PtArgument *tensors; /* its arguments, inputs first, with the shapes of the last call */
  guint n_tensors;
  gboolean varies;                        /* the shapes did not stay the same */
  guint64 calls;                          /* how often it ran */
  double total_s, median_s, min_s, max_s; /* seconds, of all calls and of one */
  double share;                           /* of all instructions, 0 to 1 */
} PtRunInstruction;

/** The time of all instructions of one operator, backend or kind of control flow. */
typedef struct {
  const char *name;
  PtRunInstructionKind kind; /* what it is */
  guint instructions;        /* how many of the method */
  guint64 calls;             /* how often they ran */
  double total_s, share;     /* seconds, and part of all instructions, 0 to 1 */
} PtRunTotal;

/** How long every instruction of a method took. */
typedef struct {
  guint calls;                          /* of the method */
  double calls_s;                       /* of the whole calls */
  double total_s;                       /* in instructions */
  const PtRunInstruction *instructions; /* that ran, the slowest first */
  guint n_instructions;
  const PtRunTotal *totals; /* the slowest first */
  guint n_totals;
  guint64 lost; /* events beyond the first 500,000, which are in no median and no trace */
  const char *const *remarks; /* sentences of delegates about how they ran, to NULL; or NULL */
} PtRunProfile;

/** The kind of a run. */
typedef enum {
  PT_RUN_METHOD,  /* one method, with inputs */
  PT_RUN_STEPS,   /* PtRunOptions.steps */
  PT_RUN_BUNDLED, /* PtRunOptions.bundled */
} PtRunKind;

/** The report of PT_JOB_RUN. */
typedef struct {
  PtRunKind kind;    /* which of the next parts is set */
  const char *model; /* path of the program */
  double load_s;     /* seconds that loading took */

  /* METHOD */
  const char *method;              /* its name */
  guint64 planned_bytes;           /* of its planned memory */
  guint repeat;                    /* how often it was called */
  double first_s, median_s, min_s; /* of one call */
  const PtArgument *inputs;        /* tensors */
  guint n_inputs;
  const PtRunOutput *outputs; /* of the first call */
  guint n_outputs;
  const PtRunProfile *profile; /* NULL: not asked for */
  const char *trace;           /* where the trace was written */

  /* STEPS, BUNDLED */
  const char *steps;        /* STEPS: path of the case */
  gboolean ok;              /* nothing differs */
  guint passed, failed;     /* outputs of STEPS, tests of BUNDLED */
  guint unchecked;          /* BUNDLED: tests that expect nothing */
  double rtol, atol;        /* BUNDLED: differences that floats may have */
  const PtRunCheck *checks; /* in the order of the calls */
  guint n_checks;
  gpointer owner; /* private; NULL in a report of your own, which references do not free */
} PtRunReport;

/** Take a reference, and return @report. Any thread. */
PT_API PtRunReport *pt_run_report_ref (const PtRunReport *report);
/** Give a reference back. NULL: does nothing. Any thread. */
PT_API void pt_run_report_unref (PtRunReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtRunReport, pt_run_report_unref)

/**
 * JSON with line breaks, for scripts and files. Of one method:
 *
 *     { "model", "method", "load_s", "planned_bytes",
 *       "inputs": [{ "kind", "dtype", "shape" }],
 *       "outputs": [{ "kind", "dtype", "shape", "min", "max", "mean", "deviation", "not_finite",
 *                     "values", "top": [{ "index", "value", "share" }], "file" }
 *                   or { "kind": "int", "value" }],
 *       "repeat", "first_s", "median_s", "min_s",
 *       "profile": { "calls", "calls_s", "total_s",
 *                    "instructions": [{ "chain", "instruction",
 *                                       "kind": "operator", "delegate" or "control", "name",
 *                                       "tensors": [{ "dtype", "shape" }], "varies", "calls",
 *                                       "total_s", "median_s", "min_s", "max_s", "share",
 *                                       "delegate" }],
 *                    "operators": [{ "name", "kind", "instructions", "calls", "total_s", "share"
 * }], "lost", "remarks": [text] }, "trace" }
 *
 * Of a case.json:
 *
 *     { "model", "case", "ok", "passed", "failed", "load_s",
 *       "steps": [{ "method", "ok", "seconds",
 *                   "outputs": [{ "kind", "dtype", "shape", "max_abs_diff", "why", "file", "ok" }
 *                               or { ..., "skipped": true, "ok": true }] }] }
 *
 * Of a bundled program:
 *
 *     { "model", "ok", "passed", "failed", "unchecked", "load_s", "tolerance": { "rtol", "atol" },
 *       "tests": [{ "method", "test", "ok", "checked", "outputs", "seconds", "max_abs_diff",
 *                   "why" }] }
 *
 * What is not known is left out, or null. Free with g_free(). Any thread.
 */
PT_API char *pt_run_report_to_json (const PtRunReport *report);

/* ---- PT_JOB_BENCH ---- */

/** The kind of the measured model. */
typedef enum {
  PT_BENCH_CHAT,   /* a chat model */
  PT_BENCH_SPEECH, /* a speech model */
} PtBenchKind;

/** Most ids in PtBenchReport.tokens. */
#define PT_BENCH_MAX_TOKENS 16

/** The result of PT_JOB_BENCH; times and speeds are medians of all runs. */
typedef struct {
  PtBenchKind kind;      /* which of the next parts is set */
  const char *model;     /* its name */
  const char *device;    /* name of the GPU that it ran on; NULL: on the CPU */
  const char *cpu;       /* NULL: unknown */
  const char *cpu_level; /* instruction set that kernels use */
  guint threads, runs;   /* threads of the worker pool; how often it was measured */
  guint64 bytes;         /* of the model's files */
  guint64 peak_bytes;    /* memory of the process at most */
  double load_s;         /* seconds that loading took */

  /* CHAT */
  guint prompt_tokens, new_tokens;                  /* that were read, and generated */
  double first_token_s;                             /* of the first prompt after the load */
  double prefill_tokens_per_s, decode_tokens_per_s; /* speeds; 0: not measured */
  gint32 tokens[PT_BENCH_MAX_TOKENS];               /* the first ids that were generated */
  guint n_tokens;                                   /* how many */

  /* SPEECH */
  double audio_s;                       /* of the recording */
  double encode_s, decode_s, elapsed_s; /* seconds of the encoder, the decoder, and in all */
  double real_time_factor; /* @elapsed_s for a second of the recording; 0: it has none */
  gpointer owner;          /* private, as in PtRunReport */
} PtBenchReport;

/** Take a reference, and return @report. Any thread. */
PT_API PtBenchReport *pt_bench_report_ref (const PtBenchReport *report);
/** Give a reference back. NULL: does nothing. Any thread. */
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
