/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph-builder.h"

#include <string.h>

#include "engine/init.h"
#include "engine/xnnpack/xnn-payload.h"
#include "engine/xnnpack/xnn-schema.h"

struct _Builder {
  GArray *values;
  GArray *nodes;
  guint32 n_externs;
  gboolean has_externs;
};

Builder *
builder_new (void)
{
  Builder *builder = g_new0 (Builder, 1);

  builder->values = g_array_new (FALSE, TRUE, sizeof (Value));
  builder->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  return builder;
}

void
builder_free (Builder *builder)
{
  g_array_unref (builder->values);
  g_array_unref (builder->nodes);
  g_free (builder);
}

guint32
builder_value (Builder *builder, Value value)
{
  g_array_append_val (builder->values, value);
  if (value.flags != 0 && !builder->has_externs)
    builder->n_externs = MAX (builder->n_externs, value.external + 1);
  return builder->values->len - 1;
}

void
builder_node (Builder *builder, Node node)
{
  g_array_append_val (builder->nodes, node);
}

void
builder_set_externs (Builder *builder, guint32 n)
{
  builder->has_externs = TRUE;
  builder->n_externs = n;
}

guint32
builder_tensor (Builder *builder, int type, guint rank, const guint32 *dims, guint32 flags)
{
  Value value = { .type = type, .rank = rank, .flags = flags };

  if (flags != 0)
    value.external = builder->n_externs;
  memcpy (value.dims, dims, rank * sizeof *dims);
  return builder_value (builder, value);
}

guint32
builder_constant (Builder *builder, int type, guint rank, const guint32 *dims, gconstpointer data,
                  gsize size)
{
  Value value = { .type = type, .rank = rank, .data = data, .size = size };

  memcpy (value.dims, dims, rank * sizeof *dims);
  return builder_value (builder, value);
}

void
builder_simple (Builder *builder, guint8 tag, guint n, const guint32 *slots)
{
  Node node = { .tag = tag, .n_slots = n };

  memcpy (node.slots, slots, n * sizeof *slots);
  builder_node (builder, node);
}

guint32
float_bits (float f)
{
  guint32 bits;

  memcpy (&bits, &f, sizeof bits);
  return bits;
}

/* ---- FlatBuffers: parents before children, eight bytes for every slot ---- */

static void
align (GByteArray *fb, guint alignment)
{
  static const guint8 zeros[16];

  g_byte_array_append (fb, zeros, (alignment - fb->len % alignment) % alignment);
}

static void
patch (GByteArray *fb, guint32 at, gconstpointer data, guint size)
{
  memcpy (fb->data + at, data, size);
}

static guint32
new_table (GByteArray *fb, guint n_slots)
{
  guint16 head[2] = { (guint16) (4 + 2 * n_slots), (guint16) (8 + 8 * n_slots) };
  guint32 vtable, table;
  gint32 distance;

  align (fb, 8);
  vtable = fb->len;
  g_byte_array_set_size (fb, fb->len + 4 + 2 * n_slots);
  memset (fb->data + vtable, 0, fb->len - vtable);
  patch (fb, vtable, head, sizeof head);
  align (fb, 8);
  table = fb->len;
  g_byte_array_set_size (fb, fb->len + 8 + 8 * n_slots);
  memset (fb->data + table, 0, fb->len - table);
  distance = (gint32) (table - vtable);
  patch (fb, table, &distance, sizeof distance);
  return table;
}

static guint32
slot_at (GByteArray *fb, guint32 table, guint slot)
{
  guint16 offset = (guint16) (8 + 8 * slot);
  gint32 distance;

  memcpy (&distance, fb->data + table, sizeof distance);
  patch (fb, table - (guint32) distance + 4 + 2 * slot, &offset, sizeof offset);
  return table + offset;
}

static void
put (GByteArray *fb, guint32 table, guint slot, gconstpointer data, guint size)
{
  patch (fb, slot_at (fb, table, slot), data, size);
}

static void
put_u32 (GByteArray *fb, guint32 table, guint slot, guint32 number)
{
  put (fb, table, slot, &number, sizeof number);
}

static void
put_u8 (GByteArray *fb, guint32 table, guint slot, guint8 number)
{
  put (fb, table, slot, &number, sizeof number);
}

/* Slot @slot of @table points to what comes next. */
static void
point_here (GByteArray *fb, guint32 table, guint slot)
{
  guint32 at = slot_at (fb, table, slot);
  guint32 offset = fb->len - at;

  patch (fb, at, &offset, sizeof offset);
}

static void
put_vector (GByteArray *fb, guint32 table, guint slot, gconstpointer items, guint32 n, guint width)
{
  align (fb, 16);
  g_byte_array_set_size (fb, fb->len + 12); /* so that items are aligned */
  memset (fb->data + fb->len - 12, 0, 12);
  point_here (fb, table, slot);
  g_byte_array_append (fb, (const guint8 *) &n, sizeof n);
  if (n > 0)
    g_byte_array_append (fb, items, n * width);
}

