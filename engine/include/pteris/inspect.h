/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/models.h>
#include <pteris/report.h>

G_BEGIN_DECLS

/*
 * What is in a program, and what is missing to run it here: pt_inspect_read() and PT_JOB_INSPECT.
 *
 *     g_autoptr (PtInspectReport) report = pt_inspect_read ("model.pte", NULL, &error);
 *
 *     for (guint i = 0; report != NULL && i < report->n_methods; i++)
 *       puts (report->methods[i].name);
 *
 * Reports are plain data that never changes. Everything in a report belongs to it; references may
 * be taken and given back on any thread. Sizes are in bytes. Texts are UTF-8, repaired where the
 * file has other bytes; NULL where there is none. Arrays without items may be NULL. Lists of texts
 * end with NULL, and are NULL or empty where there are none.
 */

/** Most entries of external tensors and named data, and items of a constant list, in a report; the
 * counts beside them are of all. */
#define PT_INSPECT_MAX_LISTED 1000
/** Most elements of a constant tensor whose elements are in a report. */
#define PT_INSPECT_MAX_ELEMENTS 64

/** An input or output of a method, as the program declares it. */
typedef struct {
  PtArgument value;   /* TENSOR: its shape; LIST: its items are not told */
  gboolean dynamic;   /* TENSOR: the sizes in the shape are upper bounds */
  gboolean planned;   /* TENSOR: it has a place in planned memory or in a file */
  const char *device; /* TENSOR: "cpu", "cuda" */
} PtInspectValue;

/** How often something is in a method. */
typedef struct {
  const char *name; /* of its kind */
  guint64 count;    /* at least 1 */
} PtInspectCount;

/** An operator that a method calls. */
typedef struct {
  const char *name;   /* "aten::add.out" */
  guint count;        /* instructions that call it */
  gboolean available; /* this build has it */
} PtInspectOperator;

/** A buffer of planned memory. */
typedef struct {
  guint64 bytes;      /* its size */
  const char *device; /* "cpu", "cuda" */
  int device_index;   /* number of the device */
} PtInspectBuffer;

/* ---- payloads of delegates ---- */

/** GPU code in a library. */
typedef struct {
  const char *name;    /* "sm_90a", "compute_90a (PTX 9.0)" */
  gboolean compressed; /* its bytes are */
} PtInspectCudaCode;

/** A library of native code in a CUDA payload. */
typedef struct {
  const char *key;           /* name of its bytes in the program */
  gboolean found;            /* the program has them */
  guint64 bytes;             /* 0: not @found */
  guint target, ptx;         /* compute capabilities of its code and PTX, 90 for 9.0; 0: not told */
  gboolean fallback;         /* to be used only where no other library fits */
  const char *platform;      /* "Linux"; NULL: the library cannot be read, all below is unknown */
  const char *cpu;           /* "x86-64" */
  const char *const *needed; /* names of libraries that it is linked with */
  const PtInspectCudaCode *codes;       /* GPU code in it */
  guint n_codes;                        /* of @codes */
  guint n_kernels;                      /* fat binaries and cubins */
  const char *const *missing_functions; /* that it imports and this build does not have */
} PtInspectCudaLibrary;

/** The weights of a CUDA payload. */
typedef struct {
  const char *key; /* of the one block with all weights; NULL: each weight has a key */
  guint constants; /* weights with keys */
  guint storages;  /* blocks to look up; weights with equal keys share one */
  guint found;     /* of @storages */
  guint64 bytes;   /* of all storages; of the one block: 0 when it is not found */
} PtInspectCudaWeights;

/** The content of a CUDA payload. */
typedef struct {
  const char *form; /* of the payload: "method keys", "two keys", "ETCUDAFQN3", ... */
  const PtInspectCudaLibrary *libraries; /* one of them is used */
  guint n_libraries;                     /* at least 1 */
  const PtInspectCudaWeights *weights;   /* NULL: unknown, for want of memory */
} PtInspectCuda;

/** A name and its value, as a backend calls them. */
typedef struct {
  const char *name, *value; /* never NULL */
} PtInspectPair;

/** Which member of PtInspectContent describes a payload. */
typedef enum {
  PT_INSPECT_CONTENT_NONE,  /* it is not described */
  PT_INSPECT_CONTENT_NODES, /* @nodes, of XNNPACK */
  PT_INSPECT_CONTENT_CUDA,  /* @cuda */
  PT_INSPECT_CONTENT_PAIRS, /* @pairs, of other backends */
} PtInspectContentKind;

/** The content of a payload. */
typedef struct {
  PtInspectContentKind kind;   /* which of the following is set */
  const PtInspectCount *nodes; /* NODES: kinds of nodes of the graph: "FullyConnected" */
  guint n_nodes;               /* of @nodes */
  const PtInspectCuda *cuda;   /* CUDA */
  const PtInspectPair *pairs;  /* PAIRS */
  guint n_pairs;               /* of @pairs */
} PtInspectContent;

