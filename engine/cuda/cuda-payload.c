/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-payload.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/base/sha256.h"
#include "engine/program/keys.h"

#define damaged(error, ...) pt_delegate_damaged (error, "A CUDA", __VA_ARGS__)

#define MAGIC "ETCUDAFQN"
#define MAGIC_LENGTH 10 /* including the digit */

/* Upstream's limits (docs/formats/cuda.md, section 3.4). */
#define MAX_CONSTANTS (1u << 20)
#define MAX_LIBRARIES 256
#define MAX_RANK 64

/* The size of an entry without dimensions, with two names of one byte each. */
#define MIN_CONSTANT_BYTES 38

enum { FLAG_FALLBACK = 1 };

typedef struct {
  const guint8 *at, *end;
  PtCudaPayload *out;
  char *text;   /* free part of out->text */
  gint64 *dims; /* free part of out->dims */
  GError **error;
} Reader;

const char *
pt_cuda_payload_form_name (PtCudaPayloadForm form)
{
  static const char *const names[] = {
    [PT_CUDA_PAYLOAD_METHOD] = "method keys",  [PT_CUDA_PAYLOAD_KEYS] = "two keys",
    [PT_CUDA_PAYLOAD_NAMES] = "ETCUDAFQN3",    [PT_CUDA_PAYLOAD_TARGETS] = "ETCUDAFQN4",
    [PT_CUDA_PAYLOAD_FALLBACK] = "ETCUDAFQN5",
  };

  return names[form];
}

/* ---- reading ---- */

static gboolean
read_bytes (Reader *reader, gpointer out, gsize size)
{
  if ((gsize) (reader->end - reader->at) < size)
    return damaged (reader->error, "it ends too early");
  memcpy (out, reader->at, size);
  reader->at += size;
  return TRUE;
}

static gboolean
read_u32 (Reader *reader, guint32 *out)
{
  if (!read_bytes (reader, out, sizeof *out))
    return FALSE;
  *out = GUINT32_FROM_LE (*out);
  return TRUE;
}

static gboolean
read_i64 (Reader *reader, gint64 *out)
{
  if (!read_bytes (reader, out, sizeof *out))
    return FALSE;
  *out = GINT64_FROM_LE (*out);
  return TRUE;
}

static const char *
keep_text (Reader *reader, gconstpointer bytes, gsize size)
{
  char *text = reader->text;

  memcpy (text, bytes, size);
  text[size] = '\0';
  reader->text += size + 1;
  return text;
}

static gboolean
read_text (Reader *reader, const char **out, gsize *length)
{
  guint32 size = 0;

  if (!read_u32 (reader, &size))
    return FALSE;
  if (size > (gsize) (reader->end - reader->at))
    return damaged (reader->error, "it ends too early");
  if (size == 0)
    return damaged (reader->error, "a name is empty");
  *out = keep_text (reader, reader->at, size);
  *length = size;
  reader->at += size;
  return TRUE;
}

/* ---- libraries ---- */

static gboolean
read_library (Reader *reader, PtCudaLibraryKey *library)
{
  guint32 flags = 0;

  if (reader->out->form != PT_CUDA_PAYLOAD_NAMES &&
      (!read_u32 (reader, &library->target) || !read_u32 (reader, &library->ptx)))
    return FALSE;
  if (reader->out->form == PT_CUDA_PAYLOAD_FALLBACK && !read_u32 (reader, &flags))
    return FALSE;
  library->is_fallback = (flags & FLAG_FALLBACK) != 0;
  return read_text (reader, &library->key, &library->key_length);
}

static gboolean
read_libraries (Reader *reader)
{
  PtCudaPayload *out = reader->out;
  guint32 n = 1;

  if (out->form != PT_CUDA_PAYLOAD_NAMES && !read_u32 (reader, &n))
    return FALSE;
  if (n == 0 || n > MAX_LIBRARIES)
    return damaged (reader->error, "it names %u libraries", n);
  out->libraries = g_new0 (PtCudaLibraryKey, n);
  for (out->n_libraries = 0; out->n_libraries < n; out->n_libraries++)
    if (!read_library (reader, &out->libraries[out->n_libraries]))
      return FALSE;
  return TRUE;
}

/* ---- constants ---- */

static gboolean
is_known_dtype (gint32 dtype)
{
  return (dtype >= PT_DTYPE_U8 && dtype <= PT_DTYPE_F32) || dtype == PT_DTYPE_BOOL ||
         dtype == PT_DTYPE_BF16;
}

