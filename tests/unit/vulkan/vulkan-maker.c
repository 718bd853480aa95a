/* SPDX-License-Identifier: BSD-3-Clause */
#include "vulkan-maker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/runtime/execution.h"
#include "engine/vulkan/vk-graph.h"
#include "engine/vulkan/vk-instance.h"
#include "engine/vulkan/vk-schema.h"

/* ---- Tables of a FlatBuffer, before they are written ---- */

typedef struct _Node Node;

typedef struct {
  guint size; /* 0: absent */
  guint64 number;
  Node *child;
} Slot;

struct _Node {
  guint element; /* bytes of an element of a vector; 0: a table */
  GArray *slots; /* of a table */
  GByteArray *bytes;
  GPtrArray *nodes; /* a vector of tables */
  gboolean is_text;
};

static Node *
new_table (void)
{
  Node *node = g_new0 (Node, 1);

  node->slots = g_array_new (FALSE, TRUE, sizeof (Slot));
  return node;
}

static Node *
new_vector (guint element, gconstpointer data, gsize n)
{
  Node *node = g_new0 (Node, 1);

  node->element = element;
  node->bytes = g_byte_array_new ();
  g_byte_array_append (node->bytes, data, (guint) (n * element));
  return node;
}

static Node *
new_text (const char *text)
{
  Node *node = new_vector (1, text, strlen (text));

  node->is_text = TRUE;
  return node;
}

static Node *
new_tables (void)
{
  Node *node = g_new0 (Node, 1);

  node->element = 4;
  node->nodes = g_ptr_array_new ();
  return node;
}

static void
free_node (Node *node)
{
  for (guint i = 0; node->slots != NULL && i < node->slots->len; i++) {
    Node *child = g_array_index (node->slots, Slot, i).child;

    if (child != NULL)
      free_node (child);
  }
  for (guint i = 0; node->nodes != NULL && i < node->nodes->len; i++)
    free_node (node->nodes->pdata[i]);
  g_clear_pointer (&node->slots, g_array_unref);
  g_clear_pointer (&node->bytes, g_byte_array_unref);
  g_clear_pointer (&node->nodes, g_ptr_array_unref);
  g_free (node);
}

static void
set_slot (Node *table, guint id, guint size, guint64 number, Node *child)
{
  if (table->slots->len <= id)
    g_array_set_size (table->slots, id + 1);
  g_array_index (table->slots, Slot, id) = (Slot){ size, number, child };
}

static void
align (GByteArray *out, guint to)
{
  static const guint8 zeros[16];

  g_byte_array_append (out, zeros, (to - out->len % to) % to);
}

static void
put (GByteArray *out, guint64 number, guint bytes)
{
  g_byte_array_append (out, (const guint8 *) &number, bytes);
}

static void
patch (GByteArray *out, guint at)
{
  guint32 offset = out->len - at;

  memcpy (out->data + at, &offset, 4);
}

static void write_node (GByteArray *out, const Node *node, guint at);

/* The offset at @at refers to it. */
static void
write_vector (GByteArray *out, const Node *node, guint at)
{
  guint count = node->nodes != NULL ? node->nodes->len : node->bytes->len / node->element;
  guint begin;

  align (out, 8);
  put (out, 0, 4); /* so that the elements begin at a multiple of 8 */
  patch (out, at);
  put (out, count, 4);
  begin = out->len;
  if (node->nodes == NULL)
    g_byte_array_append (out, node->bytes->data, node->bytes->len);
  if (node->is_text)
    put (out, 0, 1);
  for (guint i = 0; node->nodes != NULL && i < count; i++)
    put (out, 0, 4);
  for (guint i = 0; node->nodes != NULL && i < count; i++)
    write_node (out, node->nodes->pdata[i], begin + 4 * i);
}

