/* SPDX-License-Identifier: BSD-3-Clause */

/* Encodes pictures for models like Gemma 3 and LLaVA (docs/formats/protocols.md, section 4.2):
 * every picture becomes the same number of embeddings. */

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/allocate.h"
#include "engine/base/given-files.h"
#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"
#include "engine/program/file.h"
#include "engine/tasks/llm/media-private.h"
#include "engine/tasks/models/family.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-root.h"
#include "engine/vision/processor.h"

/* Bytes at the beginning of a file that tell whether it is a picture. */
#define MAX_MAGIC 12
/* The largest file that decoders take (engine/vision/image.h). */
#define MAX_BYTES (64 * 1024 * 1024)
#define MAX_CONFIG (1024 * 1024)

typedef struct {
  PtMediaEncoder base;
  PtMethod *method;
  PtImageProcessor processor;
  guint rank; /* rank of the method's input */
  guint n;    /* number of embeddings of a picture */
} PictureEncoder;

/* Whether a file begins like a picture. Formats that cannot be decoded are listed as well, so that
 * the error says that the file is a picture. */
static gboolean
begins_like_picture (const guint8 *bytes)
{
  static const struct {
    const char *bytes;
    guint length, offset;
  } magics[] = {
    { "\x89PNG\r\n", 6, 0 }, { "\xff\xd8\xff", 3, 0 }, { "GIF8", 4, 0 },     { "BM", 2, 0 },
    { "II*\0", 4, 0 },       { "MM\0*", 4, 0 },        { "WEBP", 4, 8 },     { "ftypheic", 8, 4 },
    { "ftypmif1", 8, 4 },    { "ftypavif", 8, 4 },     { "\0\0\1\0", 4, 0 }, { "<svg", 4, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (magics); i++)
    if (memcmp (bytes + magics[i].offset, magics[i].bytes, magics[i].length) == 0)
      return TRUE;
  return FALSE;
}

gboolean
pt_is_picture (const char *path, GError **error)
{
  guint8 bytes[MAX_MAGIC] = { 0 };
  FILE *file = pt_input_fopen (path);
  g_autofree char *name = g_filename_display_basename (path);

  if (file == NULL) {
    pt_fail (error, PT_ERROR_FILE, "“%s” cannot be read: %s.", name, g_strerror (errno));
    return FALSE;
  }
  if (fread (bytes, 1, sizeof bytes, file) == 0) {
    pt_fail (error, PT_ERROR_FORMAT, "“%s” is empty.", name);
    fclose (file);
    return FALSE;
  }
  fclose (file);
  return begins_like_picture (bytes);
}

/* ---- facts of a file ---- */

gboolean
pt_media_hash_file (const char *path, guint64 *digest, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map (path, error);
  g_autofree char *name = g_filename_display_basename (path), *hash = NULL;
  gconstpointer data;
  gsize size;

  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &size);
  if (size > MAX_BYTES)
    return pt_fail (error, PT_ERROR_FILE,
                    "“%s” is larger than 64 MiB. Save the image at a smaller size.", name);
  hash = pt_sha256 (data, size);
  if (!pt_file_check_intact (bytes, path, error))
    return FALSE;
  hash[16] = '\0';
  *digest = g_ascii_strtoull (hash, NULL, 16);
  return TRUE;
}

static gboolean
look (PtMediaEncoder *base, const char *path, guint most, PtMediaFacts *facts,
      GCancellable *cancellable, GError **error)
{
  const PictureEncoder *self = (const PictureEncoder *) base;

  if (self->n > most)
    return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                    "An image needs %u tokens, and the model's context holds %u: it was exported "
                    "with too short a context.",
                    self->n, most);
  facts->n = self->n;
  return pt_media_hash_file (path, &facts->digest, error);
}

/* ---- encoding ---- */

static gboolean
run (PictureEncoder *self, const PtImage *image, gpointer rows, GCancellable *cancellable,
     GError **error)
{
  guint width, height;
  g_autofree float *values = NULL;
  g_autofree gpointer input = NULL;
  gint64 sizes[4] = { 1, 3, 0, 0 };
  gsize numel;

  pt_image_processor_size (&self->processor, image, &width, &height);
  numel = 3 * (gsize) width * height;
  sizes[2] = height;
  sizes[3] = width;
  values = pt_allocate (numel, sizeof (float), error);
  input = values != NULL ? pt_allocate (numel, sizeof (float), error) : NULL;
  return input != NULL && pt_image_processor_run (&self->processor, image, values, error) &&
         pt_media_set_input (self->method, 0, self->rank, sizes + 4 - self->rank, values, input,
                             error) &&
         pt_method_execute (self->method, cancellable, error) &&
         pt_media_take_rows (&self->base, self->method, self->n, rows, error);
}