/* A vector of @n offsets that put_child() fills. */
static guint32
put_children (GByteArray *fb, guint32 table, guint slot, guint32 n)
{
  guint32 at;

  align (fb, 4);
  point_here (fb, table, slot);
  g_byte_array_append (fb, (const guint8 *) &n, sizeof n);
  at = fb->len;
  g_byte_array_set_size (fb, fb->len + 4 * n);
  memset (fb->data + at, 0, 4 * n);
  return at;
}

static guint32
put_child (GByteArray *fb, guint32 vector, guint32 i, guint n_slots)
{
  guint32 table = new_table (fb, n_slots);
  guint32 at = vector + 4 * i;
  guint32 offset = table - at;

  patch (fb, at, &offset, sizeof offset);
  return table;
}

static guint32
put_table (GByteArray *fb, guint32 table, guint slot, guint n_slots)
{
  guint32 child = new_table (fb, n_slots);
  guint32 at = slot_at (fb, table, slot);
  guint32 offset = child - at;

  patch (fb, at, &offset, sizeof offset);
  return child;
}

/* ---- Constants ---- */

typedef struct {
  GPtrArray *data; /* of gconstpointer */
  GArray *sizes;   /* of gsize */
} Constants;

static guint32
add_constant (Constants *constants, gconstpointer data, gsize size)
{
  g_ptr_array_add (constants->data, (gpointer) data);
  g_array_append_val (constants->sizes, size);
  return constants->data->len; /* 0 is the dummy */
}

/* ---- Values ---- */

static void
write_quantization (GByteArray *fb, guint32 quantized, const Value *v, Constants *constants)
{
  guint32 params;

  if (v->n_nonbatch != 0) {
    put_u8 (fb, quantized, PT_XNN_QUANTIZED_TYPE, PT_XNN_QUANT_TOKEN);
    params = put_table (fb, quantized, PT_XNN_QUANTIZED_PARAMS, 1);
    put_u32 (fb, params, PT_XNN_PER_TOKEN_NONBATCH, (guint32) v->n_nonbatch);
  } else if (v->scales != NULL) {
    put_u8 (fb, quantized, PT_XNN_QUANTIZED_TYPE, PT_XNN_QUANT_CHANNEL);
    params = put_table (fb, quantized, PT_XNN_QUANTIZED_PARAMS, 4);
    put_u32 (fb, params, PT_XNN_PER_CHANNEL_DIM, (guint32) v->channel_dim);
    put_vector (fb, params, PT_XNN_PER_CHANNEL_SCALE, v->scales, v->n_scales, 4);
  } else if (v->group != 0) {
    put_u8 (fb, quantized, PT_XNN_QUANTIZED_TYPE, PT_XNN_QUANT_GROUP);
    params = put_table (fb, quantized, PT_XNN_QUANTIZED_PARAMS, 6);
    put_u32 (fb, params, PT_XNN_PER_GROUP_SIZE, (guint32) v->group);
    put_u32 (fb, params, PT_XNN_PER_GROUP_COUNT, v->n_scales);
    if (v->group_scales != NULL)
      put_u32 (fb, params, PT_XNN_PER_GROUP_BUFFER,
               add_constant (constants, v->group_scales, 2 * v->n_scales));
    else
      put_vector (fb, params, PT_XNN_PER_GROUP_SCALE, v->group_scales_f32, v->n_scales, 4);
  } else {
    put_u8 (fb, quantized, PT_XNN_QUANTIZED_TYPE, PT_XNN_QUANT_TENSOR);
    params = put_table (fb, quantized, PT_XNN_QUANTIZED_PARAMS, 2);
    put_u32 (fb, params, PT_XNN_PER_TENSOR_SCALE, float_bits (v->scale));
    put_u32 (fb, params, PT_XNN_PER_TENSOR_ZERO_POINT, (guint32) v->zero_point);
  }
}

