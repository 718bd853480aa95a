/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>
#include <pteris/embed.h>
#include <pteris/error.h>
#include <pteris/host.h>
#include <pteris/inspect.h>
#include <pteris/models.h>
#include <pteris/program.h>
#include <pteris/report.h>
#include <pteris/speak.h>
#include <pteris/speech.h>
#include <pteris/trust.h>
#include <pteris/vision.h>

G_BEGIN_DECLS

/*
 * Jobs are requests to the engine thread; events are its answers. Both are plain data (numbers,
 * strings and arrays of them) so that the same protocol can cross a process boundary.
 */

/** The kind of a job. */
typedef enum {
  PT_JOB_LOAD,       /* load a model; replaces the loaded one */
  PT_JOB_UNLOAD,     /* unload the model and free its memory */
  PT_JOB_CHAT,       /* answer a conversation with the loaded model */
  PT_JOB_TRANSCRIBE, /* turn a recording into timed text with the loaded model */
  PT_JOB_CLASSIFY,   /* classify pictures with @model; the loaded model stays */
  PT_JOB_INSPECT,    /* report the contents of @model; loads nothing */
  PT_JOB_RUN,        /* call methods of @model with tensors from files */
  PT_JOB_BENCH,      /* measure @model */
  PT_JOB_EMBED,      /* make vectors of texts with @model; the loaded model stays */
  PT_JOB_PRIVACY,    /* find names and secrets in texts with @model; the loaded model stays */
  PT_JOB_LOOK,       /* find what is in pictures with @model; the loaded model stays. Without a path
                      * in @model: with the loaded model, opened once for all jobs */
  PT_JOB_SPEAK,      /* read a text aloud with @model; the loaded model stays */
  PT_N_JOBS,         /* how many kinds there are */
} PtJobKind;

/**
 * PtJob: a request to the engine. Strings are borrowed: pt_engine_submit() copies them. Start from
 * PT_JOB_INIT(), which sets every default and the size. Later versions add members at the end only,
 * and only with zeros as the default, so that programs need not be compiled again.
 */
typedef struct {
  gsize size;           /* of this struct, for later members; PT_JOB_INIT() sets it */
  PtJobKind kind;       /* what to do */
  PtModelOptions model; /* all but UNLOAD and TRANSCRIBE; CHAT: only for
                         * PtEvent.alternative */
  /* The options of its kind. */
  PtChatOptions chat;
  PtSpeechOptions speech;   /* TRANSCRIBE */
  PtVisionOptions vision;   /* CLASSIFY, LOOK; LOAD of a vision model: @labels and @size, which LOOK
                             * without a path leaves as they are */
  PtRunOptions run;         /* RUN */
  PtBenchOptions bench;     /* BENCH */
  PtEmbedOptions embed;     /* EMBED */
  PtPrivacyOptions privacy; /* PRIVACY */
  PtSpeakOptions speak;     /* SPEAK */
  gboolean keep_device; /* fail where the GPU fails (PT_EVENT_FALLBACK); for a job with the loaded
                         * model that of its LOAD counts */
} PtJob;

/** A PtJob of this kind with every default. */
#define PT_JOB_INIT(job_kind)                                                 \
  {                                                                           \
    .size = sizeof (PtJob), .kind = (job_kind), .chat = PT_CHAT_OPTIONS_INIT, \
    .run = { .repeat = 1 }, .bench = {                                        \
      .repeat = 1                                                             \
    }                                                                         \
  }

/** The step that a job is at. The window and the command line translate it to a sentence. */
typedef enum {
  PT_STEP_OPENING,      /* the files of the model */
  PT_STEP_TOKENIZER,    /* reading it */
  PT_STEP_PREPARING,    /* the methods of the model */
  PT_STEP_READY,        /* the model */
  PT_STEP_TRANSCRIBING, /* a recording */
  PT_STEP_LOADING,      /* loading the program to run */
  PT_STEP_RUNNING,      /* calling its method: call @number of @count */
  PT_STEP_TESTING,      /* running test case @number of @count in a .bpte */
  PT_STEP_CALLING,      /* making call @number of @count of a case.json */
  PT_STEP_MEASURING,    /* benchmark run @number of @count */
  PT_STEP_READING,      /* text @number of @count, of EMBED and PRIVACY */
  PT_STEP_LOOKING,      /* at picture @number of @count */
  PT_STEP_SPEAKING,     /* reading a text aloud */
  PT_N_STEPS,           /* how many there are */
} PtStep;

