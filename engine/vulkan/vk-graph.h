/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/base/heap.h"
#include "engine/kernels/worker-pool.h"
#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * The graph of one Vulkan delegate: values and calls as plain, checked structs.
 * pt_vk_payload_read() makes it from the payload. See docs/formats/vulkan.md, sections 4 to 8.
 */

#define PT_VK_MAX_RANK 8
/** "No value". */
#define PT_VK_NONE G_MAXUINT32

/** Kinds of values, numbered as in the payload. */
typedef enum {
  PT_VK_NULL = 1,
  PT_VK_INT,
  PT_VK_DOUBLE,
  PT_VK_BOOL,
  PT_VK_TENSOR,
  PT_VK_INTS,
  PT_VK_DOUBLES,
  PT_VK_BOOLS,
  PT_VK_VALUES,
  PT_VK_STRING,
  PT_VK_SYMINT,
  PT_VK_N_KINDS
} PtVkKind;

typedef struct {
  guint rank;
  gint64 sizes[PT_VK_MAX_RANK];
} PtVkShape;

typedef struct {
  PtVkKind kind;

  /* Tensors. */
  PtDType declared; /* of the file and of the caller's tensors */
  PtDType stored;   /* what we keep it in: float32, int32, or bytes (pt_vk_stored_dtype()) */
  gboolean is_input, is_output, is_state;
  gboolean is_written;    /* a call or the caller gives it its elements */
  PtVkShape bound;        /* upper bounds */
  PtVkShape shape;        /* of the current call */
  gsize numel;            /* of @shape */
  const guint8 *constant; /* contiguous elements of @declared in the file; NULL: no constant */
  gconstpointer given;    /* elements of an input during a call, of @given_dtype */
  PtDType given_dtype;
  guint32 source; /* the value whose memory it shares, mostly itself */
  /* 1 + the call that unpacks it from a constant, when only linear layers read it as a weight: they
   * may read the constant. 0: no such call. */
  guint32 unpacked_by;

  /* Scalars; a SymInt has its current value. */
  gint64 as_int;
  double as_double;
  const char *text; /* not terminated */

  /* Length of @text, or number of items of lists. */
  guint count;
  union {
    const gint64 *ints;
    const double *doubles;
    const guint8 *bools;
    const guint32 *items; /* of PT_VK_VALUES: values, none of them a list */
  };
} PtVkValue;

typedef struct _PtVkOperator PtVkOperator;

typedef struct {
  const PtVkOperator *op;
  const guint32 *args;
  guint n_args;
} PtVkCall;

typedef struct {
  PtHeap *heap; /* memory of everything here */
  PtVkValue *values;
  PtVkCall *calls;
  guint32 *inputs, *outputs;
  guint n_values, n_calls, n_inputs, n_outputs;
  gboolean has_symints; /* shapes may change although those of the inputs do not */
  gboolean has_state;
  guint64 constant_bytes;
} PtVkGraph;

void pt_vk_graph_free (PtVkGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtVkGraph, pt_vk_graph_free)

/** float32 for all floats, int32 for integers of 32 and 64 bits; bytes stay as they are. */
PtDType pt_vk_stored_dtype (PtDType declared);

/** Bytes of a tensor of the current shape in our memory. */
gsize pt_vk_value_bytes (const PtVkValue *value);

/* ---- Arguments of calls, whose kinds have been checked ---- */

static inline PtVkValue *
pt_vk_arg (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return &graph->values[call->args[i]];
}

/** The tensor of argument @i; NULL where it is Null. */
PtVkValue *pt_vk_tensor (const PtVkGraph *graph, const PtVkCall *call, guint i);
/** A number; @fallback where it is Null. */
gint64 pt_vk_int (const PtVkGraph *graph, const PtVkCall *call, guint i, gint64 fallback);
double pt_vk_double (const PtVkGraph *graph, const PtVkCall *call, guint i, double fallback);
gboolean pt_vk_bool (const PtVkGraph *graph, const PtVkCall *call, guint i);
/** Whether a text is @text. FALSE for Null. */
gboolean pt_vk_is_text (const PtVkGraph *graph, const PtVkCall *call, guint i, const char *text);
/**
 * The integers of a list, or of one integer; 0 for Null. At most @max are stored. Returns how many
 * the list has.
 */
guint pt_vk_ints (const PtVkGraph *graph, const PtVkCall *call, guint i, gint64 *out, guint max);
/** The same for numbers. */
guint pt_vk_doubles (const PtVkGraph *graph, const PtVkCall *call, guint i, double *out, guint max);
/** The number of tensors of a list, and item @k. */
guint pt_vk_list_length (const PtVkGraph *graph, const PtVkCall *call, guint i);
guint32 pt_vk_list_item (const PtVkGraph *graph, const PtVkCall *call, guint i, guint k);

/** The value number of output @k: the last argument, or an item of it. */
guint32 pt_vk_out (const PtVkGraph *graph, const PtVkCall *call, guint k);
guint pt_vk_n_outs (const PtVkGraph *graph, const PtVkCall *call);

/** Whether @value is a constant, or an alias of one. */
const PtVkValue *pt_vk_constant_of (const PtVkGraph *graph, const PtVkValue *value);

/* ---- Shapes ---- */

/** Set the current shape. FALSE with PT_ERROR_ARGUMENT when it exceeds the upper bound. */
gboolean pt_vk_set_shape (const PtVkGraph *graph, guint32 value, const PtVkShape *shape,
                          GError **error);

/** @dim as an index of @rank dimensions, which may be negative. FALSE with an error. */
gboolean pt_vk_dim (gint64 dim, guint rank, guint *out, GError **error);

/** FALSE with PT_ERROR_PROGRAM: "A Vulkan delegate of this program is damaged: …". */
gboolean pt_vk_damaged (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/**
 * Compute symbolic integers and the shapes of all values in the order of the calls, from the shapes
 * of the inputs. @changed: set when a shape changed, left alone otherwise.
 */
gboolean pt_vk_graph_reshape (PtVkGraph *graph, gboolean *changed, GError **error);

G_END_DECLS