static void
write_value (GByteArray *fb, guint32 xvalue, const Value *v, guint32 index, Constants *constants)
{
  gboolean quantized = v->n_nonbatch != 0 || v->scales != NULL || v->group != 0 || v->scale != 0.0f;
  guint32 tensor = xvalue;
  guint slot = PT_XNN_UNION_TABLE;
  gint16 type = (gint16) v->type;

  put_u8 (fb, xvalue, PT_XNN_UNION_TYPE, quantized ? PT_XNN_VALUE_QUANTIZED : PT_XNN_VALUE_TENSOR);
  if (quantized) {
    tensor = put_table (fb, xvalue, PT_XNN_UNION_TABLE, 3);
    write_quantization (fb, tensor, v, constants);
    slot = PT_XNN_QUANTIZED_TENSOR;
  }
  tensor = put_table (fb, tensor, slot, 8);
  put (fb, tensor, PT_XNN_TENSOR_TYPE, &type, sizeof type);
  put_u32 (fb, tensor, PT_XNN_TENSOR_NUM_DIMS, v->rank);
  put_u32 (fb, tensor, PT_XNN_TENSOR_EXTERNAL, v->flags != 0 ? v->external : NONE);
  put_u32 (fb, tensor, PT_XNN_TENSOR_FLAGS, v->flags);
  put_u32 (fb, tensor, PT_XNN_TENSOR_ID, v->keep_id ? v->id : index);
  put (fb, tensor, PT_XNN_TENSOR_DQ_TYPE, &v->dq_type, sizeof v->dq_type);
  if (v->data != NULL)
    put_u32 (fb, tensor, PT_XNN_TENSOR_CONSTANT, add_constant (constants, v->data, v->size));
  put_vector (fb, tensor, PT_XNN_TENSOR_DIMS, v->dims, v->rank, 4);
}

/* ---- Nodes ---- */

static void
write_node (GByteArray *fb, guint32 xnode, const Node *n)
{
  guint32 table;

  put_u8 (fb, xnode, PT_XNN_NODE_TYPE, n->tag);
  if (n->clamped) {
    guint32 clamp = put_table (fb, xnode, PT_XNN_NODE_CLAMP, 2);

    put_u32 (fb, clamp, PT_XNN_CLAMP_MIN, float_bits (n->min));
    put_u32 (fb, clamp, PT_XNN_CLAMP_MAX, float_bits (n->max));
  }
  table = put_table (fb, xnode, PT_XNN_NODE_TABLE, MAX_SLOTS);
  for (guint i = 0; i < n->n_slots; i++) {
    gboolean is_list = FALSE;

    for (guint k = 0; k < n->n_lists; k++)
      is_list |= n->list_slots[k] == i;
    if (!is_list)
      put_u32 (fb, table, i, n->slots[i]);
  }
  for (guint k = 0; k < n->n_lists; k++) {
    guint32 items[8];

    for (guint i = 0; i < n->list_sizes[k]; i++)
      items[i] = (guint32) n->lists[k][i];
    put_vector (fb, table, n->list_slots[k], items, n->list_sizes[k], 4);
  }
}

/* ---- Payloads ---- */

static GByteArray *
write_graph (Builder *builder, gboolean with_header, Constants *constants, GByteArray *region)
{
  GByteArray *fb = g_byte_array_new ();
  guint32 root, vector, zero = 0;

  g_byte_array_append (fb, (const guint8 *) &zero, 4);
  g_byte_array_append (fb, (const guint8 *) (with_header ? "XN01" : "XN00"), 4);
  root = new_table (fb, 9);
  patch (fb, 0, &root, sizeof root);
  put_u32 (fb, root, PT_XNN_GRAPH_NUM_EXTERNS, builder->n_externs);
  vector = put_children (fb, root, PT_XNN_GRAPH_VALUES, builder->values->len);
  for (guint i = 0; i < builder->values->len; i++)
    write_value (fb, put_child (fb, vector, i, 2), &g_array_index (builder->values, Value, i), i,
                 constants);
  vector = put_children (fb, root, PT_XNN_GRAPH_NODES, builder->nodes->len);
  for (guint i = 0; i < builder->nodes->len; i++)
    write_node (fb, put_child (fb, vector, i, 4), &g_array_index (builder->nodes, Node, i));
  vector = put_children (fb, root,
                         with_header ? PT_XNN_GRAPH_CONSTANT_DATA : PT_XNN_GRAPH_CONSTANT_BUFFER,
                         constants->data->len + 1);
  for (guint i = 0; i <= constants->data->len; i++) {
    guint32 entry = put_child (fb, vector, i, with_header ? 3 : 1);
    gconstpointer data = i > 0 ? constants->data->pdata[i - 1] : NULL;
    guint64 size = i > 0 ? g_array_index (constants->sizes, gsize, i - 1) : 0;
    guint64 offset;

    if (with_header) {
      align (region, 16);
      offset = region->len;
      put (fb, entry, PT_XNN_CONSTANT_OFFSET, &offset, sizeof offset);
      put (fb, entry, PT_XNN_CONSTANT_SIZE, &size, sizeof size);
      if (size > 0)
        g_byte_array_append (region, data, (guint) size);
    } else {
      put_vector (fb, entry, PT_XNN_BUFFER_STORAGE, data, (guint32) size, 1);
    }
  }
  align (fb, 16);
  return fb;
}

