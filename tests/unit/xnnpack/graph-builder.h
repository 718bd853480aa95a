/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/backend.h"
#include "engine/runtime/execution.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Writes payloads for tests, right ones and wrong ones, and runs them: a small FlatBuffers
 * writer, values and nodes as structs, and calls through the registered backend.
 */

#define NONE PT_XNN_NONE
#define MAX_SLOTS 20

#define DIMS(...) ((const guint32[]){ __VA_ARGS__ })
#define SIZES(...) ((const gint64[]){ __VA_ARGS__ })

/* Slots and tags, see xnn-schema.h. */
enum { INPUT = 1, OUTPUT = 2 };

typedef struct {
  int type;
  guint rank;
  guint32 dims[8];
  guint32 flags; /* INPUT, OUTPUT, or 0 */
  guint32 external;
  gconstpointer data; /* constants */
  gsize size;
  float scale; /* per tensor */
  gint32 zero_point;
  const float *scales; /* per channel, inline */
  guint n_scales;
  gint32 channel_dim;
  const guint16 *group_scales;   /* per group, as a constant */
  const float *group_scales_f32; /* or inline */
  gint32 group;
  gint32 n_nonbatch;
  gint16 dq_type;
  gboolean keep_id; /* @id instead of its index */
  guint32 id;
} Value;

typedef struct {
  guint8 tag;
  guint32 slots[MAX_SLOTS]; /* u32 slots in order */
  guint n_slots;
  guint float_slots;  /* bit i: slot i is a float, given by its bits */
  gint64 lists[2][8]; /* TRANSPOSE, RESHAPE, SLICE: slots 1 and 2; PAD: 0 and 1 */
  guint list_slots[2];
  guint list_sizes[2];
  guint n_lists;
  gboolean clamped;
  float min, max;
} Node;

typedef struct _Builder Builder;

Builder *builder_new (void);
void builder_free (Builder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Builder, builder_free)

/** Returns the index, which is also the id. */
guint32 builder_value (Builder *builder, Value value);
void builder_node (Builder *builder, Node node);
/** Default: the number of external values. */
void builder_set_externs (Builder *builder, guint32 n);

/* Shorthands. */
guint32 builder_tensor (Builder *builder, int type, guint rank, const guint32 *dims, guint32 flags);
guint32 builder_constant (Builder *builder, int type, guint rank, const guint32 *dims,
                          gconstpointer data, gsize size);
/** 8-bit, with one scale. */
guint32 builder_quantized (Builder *builder, int type, guint rank, const guint32 *dims,
                           guint32 flags, guint32 external, float scale, gint32 zero_point);
void builder_simple (Builder *builder, guint8 tag, guint n, const guint32 *slots);
guint32 float_bits (float f);

/** The payload. @with_header: constants in a region; else inside the tables. */
GBytes *builder_finish (Builder *builder, gboolean with_header);

/** Make a delegate from @payload; NULL with an error. Free with delegate_free(). */
gpointer delegate_new (GBytes *payload, GError **error);
void delegate_free (gpointer delegate);
const PtBackend *delegate_backend (void);

/** The number of nodes of @payload after a delegate has planned it. */
guint planned_nodes (GBytes *payload);

/** An argument. The data is the caller's. */
PtTensor make_tensor (PtDType dtype, guint rank, const gint64 *sizes, gpointer data,
                      gsize capacity);

/** Run @delegate once. */
gboolean delegate_run (gpointer delegate, PtTensor *const *tensors, guint n, GError **error);

/** Build, run and free, all of which must work. */
void run_graph (Builder *builder, PtTensor *const *tensors, guint n);

/** A reproducible number in [-1, 1). */
float next_random (guint32 *state);
/** [n] such numbers, in [-3, 3). */
void fill_random (float *x, gsize n, guint32 seed);

G_END_DECLS