/** @number: from 1, of @count; both 0 for a step that is not counted. */
typedef void (*PtStepFunc) (PtStep step, guint number, guint count, gpointer user_data);

/** Why a job ended. */
typedef enum {
  PT_REASON_NONE,        /* it has not, or it failed */
  PT_REASON_STOP,        /* it is complete */
  PT_REASON_LENGTH,      /* CHAT: max_new_tokens */
  PT_REASON_CONTEXT,     /* CHAT: the KV cache is full */
  PT_REASON_LOOP,        /* CHAT: the model repeated itself */
  PT_REASON_NO_SPEECH,   /* TRANSCRIBE: the recording has no speech */
  PT_REASON_STOPPED,     /* pt_engine_cancel() */
  PT_REASON_INTERRUPTED, /* the program was closed during the job; read from history, never in an
                            event */
  PT_N_REASONS,          /* how many there are */
} PtReason;

/** "stop", "length", "context", "loop", "no-speech", "stopped", "interrupted", for scripts and
 * files; NULL for PT_REASON_NONE. */
PT_API const char *pt_reason_name (PtReason reason);

/** The reason called @name; PT_REASON_NONE for an unknown name or NULL. */
PT_API PtReason pt_reason_find (const char *name);

/** The kind of an event, and which members of PtEvent it sets. */
typedef enum {
  PT_EVENT_PROGRESS, /* @step with @number and @count, and @fraction (-1: unknown) */
  PT_EVENT_LOADED,   /* @loaded */
  PT_EVENT_TEXT,     /* CHAT: @text: the next part of the answer, @part: what it is; whole UTF-8
                      * characters only.
                      * TRANSCRIBE: text of the current segment from a model that streams; its
                      * SEGMENT follows */
  PT_EVENT_SEGMENT,  /* @start, @end, @text, @speaker: one timed segment, in order */
  PT_EVENT_STATS,    /* @stats: statistics of the running or finished job; the last one is final */
  PT_EVENT_REPORT,   /* @classification of CLASSIFY, @inspect of INSPECT, @run of RUN, @bench of
                      * BENCH, @embedded of EMBED, @privacy of PRIVACY */
  PT_EVENT_DONE,     /* @reason */
  PT_EVENT_FAILED,   /* @code and @text: a sentence for a person */
  PT_EVENT_STOPPED,  /* stopped by pt_engine_cancel(); @reason says so */
  PT_EVENT_TOOL_CALLS, /* CHAT with tools: @text: calls of the answer, a JSON list of {"name",
                        * "arguments"} */
  PT_EVENT_SAMPLES,  /* @samples, @n_samples: the next piece of speech, from @start to @end; @text:
                      * its phonemes */
  PT_EVENT_TOKENS,   /* CHAT with logprobs: @chosen, @n_chosen: tokens in order; the TEXT that they
                      * complete follows. Tokens that only make text which is not given out, such as
                      * a stop text, are left out, and so is the one that ends the answer */
  PT_EVENT_FALLBACK, /* the GPU failed, and the job goes on with @alternative, the same model's
                      * program for the CPU, as jobs with the loaded model do from now on: @code and
                      * @text say what failed, and @host, as of FAILED. LOAD, CHAT, TRANSCRIBE,
                      * CLASSIFY, EMBED, PRIVACY and LOOK, where no device was asked for
                      * (PT_BACKEND_AUTO). The events of that program follow: LOADED, for CHAT and
                      * TRANSCRIBE as well, and what comes behind what was shown. An answer with
                      * @tools, a segment whose TEXT was begun, and a recording from the standard
                      * input cannot go on: then the job FAILS, and the next one finds the program
                      * loaded */
  PT_N_EVENTS,       /* how many kinds there are */
} PtEventKind;