/* Whether the last element of the view lies in the storage. */
static gboolean
view_fits (const PtCudaConstant *constant)
{
  guint64 elements = (guint64) constant->offset, step;

  for (guint i = 0; i < constant->rank; i++)
    if (constant->sizes[i] == 0)
      return TRUE;
  for (guint i = 0; i < constant->rank; i++)
    if (!g_uint64_checked_mul (&step, (guint64) constant->sizes[i] - 1,
                               (guint64) constant->strides[i]) ||
        !g_uint64_checked_add (&elements, elements, step))
      return FALSE;
  return g_uint64_checked_add (&elements, elements, 1) &&
         g_uint64_checked_mul (&elements, elements, pt_dtype_size ((int) constant->dtype)) &&
         elements <= constant->nbytes;
}

static gboolean
read_dims (Reader *reader, guint rank, const gint64 **out)
{
  gint64 *dims = reader->dims;

  for (guint i = 0; i < rank; i++) {
    if (!read_i64 (reader, &dims[i]))
      return FALSE;
    if (dims[i] < 0)
      return damaged (reader->error, "a size or stride is negative");
  }
  reader->dims += rank;
  *out = dims;
  return TRUE;
}

static gboolean
read_view (Reader *reader, PtCudaConstant *constant)
{
  gint64 nbytes = 0;
  guint32 dtype = 0, device = 0;

  if (!read_i64 (reader, &nbytes) || !read_u32 (reader, &dtype) || !read_u32 (reader, &device) ||
      !read_i64 (reader, &constant->offset) || !read_u32 (reader, &constant->rank))
    return FALSE;
  if (!is_known_dtype ((gint32) dtype))
    return damaged (reader->error, "“%.80s” has the unknown dtype %d", constant->fqn,
                    (gint32) dtype);
  if (device > PT_DEVICE_CUDA)
    return damaged (reader->error, "“%.80s” is on the unknown device %d", constant->fqn,
                    (gint32) device);
  if (constant->offset < 0 || constant->rank > MAX_RANK)
    return damaged (reader->error, "the shape of “%.80s” is impossible", constant->fqn);
  constant->nbytes = (guint64) nbytes;
  constant->dtype = (PtDType) dtype;
  constant->device_type = (PtDeviceType) device;
  if (!read_dims (reader, constant->rank, &constant->sizes) ||
      !read_dims (reader, constant->rank, &constant->strides))
    return FALSE;
  return view_fits (constant) ||
         damaged (reader->error, "“%.80s” is larger than its storage", constant->fqn);
}

static gboolean
read_constant (Reader *reader, PtCudaConstant *constant)
{
  gsize length = 0;

  if (!read_text (reader, &constant->fqn, &length) ||
      !read_text (reader, &constant->key, &constant->key_length))
    return FALSE;
  if (strlen (constant->fqn) != length)
    return damaged (reader->error, "the name of a constant is no text");
  return read_view (reader, constant);
}

static gboolean
read_constants (Reader *reader)
{
  PtCudaPayload *out = reader->out;
  guint32 n = 0;

  if (!read_u32 (reader, &n))
    return FALSE;
  if (n > MAX_CONSTANTS || n > (gsize) (reader->end - reader->at) / MIN_CONSTANT_BYTES)
    return damaged (reader->error, "it cannot hold %u constants", n);
  out->constants = pt_allocate (n, sizeof *out->constants, reader->error);
  if (out->constants == NULL)
    return FALSE;
  for (out->n_constants = 0; out->n_constants < n; out->n_constants++)
    if (!read_constant (reader, &out->constants[out->n_constants]))
      return FALSE;
  if (reader->at != reader->end)
    return damaged (reader->error, "something follows its end");
  return TRUE;
}

/* Views of one storage must agree on its size and device. */
static gboolean
check_storages (const PtCudaPayload *payload, PtKey *keys, GError **error)
{
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = &payload->constants[i];

    keys[i] = (PtKey){ constant->key, constant->key_length, constant };
  }
  pt_keys_sort (keys, payload->n_constants);
  for (guint i = 1; i < payload->n_constants; i++) {
    const PtCudaConstant *a = keys[i - 1].item, *b = keys[i].item;

    if (a->key_length == b->key_length && memcmp (a->key, b->key, a->key_length) == 0 &&
        (a->nbytes != b->nbytes || a->device_type != b->device_type))
      return damaged (error, "“%.80s” and “%.80s” disagree about the storage that they share",
                      a->fqn, b->fqn);
  }
  return TRUE;
}

