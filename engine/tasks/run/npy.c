/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/npy.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/base/output.h"
#include "engine/program/checked.h"
#include "engine/program/file.h"

#define MAGIC "\x93NUMPY"
#define MAX_HEADER 65536

static const struct {
  const char *descr;
  PtDType dtype;
} types[] = {
  { "|b1", PT_DTYPE_BOOL }, { "|u1", PT_DTYPE_U8 },    { "|i1", PT_DTYPE_I8 },
  { "<u2", PT_DTYPE_U16 },  { "<i2", PT_DTYPE_I16 },   { "<u4", PT_DTYPE_U32 },
  { "<i4", PT_DTYPE_I32 },  { "<u8", PT_DTYPE_U64 },   { "<i8", PT_DTYPE_I64 },
  { "<f2", PT_DTYPE_F16 },  { "<f4", PT_DTYPE_F32 },   { "<f8", PT_DTYPE_F64 },
  { "<c8", PT_DTYPE_C64 },  { "<c16", PT_DTYPE_C128 },
};

/* NumPy's name of @dtype, or of an unsigned integer of its size. */
static const char *
descr_of (PtDType dtype)
{
  guint i;

  for (i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].dtype == dtype)
      return types[i].descr;
  if (dtype == PT_DTYPE_QI8)
    return "|i1";
  if (dtype == PT_DTYPE_QI32)
    return "<i4";
  switch (pt_dtype_size (dtype)) {
  case 1: return "|u1";
  case 2: return "<u2";
  default: return "<u4";
  }
}

void
pt_tensor_file_free (PtTensorFile *file)
{
  if (file == NULL)
    return;
  g_clear_pointer (&file->bytes, g_bytes_unref);
  g_free (file);
}

PtTensorFile *
pt_tensor_file_new (PtDType dtype, guint rank, const gint64 *sizes, const guint8 *dim_order,
                    GError **error)
{
  g_autoptr (PtTensorFile) file = g_new0 (PtTensorFile, 1);
  gpointer data;
  gsize size;

  if (!pt_tensor_init (&file->tensor, dtype, rank, sizes, dim_order, NULL, error))
    return NULL;
  size = pt_tensor_nbytes (&file->tensor);
  data = g_try_malloc (MAX (size, 1));
  if (data == NULL) {
    pt_fail (error, PT_ERROR_MEMORY, "There is no memory for %" G_GSIZE_FORMAT " bytes.", size);
    return NULL;
  }
  file->bytes = g_bytes_new_take (data, size);
  file->tensor.data = data;
  file->tensor.capacity = size;
  return g_steal_pointer (&file);
}

PtTensorFile *
pt_tensor_file_reorder (const PtTensor *from, const guint8 *dim_order, GError **error)
{
  PtTensorFile *file = pt_tensor_file_new (from->dtype, from->rank, from->sizes, dim_order, error);

  if (file != NULL)
    pt_tensor_copy_elements (&file->tensor, from);
  return file;
}

gboolean
pt_tensor_file_reinterpret (PtTensorFile *file, PtDType dtype)
{
  if (pt_dtype_size (dtype) != pt_dtype_size (file->tensor.dtype))
    return FALSE;
  file->tensor.dtype = dtype;
  return TRUE;
}

PtTensorFile *
pt_raw_read (const char *path, PtDType dtype, guint rank, const gint64 *sizes,
             const guint8 *dim_order, GError **error)
{
  g_autoptr (PtTensorFile) file = g_new0 (PtTensorFile, 1);
  gsize size;

  if (!pt_tensor_init (&file->tensor, dtype, rank, sizes, dim_order, NULL, error))
    return NULL;
  file->bytes = pt_file_map_any (path, error);
  if (file->bytes == NULL)
    return NULL;
  file->tensor.data = (gpointer) g_bytes_get_data (file->bytes, &size);
  file->tensor.capacity = size;
  file->tensor.is_constant = TRUE; /* mapped read-only */
  if (size != pt_tensor_nbytes (&file->tensor)) {
    char text[160];

    pt_fail (error, PT_ERROR_ARGUMENT,
             "%s has %" G_GSIZE_FORMAT " bytes; a tensor %s takes %" G_GSIZE_FORMAT ".", path, size,
             pt_tensor_describe (&file->tensor, text, sizeof text),
             pt_tensor_nbytes (&file->tensor));
    return NULL;
  }
  return g_steal_pointer (&file);
}

