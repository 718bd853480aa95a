/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fakes/fake-program.h"

#include <string.h>

#include "engine/program/schema.h"
#include "tests/fakes/fake-model.h"

#define COLUMNS FAKE_MODEL_COLUMNS
#define SEGMENT_ALIGNMENT 128

enum { DTYPE_I64 = 4, DTYPE_F32 = 6, DTYPE_BOOL = 11 };

/* ---- FlatBuffers, front to back: whatever points to something is written before it ---- */

typedef struct {
  GByteArray *bytes;
} Builder;

typedef struct {
  guint slot;
  guint size; /* 1, 4 or 8; 0: an offset, to be set with point() */
  guint64 value;
} Field;

#define MAX_SLOTS 10

static guint
align (Builder *b, guint multiple, guint offset)
{
  static const guint8 zero;

  while ((b->bytes->len + offset) % multiple != 0)
    g_byte_array_append (b->bytes, &zero, 1);
  return b->bytes->len;
}

static guint
put (Builder *b, gconstpointer bytes, guint size)
{
  guint at = b->bytes->len;

  g_byte_array_append (b->bytes, bytes, size);
  return at;
}

static guint
put_u32 (Builder *b, guint32 value)
{
  value = GUINT32_TO_LE (value);
  return put (b, &value, 4);
}

static void
put_u64 (Builder *b, guint64 value)
{
  value = GUINT64_TO_LE (value);
  put (b, &value, 8);
}

/* The offset at @from leads to @to. */
static void
point (Builder *b, guint from, guint to)
{
  guint32 offset = GUINT32_TO_LE (to - from);

  memcpy (b->bytes->data + from, &offset, 4);
}

/* A table; @at: where its fields are, by slot. */
static guint
put_table (Builder *b, const Field *fields, guint n, guint *at)
{
  guint16 vtable[2 + MAX_SLOTS] = { 0 };
  guint offset = 4, n_slots = 0, vtable_at, table_at;

  for (guint size = 8; size > 0; size /= 2) /* large fields first: no gaps but one */
    for (guint i = 0; i < n; i++) {
      guint bytes = fields[i].size == 0 ? 4 : fields[i].size;

      if (bytes != size)
        continue;
      offset = (offset + size - 1) / size * size;
      vtable[2 + fields[i].slot] = GUINT16_TO_LE ((guint16) offset);
      n_slots = MAX (n_slots, fields[i].slot + 1);
      offset += size;
    }
  vtable[0] = GUINT16_TO_LE ((guint16) (4 + 2 * n_slots));
  vtable[1] = GUINT16_TO_LE ((guint16) offset);
  align (b, 2, 0);
  vtable_at = put (b, vtable, 4 + 2 * n_slots);
  table_at = align (b, 8, 0);
  put_u32 (b, table_at - vtable_at);
  g_byte_array_set_size (b->bytes, table_at + offset);
  memset (b->bytes->data + table_at + 4, 0, offset - 4);
  for (guint i = 0; i < n; i++) {
    guint64 value = GUINT64_TO_LE (fields[i].value);

    at[fields[i].slot] = table_at + GUINT16_FROM_LE (vtable[2 + fields[i].slot]);
    memcpy (b->bytes->data + at[fields[i].slot], &value, fields[i].size);
  }
  return table_at;
}

static guint
put_vector (Builder *b, gconstpointer items, guint n, guint item_size)
{
  guint at;

  align (b, MAX (item_size, 4), 4);
  at = put_u32 (b, n);
  put (b, items, n * item_size);
  return at;
}

static guint
put_string (Builder *b, const char *text)
{
  guint at = put_vector (b, text, (guint) strlen (text), 1);

  g_byte_array_append (b->bytes, (const guint8 *) "", 1);
  return at;
}

/* A vector of @n offsets; item i is at the result + 4 + 4 i. */
static guint
put_offsets (Builder *b, guint n)
{
  guint at = align (b, 4, 0);

  put_u32 (b, n);
  for (guint i = 0; i < n; i++)
    put_u32 (b, 0);
  return at;
}

static void
point_string (Builder *b, guint from, const char *text)
{
  point (b, from, put_string (b, text));
}

static void
point_ints (Builder *b, guint from, const gint32 *items, guint n)
{
  point (b, from, put_vector (b, items, n, 4));
}