/** All delegates of one backend in a method. */
typedef struct {
  const char *backend;              /* "XnnpackBackend" */
  gboolean available;               /* this machine can run it */
  guint count;                      /* delegates */
  guint64 payload_bytes;            /* of all of them */
  const PtInspectCount *nodes;      /* sums over the payloads of the kind NODES */
  guint n_nodes;                    /* of @nodes */
  const PtInspectContent *contents; /* of the payloads of other kinds, in their order */
  guint n_contents;                 /* of @contents */
} PtInspectDelegate;

/* ---- methods ---- */

/** A method that computes. */
typedef struct {
  const char *name;                       /* "forward" */
  guint64 planned_bytes;                  /* of all buffers */
  const PtInspectBuffer *buffers;         /* planned memory */
  guint n_buffers;                        /* of @buffers */
  guint n_instructions;                   /* in all chains */
  const PtInspectValue *inputs, *outputs; /* in the order of a call */
  guint n_inputs, n_outputs;              /* of them */
  const PtInspectOperator *operators;     /* that are called, in the program's order */
  guint n_operators;                      /* of @operators */
  const PtInspectDelegate *delegates;     /* one for each backend */
  guint n_delegates;                      /* of @delegates */
} PtInspectMethod;

/** An output of a constant method. */
typedef struct {
  PtInspectValue value;       /* INT, BOOL, DOUBLE, STRING: what it returns */
  gboolean listed;            /* LIST, TENSOR: @elements are known */
  const PtArgument *elements; /* INT, BOOL or DOUBLE; of a tensor in C order */
  guint n_elements;           /* of @elements */
} PtInspectOutput;

/** A method without inputs and instructions, such as get_max_seq_len. */
typedef struct {
  const char *name;               /* "get_max_seq_len" */
  const PtInspectOutput *outputs; /* what it returns */
  guint n_outputs;                /* at least 1 */
} PtInspectConstant;

/* ---- files ---- */

/** Bytes of the parts of a program; parts that are shared count once. Their sum is the size of the
 * program. */
typedef struct {
  guint64 tables;            /* methods, values, instructions */
  guint64 constants;         /* of tensors */
  guint64 initial_state;     /* of tensors that calls change */
  guint64 delegate_payloads; /* of all backends */
  guint64 named_data;        /* PtInspectNamed */
  guint64 other;             /* padding, and what nothing refers to */
} PtInspectParts;

/** A data file (.ptd). */
typedef struct {
  const char *path; /* as it was named or found */
  guint64 bytes;    /* its size */
  guint entries;    /* tensors and other blocks in it */
} PtInspectDataFile;

/** A tensor that the program expects in a data file. */
typedef struct {
  const char *name;  /* in the data file */
  PtArgument value;  /* TENSOR */
  guint64 bytes;     /* its size */
  gboolean is_state; /* an initial state; else a constant */
  const char *file;  /* path of the file that has one of its name; NULL: none has */
  const char *why;   /* why it is missing, a sentence; NULL: it is found */
} PtInspectExternal;

/** A block of bytes in the program, which delegates look up by its name. */
typedef struct {
  const char *key; /* its name */
  guint64 bytes;   /* its size */
} PtInspectNamed;

/** Test cases of a bundled program (.bpte). */
typedef struct {
  const char *method; /* that they call */
  guint cases;        /* how many */
  guint64 bytes;      /* of tensors in them */
} PtInspectTests;

/** The content of a program. */
typedef struct {
  const char *path;           /* of the program */
  guint64 bytes;              /* its size */
  gboolean ok;                /* nothing is missing */
  const char *const *missing; /* what is missing to run it here: sentences, never NULL */

  const char *family, *kind, *task; /* as in PtModelInfo */
  const char *why;                  /* no task can use the program: a sentence */
  PtNeeds memory;                   /* what running it takes */
  guint weight_bits;                /* of most weights: 4, 8, 16 or 32; 0: no weights */
  gboolean native;    /* it has native code, which runs with consent only (pteris/trust.h) */
  const char *sha256; /* native: what consent is asked for; NULL: the program is too large to hash
                         in passing */
  gboolean trusted;   /* @sha256: consent is remembered */

  PtInspectParts parts;               /* of the program file */
  const PtInspectMethod *methods;     /* in the program's order, without constant ones */
  guint n_methods;                    /* of @methods */
  const PtInspectConstant *constants; /* constant methods */
  guint n_constants;                  /* of @constants */

  const PtInspectDataFile *data_files; /* that were read */
  guint n_data_files;                  /* of @data_files */
  guint64 data_bytes;                  /* of all of them */

  guint n_external, n_external_found;  /* external tensors, of which are found */
  guint64 external_bytes;              /* of all of them */
  const PtInspectExternal *external;   /* the first ones */
  guint n_external_listed;             /* of @external */
  const char *const *external_missing; /* names of the first ones that are not found */

  guint n_named;               /* blocks of named data */
  guint64 named_bytes;         /* of all of them */
  const PtInspectNamed *named; /* the first ones */
  guint n_named_listed;        /* of @named */

  const PtInspectTests *tests; /* for each method that has some */
  guint n_tests;               /* of @tests */

  const PtModelFile *files; /* PT_JOB_INSPECT of a folder, and pt_inspect_read_model(): files of
                               the model, and programs that do not belong to it, with the reason */
  guint n_files;            /* of @files */
  gpointer owner; /* private; NULL in a report of your own, which references do not free */
} PtInspectReport;