static gboolean
encode (PtMediaEncoder *base, const char *path, guint n, gpointer rows, GCancellable *cancellable,
        GError **error)
{
  g_autoptr (PtImage) image = pt_image_read (path, cancellable, NULL, error);

  if (image == NULL)
    return FALSE;
  if (g_cancellable_is_cancelled (cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  return run ((PictureEncoder *) base, image, rows, cancellable, error);
}

static void
picture_encoder_free (PtMediaEncoder *base)
{
  g_free (base);
}

/* ---- opening ---- */

/* Whether the metadata say how pixels are scaled. */
static gboolean
says_scale (PtModule *module)
{
  static const char *const names[] = { "do_rescale", "do_normalize", "rescale_factor", "image_mean",
                                       "image_std" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (pt_module_has_method (module, names[i]))
      return TRUE;
  return FALSE;
}

/* Whether the metadata say that values stay 0 to 255. */
static gboolean
keeps_bytes (PtModule *module)
{
  gint64 rescales = 1, normalizes = 1;

  return pt_module_constant_int (module, "do_rescale", &rescales) && rescales == 0 &&
         pt_module_constant_int (module, "do_normalize", &normalizes) && normalizes == 0;
}

/* Whether a config.json of react-native-executorch says that the model sees. */
static gboolean
config_sees (const PtProgram *program)
{
  g_autofree char *folder = g_path_get_dirname (pt_program_path (program));
  g_autoptr (PtModelConfig) config = pt_model_config_read (folder, NULL);

  return config != NULL && (config->capabilities & PT_CAN_SEE) != 0;
}

/* ---- the folder's processor file ---- */

typedef struct {
  char *path;    /* NULL: there is none */
  json_t *root;  /* or NULL */
  json_t *image; /* what it says of pictures; part of @root */
} ProcessorFile;

static void
processor_file_clear (ProcessorFile *self)
{
  g_free (self->path);
  json_decref (self->root);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ProcessorFile, processor_file_clear)

/* Newer versions of transformers write one file with a part for pictures. */
static gboolean
processor_file_read (ProcessorFile *self, const PtProgram *program, GError **error)
{
  static const char *const NAMES[] = { "preprocessor_config.json", "processor_config.json", NULL };
  g_autofree char *folder = g_path_get_dirname (pt_program_path (program));
  json_t *part;

  self->path = pt_model_find_any (folder, NAMES);
  if (self->path == NULL)
    return TRUE;
  self->root = pt_json_load (self->path, MAX_CONFIG, error);
  part = json_object_get (self->root, "image_processor");
  self->image = json_is_object (part) ? part : self->root;
  return self->root != NULL;
}

/* Whether the file says what happens to values before the encoder. */
static gboolean
decides (const ProcessorFile *self)
{
  return json_is_boolean (json_object_get (self->image, "do_rescale")) ||
         json_is_boolean (json_object_get (self->image, "do_normalize"));
}

/* Takes what @file says. @published: the encoder is one of react-native-executorch, whose pictures
 * are letterboxed. */
static gboolean
take_file (PictureEncoder *self, const ProcessorFile *file, gboolean published, GError **error)
{
  gboolean keeps = !pt_json_bool (file->image, "do_rescale", TRUE) &&
                   !pt_json_bool (file->image, "do_normalize", TRUE);

  if (published || keeps)
    pt_image_processor_letterbox (&self->processor);
  return keeps || pt_image_processor_read_file (&self->processor, file->image, file->path, error);
}

/* Finds which values the encoder wants: by metadata, by a processor file, by the family, and by
 * what the encoder does with them (docs/formats/protocols.md, section 4.6). */
static gboolean
find_scale (PictureEncoder *self, PtModule *module, const PtTensorSpec *in, GError **error)
{
  const PtProgram *program = pt_module_program (module);
  PtFamily family = pt_family_of (program, NULL);
  gboolean published = family == PT_FAMILY_LFM2_VL || family == PT_FAMILY_GEMMA4_LAYERS;
  g_auto (ProcessorFile) file = { 0 };
  PtPixelScale scale;

  if (in->rank == 4 && says_scale (module)) {
    if (keeps_bytes (module))
      pt_image_processor_letterbox (&self->processor);
    return TRUE;
  }
  if (!published && (in->rank == 3 || in->dtype == PT_DTYPE_U8))
    return TRUE;
  if (!processor_file_read (&file, program, error))
    return FALSE;
  if (decides (&file))
    return take_file (self, &file, published, error);
  scale = pt_media_pixel_scale (program, "vision_encoder");
  if (scale == PT_PIXELS_UNITS)
    pt_image_processor_units (&self->processor);
  else if (published || scale == PT_PIXELS_BYTES || config_sees (program))
    pt_image_processor_letterbox (&self->processor);
  else if (file.image != NULL)
    return take_file (self, &file, FALSE, error);
  return TRUE;
}

static gboolean
read_shapes (PictureEncoder *self, PtModule *module, GError **error)
{
  const PtTensorSpec *in = NULL, *out = NULL;

  if (pt_method_n_inputs (self->method) == 1 && pt_method_n_outputs (self->method) == 1) {
    in = pt_media_tensor (pt_method_input_spec (self->method, 0));
    out = pt_media_tensor (pt_method_output_spec (self->method, 0));
  }
  if (in == NULL || out == NULL || out->rank < 2 || out->numel == 0 || !pt_media_is_float (out) ||
      (!pt_media_is_float (in) && in->dtype != PT_DTYPE_U8))
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "“vision_encoder” of the model must turn an image into embeddings [1, n, width].");
  self->rank = in->rank;
  self->base.dtype = out->dtype;
  self->base.width = (gsize) out->sizes[out->rank - 1];
  self->n = (guint) (out->numel / self->base.width);
  return pt_image_processor_read (&self->processor, module, in, error) &&
         find_scale (self, module, in, error);
}

PtMediaEncoder *
pt_picture_encoder_new (PtModule *module, GError **error)
{
  g_autofree PictureEncoder *self = g_new0 (PictureEncoder, 1);
  gint64 token = 0;

  self->base = (PtMediaEncoder){
    .kind = PT_MODEL_IMAGES, .look = look, .encode = encode, .free = picture_encoder_free
  };
  self->method = pt_module_method (module, "vision_encoder", error);
  if (self->method == NULL || !read_shapes (self, module, error))
    return NULL;
  if (pt_module_constant_int (module, "vision_token_id", &token) && token > 0 &&
      token <= G_MAXINT32)
    self->base.token = (gint32) token;
  return &((PictureEncoder *) g_steal_pointer (&self))->base;
}