/* ---- constants ---- */

typedef struct {
  const char *fqn;
  guint32 dtype, device;
  guint64 bytes;
  gint64 offset;
  guint rank;
  gint64 dims[4]; /* sizes, then strides */
} Entry;

static const Entry entries[] = {
  { "layer.weight", DTYPE_F32, 1, 160, 8, 2, { 4, COLUMNS, 1, 4 } },
  { "cache.state", DTYPE_F32, 1, 32, 0, 2, { 1, COLUMNS, COLUMNS, 1 } },
  { "mode", DTYPE_I64, 1, 8, 0, 1, { 1, 1 } },
  { "flag", DTYPE_BOOL, 0, 1, 0, 1, { 1, 1 } },
};

static char *
storage_key (const Entry *entry)
{
  return g_strdup_printf ("cuda_fqn_weight:%s:%s", entry->device == 1 ? "cuda" : "cpu", entry->fqn);
}

static void
fill_entry (guint i, gint64 mode, GByteArray *out)
{
  guint n = (guint) (entries[i].dtype == DTYPE_F32 ? entries[i].bytes / 4 : 1);

  for (guint k = 0; k < n; k++) {
    float number = i == 0 ? (float) k + 1 : 100 + (float) k;

    if (entries[i].dtype == DTYPE_F32)
      g_byte_array_append (out, (const guint8 *) &number, 4);
    else if (entries[i].dtype == DTYPE_I64)
      g_byte_array_append (out, (const guint8 *) &mode, 8);
    else
      g_byte_array_append (out, (const guint8 *) "", 1);
  }
}

/* ---- payloads and keys ---- */

static void
put_text (Builder *b, const char *text)
{
  put_u32 (b, (guint32) strlen (text));
  put (b, text, (guint) strlen (text));
}

static GByteArray *
names_payload (const FakeProgram *program, const char *library_key)
{
  Builder b = { g_byte_array_new () };
  guint n = program->has_constants ? G_N_ELEMENTS (entries) : 0;

  put (&b, "ETCUDAFQN3", 10);
  put_text (&b, library_key);
  put_u32 (&b, n);
  for (guint i = 0; i < n; i++) {
    g_autofree char *key = storage_key (&entries[i]);

    put_text (&b, entries[i].fqn);
    put_text (&b, key);
    put_u64 (&b, entries[i].bytes);
    put_u32 (&b, i == 0 && program->shifted ? 3 : entries[i].dtype);
    put_u32 (&b, entries[i].device);
    put_u64 (&b, (guint64) entries[i].offset);
    put_u32 (&b, entries[i].rank);
    for (guint k = 0; k < 2 * entries[i].rank; k++)
      put_u64 (&b, (guint64) entries[i].dims[k]);
  }
  return b.bytes;
}

static const char *const *
methods_of (const FakeProgram *program)
{
  static const char *const forward[] = { "forward", NULL };

  return program->methods != NULL ? program->methods : forward;
}

/* ---- values and instructions ---- */

/*
 * Values of a method: the input and the outputs on the host, then the same on the device, then the
 * results of the copies, which are the outs again.
 */
typedef struct {
  guint dtype, rank;
  gint32 sizes[3];
  gboolean is_dynamic;
  guint memory; /* 0: of the caller's */
  guint64 offset;
  gboolean on_device;
} Tensor;

static void
put_tensor (Builder *b, guint value_at, const Tensor *tensor)
{
  const guint8 order[] = { 0, 1, 2 };
  guint at[MAX_SLOTS], extra[MAX_SLOTS], allocation[MAX_SLOTS], table;
  Field fields[] = {
    { SLOT_TENSOR_DTYPE, 1, tensor->dtype },
    { SLOT_TENSOR_DYNAMISM, 1, tensor->is_dynamic },
    { SLOT_TENSOR_SIZES, 0, 0 },
    { SLOT_TENSOR_DIM_ORDER, 0, 0 },
    { SLOT_TENSOR_EXTRA, 0, 0 },
    { SLOT_TENSOR_ALLOCATION, 0, 0 },
  };
  Field extra_fields[] = { { SLOT_EXTRA_DEVICE_TYPE, 1, tensor->on_device } };
  Field allocation_fields[] = { { SLOT_ALLOCATION_MEMORY, 4, tensor->memory },
                                { SLOT_ALLOCATION_LOW, 4, tensor->offset } };

  table = put_table (b, fields, tensor->memory > 0 ? 6 : 5, at);
  point (b, value_at, table);
  point_ints (b, at[SLOT_TENSOR_SIZES], tensor->sizes, tensor->rank);
  point (b, at[SLOT_TENSOR_DIM_ORDER], put_vector (b, order, tensor->rank, 1));
  point (b, at[SLOT_TENSOR_EXTRA], put_table (b, extra_fields, 1, extra));
  if (tensor->memory > 0)
    point (b, at[SLOT_TENSOR_ALLOCATION], put_table (b, allocation_fields, 2, allocation));
}

