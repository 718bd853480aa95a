/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/audio/reader.h" /* PtAudioReader: what a recording sounds like */
#include "engine/error.h"
#include "engine/text/sampling.h" /* PtSampling: how tokens are chosen */
#include "engine/vision/image.h"  /* PtImage: what a picture looks like */

G_BEGIN_DECLS

/*
 * The engine: everything that app/ and ui/ may use to run models.
 *
 * One engine thread owns every model and every conversation state. Callers submit jobs
 * from any thread and get events on the GMainContext given to pt_engine_new(). Jobs run
 * one after the other, in the order of submission. Jobs and events are plain data (numbers and
 * strings), so that the same protocol can cross a process boundary.
 *
 *     PtEngine *engine = pt_engine_new (NULL, on_event, self);
 *     PtJob job = PT_JOB_INIT (PT_JOB_LOAD);
 *     job.model = "/models/smollm2";
 *     guint64 id = pt_engine_submit (engine, &job);
 *     ... on_event(): PROGRESS*, LOADED, DONE   or   FAILED   or   STOPPED
 *
 * Every job ends in exactly one of DONE, FAILED, STOPPED, and nothing follows it.
 */

typedef struct _PtEngine PtEngine;

typedef enum {
  PT_JOB_LOAD,       /* make a model ready; replaces the one that is loaded */
  PT_JOB_UNLOAD,     /* drop the loaded model and its memory */
  PT_JOB_CHAT,       /* answer the conversation in @messages with the loaded model */
  PT_JOB_TRANSCRIBE, /* turn @audio into timed text with the loaded model */
  PT_JOB_CLASSIFY,   /* say what is in @images, with @model; what is loaded stays */
  PT_JOB_INSPECT,    /* report what is in @model; loads nothing */
  PT_JOB_RUN,        /* call methods of @model with tensors from files */
  PT_JOB_BENCH,      /* measure @model */
} PtJobKind;

typedef enum {
  PT_BACKEND_AUTO,
  PT_BACKEND_CPU,
  PT_BACKEND_CUDA,
} PtBackendChoice;

/** Whether a model that can think before it answers does; others do not care. */
typedef enum {
  PT_THINKING_DEFAULT, /* as the model is used to */
  PT_THINKING_ON,
  PT_THINKING_OFF,
} PtThinking;

typedef struct {
  const char *role;         /* "system", "user" or "assistant" */
  const char *text;         /* UTF-8 */
  const char *const *files; /* images and recordings with it; NULL-terminated, or NULL */
} PtMessage;

/**
 * PtJob: what to do. Strings are borrowed: pt_engine_submit() copies what it needs.
 * Start from PT_JOB_INIT(), which sets every default.
 */
