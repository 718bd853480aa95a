/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/sampling.h>
#include <pteris/stats.h>

G_BEGIN_DECLS

/*
 * Models: which files form one, their family, and the memory that they need. A model is a set of
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

/** The device of a model. */
typedef enum {
  PT_BACKEND_AUTO,     /* the device that the program was exported for */
  PT_BACKEND_CPU,      /* the processor */
  PT_BACKEND_CUDA,     /* an NVIDIA GPU */
  PT_BACKEND_OPENVINO, /* what the program was exported for with OpenVINO: CPU, GPU or NPU */
  PT_BACKEND_VULKAN,   /* a GPU through Vulkan */
} PtBackendChoice;

/** The model of a job, and how to load it. All strings but @path may be NULL. */
typedef struct {
  const char *path;         /* a .pte, .bpte or a folder, or a name (pt_library_find()) */
  const char *const *data;  /* .ptd files in other folders; NULL-terminated */
  const char *tokenizer;    /* NULL: beside it */
  const char *preprocessor; /* program that makes the spectrogram; NULL: the one beside it, else our
                               own code */
  const char *family;       /* pt_library_families(); NULL: as recognised */
  const char *variant;      /* name of a PtModelVariant; NULL: the best that runs here */
  const char *method;       /* NULL: forward, or the only method */
  PtBackendChoice backend;  /* where it runs */
  int device;               /* number of the GPU; OpenVINO: which of several devices of its kind */
  const char *trust; /* consent to native code, remembered from then on: the SHA-256 of the program,
                        as shown to the user, or PT_TRUST_AS_READ. NULL: only programs that were
                        agreed to before (pteris/trust.h) */
  gboolean exact;    /* compute floats as the program has them, also where OpenVINO would rather be
                        faster; other backends always do */
} PtModelOptions;

/** The files of a model beside its program. */
typedef enum {
  PT_MODEL_DATA = 1 << 0,         /* .ptd files */
  PT_MODEL_TOKENIZER = 1 << 1,    /* its tokenizer */
  PT_MODEL_PREPROCESSOR = 1 << 2, /* the program that computes its mel spectrogram */
} PtModelPart;

/** Media that messages of a chat may have beside text; bits. */
typedef enum {
  PT_MODEL_IMAGES = 1 << 0, /* pictures */
  PT_MODEL_AUDIO = 1 << 1,  /* recordings */
} PtModelInput;

/** A file or folder beside a model, and what it is to it. */
typedef struct {
  char *path;
  char *role;   /* "program", "data", "tokenizer", "chat template", "encoder", "vad", ...; NULL: it
                   is not used */
  char *reason; /* why not, a sentence; NULL: it is used */
} PtModelFile;

/** A program of a model that comes in several precisions or for several devices. */
typedef struct {
  char *name;       /* for PtModelOptions.variant: "8da4w", "xnnpack-8da4w", else the file's name */
  char *path;       /* of the program */
  char *precision;  /* "8da4w", "bf16", "fp32", ...; NULL: not known */
  char *backend;    /* "xnnpack", "vulkan", "coreml", ...; NULL: not known */
  guint64 bytes;    /* of the program */
  gboolean on_gpu;  /* it runs on a GPU or an NPU */
  gboolean foreign; /* it needs a driver or a library that is not part of Pteris: CUDA, OpenVINO */
  char *obstacle;   /* why it does not run here, a sentence; NULL: it does */
  gboolean chosen;  /* it is the program of the model */
} PtModelVariant;

/** A model: its family, task and files. All pointers in it belong to it. */
typedef struct {
  char *name;    /* "smollm2-135m-instruct": name of the folder, or of the program without .pte */
  char *title;   /* for people; the name if nothing better is known */
  char *path;    /* of the program */
  char *task;    /* "chat", "transcribe", "classify", "embed", "look", "speak", "companion",
                  * "program" */
  char *family;  /* "text-llm", ...: see pt_library_families() */
  char *kind;    /* the family for people, in English: "text model" */
  char *why;     /* why no task can use the program, a sentence; or NULL */
  char *license; /* "Apache-2.0" or NULL */
  char *missing; /* a sentence that names the missing files; NULL when complete */
  guint64 bytes; /* of all its files */
  gboolean damaged;   /* the program cannot be read: @missing says why, other members are unknown */
  guint lacks;        /* PtModelPart: files that are missing or belong to another model */
  char **data;        /* paths of the files, as found or named; NULL: there is none */
  char *tokenizer;    /* ... */
  char *preprocessor; /* ... */
  char *license_file; /* path of a LICENSE beside it, or NULL */
  char *languages;    /* languages by its model card: "en de"; NULL: unknown */
  gboolean streams;   /* it writes text during the recording (PtSpeechOptions.follow) */
  guint takes;        /* PtModelInput: files that chat messages may have; 0: text only */
  PtModelVariant *variants; /* of the model, the best first; NULL: the program is the only one */
  guint n_variants;         /* of @variants */
  PtModelFile *files;       /* that belong to the model, and programs that do not */
  guint n_files;            /* of @files */
} PtModelInfo;

/** Free @info. NULL: does nothing. Any thread. */
PT_API void pt_model_info_free (PtModelInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelInfo, pt_model_info_free)

/** The model that PT_JOB_LOAD loaded. Plain data that owns its texts. */
typedef struct {
  const char *name, *title, *task; /* as in PtModelInfo */
  const char *license;             /* "Apache-2.0"; NULL: not known */
  const char *path;                /* of the program */
  const char *const *data;         /* paths, NULL-terminated; NULL: none */
  const char *tokenizer;           /* path; NULL: none */
  guint64 bytes;                   /* of all its files */
  const char *device;              /* "CPU", or the name of the GPU */
  double load_s;                   /* seconds that loading took */
  gboolean streams;                /* speech models: it writes text during the recording */
  guint context_size;              /* chat models: positions in the KV cache; else 0 */
} PtLoadedModel;