static void
write_table (GByteArray *out, const Node *node, guint at)
{
  guint n = node->slots->len, vtable, table, size = 8;
  g_autofree guint *places = g_new0 (guint, n + 1);

  for (guint i = 0; i < n; i++)
    if (g_array_index (node->slots, Slot, i).size > 0) {
      places[i] = size; /* each slot has 8 bytes */
      size += 8;
    }
  align (out, 8);
  vtable = out->len;
  put (out, 4 + 2 * n, 2);
  put (out, size, 2);
  for (guint i = 0; i < n; i++)
    put (out, places[i], 2);
  align (out, 8);
  table = out->len;
  patch (out, at);
  put (out, table - vtable, 4);
  put (out, 0, 4);
  for (guint i = 0; i < n; i++)
    if (places[i] > 0)
      put (out, g_array_index (node->slots, Slot, i).number, 8);
  for (guint i = 0; i < n; i++)
    if (places[i] > 0 && g_array_index (node->slots, Slot, i).child != NULL)
      write_node (out, g_array_index (node->slots, Slot, i).child, table + places[i]);
}

static void
write_node (GByteArray *out, const Node *node, guint at)
{
  if (node->element > 0)
    write_vector (out, node, at);
  else
    write_table (out, node, at);
}

/* ---- Values ---- */

typedef struct {
  PtVkKind kind;
  PtDType dtype;
  guint rank;
  gint64 dims[PT_VK_MAX_RANK];
} Value;

struct _VulkanMaker {
  Node *chain, *values, *constants;
  GPtrArray *region;  /* GBytes, of constants; each begins at a multiple of 16 */
  gsize region_bytes; /* more than one array can have */
  GArray *list;       /* Value */
  GArray *inputs, *outputs;
  GBytes *blob;
  PtDelegateSpec spec;
  PtVkDelegate *cpu, *gpu;
  guint n_cpu_calls;
};

VulkanMaker *
vulkan_maker_new (void)
{
  VulkanMaker *maker = g_new0 (VulkanMaker, 1);

  maker->chain = new_tables ();
  maker->values = new_tables ();
  maker->constants = new_tables ();
  maker->region = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  maker->list = g_array_new (FALSE, TRUE, sizeof (Value));
  maker->inputs = g_array_new (FALSE, TRUE, sizeof (guint32));
  maker->outputs = g_array_new (FALSE, TRUE, sizeof (guint32));
  return maker;
}

void
vulkan_maker_free (VulkanMaker *maker)
{
  pt_vk_delegate_free (maker->cpu);
  pt_vk_delegate_free (maker->gpu);
  g_clear_pointer (&maker->chain, free_node);
  g_clear_pointer (&maker->values, free_node);
  g_clear_pointer (&maker->constants, free_node);
  g_ptr_array_unref (maker->region);
  g_array_unref (maker->list);
  g_array_unref (maker->inputs);
  g_array_unref (maker->outputs);
  g_clear_pointer (&maker->blob, g_bytes_unref);
  g_free (maker);
}

static guint32
add_value (VulkanMaker *maker, PtVkKind kind, Node *table)
{
  const Value value = { .kind = kind };
  Node *node = new_table ();

  set_slot (node, PT_VK_VALUE_TYPE, 1, kind, NULL);
  set_slot (node, PT_VK_VALUE_TABLE, 4, 0, table);
  g_ptr_array_add (maker->values->nodes, node);
  g_array_append_val (maker->list, value);
  return maker->list->len - 1;
}

static guint
datatype_of (PtDType dtype)
{
  switch (dtype) {
  case PT_DTYPE_U8: return 1;
  case PT_DTYPE_I8: return 2;
  case PT_DTYPE_I32: return 3;
  case PT_DTYPE_F16: return 4;
  default: return 5;
  }
}

static guint32
add_tensor (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims, int constant)
{
  Node *table = new_table ();
  guint32 sizes[PT_VK_MAX_RANK], index;
  Value *value;

  for (guint i = 0; i < rank; i++)
    sizes[i] = (guint32) dims[i];
  set_slot (table, PT_VK_TENSOR_DATATYPE, 1, datatype_of (dtype), NULL);
  set_slot (table, PT_VK_TENSOR_DIMS, 4, 0, new_vector (4, sizes, rank));
  set_slot (table, PT_VK_TENSOR_CONSTANT_ID, 4, (guint32) constant, NULL);
  set_slot (table, PT_VK_TENSOR_MEM_OBJ_ID, 4, G_MAXUINT32, NULL);
  index = add_value (maker, PT_VK_TENSOR, table);
  value = &g_array_index (maker->list, Value, index);
  value->dtype = dtype;
  value->rank = rank;
  for (guint i = 0; i < rank; i++)
    value->dims[i] = dims[i];
  return index;
}

