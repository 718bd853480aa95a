/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/kernels/gemm.h"
#include "engine/xnnpack/workspace.h"

G_BEGIN_DECLS

/*
 * The graph of one XNNPACK delegate: values and nodes as plain, checked structs.
 * pt_xnn_payload_read() makes it from the payload; then it is planned and run. See
 * docs/formats/xnnpack.md, sections 4 and 5.
 */

#define PT_XNN_MAX_RANK 6
/** "No value": also the id for it in a payload. */
#define PT_XNN_NONE G_MAXUINT32
/** The maximum of inputs of a node (Concatenate5). */
#define PT_XNN_MAX_INPUTS 5
/** More than the number of kinds of nodes. */
#define PT_XNN_N_TAGS 64

/** Element types, numbered as in the payload (docs/formats/xnnpack.md, section 4.1). */
typedef enum {
  PT_XNN_INVALID = 0,
  PT_XNN_F32 = 1,
  PT_XNN_F16 = 2,
  PT_XNN_QI8 = 3,
  PT_XNN_QU8 = 4,
  PT_XNN_QI32 = 5,
  PT_XNN_QC8 = 6,
  PT_XNN_QC32 = 7,
  PT_XNN_QC4 = 8,
  PT_XNN_QD8 = 9,
  PT_XNN_QB4 = 10,
  PT_XNN_QP8 = 11,
  PT_XNN_I32 = 12,
  PT_XNN_PF32 = 13,
  PT_XNN_BF16 = 14,
  PT_XNN_N_TYPES
} PtXnnType;

/** "fp32", "qdint8", ...; never NULL. */
const char *pt_xnn_type_name (PtXnnType type);

/** Bytes of one element; 0 for types of less than a byte, and for types without memory. */
gsize pt_xnn_type_size (PtXnnType type);

typedef struct {
  guint rank;
  gsize dims[PT_XNN_MAX_RANK];
} PtXnnShape;

/**
 * A tensor of the graph. Nodes refer to it by its index in PtXnnGraph.values. Fields that each call
 * reads come first, because for small products the loading of these cache lines determines the
 * time.
 */
typedef struct {
  gpointer data; /* NULL until bound */
  gsize numel;   /* bytes with the current shape */
  PtXnnType type;
  guint n_nonbatch;         /* qdint8: number of last dims that form a row */
  gsize n_rows, row_length; /* qdint8: parameters of the rows */
  PtQuantizedRows rows;     /* qdint8: rows, which point into @data */
  PtXnnShape shape;         /* the current shape */

  guint32 id;                   /* id in the payload, for messages */
  gboolean is_input, is_output; /* an argument of the delegate call, at @external */
  guint32 external;
  PtXnnShape declared; /* exact for constants; otherwise an upper bound or an example */

  /* Constants: bytes in the mapped file, or in memory of the graph. */
  const guint8 *constant;
  gsize constant_size;

  /* Quantisation (docs/formats/xnnpack.md, section 4.2). */
  float scale;
  gint32 zero_point;
  const float *channel_scales; /* [n_scales] per channel, or NULL */
  const guint16 *group_scales; /* bfloat16 [n_scales], for groups of @group along the rows */
  gsize group, n_scales;
  guint channel_dim;

  /*
   * Indices of the node that computes the value and of the last one that reads it; -1: none. Set by
   * pt_xnn_graph_plan().
   */
  gint32 producer, last_use;
  guint n_uses;

  /* Memory. A view shares the memory of another value. */
  guint32 root; /* the value whose memory it shares, or itself */
  gsize offset; /* for internal values: offset in the workspace */
  gsize nbytes; /* size with the current shape */
} PtXnnValue;

typedef struct _PtXnnGraph PtXnnGraph;
typedef struct _PtXnnNode PtXnnNode;
typedef struct _PtXnnClass PtXnnClass;

typedef gboolean (*PtXnnCheck) (PtXnnGraph *graph, PtXnnNode *node, GError **error);
typedef void (*PtXnnRun) (const PtXnnGraph *graph, const PtXnnNode *node);

/** The window of a convolution or a pooling. */
typedef struct {
  gsize pad_top, pad_right, pad_bottom, pad_left;
  gsize kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  gsize group_in, group_out, groups; /* convolutions */
  gsize adjustment_h, adjustment_w;  /* for transposed convolutions */
} PtXnnWindow;

struct _PtXnnNode {
  /* Fields that each call reads come first, as in PtXnnValue. */
  PtXnnRun run; /* made by prepare() */
  const PtXnnClass *klass;
  gpointer state;                /* made by prepare(); owned by the graph */
  guint32 in[PT_XNN_MAX_INPUTS]; /* indices of values; PT_XNN_NONE for a missing optional one */
  guint n_in;
  guint32 out[2];
  guint n_out;
  float min, max; /* -INFINITY and INFINITY: no clamp */
  guint32 flags;
  guint last_rows;  /* compute only this many last rows; 0: all */
  gpointer scratch; /* 64-byte aligned */

  /* Other fields from the payload: */
  gboolean has_clamp; /* the payload has min and max */
  PtXnnWindow window;
  gint64 list[2][PT_XNN_MAX_RANK]; /* perm; new shape; offsets and sizes; pads before and after */
  guint n_list;
  gsize axis;         /* Concatenate */
  gsize new_h, new_w; /* resize */
  float number;       /* pad value, slope, alpha */

