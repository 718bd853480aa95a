/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/tasks/llm/media-private.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/kernels/vector.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/models/family.h"

/* The most files that are remembered, and the most bytes of their embeddings. */
#define MAX_FILES 256
#define MAX_BYTES (128 * 1024 * 1024)

/* Tells whether a file is still the same. The time alone is not enough: clocks of file systems
 * stand still for some milliseconds, in which another file may take its place. */
typedef struct {
  gint64 size, changed;
  guint64 inode; /* 0 where there are none */
} Stamp;

/* A file as it was when it was read. */
typedef struct {
  char *path;
  Stamp stamp;
  PtMediaEncoder *encoder;
  PtMediaFacts facts;
  gint32 *names;
  gpointer rows; /* embeddings; NULL: not encoded, or dropped */
  guint64 used;
} Item;

struct _PtMedia {
  PtMediaEncoder *encoders[2];
  guint n_encoders;
  guint most;
  gboolean bare; /* pt_media_is_bare() */
  GPtrArray *items;
  guint64 bytes; /* size of all embeddings that are kept */
  guint64 clock;
  gpointer stretch; /* embeddings of the last sound that is no file */
  gint32 *stretch_names;
};

static void
item_free (gpointer data)
{
  Item *item = data;

  g_free (item->path);
  g_free (item->names);
  g_free (item->rows);
  g_free (item->facts.rows);
  g_free (item);
}

static guint
count_inputs (PtModule *module, const char *name)
{
  return pt_program_find_plan (pt_module_program (module), name)->n_inputs;
}

static gboolean
add_encoder (PtMedia *self, PtMediaEncoder *encoder)
{
  if (encoder != NULL)
    self->encoders[self->n_encoders++] = encoder;
  return encoder != NULL;
}

/* The encoder of recordings, by what "audio_encoder" takes: a spectrogram; one that another method
 * makes, and a mask; or samples, and how many count. */
static PtMediaEncoder *
new_sound_encoder (PtModule *module, GError **error)
{
  if (count_inputs (module, "audio_encoder") != 2)
    return pt_sound_encoder_new (module, error);
  return pt_module_has_method (module, "speech_transform") ? pt_speech_encoder_new (module, error)
                                                           : pt_block_encoder_new (module, error);
}

PtMedia *
pt_media_new (PtModule *module, gsize width, guint most, GError **error)
{
  g_autoptr (PtMedia) self = g_new0 (PtMedia, 1);
  PtFamily family = pt_family_of (pt_module_program (module), NULL);

  self->most = most;
  self->bare = family == PT_FAMILY_LFM2_VL || family == PT_FAMILY_GEMMA4_LAYERS;
  self->items = g_ptr_array_new_with_free_func (item_free);
  if (pt_module_has_method (module, "vision_encoder") &&
      !add_encoder (self, count_inputs (module, "vision_encoder") == 2
                              ? pt_patch_encoder_new (module, error)
                              : pt_picture_encoder_new (module, error)))
    return NULL;
  if (pt_module_has_method (module, "audio_encoder") &&
      !add_encoder (self, new_sound_encoder (module, error)))
    return NULL;
  for (guint i = 0; i < self->n_encoders; i++)
    if (self->encoders[i]->width != width) {
      pt_fail (error, PT_ERROR_UNSUPPORTED,
               "The parts of “%s” do not belong together: “%s” gives embeddings of %" G_GSIZE_FORMAT
               " numbers, and the rest reads %" G_GSIZE_FORMAT ".",
               pt_program_path (pt_module_program (module)),
               self->encoders[i]->kind == PT_MODEL_IMAGES ? "vision_encoder" : "audio_encoder",
               self->encoders[i]->width, width);
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
pt_media_free (PtMedia *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_encoders; i++)
    self->encoders[i]->free (self->encoders[i]);
  g_ptr_array_unref (self->items);
  g_free (self->stretch);
  g_free (self->stretch_names);
  g_free (self);
}

void
pt_media_set_token (PtMedia *self, PtModelInput kind, gint32 token)
{
  for (guint i = 0; i < self->n_encoders; i++)
    if (self->encoders[i]->kind == kind)
      self->encoders[i]->token = token;
}

gboolean
pt_media_use_preprocessor (PtMedia *self, PtModule *preprocessor, GError **error)
{
  for (guint i = 0; i < self->n_encoders; i++)
    if (self->encoders[i]->use_preprocessor != NULL &&
        !self->encoders[i]->use_preprocessor (self->encoders[i], preprocessor, error))
      return FALSE;
  return TRUE;
}

guint
pt_media_takes (const PtMedia *self)
{
  guint takes = 0;

  for (guint i = 0; i < self->n_encoders; i++)
    takes |= self->encoders[i]->kind;
  return takes;
}

gboolean
pt_media_is_bare (const PtMedia *self)
{
  return self->bare;
}

/* ---- files ---- */

static gboolean
read_stamp (const char *path, Stamp *stamp, GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) cause = NULL;
  g_autoptr (GFileInfo) info =
      g_file_query_info (file,
                         G_FILE_ATTRIBUTE_STANDARD_TYPE
                         "," G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_TIME_MODIFIED
                         "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC "," G_FILE_ATTRIBUTE_UNIX_INODE,
                         G_FILE_QUERY_INFO_NONE, NULL, &cause);

  if (info == NULL)
    return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s", name, cause->message);
  if (g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file.", name);
  stamp->size = (gint64) g_file_info_get_size (info);
  stamp->inode = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_UNIX_INODE);
  stamp->changed =
      (gint64) g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED) *
          G_USEC_PER_SEC +
      g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  return TRUE;
}