typedef struct {
  PtJobKind kind;

  /* LOAD, INSPECT, CLASSIFY, RUN, BENCH: which model. */
  const char *model;        /* a .pte, .bpte or a folder; names are resolved by pt_library_find() */
  const char *const *data;  /* .ptd files that are not beside it; NULL-terminated or NULL */
  const char *tokenizer;    /* or NULL: beside it */
  const char *preprocessor; /* or NULL: beside it, else our own front end */
  const char *family;       /* what it is, pt_library_families(); NULL: as recognised */
  PtBackendChoice backend;
  int device;        /* GPU number */
  const char *trust; /* native code that may run, now and from then on: that of the program with
                      * this SHA-256, which is what the user was shown; or PT_TRUST_AS_READ; NULL:
                      * none but what was agreed to before */

  /* CHAT: the whole conversation, every time. What the model has already read of it is not
   * read again. A last message from the assistant is an answer that goes on. @model, when given,
   * is only for PtEvent.alternative. */
  const PtMessage *messages;
  guint n_messages;
  int max_new_tokens;  /* 0: as far as the context goes; < 0: as the model's files say, else 0 */
  PtSampling sampling; /* what is unset is as the model's generation_config.json says, else as
                        * pt_sampling_usual() */
  const char *const *stop; /* an answer ends before any of these texts; NULL-terminated or NULL */
  guint64 seed;            /* 0: a new one for each conversation */
  PtThinking thinking;
  gboolean
      lookup; /* guess what comes next from what has been said: the same answer, maybe faster */

  /* TRANSCRIBE */
  const char *audio;    /* a file */
  const char *language; /* "en", ...; NULL: detect */
  gboolean translate;   /* to English */
  double audio_start;   /* seconds: go on there, as if all before were done */
  gboolean follow;      /* @audio still grows, a WAV file or "-", the standard input: go on until
                         * pt_engine_finish() or the end of the input */
  gboolean raw;         /* with @follow: samples without a header, 16 bits of 16 kHz mono */
  gboolean all_sound;   /* silence too: do not leave out what the detector of voice finds empty */
  gboolean no_speakers; /* do not tell speakers apart, though the program for it is there */

  /* CLASSIFY */
  const char *const *images; /* files; NULL-terminated */
  const char *labels;        /* names of the classes, a line for each; NULL: beside the program */
  guint top;                 /* classes to report; 0: 5 */

  const char
      *method; /* RUN, CLASSIFY, and LOAD of a model with several: NULL: forward, or the only one */

  /* RUN */
  const char *const
      *inputs; /* .npy or .bin, or "zeros:" and such (tasks/run/run.h), in order; or NULL */
  const char *const *shapes; /* "1,7" for each input, NULL entries or NULL: declared */
  const char *output_dir;    /* NULL: outputs are not kept */
  const char *steps;         /* a case.json: run its calls in order and compare */
  guint repeat;              /* timed repetitions, at least 1 */
  gboolean bundled;          /* run the test cases in @model (a .bpte) and compare */
  gboolean profile;          /* measure every instruction */
  const char *trace;         /* profile, and write Chrome trace events here; or NULL */

  /* BENCH; also @audio and @repeat. As far as the context goes; 0: the defaults. */
  guint prompt_tokens, new_tokens;
} PtJob;

/** Consent to the programs that are named, whatever is in them when they are read. */
#define PT_TRUST_AS_READ "as-read"