static void
put_value (Builder *b, guint from, const Tensor *tensor)
{
  Field fields[] = { { SLOT_VALUE_TAG, 1, TAG_TENSOR }, { SLOT_VALUE_TABLE, 0, 0 } };
  guint at[MAX_SLOTS];

  point (b, from, put_table (b, fields, 2, at));
  put_tensor (b, at[SLOT_VALUE_TABLE], tensor);
}

static void
put_call (Builder *b, guint from, guint tag, guint index, const gint32 *args, guint n)
{
  Field fields[] = { { SLOT_INSTRUCTION_TAG, 1, tag }, { SLOT_INSTRUCTION_CALL, 0, 0 } };
  Field call[] = { { SLOT_CALL_INDEX, 4, index }, { SLOT_CALL_ARGS, 0, 0 } };
  guint at[MAX_SLOTS], inner[MAX_SLOTS];

  point (b, from, put_table (b, fields, 2, at));
  point (b, at[SLOT_INSTRUCTION_CALL], put_table (b, call, 2, inner));
  point_ints (b, inner[SLOT_CALL_ARGS], args, n);
}

/* ---- methods ---- */

/* Inputs and outputs of a method. */
typedef struct {
  const FakeProgram *program;
  Tensor tensors[4]; /* inputs, then outputs */
  guint n_inputs, n_outputs;
} Signature;

static Signature
model_signature (const FakeProgram *program)
{
  Signature s = { .program = program, .n_inputs = 1, .n_outputs = program->n_outputs };

  for (guint i = 0; i < 1 + program->n_outputs; i++)
    s.tensors[i] = (Tensor){ .dtype = DTYPE_F32,
                             .rank = 2,
                             .sizes = { i < 2 ? FAKE_PROGRAM_ROWS : 1, COLUMNS },
                             .is_dynamic = i < 2 };
  return s;
}

/* Ids and their positions; logits of all rows. Or a temperature, too, and a token. */
static Signature
text_signature (const FakeProgram *program, const char *method)
{
  gboolean is_step = strcmp (method, "decode") == 0;
  gint32 n = is_step ? 1 : FAKE_PROGRAM_ROWS;
  Signature s = { .program = program,
                  .n_inputs = program->chooses ? 3 : 2,
                  .n_outputs = 1,
                  .tensors = {
                      { DTYPE_I64, 2, { 1, n }, !is_step },
                      { DTYPE_I64, 1, { n }, !is_step },
                      { DTYPE_F32, 3, { 1, n, FAKE_PROGRAM_VOCABULARY }, !is_step },
                  } };

  if (program->chooses) {
    s.tensors[2] = (Tensor){ DTYPE_F32, 1, { 1 }, FALSE };
    s.tensors[3] = (Tensor){ DTYPE_F32, 2, { 1, 1 }, FALSE };
  }
  return s;
}

static guint64
tensor_bytes (const Tensor *tensor)
{
  guint64 bytes = tensor->dtype == DTYPE_I64 ? 8 : 4;

  for (guint i = 0; i < tensor->rank; i++)
    bytes *= (guint64) tensor->sizes[i];
  return bytes;
}