/** Figures of a job; 0 where they do not apply to its kind. */
typedef struct {
  guint prompt_tokens;        /* tokens of the whole conversation */
  guint reused_tokens;        /* of these, tokens already in the KV cache */
  guint new_tokens;           /* generated so far */
  guint context_used;         /* positions used in the KV cache */
  guint context_size;         /* positions there are */
  double first_token_s;       /* from submission to the first token; 0: none yet */
  double prefill_s, decode_s; /* seconds of prefill, and of decode */
  double audio_s;             /* seconds of audio done */
  double audio_total_s;       /* seconds of audio there are */
  double elapsed_s;           /* seconds since the job began */
  guint64 resident_bytes;     /* memory of the process */
  char language[8];           /* code of a transcription's language; "" while unknown */
  guint thought_tokens;       /* of @new_tokens, those of the thought before an answer */
} PtStats;

/** An event of a job. Members that its kind does not name are 0 or NULL. */
typedef struct {
  PtEventKind kind;            /* what it says */
  guint64 job;                 /* the number that pt_engine_submit() returned */
  const char *text;            /* belongs to the event, like all other pointers in it */
  double fraction;             /* PROGRESS: 0 to 1; -1: unknown */
  PtStep step;                 /* PROGRESS: what the job is doing */
  guint number, count;         /* as in PtStepFunc */
  double start, end;           /* seconds */
  const PtWord *words;         /* SEGMENT: words of its text, in order */
  guint n_words;               /* 0: the model gives none */
  const PtWord *tokens;        /* the same for tokens */
  guint n_tokens;              /* 0: the model does not say */
  const float *samples;        /* SAMPLES: PT_SPEECH_RATE per second, one channel */
  gsize n_samples;             /* how many */
  const PtChosenToken *chosen; /* TOKENS: tokens of the answer */
  guint n_chosen;              /* how many */
  guint speaker;               /* SEGMENT: from 1; 0: unknown */
  PtError code;                /* FAILED, FALLBACK: what kind of error */
  const char *alternative; /* FAILED, FALLBACK: path of the same model's program that needs no GPU;
                              or NULL */
  const char *digest;      /* FAILED with PT_ERROR_UNTRUSTED: the SHA-256 to agree to
                              (PtModelOptions.trust); or NULL */
  PtReason reason;         /* DONE, STOPPED */
  const PtHostExit *host;  /* FAILED with PT_ERROR_HOST: how the model's process ended; STOPPED: it
                              was ended because it did not stop, and the model with it; else NULL */
  const PtLoadedModel *loaded;            /* LOADED; else NULL */
  const PtClassification *classification; /* REPORT of CLASSIFY; else NULL */
  const PtInspectReport *inspect;         /* REPORT of INSPECT; else NULL */
  const PtRunReport *run;                 /* REPORT of RUN; else NULL */
  const PtBenchReport *bench;             /* REPORT of BENCH; else NULL */
  const PtEmbedReport *embedded;          /* REPORT of EMBED; else NULL */
  const PtPrivacyReport *privacy;         /* REPORT of PRIVACY; else NULL */
  const PtLookResult *look;               /* REPORT of LOOK; else NULL */
  PtStats stats;                          /* STATS */
  PtAnswerPart part;                      /* TEXT of CHAT: what the text is */
} PtEvent;

/**
 * A copy of the segment in @event, a PT_EVENT_SEGMENT, with text, words and tokens of its own. Any
 * thread.
 */
PT_API PtSegment pt_segment_from_event (const PtEvent *event);

/** Free what @segment, of pt_segment_from_event(), owns, and set it to zeros. Any thread. */
PT_API void pt_segment_clear (PtSegment *segment);

G_END_DECLS