static gboolean
check_constants (const PtCudaPayload *payload, GError **error)
{
  g_autofree PtKey *keys = pt_allocate (payload->n_constants, sizeof *keys, error);
  const PtKey *twice;

  if (keys == NULL)
    return FALSE;
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = &payload->constants[i];

    keys[i] = (PtKey){ constant->fqn, strlen (constant->fqn), constant };
  }
  twice = pt_keys_sort (keys, payload->n_constants);
  if (twice != NULL)
    return damaged (error, "it has two constants “%.80s”", twice->key);
  return check_storages (payload, keys, error);
}

/* ---- the forms of payloads ---- */

/*
 * In the payload a string has a length of four bytes and a dimension takes eight. So both tables
 * are at most as large as the payload, also with the terminating zeros.
 */
static gboolean
reader_init (Reader *reader, PtCudaPayload *out, const guint8 *bytes, gsize size, GError **error)
{
  out->text = pt_allocate (size, 1, error);
  if (out->text == NULL)
    return FALSE;
  out->dims = pt_allocate (size / sizeof (gint64), sizeof (gint64), error);
  if (out->dims == NULL)
    return FALSE;
  *reader = (Reader){ bytes, bytes + size, out, out->text, out->dims, error };
  return TRUE;
}

static gboolean
read_names (PtCudaPayload *out, const guint8 *bytes, gsize size, GError **error)
{
  Reader reader;
  char version = size >= MAGIC_LENGTH ? (char) bytes[MAGIC_LENGTH - 1] : '\0';

  if (version < '3' || version > '5')
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "A CUDA delegate of the program was made by a newer exporter than this "
                    "Pteris knows. Update Pteris. (ExecuTorch error 0x10)");
  out->form = (PtCudaPayloadForm) (PT_CUDA_PAYLOAD_NAMES + (version - '3'));
  if (!reader_init (&reader, out, bytes, size, error))
    return FALSE;
  reader.at += MAGIC_LENGTH;
  return read_libraries (&reader) && read_constants (&reader) && check_constants (out, error);
}

static void
set_keys (PtCudaPayload *out, char *library, gsize library_length, char *weights,
          gsize weights_length)
{
  out->libraries = g_new0 (PtCudaLibraryKey, 1);
  out->n_libraries = 1;
  out->libraries->key = library;
  out->libraries->key_length = library_length;
  out->weights_key = weights;
  out->weights_key_length = weights_length;
}

static gboolean
read_keys (PtCudaPayload *out, const guint8 *bytes, gsize size, GError **error)
{
  const guint8 *end = memchr (bytes, '\n', size);
  gsize length;

  if (end == NULL)
    return damaged (error, "its payload is not two keys");
  length = (gsize) (end - bytes);
  if (length == 0)
    return damaged (error, "the key of its library is empty");
  out->form = PT_CUDA_PAYLOAD_KEYS;
  out->text = pt_allocate (size + 1, 1, error);
  if (out->text == NULL)
    return FALSE;
  memcpy (out->text, bytes, size);
  out->text[length] = out->text[size] = '\0';
  set_keys (out, out->text, length, out->text + length + 1, size - length - 1);
  return TRUE;
}

/* Builds the keys "METHOD_so_blob" and "METHOD_weights_blob" in one piece of memory. */
static gboolean
make_keys (PtCudaPayload *out, const PtDelegateSpec *spec)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const PtCompileSpec *name = NULL;
  gsize first, second;

  for (guint i = 0; i < spec->n_specs && name == NULL; i++)
    if (strcmp (spec->specs[i].key, "method_name") == 0 && spec->specs[i].size > 0)
      name = &spec->specs[i];
  if (name != NULL)
    g_string_append_len (text, (const char *) name->value, (gssize) name->size);
  g_string_append (text, name != NULL ? "_so_blob" : "so_blob");
  first = text->len;
  g_string_append_c (text, '\0');
  if (name != NULL)
    g_string_append_len (text, (const char *) name->value, (gssize) name->size);
  g_string_append (text, name != NULL ? "_weights_blob" : "weights_blob");
  second = text->len - first - 1;
  out->form = PT_CUDA_PAYLOAD_METHOD;
  out->text = g_string_free (g_steal_pointer (&text), FALSE);
  set_keys (out, out->text, first, out->text + first + 1, second);
  return TRUE;
}

