/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/sampling.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * Models: which files belong together, what they are, and what they need. A model is a set of
 * files (program, data, tokenizer, preprocessor) that lie in one folder.
 *
 *     g_autoptr (GPtrArray) models = pt_library_scan (NULL);
 *
 *     for (guint i = 0; i < models->len; i++)
 *       puts (((PtModelInfo *) models->pdata[i])->title);
 *
 * Paths and texts are UTF-8, sizes are in bytes. What a struct points to belongs to it, unless its
 * type is const. The functions that read files block for up to some seconds.
 */

/** Where a model runs. */
typedef enum {
  PT_BACKEND_AUTO, /* where its program was exported for */
  PT_BACKEND_CPU,
  PT_BACKEND_CUDA,
} PtBackendChoice;

/** Which model a job is about, and how to load it. All strings may be NULL but @path. */
typedef struct {
  const char *path;         /* a .pte, .bpte or a folder, or a name (pt_library_find()) */
  const char *const *data;  /* .ptd files that are not beside it; NULL-terminated */
  const char *tokenizer;    /* NULL: beside it */
  const char *preprocessor; /* NULL: beside it, else our own front end */
  const char *family;       /* pt_library_families(); NULL: as recognised */
  const char *method;       /* NULL: forward, or the only one */
  PtBackendChoice backend;
  int device;        /* number of the GPU */
  const char *trust; /* native code that may run, now and from then on: that of the program with
                      * this SHA-256, which is what the user was shown; or PT_TRUST_AS_READ; NULL:
                      * none but what was agreed to before (pteris/trust.h) */
} PtModelOptions;

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
  gboolean streams;   /* it writes text while it hears (PtSpeechOptions.follow) */
  guint takes;        /* PtModelInput: what messages of a chat may carry; 0: text alone */
} PtModelInfo;

PT_API void pt_model_info_free (PtModelInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelInfo, pt_model_info_free)

/** A model that PT_JOB_LOAD made ready. Plain data; texts belong to it. */
typedef struct {
  const char *name, *title, *task; /* as in PtModelInfo */
  const char *license;             /* "Apache-2.0"; NULL: not known */
  const char *path;                /* of the program */
  const char *const *data;         /* paths, NULL-terminated; NULL: none */
  const char *tokenizer;           /* path; NULL: none */
  guint64 bytes;                   /* of all its files */
  const char *device;              /* where it runs: "CPU", or the name of its GPU */
  double load_s;                   /* seconds that loading took */
  gboolean streams;                /* speech models: it writes text while it hears */
  guint context_size;              /* chat models: positions in the KV cache; else 0 */
} PtLoadedModel;

/** The folder of the user's data where starter models live: PTERIS_MODELS, else pteris/models in
 * the user's data folder. It need not exist. Owned by the library; any thread. */
PT_API const char *pt_library_default_folder (void);

/** All models in @folders (NULL-terminated), in the default folder, and in pteris/models of the
 * system's data folders, unless one of the same name is in the others: a GPtrArray of PtModelInfo,
 * which belong to it, sorted for people. @folders: or NULL. Free with g_ptr_array_unref(). Never
 * NULL: what cannot be read is left out, or listed as damaged. Blocking; any thread. */
PT_API GPtrArray *pt_library_scan (const char *const *folders);

/** Everything known about the model at @path (a .pte or a folder). Free with pt_model_info_free();
 * NULL with an error, such as PT_ERROR_MISSING_FILE (there is no program) or PT_ERROR_PROGRAM (it
 * is damaged). Blocking; any thread. */
PT_API PtModelInfo *pt_library_probe (const char *path, GError **error);

/** The same with members that were named; NULL: those beside the program. @family: or NULL. */
PT_API PtModelInfo *pt_library_probe_set (const char *path, const char *const *data,
                                          const char *tokenizer, const char *preprocessor,
                                          const char *family, GError **error);

/** What a model can be, for PtModelOptions.family. */
typedef struct {
  const char *id;   /* "text-llm" */
  const char *name; /* for people, in English: "text model" */
  const char *task; /* as in PtModelInfo */
} PtFamilyChoice;

/** All of them; @n: how many. Owned by the library; any thread. */
PT_API const PtFamilyChoice *pt_library_families (guint *n);

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
  gboolean thinks;     /* its chat template knows PtChatOptions.thinking */
  PtSampling sampling; /* what it uses where PtChatOptions.sampling is unset; all of it is set */
  char *backends;      /* "XNNPACK", "CUDA", "portable operators" */
  char *target;        /* of native code: "Linux, sm_90a"; NULL: there is none */
  char **
      obstacles; /* what keeps it from running here, however much memory there is; empty: nothing */
  PtNeeds needs;
} PtModelDetails;

/** @data: as for pt_library_probe_set(). Free with pt_model_details_free(); NULL with an
 * error as of pt_inspect_read(). Blocking; any thread. */
PT_API PtModelDetails *pt_library_examine (const char *path, const char *const *data,
                                           GError **error);
PT_API void pt_model_details_free (PtModelDetails *details);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelDetails, pt_model_details_free)

/** How well a model fits into the memory of this machine. */
typedef enum {
  PT_FIT_UNKNOWN,
  PT_FIT_WELL,
  PT_FIT_TIGHT,   /* it runs, but little memory is left: slow where weights are read again */
  PT_FIT_NOT_NOW, /* the machine has enough memory, but other programs use it */
  PT_FIT_NEVER,   /* it needs more than the machine has */
} PtFit;

/** How @needs fit into @memory. @gpu (not NULL) is set: TRUE when the GPU's memory decides, not the
 * RAM. Any thread. */
PT_API PtFit pt_fit_judge (const PtNeeds *needs, const PtMemory *memory, gboolean *gpu);

/**
 * The path that MODEL on a command line means: a file, a folder, or the name (or an unambiguous
 * part of the name) of a model in the library or in @folders (NULL-terminated, or NULL). Free with
 * g_free(). NULL with PT_ERROR_NOT_FOUND, whose message lists what there is. Blocking; any
 * thread.
 */
PT_API char *pt_library_find (const char *model, const char *const *folders, GError **error);

G_END_DECLS