static PtMediaEncoder *
find_encoder (const PtMedia *self, const char *path, GError **error)
{
  g_autoptr (GError) reason = NULL;
  gboolean is_picture = pt_is_picture (path, &reason);
  PtModelInput kind = is_picture ? PT_MODEL_IMAGES : PT_MODEL_AUDIO;
  g_autofree char *name = g_filename_display_basename (path);

  if (reason != NULL) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return NULL;
  }
  for (guint i = 0; i < self->n_encoders; i++)
    if (self->encoders[i]->kind == kind)
      return self->encoders[i];
  if (is_picture)
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "“%s” is an image, and the model supports text and audio only.", name);
  else
    pt_fail (error, PT_ERROR_FORMAT,
             "“%s” is not an image that Pteris can read. Save it as PNG or JPEG.", name);
  return NULL;
}

static Item *
find_known (const PtMedia *self, const char *path, const Stamp *stamp)
{
  for (guint i = 0; i < self->items->len; i++) {
    Item *item = self->items->pdata[i];

    if (strcmp (item->path, path) == 0) {
      return item->stamp.size == stamp->size && item->stamp.inode == stamp->inode &&
                     item->stamp.changed == stamp->changed
                 ? item
                 : NULL;
    }
  }
  return NULL;
}

static gsize
size_of (const Item *item)
{
  return item->facts.n * item->encoder->width * pt_dtype_size (item->encoder->dtype);
}

/* Keeps the embeddings of @item; those of other files that were used longest ago are dropped. */
static void
keep_rows (PtMedia *self, Item *item, gpointer rows)
{
  gsize size = size_of (item);

  while (self->bytes + size > MAX_BYTES) {
    Item *oldest = NULL;

    for (guint i = 0; i < self->items->len; i++) {
      Item *other = self->items->pdata[i];

      if (other != item && other->rows != NULL && (oldest == NULL || other->used < oldest->used))
        oldest = other;
    }
    if (oldest == NULL)
      break;
    self->bytes -= size_of (oldest);
    g_clear_pointer (&oldest->rows, g_free);
  }
  item->rows = rows;
  self->bytes += size;
}

static void
forget (PtMedia *self, guint i)
{
  const Item *item = self->items->pdata[i];

  if (item->rows != NULL)
    self->bytes -= size_of (item);
  g_ptr_array_remove_index (self->items, i);
}