guint32
vulkan_maker_tensor (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims)
{
  return add_tensor (maker, dtype, rank, dims, -1);
}

guint32
vulkan_maker_input (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims)
{
  guint32 value = add_tensor (maker, dtype, rank, dims, -1);

  g_array_append_val (maker->inputs, value);
  return value;
}

guint32
vulkan_maker_output (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims)
{
  guint32 value = add_tensor (maker, dtype, rank, dims, -1);

  g_array_append_val (maker->outputs, value);
  return value;
}

float
vulkan_random (void)
{
  static guint32 state = 1;

  state = state * 1664525 + 1013904223;
  return (float) (gint32) state / 2147483648.0f;
}

/* Constants repeat after so many elements: gigabytes of them are made soon. */
#define MAX_RANDOM ((gsize) 1 << 20)

static void
randomise (guint8 *to, PtDType dtype, gsize n, gint64 limit)
{
  for (gsize i = 0; i < n; i++)
    if (dtype == PT_DTYPE_F32)
      ((float *) (gpointer) to)[i] = vulkan_random ();
    else if (dtype == PT_DTYPE_I32)
      ((gint32 *) (gpointer) to)[i] = (gint32) (fabsf (vulkan_random ()) * (float) limit);
    else
      to[i] = (guint8) (gint) (vulkan_random () * 127);
}

static gsize
count_of (guint rank, const gint64 *dims)
{
  gsize n = 1;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  return n;
}

/* Takes @bytes. */
static guint32
add_constant (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims, guint8 *bytes)
{
  gsize n = count_of (rank, dims) * pt_dtype_size (dtype);
  Node *table = new_table ();

  set_slot (table, PT_VK_BYTES_OFFSET, 8, maker->region_bytes, NULL);
  set_slot (table, PT_VK_BYTES_LENGTH, 8, n, NULL);
  g_ptr_array_add (maker->region, g_bytes_new_take (bytes, n));
  maker->region_bytes += (n + 15) / 16 * 16;
  g_ptr_array_add (maker->constants->nodes, table);
  return add_tensor (maker, dtype, rank, dims, (int) maker->constants->nodes->len - 1);
}

guint32
vulkan_maker_constant (VulkanMaker *maker, PtDType dtype, guint rank, const gint64 *dims,
                       gconstpointer data)
{
  gsize n = count_of (rank, dims), size = pt_dtype_size (dtype);
  gsize random = data == NULL ? MIN (n, MAX_RANDOM) : 0;
  guint8 *bytes = g_malloc (MAX (n * size, 1));

  if (data != NULL)
    memcpy (bytes, data, n * size);
  else
    randomise (bytes, dtype, random, 100);
  for (gsize i = random; data == NULL && i < n; i += random)
    memcpy (bytes + i * size, bytes, MIN (random, n - i) * size);
  return add_constant (maker, dtype, rank, dims, bytes);
}

guint32
vulkan_maker_state (VulkanMaker *maker, guint rank, const gint64 *dims)
{
  return add_constant (maker, PT_DTYPE_F32, rank, dims,
                       g_malloc0 (MAX (count_of (rank, dims), 1) * sizeof (float)));
}

static guint32
add_content (VulkanMaker *maker, PtVkKind kind, guint size, guint64 number, Node *child)
{
  Node *table = new_table ();

  set_slot (table, PT_VK_CONTENT, size, number, child);
  return add_value (maker, kind, table);
}

guint32
vulkan_maker_null (VulkanMaker *maker)
{
  return add_value (maker, PT_VK_NULL, new_table ());
}

guint32
vulkan_maker_int (VulkanMaker *maker, gint64 number)
{
  return add_content (maker, PT_VK_INT, 8, (guint64) number, NULL);
}