static void
put_values (Builder *b, guint from, const Signature *s)
{
  FakeProgramForm form = s->program->form;
  guint n = s->n_inputs + s->n_outputs;
  guint n_values = form == FAKE_PROGRAM_COPIES ? 2 * n : n;
  guint vector = put_offsets (b, n_values);
  guint64 offset = 0;

  point (b, from, vector);
  for (guint i = 0; i < n_values; i++) {
    Tensor tensor = s->tensors[i % n];

    if (i == n)
      offset = 0;
    tensor.offset = offset;
    tensor.on_device = form == FAKE_PROGRAM_DEVICE || i >= n;
    if (form == FAKE_PROGRAM_COPIES)
      tensor.memory = i < n ? 1 : 2;
    else if (form == FAKE_PROGRAM_HOST && i >= s->n_inputs)
      tensor.memory = 1;
    offset += tensor_bytes (&tensor);
    put_value (b, vector + 4 + 4 * i, &tensor);
  }
}

static void
put_chain (Builder *b, guint from, const Signature *s)
{
  Field fields[] = { { SLOT_CHAIN_INSTRUCTIONS, 0, 0 } };
  gint32 n_inputs = (gint32) s->n_inputs, n = n_inputs + (gint32) s->n_outputs, args[8];
  gboolean copies = s->program->form == FAKE_PROGRAM_COPIES;
  guint at[MAX_SLOTS], chains = put_offsets (b, 1), next;

  point (b, from, chains);
  point (b, chains + 4, put_table (b, fields, 1, at));
  next = put_offsets (b, copies ? (guint) n + 1 : 1);
  point (b, at[SLOT_CHAIN_INSTRUCTIONS], next);
  for (gint32 i = 0; copies && i < n_inputs; i++)
    put_call (b, next += 4, TAG_KERNEL_CALL, 0, (gint32[]){ i, n + i, n + i }, 3);
  for (gint32 i = 0; i < n; i++)
    args[i] = copies ? n + i : i;
  put_call (b, next += 4, TAG_DELEGATE_CALL, 0, args, (guint) n);
  for (gint32 i = n_inputs; copies && i < n; i++)
    put_call (b, next += 4, TAG_KERNEL_CALL, 1, (gint32[]){ n + i, i, i }, 3);
}

static void
put_operators (Builder *b, guint from)
{
  static const char *const names[] = { "et_copy::_h2d_copy", "et_copy::_d2h_copy" };
  Field fields[] = { { SLOT_OPERATOR_NAME, 0, 0 }, { SLOT_OPERATOR_OVERLOAD, 0, 0 } };
  guint vector = put_offsets (b, 2), at[MAX_SLOTS];

  point (b, from, vector);
  for (guint i = 0; i < 2; i++) {
    point (b, vector + 4 + 4 * i, put_table (b, fields, 2, at));
    point_string (b, at[SLOT_OPERATOR_NAME], names[i]);
    point_string (b, at[SLOT_OPERATOR_OVERLOAD], "out");
  }
}

static void
put_delegate (Builder *b, guint from, const char *method)
{
  Field fields[] = { { SLOT_DELEGATE_ID, 0, 0 },
                     { SLOT_DELEGATE_PROCESSED, 0, 0 },
                     { SLOT_DELEGATE_SPECS, 0, 0 } };
  Field processed[] = { { SLOT_PROCESSED_LOCATION, 1, 0 }, { SLOT_PROCESSED_INDEX, 4, 0 } };
  Field spec[] = { { SLOT_SPEC_KEY, 0, 0 }, { SLOT_SPEC_VALUE, 0, 0 } };
  guint vector = put_offsets (b, 1), at[MAX_SLOTS], inner[MAX_SLOTS], specs;

  point (b, from, vector);
  point (b, vector + 4, put_table (b, fields, 3, at));
  point_string (b, at[SLOT_DELEGATE_ID], "CudaBackend");
  point (b, at[SLOT_DELEGATE_PROCESSED], put_table (b, processed, 2, inner));
  specs = put_offsets (b, 1);
  point (b, at[SLOT_DELEGATE_SPECS], specs);
  point (b, specs + 4, put_table (b, spec, 2, inner));
  point_string (b, inner[SLOT_SPEC_KEY], "method_name");
  point (b, inner[SLOT_SPEC_VALUE], put_vector (b, method, (guint) strlen (method), 1));
}