/* The header is a Python dictionary in a fixed vocabulary; this reads that and nothing more. */
typedef struct {
  const char *at, *end;
} Scanner;

static void
skip_spaces (Scanner *s)
{
  while (s->at < s->end && g_ascii_isspace (*s->at))
    s->at++;
}

static gboolean
accept (Scanner *s, const char *token)
{
  gsize length = strlen (token);

  skip_spaces (s);
  if ((gsize) (s->end - s->at) < length || memcmp (s->at, token, length) != 0)
    return FALSE;
  s->at += length;
  return TRUE;
}

/* A quoted word without escapes, at most @size - 1 bytes. */
static gboolean
read_word (Scanner *s, char *word, gsize size)
{
  gsize n = 0;
  char quote;

  skip_spaces (s);
  if (s->at >= s->end || (*s->at != '\'' && *s->at != '"'))
    return FALSE;
  quote = *s->at++;
  while (s->at < s->end && *s->at != quote && n + 1 < size)
    word[n++] = *s->at++;
  word[n] = '\0';
  if (s->at >= s->end || *s->at != quote)
    return FALSE;
  s->at++;
  return TRUE;
}

static gboolean
read_size (Scanner *s, gint64 *size)
{
  gint64 value = 0;
  const char *begin;

  skip_spaces (s);
  for (begin = s->at; s->at < s->end && g_ascii_isdigit (*s->at); s->at++) {
    if (value > (G_MAXINT64 - 9) / 10)
      return FALSE;
    value = value * 10 + (*s->at - '0');
  }
  *size = value;
  return s->at > begin;
}

static gboolean
read_shape (Scanner *s, guint *rank, gint64 *sizes)
{
  *rank = 0;
  if (!accept (s, "("))
    return FALSE;
  while (!accept (s, ")")) {
    if (*rank == PT_MAX_RANK || !read_size (s, &sizes[(*rank)++]))
      return FALSE;
    if (!accept (s, ",")) /* after the last one it may be left out */
      return accept (s, ")");
  }
  return TRUE;
}

typedef struct {
  char descr[8];
  gboolean fortran_order;
  guint rank;
  gint64 sizes[PT_MAX_RANK];
} Header;

static gboolean
read_entry (Scanner *s, Header *header, guint *seen)
{
  char key[16];

  if (!read_word (s, key, sizeof key) || !accept (s, ":"))
    return FALSE;
  if (strcmp (key, "descr") == 0) {
    *seen |= 1;
    return read_word (s, header->descr, sizeof header->descr);
  }
  if (strcmp (key, "fortran_order") == 0) {
    *seen |= 2;
    header->fortran_order = accept (s, "True");
    return header->fortran_order || accept (s, "False");
  }
  if (strcmp (key, "shape") == 0) {
    *seen |= 4;
    return read_shape (s, &header->rank, header->sizes);
  }
  return FALSE;
}

static gboolean
read_header (Scanner *s, Header *header)
{
  guint seen = 0;

  if (!accept (s, "{"))
    return FALSE;
  while (!accept (s, "}")) {
    if (!read_entry (s, header, &seen))
      return FALSE;
    if (!accept (s, ",")) {
      if (!accept (s, "}"))
        return FALSE;
      break;
    }
  }
  return seen == 7;
}

/* Finds the starts of header and data; FALSE when @data is no .npy file. */
static gboolean
find_header (const guint8 *data, gsize size, Scanner *s, gsize *data_offset)
{
  gsize length, begin;

  if (size < 12 || memcmp (data, MAGIC, 6) != 0 || data[6] < 1 || data[6] > 3)
    return FALSE;
  length = data[8] | (gsize) data[9] << 8;
  begin = 10;
  if (data[6] > 1) {
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
    begin = 12;
  }
  if (length > MAX_HEADER || !pt_range_fits (begin, length, size))
    return FALSE;
  s->at = (const char *) data + begin;
  s->end = s->at + length;
  *data_offset = begin + length;
  return TRUE;
}

static int
find_dtype (const char *descr)
{
  guint i;

  /* "=" is the machine's own order, "|" none; all supported machines are little-endian. */
  for (i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].descr + 1, descr + 1) == 0 && descr[0] != '>' &&
        strchr ("<|=", descr[0]) != NULL)
      return (int) types[i].dtype;
  return -1;
}

