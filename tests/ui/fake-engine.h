/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

/*
 * A scripted engine that is linked in place of the real one. It runs on a timer of the main
 * context, and `fake` controls it.
 */

typedef struct {
  gboolean with_models;           /* the library holds a chat and a speech model */
  guint n_more_models;            /* and so many others */
  gboolean with_variants;         /* and a chat model with three programs, one for Core ML */
  gboolean with_pictures;         /* and models for pictures: one of each kind */
  gboolean with_privacy;          /* and a privacy filter */
  gboolean with_embedding;        /* and a text embedding model, */
  gboolean embed_fails;           /* which cannot be loaded */
  const char *embed_data;         /* its data file; NULL: none */
  const char *embed_waits;        /* texts with this word wait; NULL: none */
  guint n_embeds;                 /* texts that it read, counted */
  gboolean with_odd_models;       /* and those that do not run here */
  const char *report;             /* what pt_inspect_read() tells: "text-model" or "classifier" of
                                     fake-inspect.c; NULL: it fails */
  const PtInspectReport *inspect; /* or this */
  const char *load_error;         /* loading fails with this sentence */
  PtError load_code;
  const char *alternative;      /* that comes with it */
  guint stops;                  /* pt_host_stops(); 0: everything */
  const char *digest;           /* with both errors; with consent to it, all is well */
  const char *answer;           /* streamed word by word */
  PtReason answer_reason;       /* why it ends; PT_REASON_NONE: PT_REASON_STOP */
  const char *answer_error;     /* after the answer: fail with this sentence */
  const char *gpu_error;        /* amid an answer the GPU fails with this sentence */
  gboolean hold;                /* do not go on after what was streamed: wait to be stopped */
  double audio_start;           /* of the last TRANSCRIBE */
  char language[8];             /* of it, "" to detect */
  gboolean translate;           /* of it */
  gboolean live;                /* TRANSCRIBE hears one sentence from its start on */
  gboolean streams;             /* the speech model hears recordings as they go on */
  gboolean speakers;            /* and tells two speakers apart */
  int n_waveforms;              /* read, counted; atomic */
  guint n_transcribes;          /* begun, counted */
  guint fail_transcribe;        /* this one of them fails, 1: the first */
  guint n_segments;             /* of each transcription; 5 s long each */
  guint step_ms;                /* between two events */
  PtBackendChoice load_backend; /* of the last LOAD, as is the next one */
  char load_tokenizer[80];
  char load_path[80];
  guint n_loads, n_chats; /* counted */
  guint n_messages;       /* of the last CHAT */
  char *prompt;           /* of it: "role: text" and a line break for each message */
  PtSampling sampling;    /* of it, as are the next three */
  char stop[32];
  int max_new_tokens;
  guint64 seed;
  guint context_used;          /* what a chat tells, of 2048; 0: a little */
  guint takes;                 /* PtModelInput of every model */
  PtError answer_code;         /* that comes with answer_error */
  PtIsolation isolation;       /* what the last engine was told */
  guint crash_at;              /* the step of a TRANSCRIBE at which its process ends; 0: never */
  const char *crash_report;    /* path of the report about it; or NULL */
  const PtMachineStats *stats; /* pt_stats_read() returns a copy of it */
  int n_reads;                 /* of it, counted; atomic */
  gboolean trusted;            /* one model may run its native code */
  gboolean speaks;             /* the library holds a model that reads aloud */
  double speech_s;             /* of each SPEAK */
  gboolean hold_speech;        /* SPEAK does not end: wait to be stopped */
  const char *speech_error;    /* SPEAK fails with this sentence */
  guint n_speaks;              /* begun, counted */
  char spoken[200];            /* of the last SPEAK: its text, as are the next three */
  char voice[32];
  double speed;
  char speech_output[200];
  const char *look;       /* what LOOK finds: a kind of pt_look_kind_name(); NULL: objects */
  const char *look_error; /* the picture could not be read: this sentence */
  guint n_looks;          /* begun, counted */
  double look_threshold;  /* of the last LOOK, as are the next three */
  char look_path[512];
  char look_model[80];
  char look_texts[160]; /* joined by "|" */
  gboolean cuda_fails;  /* pt_diagnose() finds a GPU that cannot be used */
} FakeScript;

extern FakeScript fake;

/** A report of an inspection; NULL for NULL. */
const PtInspectReport *fake_find_report (const char *name);

/** What a LOOK at the picture @path finds whose scores are at least @threshold (0: 0.5). Free with
 * pt_look_result_unref(). */
PtLookResult *fake_look_result (const char *path, double threshold, const char *const *texts);

/** The report of a RUN. */
extern const PtRunReport fake_run_report;

/** Back to the defaults. */
void fake_reset (void);