static void
put_buffers (Builder *b, const Signature *s, guint sizes_from, guint devices_from)
{
  gint64 sizes[3] = { 0 };
  Field fields[] = { { SLOT_DEVICE_BUFFER, 4, 2 }, { SLOT_DEVICE_TYPE, 1, 1 } };
  guint n = s->program->form == FAKE_PROGRAM_COPIES ? 3 : 2, vector, at[MAX_SLOTS];

  for (guint i = 0; i < s->n_inputs + s->n_outputs; i++)
    sizes[1] += (gint64) tensor_bytes (&s->tensors[i]);
  sizes[2] = sizes[1];
  point (b, sizes_from, put_vector (b, sizes, n, 8));
  if (n < 3)
    return;
  vector = put_offsets (b, 1);
  point (b, devices_from, vector);
  point (b, vector + 4, put_table (b, fields, 2, at));
}

static void
put_method (Builder *b, guint from, const Signature *s, const char *name)
{
  Field fields[] = {
    { SLOT_PLAN_NAME, 0, 0 },           { SLOT_PLAN_VALUES, 0, 0 },
    { SLOT_PLAN_INPUTS, 0, 0 },         { SLOT_PLAN_OUTPUTS, 0, 0 },
    { SLOT_PLAN_CHAINS, 0, 0 },         { SLOT_PLAN_OPERATORS, 0, 0 },
    { SLOT_PLAN_DELEGATES, 0, 0 },      { SLOT_PLAN_BUFFER_SIZES, 0, 0 },
    { SLOT_PLAN_BUFFER_DEVICES, 0, 0 },
  };
  static const gint32 indices[] = { 0, 1, 2, 3 };
  gboolean has_devices = s->program->form == FAKE_PROGRAM_COPIES;
  guint at[MAX_SLOTS] = { 0 };

  point (b, from, put_table (b, fields, has_devices ? 9 : 8, at));
  point_string (b, at[SLOT_PLAN_NAME], name);
  put_values (b, at[SLOT_PLAN_VALUES], s);
  point_ints (b, at[SLOT_PLAN_INPUTS], indices, s->n_inputs);
  point_ints (b, at[SLOT_PLAN_OUTPUTS], indices + s->n_inputs, s->n_outputs);
  put_chain (b, at[SLOT_PLAN_CHAINS], s);
  put_operators (b, at[SLOT_PLAN_OPERATORS]);
  put_delegate (b, at[SLOT_PLAN_DELEGATES], name);
  put_buffers (b, s, at[SLOT_PLAN_BUFFER_SIZES], at[SLOT_PLAN_BUFFER_DEVICES]);
}

/* A method that returns the text, or where that is NULL the number, and does nothing. */
static void
put_metadata (Builder *b, guint from, const char *name, const char *text, gint64 number)
{
  Field fields[] = { { SLOT_PLAN_NAME, 0, 0 },      { SLOT_PLAN_VALUES, 0, 0 },
                     { SLOT_PLAN_INPUTS, 0, 0 },    { SLOT_PLAN_OUTPUTS, 0, 0 },
                     { SLOT_PLAN_CHAINS, 0, 0 },    { SLOT_PLAN_OPERATORS, 0, 0 },
                     { SLOT_PLAN_DELEGATES, 0, 0 }, { SLOT_PLAN_BUFFER_SIZES, 0, 0 } };
  Field value[] = { { SLOT_VALUE_TAG, 1, text != NULL ? TAG_STRING : TAG_INT },
                    { SLOT_VALUE_TABLE, 0, 0 } };
  Field result[] = { { 0, text != NULL ? 0 : 8, (guint64) number } };
  Field chain[] = { { SLOT_CHAIN_INSTRUCTIONS, 0, 0 } };
  const gint64 sizes[] = { 0 };
  guint at[MAX_SLOTS], inner[MAX_SLOTS], vector;

  point (b, from, put_table (b, fields, 8, at));
  point_string (b, at[SLOT_PLAN_NAME], name);
  vector = put_offsets (b, 1);
  point (b, at[SLOT_PLAN_VALUES], vector);
  point (b, vector + 4, put_table (b, value, 2, inner));
  point (b, inner[SLOT_VALUE_TABLE], put_table (b, result, 1, inner));
  if (text != NULL)
    point_string (b, inner[0], text);
  point (b, at[SLOT_PLAN_INPUTS], put_offsets (b, 0));
  point_ints (b, at[SLOT_PLAN_OUTPUTS], (gint32[]){ 0 }, 1);
  vector = put_offsets (b, 1);
  point (b, at[SLOT_PLAN_CHAINS], vector);
  point (b, vector + 4, put_table (b, chain, 1, inner));
  point (b, inner[SLOT_CHAIN_INSTRUCTIONS], put_offsets (b, 0));
  point (b, at[SLOT_PLAN_OPERATORS], put_offsets (b, 0));
  point (b, at[SLOT_PLAN_DELEGATES], put_offsets (b, 0));
  point (b, at[SLOT_PLAN_BUFFER_SIZES], put_vector (b, sizes, 1, 8));
}

