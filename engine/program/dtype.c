/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/dtype.h"

#include <string.h>

static const struct {
  const char *name;
  gsize size;
} dtypes[PT_N_DTYPES] = {
  { "uint8", 1 },           { "int8", 1 },
  { "int16", 2 },           { "int32", 4 },
  { "int64", 8 },           { "float16", 2 },
  { "float32", 4 },         { "float64", 8 },
  { "complex32", 4 },       { "complex64", 8 },
  { "complex128", 16 },     { "bool", 1 },
  { "qint8", 1 },           { "quint8", 1 },
  { "qint32", 4 },          { "bfloat16", 2 },
  { "quint4x2", 1 },        { "quint2x4", 1 },
  { "bits1x8", 1 },         { "bits2x4", 1 },
  { "bits4x2", 1 },         { "bits8", 1 },
  { "bits16", 2 },          { "float8_e5m2", 1 },
  { "float8_e4m3fn", 1 },   { "float8_e5m2fnuz", 1 },
  { "float8_e4m3fnuz", 1 }, { "uint16", 2 },
  { "uint32", 4 },          { "uint64", 8 },
};

gsize
pt_dtype_size (int dtype)
{
  return pt_dtype_is_valid (dtype) ? dtypes[dtype].size : 0;
}

const char *
pt_dtype_name (int dtype)
{
  return pt_dtype_is_valid (dtype) ? dtypes[dtype].name : NULL;
}

int
pt_dtype_from_name (const char *name)
{
  for (int i = 0; i < PT_N_DTYPES; i++)
    if (strcmp (name, dtypes[i].name) == 0)
      return i;
  return -1;
}