/** One more reference. Any thread. */
PT_API PtInspectReport *pt_inspect_report_ref (const PtInspectReport *report);
/** Give a reference back; the last one frees @report. NULL: does nothing. Any thread. */
PT_API void pt_inspect_report_unref (PtInspectReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtInspectReport, pt_inspect_report_unref)

/**
 * Read the tables of a program; loads no weights and runs nothing. @model: path of a .pte or a
 * .bpte. @data: its .ptd files, NULL-terminated; NULL: those beside it, if the program needs some.
 * Free with pt_inspect_report_unref(). NULL with an error, such as PT_ERROR_FILE or
 * PT_ERROR_PROGRAM (a damaged file). Blocking; any thread.
 */
PT_API PtInspectReport *pt_inspect_read (const char *model, const char *const *data,
                                         GError **error);

/**
 * The same for a model, with its files: which of a folder belong to it, and why others do not
 * (PtInspectReport.files). @model: path of a program or of a folder, and what is chosen for it. Of
 * a .bpte there are no files. Free with pt_inspect_report_unref(). NULL with an error. Blocking;
 * any thread.
 */
PT_API PtInspectReport *pt_inspect_read_model (const PtModelOptions *model, GError **error);

/** The result of a constant method: "2048", "[1, 2]", "\"text\"", "float32 [2] [0.5, 1]"; several
 * outputs as a list. Free with g_free(). */
PT_API char *pt_inspect_constant_to_text (const PtInspectConstant *constant);

/**
 * JSON with line breaks, for scripts and files:
 *
 *     { "path", "bytes", "ok",
 *       "family": { "id", "name", "task", "why" }, "missing": [sentences],
 *       "parts": { "tables", "constants", "initial_state", "delegate_payloads", "named_data",
 *                  "other", "data_files" },
 *       "memory": { "weights_bytes", "working_bytes", "state_bytes", "gpu_bytes", "weight_bits" },
 *       "native_code": null or { "sha256", "trusted" }, both null for a large program,
 *       "methods": [{ "name", "planned_bytes", "instructions",
 *                     "buffers": [{ "bytes", "device", "device_index" }],
 *                     "inputs", "outputs": [{ "kind": "tensor", "dtype", "shape", "dynamic",
 *                                             "planned", "device" }
 *                                           or { "kind": "int", "value" }],
 *                     "operators": [{ "name", "count", "available" }],
 *                     "delegates": [{ "backend", "available", "count", "payload_bytes",
 *                                     "nodes": { name: count }, "contents": [content] }] }],
 *       "constant_methods": { name: value or [values] }, small tensors with their "values",
 *       "data_files": [{ "path", "bytes", "entries" }],
 *       "external_tensors": { "count", "bytes", "found", "missing": [names],
 *                             "entries": [{ "name", "dtype", "shape", "bytes",
 *                                           "use": "constant" or "initial state",
 *                                           "file": a path or null, "why": if missing }] },
 *       "named_data": { "count", "bytes", "entries": [{ "key", "bytes" }] },
 *       "tests": [{ "method", "cases", "bytes" }],
 *       "files": of a folder: [{ "path", "role": a text or null, "reason": a text or null }] }
 *
 * The content of a CUDA payload; that of other backends is { name: text }:
 *
 *     { "form",
 *       "libraries": [{ "key", "target", "ptx", "fallback": if told, "bytes": if found,
 *                       "platform", "cpu", "needed": [names], "code": [{ "name", "compressed" }],
 *                       "kernels", "missing_functions": [names] }], the last six if readable,
 *       "weights": { "key", "constants", "storages", "found", "bytes" } or null }
 *
 * Free with g_free(). Any thread.
 */
PT_API char *pt_inspect_report_to_json (const PtInspectReport *report);

G_END_DECLS