#define PT_JOB_INIT(job_kind)                                                           \
  {                                                                                     \
    .kind = (job_kind), .max_new_tokens = -1, .sampling = PT_SAMPLING_INIT, .repeat = 1 \
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

typedef enum {
  PT_EVENT_PROGRESS, /* @step with @number and @count, and @fraction (-1: unknown) */
  PT_EVENT_LOADED,   /* @text: a JSON description of the model (docs/architecture.md) */
  PT_EVENT_TEXT,     /* @text: more of the answer; whole UTF-8 characters only. TRANSCRIBE: what is
                      * heard just now by a model that streams; its SEGMENT follows */
  PT_EVENT_SEGMENT,  /* @start, @end, @text, @speaker: one timed segment, in order */
  PT_EVENT_STATS,    /* @stats: figures of the running or finished job; the last one is final */
  PT_EVENT_REPORT,   /* @text: JSON: the result of INSPECT, CLASSIFY, RUN, BENCH */
  PT_EVENT_DONE,     /* @text: why it ended: "stop", "length", "context", "loop" (it
                      * repeated itself), "no-speech", ... */
  PT_EVENT_FAILED,   /* @code and @text: a sentence for a person */
  PT_EVENT_STOPPED,  /* stopped by pt_engine_cancel() */
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

/** A word, or a token, of a segment: how sure the model was of it, and when it was said. */
typedef struct {
  guint start, length; /* bytes of the segment's text */
  float probability;   /* 0..1; 1 where the model does not say */
  double from, to;     /* seconds of the recording; both 0: not known */
} PtWord;

typedef struct {
  PtEventKind kind;
  guint64 job;
  const char *text; /* belongs to the event */
  double fraction;
  PtStep step;
  guint number, count;  /* of @step, as PtStepFunc has them */
  double start, end;    /* seconds */
  const PtWord *words;  /* SEGMENT: of its text, in order; belongs to the event */
  guint n_words;        /* 0: the model does not say */
  const PtWord *tokens; /* the same for tokens */
  guint n_tokens;
  guint speaker; /* SEGMENT: 1 and following; 0: not known */
  PtError code;
  const char *alternative; /* FAILED: path of a program beside it that needs no GPU; or NULL */
  const char *digest; /* FAILED with PT_ERROR_UNTRUSTED: what to agree to (PtJob.trust); or NULL */
  PtStats stats;
} PtEvent;

/** Called on the engine's GMainContext. @event is valid during the call only. */
typedef void (*PtEventFunc) (const PtEvent *event, gpointer user_data);

/** @context: where events arrive; NULL: the thread-default context of the caller. */
PtEngine *pt_engine_new (GMainContext *context, PtEventFunc func, gpointer user_data);

/** Cancels what runs, waits for the engine thread and frees everything. No event follows. */
void pt_engine_free (PtEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtEngine, pt_engine_free)

/** Queue @job and return its number (> 0). Any thread. */
guint64 pt_engine_submit (PtEngine *engine, const PtJob *job);

/** Stop @job within 300 ms, or drop it from the queue. STOPPED follows unless it has just ended.
 * Any thread. */
void pt_engine_cancel (PtEngine *engine, guint64 job);

/** The recording that @job follows is complete: transcribe what there is of it, and end. Any
 * thread.
 */
void pt_engine_finish (PtEngine *engine, guint64 job);

/** Versions of the libraries under the engine, "jansson 2.14, ..."; free with g_free(). Any thread.
 */
char *pt_engine_versions (void);

/** Threads of the worker pool, 0: one per core. Before the first pt_engine_new(). */
void pt_engine_set_threads (guint n_threads);

/**
 * GPUs, CPU and memory now, as JSON (docs/architecture.md). Takes some milliseconds at most, more
 * the first time; any thread. Free with g_free().
 */
char *pt_stats_read (void);

/** Whether models can use a GPU in this process, and what was found on the way. */
typedef struct {
  gboolean usable;
  gboolean found; /* the driver of the machine has a GPU */
  char *reason;   /* why none can be used, a sentence; NULL when one can */
  char *report;   /* lines for a bug report, in English, without names of users and folders */
} PtDiagnosis;

/**
 * Look for GPUs anew, and start the CUDA driver unless it has been. Once it has refused, it refuses
 * until the process ends: @found without @usable may be cured by a restart. Takes up to some
 * seconds; any thread.
 */
PtDiagnosis *pt_diagnose (void);
void pt_diagnosis_free (PtDiagnosis *diagnosis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtDiagnosis, pt_diagnosis_free)

/*
 * Consent to native code (PtJob.trust), as it is remembered.
 */

typedef struct {
  char *digest; /* SHA-256 of the program's file, 64 hex digits */
  char *name;   /* where the file was when the user agreed, for people; "" when not known */
} PtTrustedFile;

void pt_trusted_file_free (PtTrustedFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTrustedFile, pt_trusted_file_free)

/** Programs whose native code may run: a GPtrArray of PtTrustedFile, the oldest first. Never NULL.
 * Reads a small file; any thread. */
GPtrArray *pt_trusted_list (void);

/** Take consent back; what is loaded stays so. What was never given is no error. Any thread. */
gboolean pt_trusted_forget (const char *digest, GError **error);

/*
 * Timed text: what a transcription is made of, and the files people keep it in.
 */

typedef struct {
  double start, end;   /* seconds */
  const char *text;    /* UTF-8, without spaces around it */
  const PtWord *words; /* or NULL */
  guint n_words;
  const PtWord *tokens; /* or NULL */
  guint n_tokens;
  guint speaker; /* 1 and following; 0: not known */
} PtSegment;

typedef enum {
  PT_SUBTITLE_TXT,  /* the text alone, a line for each segment */
  PT_SUBTITLE_SRT,  /* SubRip */
  PT_SUBTITLE_VTT,  /* WebVTT */
  PT_SUBTITLE_JSON, /* {"text": ..., "segments": [{"id", "start", "end", "text"}, ...]} */
} PtSubtitleFormat;

/**
 * @segments as the contents of a file. Times never go back and no segment ends before it
 * starts, whatever the input; segments without text are left out. Free with g_free(). Any thread.
 */
char *pt_format_segments (const PtSegment *segments, guint n, PtSubtitleFormat format);

/*
 * What a recording looks like.
 */

/** Peaks in a second, at first, and so many at most: then two become one. */
#define PT_WAVEFORM_RATE 50
#define PT_WAVEFORM_MAX (1 << 19)

typedef struct {
  double duration; /* seconds */
  guint n;
  guint8 *peaks; /* the largest magnitude in each stretch of time; 255: full scale */
} PtWaveform;

/**
 * Read the recording at @path, any that can be transcribed. Takes its decoding's time; any thread.
 * Free with pt_waveform_free(); NULL with an error. A damaged one is read up to the damage.
 */
PtWaveform *pt_waveform_read (const char *path, GCancellable *cancellable, GError **error);
void pt_waveform_free (PtWaveform *waveform);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWaveform, pt_waveform_free)

/** The format called @name ("srt"), or that a file of this name should have ("a.srt"); FALSE: none.
 */
gboolean pt_subtitle_format_find (const char *name, PtSubtitleFormat *out);

/*
 * The library: models by name. A model is a set of files (program, data, tokenizer, preprocessor)
 * that lie in one folder.
 */

/** Members of a model beside its program. */
typedef enum {
  PT_MODEL_DATA = 1 << 0,
  PT_MODEL_TOKENIZER = 1 << 1,
  PT_MODEL_PREPROCESSOR = 1 << 2,
} PtModelPart;

typedef enum {
  PT_MODEL_IMAGES = 1 << 0,
  PT_MODEL_AUDIO = 1 << 1,
} PtModelInput;

typedef struct {
  char *name;         /* "smollm2-135m-instruct": the folder's, or the program's without .pte */
  char *title;        /* for people; the name when nothing better is known */
  char *path;         /* of the program */
  char *task;         /* "chat", "transcribe", "classify", "companion", "program" */
  char *family;       /* "text-llm", ...: see pt_library_families() */
  char *kind;         /* the same for people, in English: "text model" */
  char *why;          /* why it is nothing but a program, a sentence; or NULL */
  char *license;      /* "Apache-2.0" or NULL */
  char *missing;      /* what is missing, as a sentence; NULL when complete */
  guint64 bytes;      /* of all its files */
  gboolean damaged;   /* the program cannot be read: @missing says why, the rest is not known */
  guint lacks;        /* PtModelPart: members that are missing or of another model */
  char **data;        /* paths of its members, as found or named; NULL where there is none */
  char *tokenizer;    /* ... */
  char *preprocessor; /* ... */
  char *license_file; /* path of a LICENSE beside it, or NULL */
  char *languages;    /* that it speaks, by its card: "en de"; NULL: not known */
  gboolean streams;   /* it writes text while it hears (PtJob.follow) */
  guint takes;        /* PtModelInput: what messages of a chat may carry; 0: text alone */
} PtModelInfo;

void pt_model_info_free (PtModelInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelInfo, pt_model_info_free)

/** The folder of the user's data where starter models live. Owned by the library. */
const char *pt_library_default_folder (void);

/** All models in @folders (NULL-terminated), in the default folder, and in pteris/models of the
 * system's data folders, unless one of the same name is in the others: a GPtrArray of PtModelInfo.
 * Blocking; any thread. */
GPtrArray *pt_library_scan (const char *const *folders);

/** Everything known about the model at @path (a .pte or a folder); NULL with an error. Blocking;
 * any thread. */
PtModelInfo *pt_library_probe (const char *path, GError **error);

/** The same with members that were named; NULL: those beside the program. @family: or NULL. */
PtModelInfo *pt_library_probe_set (const char *path, const char *const *data, const char *tokenizer,
                                   const char *preprocessor, const char *family, GError **error);

/** What a model can be, for PtJob.family. */
typedef struct {
  const char *id;   /* "text-llm" */
  const char *name; /* for people, in English: "text model" */
  const char *task; /* as in PtModelInfo */
} PtFamilyChoice;

/** All of them; @n: how many. Owned by the library; any thread. */
const PtFamilyChoice *pt_library_families (guint *n);

/** Bytes of memory that a model takes; estimates that rather name too much than too little. */
typedef struct {
  guint64 weights; /* of its files, which are mapped: read once, and dropped under pressure */
  guint64 working; /* planned memory and workspaces at the largest shapes, with @state */
  guint64 state;   /* KV caches and whatever else outlives a call */
  guint64 gpu;     /* on a GPU: weights, planned memory and what the driver takes; 0: needs none */
} PtNeeds;

/** What takes longer to find out than pt_library_probe(): from the tables of the program. */
typedef struct {
  char *family;        /* "Llama", "Whisper", ...; NULL: not known */
  guint weight_bits;   /* of most weights: 4, 8, 16 or 32; 0: there are none */
  guint context;       /* tokens; 0: has none */
  gboolean thinks;     /* its chat template knows PtJob.thinking */
  PtSampling sampling; /* as it chooses tokens where PtJob.sampling is unset; all of it is set */
  char *backends;      /* "XNNPACK", "CUDA", "portable operators" */
  char *target;        /* of native code: "Linux, sm_90a"; NULL: there is none */
  char **
      obstacles; /* what keeps it from running here, however much memory there is; empty: nothing */
  PtNeeds needs;
} PtModelDetails;

/** @data: as for pt_library_probe_set(). NULL with an error. Blocking; any thread. */
PtModelDetails *pt_library_examine (const char *path, const char *const *data, GError **error);
void pt_model_details_free (PtModelDetails *details);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelDetails, pt_model_details_free)