/* A tensor over the mapped elements; copied when the offset does not suit their type. */
static PtTensorFile *
wrap_elements (GBytes *bytes, gsize offset, PtDType dtype, const Header *header,
               const guint8 *dim_order, GError **error)
{
  g_autoptr (PtTensorFile) file = g_new0 (PtTensorFile, 1);
  gsize size, available = g_bytes_get_size (bytes) - offset;

  if (!pt_tensor_init (&file->tensor, dtype, header->rank, header->sizes, dim_order, NULL, error))
    return NULL;
  size = pt_tensor_nbytes (&file->tensor);
  if (size > available) {
    pt_fail (error, PT_ERROR_FORMAT,
             "it holds %" G_GSIZE_FORMAT " bytes of elements, not %" G_GSIZE_FORMAT ".", available,
             size);
    return NULL;
  }
  file->bytes = g_bytes_new_from_bytes (bytes, offset, size);
  file->tensor.data = (gpointer) g_bytes_get_data (file->bytes, NULL);
  file->tensor.capacity = size;
  file->tensor.is_constant = TRUE;
  if (size > 0 && (guintptr) file->tensor.data % pt_dtype_size (dtype) != 0) {
    gpointer copy = pt_allocate (size, 1, error);

    if (copy == NULL)
      return NULL;
    memcpy (copy, file->tensor.data, size);
    g_bytes_unref (file->bytes);
    file->bytes = g_bytes_new_take (copy, size);
    file->tensor.data = copy;
  }
  return g_steal_pointer (&file);
}

static PtTensorFile *
parse (GBytes *bytes, GError **error)
{
  g_autoptr (PtTensorFile) file = NULL;
  guint8 reversed[PT_MAX_RANK];
  Header header = { 0 };
  gsize size, offset;
  Scanner scanner;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  int dtype;
  guint i;

  if (!find_header (data, size, &scanner, &offset) || !read_header (&scanner, &header)) {
    pt_fail (error, PT_ERROR_FORMAT, "it is not a NumPy file, or a damaged one.");
    return NULL;
  }
  dtype = find_dtype (header.descr);
  if (dtype < 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "elements of type \"%s\" are not supported.",
             header.descr);
    return NULL;
  }
  for (i = 0; i < header.rank; i++)
    reversed[i] = (guint8) (header.rank - 1 - i);
  file = wrap_elements (bytes, offset, (PtDType) dtype, &header,
                        header.fortran_order ? reversed : NULL, error);
  if (file == NULL || !header.fortran_order)
    return g_steal_pointer (&file);
  return pt_tensor_file_reorder (&file->tensor, NULL, error);
}

PtTensorFile *
pt_npy_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map_any (path, error);
  g_autoptr (PtTensorFile) file = NULL;

  if (bytes == NULL)
    return NULL;
  file = parse (bytes, error);
  if (file == NULL) {
    g_autofree char *name = g_filename_display_name (path);

    pt_prefix_error (error, "%s: ", name);
  }
  return pt_file_settle (file != NULL, bytes, path, error) ? g_steal_pointer (&file) : NULL;
}

/* Magic, version 1.0 and the dictionary, padded so that the elements begin at a multiple of 64. */
static GString *
make_header (const PtTensor *tensor)
{
  GString *text = g_string_new (NULL);
  gsize length;
  guint i;

  g_string_append_len (text, MAGIC "\x01\x00\x00\x00", 10);
  g_string_append_printf (text, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                          descr_of (tensor->dtype));
  for (i = 0; i < tensor->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", tensor->sizes[i]);
  g_string_append (text, tensor->rank == 1 ? ",), }" : "), }");
  while ((text->len + 1) % 64 != 0)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  length = text->len - 10;
  text->str[8] = (char) (length & 0xff);
  text->str[9] = (char) (length >> 8);
  return text;
}

gboolean
pt_npy_write (const char *path, const PtTensor *tensor, const char *const *inputs, GError **error)
{
  g_autoptr (PtTensorFile) reordered = NULL;
  g_autoptr (GString) header = NULL;

  if (!pt_tensor_is_contiguous (tensor)) {
    reordered = pt_tensor_file_reorder (tensor, NULL, error);
    if (reordered == NULL)
      return FALSE;
    tensor = &reordered->tensor;
  }
  header = make_header (tensor);
  return pt_output_write (path, PT_OUTPUT_ARRAY, inputs,
                          (const PtOutputPart[]){ { header->str, header->len },
                                                  { tensor->data, pt_tensor_nbytes (tensor) } },
                          2, error);
}