/* ---- segments ---- */

typedef struct {
  char *key;
  GByteArray *bytes;
} Named;

static void
named_free (gpointer data)
{
  Named *named = data;

  g_free (named->key);
  g_byte_array_unref (named->bytes);
  g_free (named);
}

static void
add_named (GPtrArray *list, char *key, GByteArray *bytes)
{
  Named *named = g_new (Named, 1);

  named->key = key;
  named->bytes = bytes;
  g_ptr_array_add (list, named);
}

/* Vectors of segments and names; offsets count from the segment base. */
static void
put_named (Builder *b, guint segments_from, guint named_from, const GPtrArray *list)
{
  guint segments = put_offsets (b, list->len), names, at[MAX_SLOTS];
  guint64 offset = 0;

  point (b, segments_from, segments);
  for (guint i = 0; i < list->len; i++) {
    const Named *named = list->pdata[i];
    Field fields[] = { { SLOT_SEGMENT_OFFSET, 8, offset },
                       { SLOT_SEGMENT_SIZE, 8, named->bytes->len } };

    point (b, segments + 4 + 4 * i, put_table (b, fields, 2, at));
    offset += (named->bytes->len + SEGMENT_ALIGNMENT - 1) / SEGMENT_ALIGNMENT * SEGMENT_ALIGNMENT;
  }
  names = put_offsets (b, list->len);
  point (b, named_from, names);
  for (guint i = 0; i < list->len; i++) {
    const Named *named = list->pdata[i];
    Field fields[] = { { SLOT_NAMED_KEY, 0, 0 }, { SLOT_NAMED_SEGMENT, 4, i } };

    point (b, names + 4 + 4 * i, put_table (b, fields, 2, at));
    point_string (b, at[SLOT_NAMED_KEY], named->key);
  }
}

/* Returns the segment base. */
static guint
put_segments (Builder *b, const GPtrArray *list)
{
  guint base = align (b, SEGMENT_ALIGNMENT, 0);

  for (guint i = 0; i < list->len; i++) {
    const Named *named = list->pdata[i];

    align (b, SEGMENT_ALIGNMENT, 0);
    put (b, named->bytes->data, named->bytes->len);
  }
  return base;
}

static void
set_u64 (Builder *b, guint at, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (b->bytes->data + at, &value, 8);
}

/* ---- files ---- */

static GPtrArray *
program_segments (const FakeProgram *program)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (named_free);
  const char *const *methods = methods_of (program);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  if (program->library != NULL)
    g_file_get_contents (program->library, &bytes, &size, &error);
  else
    bytes = g_strndup ("none", size = 4);
  g_assert_no_error (error);
  for (guint i = 0; methods[i] != NULL; i++) {
    g_autofree char *hash = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guint8 *) bytes, size);
    GByteArray *copy;

    if (program->named && i > 0)
      break; /* one library for all methods */
    copy = g_byte_array_new ();
    g_byte_array_append (copy, (guint8 *) bytes, (guint) size);
    add_named (list, g_strdup_printf ("%s_so_blob", program->named ? hash : methods[i]), copy);
  }
  return list;
}

static void
put_payload (Builder *b, guint from, const FakeProgram *program, const GPtrArray *segments)
{
  const Named *library = segments->pdata[0];
  g_autoptr (GByteArray) payload =
      program->named ? names_payload (program, library->key) : g_byte_array_new ();
  Field fields[] = { { 0, 0, 0 } };
  guint vector = put_offsets (b, 1), at[MAX_SLOTS];

  point (b, from, vector);
  point (b, vector + 4, put_table (b, fields, 1, at));
  align (b, 16, 4);
  point (b, at[0], put_vector (b, payload->data, payload->len, 1));
}

