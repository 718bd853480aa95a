/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * A program (.pte) as checked tables.
 *
 * pt_program_open() maps the file, verifies structure and meaning completely, and resolves
 * everything into the plain structs below. Callers never see FlatBuffers, and need not check any
 * index, offset or size in these structs again. Pointers lead into the mapped file or into memory
 * of the program; both live as long as the program. docs/formats/program.md describes the file
 * (sections 2 to 5) and the checks (section 8).
 */

#define PT_MAX_RANK 16

typedef enum {
  PT_VALUE_NONE,
  PT_VALUE_INT,
  PT_VALUE_BOOL,
  PT_VALUE_DOUBLE,
  PT_VALUE_TENSOR,
  PT_VALUE_STRING,
  PT_VALUE_INT_LIST,             /* items are indices of Int values */
  PT_VALUE_DOUBLE_LIST,          /* items are numbers */
  PT_VALUE_BOOL_LIST,            /* items are flags */
  PT_VALUE_TENSOR_LIST,          /* items are indices of Tensor values */
  PT_VALUE_OPTIONAL_TENSOR_LIST, /* items are indices of Tensor or None values, or -1 */
} PtValueKind;

/** "Int", "Tensor", ... */
const char *pt_value_kind_name (PtValueKind kind);

typedef enum {
  PT_DYNAMISM_STATIC = 0,
  PT_DYNAMISM_BOUND = 1,
} PtDynamism;

/** Where the bytes of a tensor are (docs/formats/program.md, section 10.3). */
typedef enum {
  PT_STORAGE_NONE, /* no bytes in the file: given by the caller, set while running (et_view), or no
                      elements */
  PT_STORAGE_CONSTANT,          /* read-only at @data */
  PT_STORAGE_PLANNED,           /* @memory_id and @memory_offset; @data its initial bytes or NULL */
  PT_STORAGE_EXTERNAL_CONSTANT, /* in a data file under @name */
  PT_STORAGE_EXTERNAL_PLANNED,  /* planned, initial bytes in a data file under @name */
} PtStorage;

typedef enum {
  PT_DEVICE_CPU = 0,
  PT_DEVICE_CUDA = 1,
  PT_DEVICE_VULKAN = 2, /* in no file: outputs that delegates of Vulkan left on the GPU */
} PtDeviceType;

typedef struct {
  PtDType dtype;
  PtDynamism dynamism;
  PtStorage storage;
  PtDeviceType device_type;
  gint8 device_index;
  guint8 rank;
  gint32 sizes[PT_MAX_RANK]; /* upper bounds when dynamic */
  guint8 dim_order[PT_MAX_RANK];
  gsize numel;           /* of @sizes */
  gsize nbytes;          /* of @sizes */
  guint32 memory_id;     /* index into buffer_sizes, >= 1; only for planned storage */
  guint64 memory_offset; /* only for planned storage; in range */
  const guint8 *data;    /* constants: @nbytes bytes; planned: initial bytes or NULL */
  const char *name;      /* fully qualified name, or NULL */
  gsize name_length;
} PtTensorSpec;

typedef struct {
  PtValueKind kind;
  union {
    gint64 as_int;
    gboolean as_bool;
    double as_double;
    const PtTensorSpec *as_tensor;
    struct {
      const char *data; /* zero-terminated; may contain zeros */
      gsize length;
    } as_string;
    struct {
      const gint32 *items; /* value indices; -1 = None in optional lists */
      guint count;
    } as_indices; /* INT_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST */
    struct {
      const double *items;
      guint count;
    } as_doubles;
    struct {
      const guint8 *items;
      guint count;
    } as_bools;
  };
} PtValueSpec;

typedef enum {
  PT_INSTRUCTION_KERNEL,     /* call operators[@op] with @args */
  PT_INSTRUCTION_DELEGATE,   /* call delegates[@op] with @args */
  PT_INSTRUCTION_MOVE,       /* values[@to] = values[@from] */
  PT_INSTRUCTION_JUMP_FALSE, /* if not values[@from]: next = @to (0..n_instructions) */
  PT_INSTRUCTION_FREE,       /* values[@from].data = NULL */
} PtInstructionKind;

typedef struct {
  PtInstructionKind kind;
  guint32 op;
  guint32 from, to;
  const gint32 *args; /* value indices */
  guint n_args;
} PtInstruction;

typedef struct {
  const PtInstruction *instructions;
  guint n_instructions;
} PtChain;

typedef struct {
  const char *key;
  gsize key_length;
  const guint8 *value;
  gsize size;
} PtCompileSpec;

typedef struct {
  const char *id;        /* "XnnpackBackend" */
  const guint8 *payload; /* may be NULL when @payload_size is 0 */
  gsize payload_size;
  const PtCompileSpec *specs;
  guint n_specs;
} PtDelegateSpec;

typedef struct {
  guint64 size;
  PtDeviceType device_type;
  gint8 device_index;
} PtBufferSpec;

/** One method. */
typedef struct {
  const char *name;
  const PtValueSpec *values;
  guint n_values;
  const gint32 *inputs, *outputs; /* value indices */
  guint n_inputs, n_outputs;
  const PtChain *chains;
  guint n_chains;
  const char *const *operators; /* "aten::add.out": name and overload joined */
  guint n_operators;
  const PtDelegateSpec *delegates;
  guint n_delegates;
  const PtBufferSpec *buffers; /* planned memory; buffers[0] is a dummy of 0 bytes */
  guint n_buffers;
} PtPlan;

typedef struct {
  const char *key;
  gsize key_length;
  const guint8 *data;
  gsize size;
} PtNamedData;

typedef struct _PtProgram PtProgram;

/** Map and verify @path. Free with pt_program_unref(). Any thread; a program is immutable. */
PtProgram *pt_program_open (const char *path, GError **error);

/**
 * Open a program in memory, for programs inside other files.
 *
 * @bytes: kept when it is aligned to 16, copied otherwise. @name: for messages.
 */
PtProgram *pt_program_new (GBytes *bytes, const char *name, GError **error);

PtProgram *pt_program_ref (PtProgram *program);
void pt_program_unref (PtProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtProgram, pt_program_unref)

/** FALSE when the file has been shortened since it was opened: parts of it then read as zeros. */
gboolean pt_program_check_intact (const PtProgram *program, GError **error);

const char *pt_program_path (const PtProgram *program);
/**
 * SHA-256 of the whole program as 64 hex digits. The first call reads the whole file. The program
 * owns the string. Any thread.
 */
const char *pt_program_digest (const PtProgram *program);
gsize pt_program_size (const PtProgram *program);
/** The FlatBuffers part of the file, which begins at the first byte. Segments lie behind it. */
const guint8 *pt_program_tables (const PtProgram *program, gsize *size);

guint pt_program_n_plans (const PtProgram *program);
const PtPlan *pt_program_plan (const PtProgram *program, guint i);
/** NULL when there is no such method. */
const PtPlan *pt_program_find_plan (const PtProgram *program, const char *name);

guint pt_program_n_named_data (const PtProgram *program);
const PtNamedData *pt_program_named_data (const PtProgram *program, guint i);
/** NULL when there is no such key. */
const PtNamedData *pt_program_find_named_data (const PtProgram *program, const char *key,
                                               gsize key_length);

/** TRUE when a tensor of any method lies in a data file. */
gboolean pt_program_needs_data (const PtProgram *program);

G_END_DECLS