  /* Set by setup(): */
  guint can_overwrite; /* bit i: out[0] may lie in the memory of in[i] */
  gsize scratch_size;  /* bytes of the workspace that it needs while it runs */
  gsize scratch_offset;
};

/** The table of a kind of node in the payload (docs/formats/xnnpack.md, section 3.2). */
typedef enum {
  PT_XNN_TABLE_NONE,
  PT_XNN_TABLE_N1,
  PT_XNN_TABLE_N2,
  PT_XNN_TABLE_CAT,
  PT_XNN_TABLE_FC,
  PT_XNN_TABLE_CONV,
  PT_XNN_TABLE_POOL,
  PT_XNN_TABLE_ARGMAX,
  PT_XNN_TABLE_TRANSPOSE,
  PT_XNN_TABLE_RESHAPE,
  PT_XNN_TABLE_SLICE,
  PT_XNN_TABLE_RESIZE,
  PT_XNN_TABLE_PAD,
  PT_XNN_TABLE_SCALAR, /* LeakyReLU, ELU */
  PT_XNN_TABLE_SDPA,
  PT_XNN_N_TABLES
} PtXnnTable;

/** A kind of node. */
struct _PtXnnClass {
  const char *name;
  PtXnnTable table;
  guint n_in; /* number of inputs of Concatenate2..5; for other kinds it follows from @table */
  int detail; /* distinguishes kinds that share functions */

  /** Called once: checks types and constants, chooses run(), computes tables of constants. */
  PtXnnCheck prepare;
  /** Computes the shapes of the outputs from those of the inputs. */
  PtXnnCheck shape;
  /**
   * Optional. Called after shape(): sets scratch_size, can_overwrite and other state that depends
   * on the shapes.
   */
  PtXnnCheck setup;
};

/** A part of the workspace in use, while the memory plan is made. */
typedef struct {
  gsize offset, size;
} PtXnnBlock;

struct _PtXnnGraph {
  PtXnnValue *values;
  guint n_values;
  PtXnnNode *nodes;
  guint n_nodes;
  guint n_externs;
  guint32 *externals;            /* [n_externs]: the value of each argument, or PT_XNN_NONE */
  guint n_by_tag[PT_XNN_N_TAGS]; /* number of nodes in the payload, for reports */
  GPtrArray *memory;             /* memory blocks that live as long as the graph */
  PtPool *pool;
  PtWorkspace *workspace;
  gsize workspace_size; /* bytes needed for the current shapes */
  guint64 max_bytes;    /* maximum of workspace_size */
  PtXnnBlock *blocks;   /* for the memory plan: room for all blocks, sorted by offset */
  guint n_blocks;
};

/** @max_bytes: maximum of the workspace; 0: none. */
PtXnnGraph *pt_xnn_graph_new (PtPool *pool, guint64 max_bytes);
void pt_xnn_graph_free (PtXnnGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtXnnGraph, pt_xnn_graph_free)

/** Allocate zeroed memory, 64-byte aligned, that lives as long as @graph. NULL with an error. */
gpointer pt_xnn_graph_alloc (PtXnnGraph *graph, gsize count, gsize size, GError **error);

/**
 * Call once, after reading: computes order and use of values, merges equal Converts, finds views,
 * prepares every node.
 */
gboolean pt_xnn_graph_plan (PtXnnGraph *graph, GError **error);

/** Compute all shapes from those of the external inputs, then the offsets of internal values. */
gboolean pt_xnn_graph_reshape (PtXnnGraph *graph, GError **error);

/** The same with the shapes that the payload declares; reserves the workspace. Ignores errors. */
void pt_xnn_graph_reserve (PtXnnGraph *graph);

/** The same without reserving: only sets workspace_size for the declared shapes. */
gboolean pt_xnn_graph_measure (PtXnnGraph *graph, GError **error);

/**
 * Enlarge the workspace to the size that the current shapes need. It may be missing completely if
 * another delegate failed to enlarge it.
 */
gboolean pt_xnn_graph_take_workspace (PtXnnGraph *graph, GError **error);

/** Set the data pointers of all values except arguments, and of scratch memory. */
void pt_xnn_graph_bind (PtXnnGraph *graph);

/** Set the shape of a value. Fails when its size overflows. */
gboolean pt_xnn_value_set_shape (PtXnnValue *value, guint rank, const gsize *dims, GError **error);

/** Call once, in pt_xnn_graph_plan(): allocate room for pt_xnn_memory_plan(). */
gboolean pt_xnn_memory_plan_init (PtXnnGraph *graph, GError **error);

/**
 * Give every internal value and every node's scratch an offset in the workspace. The memory of a
 * value is reused after its last reader has run, or at once by a node that can work in place. Sets
 * workspace_size. Allocates nothing.
 */
gboolean pt_xnn_memory_plan (PtXnnGraph *graph, GError **error);

static inline PtXnnValue *
pt_xnn_in (const PtXnnGraph *graph, const PtXnnNode *node, guint i)
{
  return node->in[i] == PT_XNN_NONE ? NULL : &graph->values[node->in[i]];
}

static inline PtXnnValue *
pt_xnn_out (const PtXnnGraph *graph, const PtXnnNode *node, guint i)
{
  return &graph->values[node->out[i]];
}

/** Neither an argument nor a constant. */
static inline gboolean
pt_xnn_value_is_internal (const PtXnnValue *value)
{
  return !value->is_input && !value->is_output && value->constant == NULL;
}

G_END_DECLS