guint32
vulkan_maker_double (VulkanMaker *maker, double number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof bits);
  return add_content (maker, PT_VK_DOUBLE, 8, bits, NULL);
}

guint32
vulkan_maker_bool (VulkanMaker *maker, gboolean number)
{
  return add_content (maker, PT_VK_BOOL, 1, number != FALSE, NULL);
}

guint32
vulkan_maker_string (VulkanMaker *maker, const char *text)
{
  return add_content (maker, PT_VK_STRING, 4, 0, new_text (text));
}

guint32
vulkan_maker_ints (VulkanMaker *maker, guint n, const gint64 *numbers)
{
  return add_content (maker, PT_VK_INTS, 4, 0, new_vector (8, numbers, n));
}

guint32
vulkan_maker_values (VulkanMaker *maker, guint n, const guint32 *values)
{
  return add_content (maker, PT_VK_VALUES, 4, 0, new_vector (4, values, n));
}

guint32
vulkan_maker_symbol (VulkanMaker *maker)
{
  guint32 value = add_content (maker, PT_VK_SYMINT, 4, 0, NULL);

  g_array_append_val (maker->inputs, value);
  return value;
}

void
vulkan_maker_call (VulkanMaker *maker, const char *name, guint n, const guint32 *args)
{
  Node *table = new_table ();

  set_slot (table, PT_VK_CALL_NAME, 4, 0, new_text (name));
  set_slot (table, PT_VK_CALL_ARGS, 4, 0, new_vector (4, args, n));
  g_ptr_array_add (maker->chain->nodes, table);
}

/* ---- The payload ---- */

/* What stands before the constants, and these. */
static void
join (VulkanMaker *maker, const GByteArray *head)
{
  gsize at = head->len, size = at + maker->region_bytes;
  guint8 *bytes = g_malloc (size);

  memcpy (bytes, head->data, head->len);
  for (guint i = 0; i < maker->region->len; i++) {
    gsize n, end;
    gconstpointer data = g_bytes_get_data (maker->region->pdata[i], &n);

    end = at + (n + 15) / 16 * 16;
    if (n > 0)
      memcpy (bytes + at, data, n);
    memset (bytes + at + n, 0, end - at - n);
    at = end;
  }
  maker->blob = g_bytes_new_take (bytes, size);
  g_ptr_array_set_size (maker->region, 0);
}

static void
finish (VulkanMaker *maker)
{
  g_autoptr (GByteArray) flat = g_byte_array_new (), blob = g_byte_array_new ();
  Node *graph = new_table ();

  set_slot (graph, PT_VK_GRAPH_VERSION, 4, 0, new_text ("0"));
  set_slot (graph, PT_VK_GRAPH_CHAIN, 4, 0, g_steal_pointer (&maker->chain));
  set_slot (graph, PT_VK_GRAPH_VALUES, 4, 0, g_steal_pointer (&maker->values));
  set_slot (graph, PT_VK_GRAPH_INPUT_IDS, 4, 0,
            new_vector (4, maker->inputs->data, maker->inputs->len));
  set_slot (graph, PT_VK_GRAPH_OUTPUT_IDS, 4, 0,
            new_vector (4, maker->outputs->data, maker->outputs->len));
  set_slot (graph, PT_VK_GRAPH_CONSTANTS, 4, 0, g_steal_pointer (&maker->constants));
  put (flat, 0, 4);
  g_byte_array_append (flat, (const guint8 *) "VK00", 4);
  write_table (flat, graph, 0);
  free_node (graph);
  put (blob, 0, 4);
  g_byte_array_append (blob, (const guint8 *) "VH00", 4);
  put (blob, 30, 2);
  put (blob, 32, 4);
  put (blob, flat->len, 4);
  put (blob, (32 + flat->len + 15) / 16 * 16, 4);
  put (blob, maker->region_bytes, 8);
  put (blob, 0, 2);
  g_byte_array_append (blob, flat->data, flat->len);
  align (blob, 16);
  join (maker, blob);
}

gboolean
vulkan_maker_has_gpu (void)
{
  g_autoptr (GError) error = NULL;

  return pt_vk_instance (&error) != NULL;
}

