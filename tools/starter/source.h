/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <jansson.h>

G_BEGIN_DECLS

/*
 * The original weights of a starter model: named tensors inside a GGUF, a CTranslate2 or a
 * safetensors file, read as float32 rows. Every offset and count of the file is checked when it is
 * opened.
 */

typedef enum {
  SOURCE_F32,
  SOURCE_F16,
  SOURCE_Q8_0, /* blocks of 32: float16 scale, 32 int8 */
  SOURCE_Q4_1, /* blocks of 32: float16 scale, float16 minimum, 32 nibbles, the low ones first */
} SourceKind;

#define SOURCE_MAX_RANK 4

typedef struct {
  char *name;
  SourceKind kind;
  guint rank;
  gsize dims[SOURCE_MAX_RANK];
  gsize row_size;     /* elements of one row: all dims but the first */
  const guint8 *data; /* borrowed from the source */
  guint heads;        /* > 0: number of heads; rows are interleaved in pairs for rotary embedding */
} SourceTensor;

typedef struct {
  GBytes *bytes;
  GHashTable *tensors; /* name -> SourceTensor */
} Source;

/** @format: "gguf", "ctranslate2" or "safetensors". Takes a reference on @bytes. Free with
 * source_free(). */
Source *source_open (const char *format, GBytes *bytes, GError **error);
/**
 * The same for @bytes that are float32 numbers only: tensors one after the other. @tensors: a JSON
 * array of name and shape of each.
 */
Source *source_open_raw (json_t *tensors, GBytes *bytes, GError **error);
void source_free (Source *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Source, source_free)

/** NULL with an error when there is none. */
const SourceTensor *source_find (const Source *source, const char *name, GError **error);

/** Read row @row as row_size floats. The row must exist. */
void source_read_row (const SourceTensor *tensor, gsize row, float *out);

/* For the readers. */

typedef struct {
  const guint8 *data;
  gsize size;
  gsize pos;
  gboolean failed; /* once set, all reads give 0 */
} SourceReader;

guint64 source_take (SourceReader *reader, gsize width);
const guint8 *source_take_bytes (SourceReader *reader, guint64 size);

/** Check that @tensor fits in its @available bytes and add it; takes @tensor. */
gboolean source_add (Source *source, SourceTensor *tensor, gsize available, GError **error);
void source_tensor_free (SourceTensor *tensor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SourceTensor, source_tensor_free)

gboolean source_read_gguf (Source *source, GError **error);
gboolean source_read_ctranslate2 (Source *source, GError **error);
gboolean source_read_safetensors (Source *source, GError **error);

/** Read the dimensions of @tensor from the JSON array @shape. FALSE: they are invalid. */
gboolean source_take_shape (json_t *shape, SourceTensor *tensor);

G_END_DECLS
