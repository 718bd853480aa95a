/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>
#include <pteris/error.h>
#include <pteris/models.h>
#include <pteris/program.h>
#include <pteris/report.h>
#include <pteris/speech.h>
#include <pteris/trust.h>
#include <pteris/vision.h>

G_BEGIN_DECLS

/*
 * Jobs and events: what goes to the engine thread and what comes back. Both are plain data
 * (numbers, strings and arrays of them) so that the same protocol can cross a process boundary.
 */

typedef enum {
  PT_JOB_LOAD,       /* make a model ready; replaces the one that is loaded */
  PT_JOB_UNLOAD,     /* drop the loaded model and its memory */
  PT_JOB_CHAT,       /* answer a conversation with the loaded model */
  PT_JOB_TRANSCRIBE, /* turn a recording into timed text with the loaded model */
  PT_JOB_CLASSIFY,   /* classify pictures with @model; what is loaded stays */
  PT_JOB_INSPECT,    /* report what is in @model; loads nothing */
  PT_JOB_RUN,        /* call methods of @model with tensors from files */
  PT_JOB_BENCH,      /* measure @model */
} PtJobKind;

/**
 * PtJob: what to do. Strings are borrowed: pt_engine_submit() copies them. Start from
 * PT_JOB_INIT(), which sets every default.
 */
typedef struct {
  PtJobKind kind;
  PtModelOptions model; /* LOAD, CLASSIFY, INSPECT, RUN, BENCH; CHAT: only for
                         * PtEvent.alternative */
  /* Those of its kind. */
  PtChatOptions chat;
  PtSpeechOptions speech;
  PtVisionOptions vision;
  PtRunOptions run;
  PtBenchOptions bench;
} PtJob;

#define PT_JOB_INIT(job_kind)                                                            \
  {                                                                                      \
    .kind = (job_kind), .chat = PT_CHAT_OPTIONS_INIT, .run = { .repeat = 1 }, .bench = { \
      .repeat = 1                                                                        \
    }                                                                                    \
  }

/** What a job is doing. No sentence: who shows it has its own language. */
typedef enum {
  PT_STEP_OPENING,      /* the files of the model */
  PT_STEP_TOKENIZER,    /* reading it */
  PT_STEP_PREPARING,    /* the methods of the model */
  PT_STEP_READY,        /* the model */
  PT_STEP_TRANSCRIBING, /* a recording */
  PT_STEP_LOADING,      /* the program that is to run */
  PT_STEP_RUNNING,      /* its method: call @number of @count */
  PT_STEP_TESTING,      /* test @number of @count that a program brings */
  PT_STEP_CALLING,      /* call @number of @count of a case */
  PT_STEP_MEASURING,    /* run @number of @count of a benchmark */
  PT_N_STEPS,
} PtStep;

/** @number: from 1 on, of @count; both 0 where there is one. */
typedef void (*PtStepFunc) (PtStep step, guint number, guint count, gpointer user_data);

/** Why a job ended. */
typedef enum {
  PT_REASON_NONE,        /* it has not, or it failed */
  PT_REASON_STOP,        /* it is complete */
  PT_REASON_LENGTH,      /* CHAT: max_new_tokens */
  PT_REASON_CONTEXT,     /* CHAT: the KV cache is full */
  PT_REASON_LOOP,        /* CHAT: the model repeated itself */
  PT_REASON_NO_SPEECH,   /* TRANSCRIBE: the recording has none */
  PT_REASON_STOPPED,     /* pt_engine_cancel() */
  PT_REASON_INTERRUPTED, /* the program was closed before; no event has it */
  PT_N_REASONS,
} PtReason;

/** "stop", "length", "context", "loop", "no-speech", "stopped", "interrupted", for scripts and
 * files; NULL for PT_REASON_NONE. */
PT_API const char *pt_reason_name (PtReason reason);

/** The reason of that name; PT_REASON_NONE when there is none, or @name is NULL. */
PT_API PtReason pt_reason_find (const char *name);

typedef enum {
  PT_EVENT_PROGRESS, /* @step with @number and @count, and @fraction (-1: unknown) */
  PT_EVENT_LOADED,   /* @loaded */
  PT_EVENT_TEXT,     /* @text: more of the answer; whole UTF-8 characters only. TRANSCRIBE: what is
                      * heard just now by a model that streams; its SEGMENT follows */
  PT_EVENT_SEGMENT,  /* @start, @end, @text, @speaker: one timed segment, in order */
  PT_EVENT_STATS,    /* @stats: figures of the running or finished job; the last one is final */
  PT_EVENT_REPORT,   /* @classification: the result of CLASSIFY; @bench: that of BENCH; @text:
                      * JSON: that of INSPECT, RUN */
  PT_EVENT_DONE,     /* @reason */
  PT_EVENT_FAILED,   /* @code and @text: a sentence for a person */
  PT_EVENT_STOPPED,  /* stopped by pt_engine_cancel(); @reason says so */
} PtEventKind;

typedef struct {
  guint prompt_tokens;  /* of the whole conversation */
  guint reused_tokens;  /* of these, already in the KV cache */
  guint new_tokens;     /* generated so far */
  guint context_used;   /* positions in the KV cache */
  guint context_size;   /* positions there are */
  double first_token_s; /* from submission of the work to the first token; 0: none yet */
  double prefill_s, decode_s;
  double audio_s; /* seconds of audio done */
  double audio_total_s;
  double elapsed_s;
  guint64 resident_bytes; /* memory of the process */
  char language[8];       /* of a transcription, "" while unknown */
} PtStats;

typedef struct {
  PtEventKind kind;
  guint64 job;
  const char *text; /* belongs to the event, as does everything else in it */
  double fraction;
  PtStep step;
  guint number, count;  /* of @step, as PtStepFunc has them */
  double start, end;    /* seconds */
  const PtWord *words;  /* SEGMENT: of its text, in order */
  guint n_words;        /* 0: the model does not say */
  const PtWord *tokens; /* the same for tokens */
  guint n_tokens;
  guint speaker; /* SEGMENT: 1 and following; 0: not known */
  PtError code;
  const char *alternative; /* FAILED: path of a program beside it that needs no GPU; or NULL */
  const char *
      digest; /* FAILED with PT_ERROR_UNTRUSTED: what to agree to (PtModelOptions.trust); or NULL */
  PtReason reason;                        /* DONE, STOPPED */
  const PtLoadedModel *loaded;            /* LOADED; else NULL */
  const PtClassification *classification; /* REPORT of CLASSIFY; else NULL */
  const PtBenchReport *bench;             /* REPORT of BENCH; else NULL */
  PtStats stats;
} PtEvent;

G_END_DECLS