/** The folder of the user's data of the starter models: PTERIS_MODELS, else pteris/models in the
 * user's data folder. It need not exist. Owned by the library; any thread. */
PT_API const char *pt_library_default_folder (void);

/** All models in @folders (NULL-terminated), in the default folder, and in pteris/models of the
 * system's data folders, unless one of the other folders has a model of the same name: a GPtrArray
 * of PtModelInfo, which belong to it, sorted for people. @folders: or NULL. Free with
 * g_ptr_array_unref(). Never NULL: files that cannot be read are left out or listed as damaged.
 * Blocking; any thread. */
PT_API GPtrArray *pt_library_scan (const char *const *folders);

/** Describe the model at @path (a .pte or a folder). Free with pt_model_info_free(); NULL with an
 * error, such as PT_ERROR_MISSING_FILE (no program) or PT_ERROR_PROGRAM (a damaged one). Blocking;
 * any thread. */
PT_API PtModelInfo *pt_library_probe (const char *path, GError **error);

/** The same for the best variant of the model that the program at @path belongs to, which is the
 * program itself if it has no others. */
PT_API PtModelInfo *pt_library_probe_best (const char *path, GError **error);

/** The same with the given files; NULL: those beside the program. @family: or NULL. */
PT_API PtModelInfo *pt_library_probe_set (const char *path, const char *const *data,
                                          const char *tokenizer, const char *preprocessor,
                                          const char *family, GError **error);

/** A family of models, for PtModelOptions.family. */
typedef struct {
  const char *id;   /* "text-llm" */
  const char *name; /* for people, in English: "text model" */
  const char *task; /* as in PtModelInfo */
} PtFamilyChoice;

/** All of them; @n: how many. Owned by the library; any thread. */
PT_API const PtFamilyChoice *pt_library_families (guint *n);

/** Estimated memory of a model in bytes; rather too high than too low. */
typedef struct {
  guint64 weights; /* its files, which are mapped: read once, and evicted when memory is short */
  guint64 working; /* planned memory and workspaces at the largest shapes, including @state */
  guint64 state;   /* KV caches and other state that is kept between calls */
  guint64 gpu;     /* GPU memory: weights, planned memory and the driver's own; 0: no GPU needed */
} PtNeeds;

/** Details from the tables of the program, which take longer than pt_library_probe(). */
typedef struct {
  char *family;        /* "Llama", "Whisper", ...; NULL: not known */
  guint weight_bits;   /* of most weights: 4, 8, 16 or 32; 0: no weights */
  guint context;       /* tokens; 0: has none */
  gboolean thinks;     /* its chat template supports PtChatOptions.thinking */
  PtSampling sampling; /* defaults for PtChatOptions.sampling; no member is unset */
  char *backends;      /* "XNNPACK", "CUDA", "portable operators" */
  char *target;        /* of native code: "Linux, sm_90a"; NULL: there is none */
  char **obstacles;    /* reasons, apart from memory, why it cannot run here; empty: none */
  PtNeeds needs;       /* memory that it takes */
} PtModelDetails;

/** @data: as for pt_library_probe_set(). Free with pt_model_details_free(); NULL with an
 * error as of pt_inspect_read(). Blocking; any thread. */
PT_API PtModelDetails *pt_library_examine (const char *path, const char *const *data,
                                           GError **error);
/** Free @details. NULL: does nothing. Any thread. */
PT_API void pt_model_details_free (PtModelDetails *details);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelDetails, pt_model_details_free)

/** How well a model fits into the memory of this machine. */
typedef enum {
  PT_FIT_UNKNOWN, /* the memory of the machine is not known */
  PT_FIT_WELL,    /* it runs as fast as it can */
  PT_FIT_TIGHT,   /* it runs, but little memory is left: slow when weights are read again */
  PT_FIT_NOT_NOW, /* the machine has enough memory, but other programs use it */
  PT_FIT_NEVER,   /* it needs more than the machine has */
} PtFit;

/** How well @needs fit into @memory. @gpu (not NULL) is set to TRUE when GPU memory is the limit,
 * to FALSE for RAM. Any thread. */
PT_API PtFit pt_fit_judge (const PtNeeds *needs, const PtMemory *memory, gboolean *gpu);

/** A model that is loaded, or being loaded. */
typedef struct {
  PtNeeds needs;   /* as of pt_library_examine(), or pt_needs_of_files() */
  gboolean taken;  /* it had its memory when PtMemory was measured */
  gboolean leaves; /* it makes room for the other one */
} PtLoadedNeeds;

/** What a model whose details are not known probably needs: its files have @bytes. Any thread. */
PT_API PtNeeds pt_needs_of_files (guint64 bytes);

/** Whether @needs fit into @memory well, beside those of @n_others models (@others) that do not
 * leave. TRUE if the memory of this machine is not known. Any thread. */
PT_API gboolean pt_fits_beside (const PtNeeds *needs, const PtLoadedNeeds *others, guint n_others,
                                const PtMemory *memory);

/**
 * The path that MODEL on a command line means: a file, a folder, or the name (or an unambiguous
 * part of the name) of a model in the library or in @folders (NULL-terminated, or NULL). Also a
 * folder of the library: "owner--name" or "owner/name" of a download, "owner--name/1b". Free with
 * g_free(). NULL with PT_ERROR_NOT_FOUND, whose message lists the models. Blocking; any thread.
 */
PT_API char *pt_library_find (const char *model, const char *const *folders, GError **error);

G_END_DECLS