GBytes *
fake_program_new (const FakeProgram *program)
{
  static const guint8 header[40] = "\0\0\0\0ET12eh00\x20";
  Builder b = { g_byte_array_new () };
  Field fields[] = {
    { SLOT_PROGRAM_VERSION, 4, 0 },       { SLOT_PROGRAM_PLANS, 0, 0 },
    { SLOT_PROGRAM_DELEGATE_DATA, 0, 0 }, { SLOT_PROGRAM_SEGMENTS, 0, 0 },
    { SLOT_PROGRAM_NAMED_DATA, 0, 0 },    { SLOT_PROGRAM_CONSTANT_BUFFER, 0, 0 },
  };
  const char *const *methods = methods_of (program);
  g_autoptr (GPtrArray) segments = program_segments (program);
  guint n = g_strv_length ((char **) methods), at[MAX_SLOTS], plans, base;

  put (&b, header, sizeof header);
  point (&b, 0, put_table (&b, fields, 6, at));
  plans = put_offsets (&b, n + (program->metadata != NULL) + (program->max_length > 0));
  point (&b, at[SLOT_PROGRAM_PLANS], plans);
  for (guint i = 0; i < n; i++) {
    Signature signature =
        program->is_text ? text_signature (program, methods[i]) : model_signature (program);

    put_method (&b, plans + 4 + 4 * i, &signature, methods[i]);
  }
  if (program->metadata != NULL)
    put_metadata (&b, plans + 4 + 4 * n++, "get_mutable_buffer_metadata", program->metadata, 0);
  if (program->max_length > 0)
    put_metadata (&b, plans + 4 + 4 * n, "get_max_seq_len", NULL, program->max_length);
  point (&b, at[SLOT_PROGRAM_CONSTANT_BUFFER], put_offsets (&b, 0));
  put_payload (&b, at[SLOT_PROGRAM_DELEGATE_DATA], program, segments);
  put_named (&b, at[SLOT_PROGRAM_SEGMENTS], at[SLOT_PROGRAM_NAMED_DATA], segments);
  set_u64 (&b, 16, b.bytes->len);
  base = put_segments (&b, segments);
  set_u64 (&b, 24, base);
  set_u64 (&b, 32, b.bytes->len - base);
  return g_byte_array_free_to_bytes (b.bytes);
}

static GPtrArray *
data_segments (const FakeProgram *program, gint64 mode)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (named_free);
  const char *const *methods = methods_of (program);

  for (guint i = 0; program->named && i < G_N_ELEMENTS (entries); i++) {
    GByteArray *bytes = g_byte_array_new ();

    fill_entry (i, mode, bytes);
    add_named (list, storage_key (&entries[i]), bytes);
  }
  for (guint i = 0; !program->named && methods[i] != NULL; i++) {
    GByteArray *bytes = g_byte_array_new ();

    for (guint k = 0; k < 3; k++)
      fill_entry (k, mode, bytes);
    add_named (list, g_strconcat (methods[i], "_weights_blob", NULL), bytes);
  }
  return list;
}

GBytes *
fake_program_data (const FakeProgram *program, gint64 mode)
{
  static const guint8 header[48] = "\0\0\0\0FT01FH01\x28";
  Builder b = { g_byte_array_new () };
  Field fields[] = { { SLOT_DATA_FILE_VERSION, 4, 0 },
                     { SLOT_DATA_FILE_SEGMENTS, 0, 0 },
                     { SLOT_DATA_FILE_NAMED, 0, 0 } };
  g_autoptr (GPtrArray) segments = data_segments (program, mode);
  guint at[MAX_SLOTS], base;

  put (&b, header, sizeof header);
  point (&b, 0, put_table (&b, fields, 3, at));
  put_named (&b, at[SLOT_DATA_FILE_SEGMENTS], at[SLOT_DATA_FILE_NAMED], segments);
  set_u64 (&b, 16, 48);
  set_u64 (&b, 24, b.bytes->len - 48);
  base = put_segments (&b, segments);
  set_u64 (&b, 32, base);
  set_u64 (&b, 40, b.bytes->len - base);
  return g_byte_array_free_to_bytes (b.bytes);
}