/** Memory of this machine; 0: not known, or no GPU. */
typedef struct {
  guint64 ram_total, ram_free;
  guint64 gpu_total, gpu_free; /* of the GPU with most of it free */
} PtMemory;

/** What the text of pt_stats_read() says of memory. */
PtMemory pt_memory_parse (const char *stats);

typedef enum {
  PT_FIT_UNKNOWN,
  PT_FIT_WELL,
  PT_FIT_TIGHT,   /* it runs, but little memory is left: slow where weights are read again */
  PT_FIT_NOT_NOW, /* the machine has enough memory, but other programs use it */
  PT_FIT_NEVER,   /* it needs more than the machine has */
} PtFit;

/** How @needs fit into @memory. @gpu: set to TRUE when the GPU's memory decides, not the RAM. */
PtFit pt_fit_judge (const PtNeeds *needs, const PtMemory *memory, gboolean *gpu);

/**
 * What PT_JOB_INSPECT reports (engine/tasks/inspect/inspect.h), beside whatever the engine does:
 * tables are read, no weights. Free with g_free(). Blocking; any thread.
 */
char *pt_inspect_read (const char *model, const char *const *data, GError **error);

/**
 * The path that MODEL on a command line means: a file, a folder, or the name (or an unambiguous
 * part of the name) of a model in the library. NULL with an error that lists what there is.
 */
char *pt_library_find (const char *model, const char *const *folders, GError **error);

G_END_DECLS