static void
forget_path (PtMedia *self, const char *path)
{
  for (guint i = 0; i < self->items->len; i++)
    if (strcmp (((const Item *) self->items->pdata[i])->path, path) == 0) {
      forget (self, i);
      return;
    }
}

/* The name of embedding @i, by SplitMix64, so that it depends on the whole digest. */
static gint32
name_of (guint64 digest, guint i)
{
  guint64 z = digest + (i + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return -1 - (gint32) ((z ^ (z >> 31)) >> 33);
}

static Item *
remember (PtMedia *self, const char *path, const Stamp *stamp, PtMediaEncoder *encoder)
{
  Item *item = g_new0 (Item, 1);

  forget_path (self, path);
  if (self->items->len == MAX_FILES)
    forget (self, 0);
  item->path = g_strdup (path);
  item->stamp = *stamp;
  item->encoder = encoder;
  g_ptr_array_add (self->items, item);
  return item;
}

static gboolean
find_facts (PtMedia *self, Item *item, GCancellable *cancellable, GError **error)
{
  PtMediaEncoder *encoder = item->encoder;

  if (item->names != NULL)
    return TRUE;
  if (!encoder->look (encoder, item->path, self->most, &item->facts, cancellable, error))
    return FALSE;
  if (item->facts.rows != NULL)
    keep_rows (self, item, g_steal_pointer (&item->facts.rows));
  item->names = g_new (gint32, MAX (item->facts.n, 1));
  for (guint i = 0; i < item->facts.n; i++)
    item->names[i] = name_of (item->facts.digest, i);
  return TRUE;
}

/** The item of the file at @path. The file is only read if it is not known or has changed. */
static Item *
find_item (PtMedia *self, const char *path, GError **error)
{
  PtMediaEncoder *encoder;
  Stamp stamp;
  Item *item;

  if (!read_stamp (path, &stamp, error))
    return NULL;
  item = find_known (self, path, &stamp);
  if (item == NULL) {
    encoder = find_encoder (self, path, error);
    if (encoder == NULL)
      return NULL;
    item = remember (self, path, &stamp, encoder);
  }
  item->used = ++self->clock;
  return item;
}

guint
pt_media_kind (PtMedia *self, const char *path, GError **error)
{
  const Item *item = find_item (self, path, error);

  return item != NULL ? item->encoder->kind : 0;
}

gboolean
pt_media_append (PtMedia *self, const char *path, GArray *names, GCancellable *cancellable,
                 GError **error)
{
  Item *item = find_item (self, path, error);

  if (item == NULL || !find_facts (self, item, cancellable, error))
    return FALSE;
  g_array_append_vals (names, item->names, item->facts.n);
  return TRUE;
}

/* ---- embeddings ---- */

static gboolean
encode (PtMedia *self, Item *item, GCancellable *cancellable, GError **error)
{
  PtMediaEncoder *encoder = item->encoder;
  gsize row = encoder->width * pt_dtype_size (encoder->dtype);
  gpointer rows;

  rows = pt_allocate (item->facts.n, row, error);
  if (rows == NULL)
    return FALSE;
  if (!encoder->encode (encoder, item->path, item->facts.n, rows, cancellable, error)) {
    g_free (rows);
    return FALSE;
  }
  keep_rows (self, item, rows);
  return TRUE;
}

gboolean
pt_media_embed (PtMedia *self, const char *path, PtLlmEmbeddings *embeddings,
                GCancellable *cancellable, GError **error)
{
  Item *item = find_item (self, path, error);

  if (item == NULL || !find_facts (self, item, cancellable, error) ||
      (item->rows == NULL && !encode (self, item, cancellable, error)))
    return FALSE;
  *embeddings = (PtLlmEmbeddings){ .rows = item->rows,
                                   .dtype = item->encoder->dtype,
                                   .n = item->facts.n,
                                   .width = item->encoder->width,
                                   .names = item->names,
                                   .token = item->encoder->token };
  return TRUE;
}

/* ---- sound that is no file ---- */

static PtMediaEncoder *
find_stretcher (const PtMedia *self)
{
  for (guint i = 0; i < self->n_encoders; i++)
    if (self->encoders[i]->encode_samples != NULL)
      return self->encoders[i];
  return NULL;
}

gsize
pt_media_stretch (const PtMedia *self)
{
  const PtMediaEncoder *encoder = find_stretcher (self);

  return encoder != NULL ? encoder->stretch : 0;
}

gboolean
pt_media_embed_samples (PtMedia *self, const float *samples, gsize n, PtLlmEmbeddings *embeddings,
                        GCancellable *cancellable, GError **error)
{
  PtMediaEncoder *encoder = find_stretcher (self);
  guint count = encoder->per_stretch;

  g_clear_pointer (&self->stretch, g_free);
  g_clear_pointer (&self->stretch_names, g_free);
  self->stretch = pt_allocate (count, encoder->width * pt_dtype_size (encoder->dtype), error);
  if (self->stretch == NULL ||
      !encoder->encode_samples (encoder, samples, n, self->stretch, cancellable, error))
    return FALSE;
  self->stretch_names = g_new (gint32, count);
  for (guint i = 0; i < count; i++)
    self->stretch_names[i] = name_of (++self->clock, i);
  *embeddings = (PtLlmEmbeddings){ .rows = self->stretch,
                                   .dtype = encoder->dtype,
                                   .n = count,
                                   .width = encoder->width,
                                   .names = self->stretch_names,
                                   .token = encoder->token };
  return TRUE;
}

/* ---- for encoders ---- */

const PtTensorSpec *
pt_media_tensor (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

gboolean
pt_media_is_float (const PtTensorSpec *tensor)
{
  return tensor->dtype == PT_DTYPE_F32 || tensor->dtype == PT_DTYPE_BF16 ||
         tensor->dtype == PT_DTYPE_F16;
}

static gboolean
put (PtDType dtype, gsize n, const float *values, gpointer buffer)
{
  switch (dtype) {
  case PT_DTYPE_F32: memcpy (buffer, values, n * sizeof (float)); return TRUE;
  case PT_DTYPE_BF16: pt_vector_f32_to_bf16 (n, values, buffer); return TRUE;
  case PT_DTYPE_F16: pt_vector_f32_to_f16 (n, values, buffer); return TRUE;
  case PT_DTYPE_U8:
    for (gsize i = 0; i < n; i++)
      ((guint8 *) buffer)[i] = (guint8) CLAMP (values[i] + 0.5f, 0.0f, 255.0f);
    return TRUE;
  default: return FALSE;
  }
}

gboolean
pt_media_set_input (PtMethod *method, guint i, guint rank, const gint64 *sizes, const float *values,
                    gpointer buffer, GError **error)
{
  PtDType dtype = pt_method_input_spec (method, i)->as_tensor->dtype;
  PtTensor tensor;

  if (!pt_tensor_init (&tensor, dtype, rank, sizes, NULL, buffer, error))
    return FALSE;
  if (!put (dtype, tensor.numel, values, buffer))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "An encoder of the model takes %s.",
                    pt_dtype_name ((int) dtype));
  return pt_method_set_input_tensor (method, i, &tensor, error);
}

gboolean
pt_media_take_rows (const PtMediaEncoder *encoder, const PtMethod *method, guint n, gpointer rows,
                    GError **error)
{
  const PtTensor *tensor = pt_in_tensor (pt_method_output (method, 0), "the embeddings", error);

  if (tensor == NULL)
    return FALSE;
  if (tensor->dtype != encoder->dtype || tensor->numel != n * encoder->width ||
      tensor->device_type != PT_DEVICE_CPU)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "An encoder of the model gave %" G_GSIZE_FORMAT " numbers, and %" G_GSIZE_FORMAT
                    " were expected.",
                    tensor->numel, n * encoder->width);
  memcpy (rows, tensor->data, pt_tensor_nbytes (tensor));
  return TRUE;
}