PtVkDelegate *
vulkan_maker_try_load (VulkanMaker *maker, GError **error)
{
  PtDelegateContext context = { .spec = &maker->spec, .method = "forward", .scope = maker };

  if (maker->blob == NULL)
    finish (maker);
  maker->spec.id = "VulkanBackend";
  maker->spec.payload = g_bytes_get_data (maker->blob, &maker->spec.payload_size);
  return pt_vk_delegate_new (&context, error);
}

static PtVkDelegate *
load (VulkanMaker *maker, gboolean on_cpu)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *former = g_strdup (g_getenv ("PTERIS_VULKAN"));
  PtVkDelegate *delegate;

  if (on_cpu)
    g_setenv ("PTERIS_VULKAN", "cpu", TRUE);
  delegate = vulkan_maker_try_load (maker, &error);
  g_assert_no_error (error);
  if (on_cpu && former != NULL)
    g_setenv ("PTERIS_VULKAN", former, TRUE);
  else if (on_cpu)
    g_unsetenv ("PTERIS_VULKAN");
  return delegate;
}

void
vulkan_maker_load_gpu (VulkanMaker *maker)
{
  maker->gpu = load (maker, FALSE);
}

void
vulkan_maker_load (VulkanMaker *maker)
{
  vulkan_maker_load_gpu (maker);
  maker->cpu = load (maker, TRUE);
}

guint
vulkan_maker_n_barriers (VulkanMaker *maker)
{
  return pt_vk_delegate_n_barriers (maker->gpu);
}

void
vulkan_maker_allow_cpu (VulkanMaker *maker, guint calls)
{
  maker->n_cpu_calls = calls;
}

/* ---- Running ---- */

typedef struct {
  PtValue value;
  PtTensor tensor;
  guint8 *data;
} Argument;

static void
make_argument (const VulkanMaker *maker, guint32 index, Argument *argument)
{
  const Value *value = &g_array_index (maker->list, Value, index);
  gsize n = count_of (value->rank, value->dims);

  if (value->kind == PT_VK_SYMINT) {
    argument->value.kind = PT_VALUE_INT;
    return;
  }
  argument->data = g_malloc0 (MAX (n * pt_dtype_size (value->dtype), 1));
  g_assert_true (pt_tensor_init (&argument->tensor, value->dtype, value->rank, value->dims, NULL,
                                 argument->data, NULL));
  argument->value.kind = PT_VALUE_TENSOR;
  argument->value.as_tensor = &argument->tensor;
}

static gboolean
try_execute (PtVkDelegate *delegate, Argument *args, guint n, GError **error)
{
  g_autoptr (PtExecution) execution = pt_execution_new (NULL, error);
  g_autofree PtValue **values = g_new0 (PtValue *, n);

  for (guint i = 0; i < n; i++)
    values[i] = &args[i].value;
  return execution != NULL && pt_vk_delegate_execute (delegate, execution, values, n, error);
}

static void
execute (PtVkDelegate *delegate, Argument *args, guint n)
{
  g_autoptr (GError) error = NULL;

  try_execute (delegate, args, n, &error);
  g_assert_no_error (error);
}

static double
element (const PtTensor *tensor, gsize i)
{
  switch (tensor->dtype) {
  case PT_DTYPE_F32: return ((const float *) tensor->data)[i];
  case PT_DTYPE_I32: return ((const gint32 *) tensor->data)[i];
  case PT_DTYPE_I8: return ((const gint8 *) tensor->data)[i];
  default: return ((const guint8 *) tensor->data)[i];
  }
}

static void
compare (const PtTensor *got, const PtTensor *wanted, double tolerance)
{
  double most = 0, worst = 0;

  g_assert_cmpuint (got->numel, ==, wanted->numel);
  for (gsize i = 0; i < (gsize) wanted->numel; i++) {
    double a = element (got, i), b = element (wanted, i);

    g_assert_true (fabs (a) < G_MAXFLOAT && fabs (b) < G_MAXFLOAT); /* nor NaN */
    most = MAX (most, fabs (b));
    worst = MAX (worst, fabs (a - b));
  }
  g_assert_cmpfloat (most, >, 0); /* else it says nothing */
  if (worst > tolerance * most)
    g_error ("off by %g of %g", worst, most);
}