PtCudaPayload *
pt_cuda_payload_new (const PtDelegateSpec *spec, GError **error)
{
  g_autoptr (PtCudaPayload) out = g_new0 (PtCudaPayload, 1);
  const guint8 *bytes = spec->payload;
  gsize size = bytes != NULL ? spec->payload_size : 0;
  gboolean ok;

  if (size >= strlen (MAGIC) && memcmp (bytes, MAGIC, strlen (MAGIC)) == 0)
    ok = read_names (out, bytes, size, error);
  else if (size == 0)
    ok = make_keys (out, spec);
  else
    ok = read_keys (out, bytes, size, error);
  return ok ? g_steal_pointer (&out) : NULL;
}

void
pt_cuda_payload_free (PtCudaPayload *payload)
{
  g_free (payload->libraries);
  g_free (payload->constants);
  g_free (payload->dims);
  g_free (payload->text);
  g_free (payload);
}

/* ---- looking up ---- */

static gboolean
fail_choice (const PtCudaPayload *payload, guint capability, GError **error)
{
  g_autoptr (GString) targets = g_string_new (NULL);

  for (guint i = 0; i < payload->n_libraries; i++)
    g_string_append_printf (targets, "%ssm_%u", i > 0 ? ", " : "", payload->libraries[i].target);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "This model contains GPU code for %s only; a GPU of compute capability %u.%u "
                  "cannot run it. Use a model exported for sm_%u.",
                  targets->str, capability / 10, capability % 10, capability);
}

const PtCudaLibraryKey *
pt_cuda_payload_choose (const PtCudaPayload *payload, guint capability, GError **error)
{
  const PtCudaLibraryKey *best = NULL;
  gboolean form5 = payload->form == PT_CUDA_PAYLOAD_FALLBACK;

  if (payload->form < PT_CUDA_PAYLOAD_TARGETS)
    return &payload->libraries[0];
  for (guint i = 0; i < payload->n_libraries; i++) {
    const PtCudaLibraryKey *library = &payload->libraries[i];

    if (library->target == capability && !library->is_fallback)
      return library;
    if (library->ptx == 0 || library->ptx > capability || (form5 && !library->is_fallback))
      continue;
    if (best == NULL || library->target < best->target)
      best = library;
  }
  if (best == NULL)
    fail_choice (payload, capability, error);
  return best;
}

const PtNamedData *
pt_cuda_library_find (const PtProgram *program, const PtCudaLibraryKey *library, GError **error)
{
  const PtNamedData *named =
      pt_program_find_named_data (program, library->key, library->key_length);
  g_autofree char *key = NULL;

  if (named != NULL && named->size > 0)
    return named;
  key = pt_key_display (library->key, library->key_length);
  pt_fail (error, PT_ERROR_PROGRAM,
           "The program lacks the library “%s” of a CUDA delegate. Download or export it again. "
           "(ExecuTorch error 0x23)",
           key);
  return NULL;
}

const guint8 *
pt_cuda_constant_find (const PtDelegateContext *context, const PtCudaConstant *constant,
                       GError **error)
{
  gsize size = 0;
  const guint8 *bytes = pt_delegate_find_data (context, constant->key, constant->key_length, &size);

  if (bytes == NULL) {
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "The weights “%.80s” are neither in the data files nor in the program. Put the data "
             "file (.ptd) of this model beside it, or name it. (ExecuTorch error 0x20)",
             constant->fqn);
    return NULL;
  }
  if (size != constant->nbytes) {
    pt_fail (error, PT_ERROR_DATA,
             "The weights “%.80s” have %" G_GSIZE_FORMAT " bytes and not %" G_GUINT64_FORMAT
             ": the data file belongs to another model. (ExecuTorch error 0x24)",
             constant->fqn, size, constant->nbytes);
    return NULL;
  }
  return bytes;
}

gboolean
pt_cuda_key_check (const char *key, gsize key_length, gconstpointer bytes, gsize size,
                   GError **error)
{
  g_autofree char *digest = NULL;

  if (key_length < 65 || key[64] != '_' || strspn (key, "0123456789abcdef") < 64)
    return TRUE;
  digest = pt_sha256 (bytes, size);
  if (memcmp (digest, key, 64) == 0)
    return TRUE;
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The library %.16s… in the program is damaged: its SHA-256 is another one. "
                  "Download or export it again. (ExecuTorch error 0x23)",
                  key);
}