GBytes *
builder_finish (Builder *builder, gboolean with_header)
{
  Constants constants = { g_ptr_array_new (), g_array_new (FALSE, FALSE, sizeof (gsize)) };
  g_autoptr (GByteArray) region = g_byte_array_new ();
  g_autoptr (GByteArray) fb = write_graph (builder, with_header, &constants, region);
  GByteArray *payload = g_byte_array_new ();

  g_ptr_array_unref (constants.data);
  g_array_unref (constants.sizes);
  if (with_header) {
    guint8 header[32] = { 0 };
    guint16 length = 30;
    guint32 offset = 32, size = fb->len, constants_at = 32 + fb->len;
    guint64 region_size = region->len;

    memcpy (header + 4, "XH00", 4);
    memcpy (header + 8, &length, 2);
    memcpy (header + 10, &offset, 4);
    memcpy (header + 14, &size, 4);
    memcpy (header + 18, &constants_at, 4);
    memcpy (header + 22, &region_size, 8);
    g_byte_array_append (payload, header, sizeof header);
  }
  g_byte_array_append (payload, fb->data, fb->len);
  g_byte_array_append (payload, region->data, region->len);
  return g_byte_array_free_to_bytes (payload);
}

/* ---- Running ---- */

const PtBackend *
delegate_backend (void)
{
  pt_init ();
  return pt_backend_find ("XnnpackBackend");
}

/* Any program: named data is looked for in one. */
static const PtProgram *
some_program (void)
{
  static PtProgram *program;

  if (program == NULL) {
    g_autofree char *path =
        g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);

    program = pt_program_open (path, NULL);
  }
  g_assert_nonnull (program);
  return program;
}

/* For @payload, as long as @spec is there. */
static PtDelegateContext
context_of (GBytes *payload, PtDelegateSpec *spec)
{
  *spec = (PtDelegateSpec){ .id = "XnnpackBackend" };
  spec->payload = g_bytes_get_data (payload, &spec->payload_size);
  return (PtDelegateContext){
    .program = some_program (), .spec = spec, .method = "forward", .pool = pt_pool_default ()
  };
}

gpointer
delegate_new (GBytes *payload, GError **error)
{
  PtDelegateSpec spec;
  PtDelegateContext context = context_of (payload, &spec);

  return delegate_backend ()->init (&context, error);
}

guint
planned_nodes (GBytes *payload)
{
  PtDelegateSpec spec;
  PtDelegateContext context = context_of (payload, &spec);
  g_autoptr (PtXnnGraph) graph = pt_xnn_payload_read (&context, NULL);

  g_assert_nonnull (graph);
  g_assert_true (pt_xnn_graph_plan (graph, NULL));
  return graph->n_nodes;
}

void
delegate_free (gpointer delegate)
{
  delegate_backend ()->destroy (delegate);
}

PtTensor
make_tensor (PtDType dtype, guint rank, const gint64 *sizes, gpointer data, gsize capacity)
{
  PtTensor tensor;

  g_assert_true (pt_tensor_init (&tensor, dtype, rank, sizes, NULL, data, NULL));
  tensor.capacity = capacity;
  tensor.max_numel = capacity / pt_dtype_size (dtype);
  tensor.dynamism = PT_DYNAMISM_BOUND;
  return tensor;
}

gboolean
delegate_run (gpointer delegate, PtTensor *const *tensors, guint n, GError **error)
{
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, NULL);
  g_autofree PtValue *slots = g_new0 (PtValue, n);
  g_autofree PtValue **args = g_new0 (PtValue *, n);

  for (guint i = 0; i < n; i++) {
    slots[i].kind = PT_VALUE_TENSOR;
    slots[i].as_tensor = tensors[i];
    args[i] = &slots[i];
  }
  return delegate_backend ()->execute (delegate, execution, args, n, error);
}

void
run_graph (Builder *builder, PtTensor *const *tensors, guint n)
{
  g_autoptr (GBytes) payload = builder_finish (builder, TRUE);
  g_autoptr (GError) error = NULL;
  gpointer delegate = delegate_new (payload, &error);

  g_assert_no_error (error);
  g_assert_nonnull (delegate);
  delegate_run (delegate, tensors, n, &error);
  g_assert_no_error (error);
  delegate_free (delegate);
}

float
next_random (guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return (float) (gint32) (*state >> 8) / 8388608.0f - 1.0f;
}

void
fill_random (float *x, gsize n, guint32 seed)
{
  for (gsize i = 0; i < n; i++)
    x[i] = 3.0f * next_random (&seed);
}

guint32
builder_quantized (Builder *builder, int type, guint rank, const guint32 *dims, guint32 flags,
                   guint32 external, float scale, gint32 zero_point)
{
  Value value = { .type = type,
                  .rank = rank,
                  .flags = flags,
                  .external = external,
                  .scale = scale,
                  .zero_point = zero_point };

  memcpy (value.dims, dims, rank * sizeof *dims);
  return builder_value (builder, value);
}