/* Inputs with random numbers and outputs, in the order of the payload. */
static Argument *
make_arguments (VulkanMaker *maker, gint64 symbol, gint64 limit)
{
  guint n_inputs = maker->inputs->len, n = n_inputs + maker->outputs->len;
  Argument *args = g_new0 (Argument, n);

  for (guint i = 0; i < n; i++) {
    make_argument (maker,
                   i < n_inputs ? g_array_index (maker->inputs, guint32, i)
                                : g_array_index (maker->outputs, guint32, i - n_inputs),
                   &args[i]);
    if (i < n_inputs && args[i].data != NULL)
      randomise (args[i].data, args[i].tensor.dtype, (gsize) args[i].tensor.numel, limit);
    else if (i < n_inputs)
      args[i].value.as_int = symbol;
  }
  return args;
}

static void
free_arguments (VulkanMaker *maker, Argument *args)
{
  for (guint i = 0; i < maker->inputs->len + maker->outputs->len; i++)
    g_free (args[i].data);
  g_free (args);
}

gboolean
vulkan_maker_try_run (VulkanMaker *maker, PtVkDelegate *delegate, gint64 symbol, GError **error)
{
  Argument *args = make_arguments (maker, symbol, 1);
  gboolean ok = try_execute (delegate, args, maker->inputs->len + maker->outputs->len, error);

  free_arguments (maker, args);
  return ok;
}

void
vulkan_maker_run (VulkanMaker *maker, gint64 symbol, gint64 limit, double tolerance)
{
  guint n_inputs = maker->inputs->len, n = n_inputs + maker->outputs->len;
  Argument *wanted = make_arguments (maker, symbol, limit);
  Argument *got = make_arguments (maker, symbol, limit);

  for (guint i = 0; i < n_inputs; i++)
    if (got[i].data != NULL)
      memcpy (got[i].data, wanted[i].data, pt_tensor_nbytes (&got[i].tensor));
  execute (maker->cpu, wanted, n);
  execute (maker->gpu, got, n);
  g_assert_cmpuint (pt_vk_delegate_n_cpu_calls (maker->gpu), ==, maker->n_cpu_calls);
  for (guint i = n_inputs; i < n; i++)
    compare (&got[i].tensor, &wanted[i].tensor, tolerance);
  free_arguments (maker, wanted);
  free_arguments (maker, got);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return (*(const gint64 *) a > *(const gint64 *) b) - (*(const gint64 *) a < *(const gint64 *) b);
}

static void
choose (const PtTensor *logits, const PtDeviceSampling *how)
{
  const PtDevice *device = pt_device_find (logits->device_type);
  g_autoptr (GError) error = NULL;
  gint32 id;

  g_assert_nonnull (device);
  device->sample (logits->device_index, how, logits->data, logits->dtype, logits->numel, NULL, NULL,
                  &error);
  g_assert_no_error (error);
  device->take_sample (logits->device_index, &id, &error);
  g_assert_no_error (error);
}

double
vulkan_maker_time_choice (VulkanMaker *maker, gint64 symbol, guint calls,
                          const PtDeviceSampling *how)
{
  Argument *args = make_arguments (maker, symbol, 1);
  PtTensor *logits = &args[maker->inputs->len].tensor;
  g_autofree gint64 *times = g_new (gint64, calls);

  logits->stays_on_device = how != NULL;
  for (guint i = 0; i < calls; i++) {
    gint64 begin = g_get_monotonic_time ();

    execute (maker->gpu, args, maker->inputs->len + maker->outputs->len);
    if (how != NULL)
      choose (logits, how);
    times[i] = g_get_monotonic_time () - begin;
  }
  qsort (times, calls, sizeof *times, compare_times);
  free_arguments (maker, args);
  return (double) times[calls / 2] / 1e6;
}

double
vulkan_maker_time (VulkanMaker *maker, gint64 symbol, guint calls)
{
  return vulkan_maker_time_choice (maker, symbol, calls, NULL);
}
