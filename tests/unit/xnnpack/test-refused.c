/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/error.h>

#include "graph-builder.h"

/* Refused nodes of each kind: wrong types at load time, wrong shapes in a call. */

enum {
  F32 = PT_XNN_F32,
  F16 = PT_XNN_F16,
  BF16 = PT_XNN_BF16,
  QI8 = PT_XNN_QI8,
  QU8 = PT_XNN_QU8,
  QI32 = PT_XNN_QI32,
  QC8 = PT_XNN_QC8,
  QC4 = PT_XNN_QC4,
  QD8 = PT_XNN_QD8,
  QB4 = PT_XNN_QB4,
  I32 = PT_XNN_I32,
};

enum {
  ADD = 1,
  FC = 2,
  SOFTMAX = 3,
  TRANSPOSE = 5,
  CONV = 7,
  DIV = 8,
  RESIZE = 9,
  PAD = 10,
  AVERAGE = 11,
  DEPTHWISE = 13,
  MAXIMUM_POOL = 14,
  CONVERT = 18,
  GLOBAL_AVERAGE = 19,
  RESHAPE = 20,
  ARGMAX = 21,
  NEGATE = 27,
  PRELU = 31,
  CONCATENATE2 = 32,
  SLICE = 35,
  MATMUL = 37,
  CONV_TRANSPOSE = 39,
};

#define MAX_VALUES 5

typedef struct {
  guint8 tag;
  Value values[MAX_VALUES]; /* up to the first of no type */
  Node node;
  PtError code;
  const char *words;
} Case;

static const float zeros[256];
static const float ones[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };

#define IN(type_, rank_, ...)                                                 \
  {                                                                           \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .flags = INPUT \
  }
#define OUT(type_, rank_, ...)                                                 \
  {                                                                            \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .flags = OUTPUT \
  }
#define CONSTANT(type_, rank_, ...)                                                                \
  {                                                                                                \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .data = zeros, .size = sizeof zeros \
  }
/* With parameters of quantisation. */
#define Q_IN(type_, scale_, zero_, rank_, ...)                                                    \
  {                                                                                               \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .flags = INPUT, .scale = (scale_), \
    .zero_point = (zero_)                                                                         \
  }
#define Q_OUT(type_, scale_, zero_, rank_, ...)                                                    \
  {                                                                                                \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .flags = OUTPUT, .scale = (scale_), \
    .zero_point = (zero_)                                                                          \
  }
#define Q_CONSTANT(type_, scale_, zero_, rank_, ...)                          \
  {                                                                           \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .data = zeros, \
    .size = sizeof zeros, .scale = (scale_), .zero_point = (zero_)            \
  }
#define CHANNELS(type_, n_, dim_, rank_, ...)                                     \
  {                                                                               \
    .type = (type_), .rank = (rank_), .dims = { __VA_ARGS__ }, .data = zeros,     \
    .size = sizeof zeros, .scales = ones, .n_scales = (n_), .channel_dim = (dim_) \
  }
#define ROWS(nonbatch, rank_, ...)                                                  \
  {                                                                                 \
    .type = QD8, .rank = (rank_), .dims = { __VA_ARGS__ }, .n_nonbatch = (nonbatch) \
  }

#define SLOTS(n, ...)                        \
  {                                          \
    .n_slots = (n), .slots = { __VA_ARGS__ } \
  }
/* Padding, kernel, stride, dilation; group's inputs and outputs, groups; input, filter, output. */
#define WINDOW(pad, kernel, stride, dilation) \
  pad, pad, pad, pad, kernel, kernel, stride, stride, dilation, dilation
#define CONV_SLOTS(pad, kernel, stride, in, out, groups) \
  SLOTS (19, WINDOW (pad, kernel, stride, 1), in, out, groups, 0, 0, 0, 1, NONE, 2)
#define POOL_SLOTS(pad, kernel, dilation) SLOTS (12, WINDOW (pad, kernel, 1, dilation), 0, 1)
#define ARGMAX_SLOTS SLOTS (9, 0, 0, 0, 0, 2, 2, 0, 1, 2)
#define LIST(n, ...)                                                                               \
  {                                                                                                \
    .n_slots = 4, .slots = { n, 0, 0, 1 }, .n_lists = 1, .list_slots = { 1 }, .list_sizes = { n }, \
    .lists = {                                                                                     \
      { __VA_ARGS__ }                                                                              \
    }                                                                                              \
  }
#define LISTS(n_slots_, first, n, ...)                                     \
  {                                                                        \
    .n_slots = (n_slots_), .slots = { n, 0, 0, 0, 1 }, .n_lists = 2,       \
    .list_slots = { first, first + 1 }, .list_sizes = { n, n }, .lists = { \
      { __VA_ARGS__ }                                                      \
    }                                                                      \
  }

/* Refused when the delegate is loaded. */
static const Case types[] = {
  { ADD,
    { IN (F32, 1, 4), IN (F16, 1, 4), OUT (F32, 1, 4) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "Add from fp32, fp16 to fp32" },
  { ADD,
    { IN (I32, 1, 4), IN (I32, 1, 4), OUT (I32, 1, 4) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "Add from int32, int32 to int32" },
  { DIV,
    { Q_IN (QI8, 1, 0, 1, 4), Q_IN (QI8, 1, 0, 1, 4), Q_OUT (QI8, 1, 0, 1, 4) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "Div from qint8, qint8 to qint8" },
  { ADD,
    { Q_IN (QI8, 1, 0, 1, 4), Q_IN (QI8, 1000, 0, 1, 4), Q_OUT (QI8, 1, 0, 1, 4) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "scales differ by more" },
  { CONVERT,
    { Q_IN (QI8, 1, 0, 1, 4), Q_OUT (QU8, 1e-3f, 0, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "scales differ by more" },
  { CONVERT,
    { IN (I32, 1, 4), OUT (F32, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Convert from int32 to fp32" },
  { CONVERT,
    { IN (F16, 1, 4), OUT (BF16, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Convert from fp16 to bf16" },
  { NEGATE,
    { IN (F32, 1, 4), OUT (F16, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Negate from fp32 to fp16" },
  { NEGATE,
    { IN (I32, 1, 4), OUT (I32, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Negate from int32 to int32" },
  { SOFTMAX,
    { IN (F32, 1, 4), OUT (F16, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Softmax from fp32 to fp16" },
  { SOFTMAX,
    { IN (I32, 1, 4), OUT (I32, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "Softmax from int32" },
  { MATMUL,
    { IN (F32, 2, 2, 2), IN (F16, 2, 2, 2), OUT (F32, 2, 2, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "BatchMatrixMultiply from fp32, fp16" },
  { MATMUL,
    { IN (I32, 2, 2, 2), IN (I32, 2, 2, 2), OUT (I32, 2, 2, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_UNSUPPORTED,
    "BatchMatrixMultiply from int32" },
  { FC,
    { IN (F32, 2, 2, 4), CONSTANT (F16, 2, 3, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from fp32, fp16" },
  { FC,
    { IN (F32, 2, 2, 4), CONSTANT (F32, 2, 3, 4), CONSTANT (F16, 1, 3), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, 2, 3),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from fp32, fp32, fp16" },
  { FC,
    { IN (I32, 2, 2, 4), CONSTANT (F32, 2, 3, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from int32" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), IN (F32, 2, 3, 4), Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qint8, fp32" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), CONSTANT (F32, 2, 3, 4), Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qint8, fp32" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qint8, qcint8 to fp32" },
  /* The scales belong to rows of the file, here the inputs of the product. */
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), CHANNELS (QC8, 4, 1, 2, 3, 4), Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "scales do not belong" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), Q_CONSTANT (QI8, 1, 5, 2, 3, 4), Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_UNSUPPORTED,
    "filter has a zero point" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), CONSTANT (F32, 1, 3),
      Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, 2, 3),
    PT_ERROR_UNSUPPORTED,
    "bias does not fit" },
  { FC,
    { Q_IN (QI8, 1, 0, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), Q_CONSTANT (QI32, 1, 0, 1, 2),
      Q_OUT (QI8, 1, 0, 2, 2, 3) },
    SLOTS (4, 0, 1, 2, 3),
    PT_ERROR_UNSUPPORTED,
    "bias does not fit" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), CONSTANT (F16, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "Conv2d from fp32, fp16" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), IN (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "filter does not fit" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), CONSTANT (F32, 3, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "filter does not fit" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 3), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "filter does not fit" },
  { DEPTHWISE,
    { IN (F32, 4, 1, 3, 3, 4), CONSTANT (F32, 4, 1, 2, 2, 4), OUT (F32, 4, 1, 2, 2, 4) },
    CONV_SLOTS (0, 2, 1, 2, 2, 2),
    PT_ERROR_UNSUPPORTED,
    "filter does not fit" },
  { CONV,
    { Q_IN (QI8, 1, 0, 4, 1, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2),
      Q_OUT (QI8, 1, 0, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "Conv2d from qint8, fp32" },
  { CONV,
    { Q_IN (QI8, 1, 0, 4, 1, 3, 3, 2), CHANNELS (QC8, 2, 0, 4, 2, 2, 2, 2),
      OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "Conv2d from qint8, qcint8 to fp32" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 0, 2, 1),
    PT_ERROR_PROGRAM,
    "no channels" },
  { MAXIMUM_POOL,
    { IN (F32, 4, 1, 3, 3, 2), OUT (F32, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 0),
    PT_ERROR_PROGRAM,
    "window is empty" },
  { MAXIMUM_POOL,
    { IN (F32, 4, 1, 3, 3, 2), OUT (F16, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "MaxPooling2d from fp32 to fp16" },
  { AVERAGE,
    { IN (I32, 4, 1, 3, 3, 2), OUT (I32, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 1),
    PT_ERROR_UNSUPPORTED,
    "AvgPooling2d from int32" },
  { GLOBAL_AVERAGE,
    { IN (I32, 4, 1, 3, 3, 2), OUT (I32, 4, 1, 1, 1, 2) },
    SLOTS (2, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "GlobalAvgPooling2d from int32" },
  { ARGMAX,
    { IN (F16, 4, 1, 4, 4, 2), OUT (F16, 4, 1, 2, 2, 2), OUT (I32, 4, 1, 2, 2, 2) },
    ARGMAX_SLOTS,
    PT_ERROR_UNSUPPORTED,
    "ArgMaxPooling2d from fp16" },
  { ARGMAX,
    { IN (F32, 4, 1, 4, 4, 2), OUT (F32, 4, 1, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    ARGMAX_SLOTS,
    PT_ERROR_UNSUPPORTED,
    "ArgMaxPooling2d from fp32" },
  { RESIZE,
    { IN (F32, 4, 1, 3, 3, 2), OUT (F16, 4, 1, 5, 5, 2) },
    SLOTS (4, 5, 5, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "StaticResizeBilinear2D from fp32 to fp16" },
  { RESIZE,
    { IN (I32, 4, 1, 3, 3, 2), OUT (I32, 4, 1, 5, 5, 2) },
    SLOTS (4, 5, 5, 0, 1),
    PT_ERROR_UNSUPPORTED,
    "StaticResizeBilinear2D from int32" },
  { RESIZE,
    { IN (F32, 4, 1, 3, 3, 2), OUT (F32, 4, 1, 5, 5, 2) },
    SLOTS (4, 0, 5, 0, 1),
    PT_ERROR_PROGRAM,
    "impossible size" },
  { RESHAPE,
    { IN (F32, 1, 4), OUT (F16, 1, 4) },
    LIST (1, 4),
    PT_ERROR_UNSUPPORTED,
    "StaticReshape from fp32 to fp16" },
  { RESHAPE, { IN (F32, 1, 4), OUT (F32, 1, 4) }, LIST (1, -4), PT_ERROR_PROGRAM, "negative size" },
  { PAD,
    { IN (F32, 1, 4), OUT (F32, 1, 4) },
    LISTS (5, 0, 1, -4),
    PT_ERROR_PROGRAM,
    "negative padding" },
  /* Rows that are quantised while running, for which a Convert is put in front. */
  { FC,
    { IN (F32, 2, 2, 32),
      ROWS (1, 2, 2, 32),
      { .type = QB4,
        .rank = 2,
        .dims = { 32, 32 },
        .data = zeros,
        .size = 512,
        .group = 32,
        .group_scales_f32 = zeros,
        .n_scales = 32 },
      OUT (F32, 2, 2, 32) },
    SLOTS (5, 1, 2, NONE, 3, 1),
    PT_ERROR_UNSUPPORTED,
    "with groups is transposed" },
  { FC,
    { IN (F32, 2, 2, 4), ROWS (1, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), OUT (I32, 2, 2, 3) },
    SLOTS (4, 1, 2, NONE, 3),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qdint8, qcint8 to int32" },
  { FC,
    { IN (F32, 2, 2, 4), ROWS (2, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 1, 2, NONE, 3),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qdint8, qcint8 to fp32" },
  { FC,
    { IN (F32, 2, 2, 4), ROWS (1, 2, 2, 4), CONSTANT (F32, 2, 3, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 1, 2, NONE, 3),
    PT_ERROR_UNSUPPORTED,
    "FullyConnected from qdint8, fp32" },
  { FC,
    { IN (F32, 2, 2, 4), ROWS (1, 2, 2, 4), CHANNELS (QC8, 3, 0, 2, 3, 4), CONSTANT (F32, 1, 2),
      OUT (F32, 2, 2, 3) },
    SLOTS (4, 1, 2, 3, 4),
    PT_ERROR_UNSUPPORTED,
    "bias does not fit" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 2), ROWS (1, 4, 1, 3, 3, 2), CHANNELS (QC8, 2, 0, 4, 2, 2, 2, 2),
      OUT (F32, 4, 1, 2, 2, 2) },
    SLOTS (19, WINDOW (0, 2, 1, 1), 2, 2, 1, 0, 0, 1, 2, NONE, 3),
    PT_ERROR_UNSUPPORTED,
    "Conv2d from qdint8, qcint8 to fp32" },
  { NEGATE,
    { { .type = QD8, .rank = 1, .dims = { 4 }, .n_nonbatch = 1, .flags = INPUT }, OUT (F32, 1, 4) },
    SLOTS (2, 0, 1),
    PT_ERROR_PROGRAM,
    "(qdint8) cannot be an argument" },
};

/* Refused when it is called. */
static const Case shapes[] = {
  { ADD,
    { IN (F32, 2, 2, 3), IN (F32, 2, 4, 3), OUT (F32, 2, 4, 3) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "do not fit together" },
  { PRELU,
    { IN (F32, 1, 3), IN (F32, 2, 4, 3), OUT (F32, 2, 4, 3) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "slopes are larger" },
  { MATMUL,
    { IN (F32, 1, 3), IN (F32, 2, 3, 2), OUT (F32, 1, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "no matrices" },
  { MATMUL,
    { IN (F32, 2, 3, 2), IN (F32, 1, 2), OUT (F32, 1, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "no matrices" },
  { MATMUL,
    { IN (F32, 2, 2, 3), IN (F32, 2, 4, 2), OUT (F32, 2, 2, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "matrices do not fit" },
  { MATMUL,
    { IN (F32, 2, 2, 3), IN (F32, 2, 3, 2), OUT (F32, 2, 2, 2) },
    SLOTS (4, 0, 1, 2, 1),
    PT_ERROR_ARGUMENT,
    "matrices do not fit" },
  { MATMUL,
    { IN (F32, 3, 2, 2, 3), IN (F32, 3, 3, 3, 2), OUT (F32, 3, 3, 2, 2) },
    SLOTS (3, 0, 1, 2),
    PT_ERROR_ARGUMENT,
    "inputs do not fit" },
  { FC,
    { IN (F32, 2, 2, 4), IN (F32, 1, 4), OUT (F32, 2, 2, 4) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_ARGUMENT,
    "filter is no matrix" },
  { FC,
    { IN (F32, 2, 2, 4), CONSTANT (F32, 2, 3, 5), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, NONE, 2),
    PT_ERROR_ARGUMENT,
    "input does not fit its filter" },
  { FC,
    { IN (F32, 2, 2, 4), CONSTANT (F32, 2, 3, 4), CONSTANT (F32, 1, 4), OUT (F32, 2, 2, 3) },
    SLOTS (4, 0, 1, 2, 3),
    PT_ERROR_ARGUMENT,
    "bias does not fit" },
  { NEGATE,
    { IN (F32, 1, 4), ROWS (2, 2, 1, 4), OUT (F32, 1, 4) },
    SLOTS (2, 0, 2),
    PT_ERROR_ARGUMENT,
    "too few dimensions" },
  { CONV,
    { IN (F32, 3, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "not four-dimensional" },
  { CONV,
    { IN (F32, 4, 1, 3, 3, 3), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "another number of channels" },
  { CONV,
    { IN (F32, 4, 1, 1, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "smaller than its window" },
  { CONV,
    { IN (F32, 4, 1, 3, 1, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 2, 2, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "smaller than its window" },
  { CONV_TRANSPOSE,
    { IN (F32, 3, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 4, 4, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "not four-dimensional" },
  { CONV_TRANSPOSE,
    { IN (F32, 4, 1, 0, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 4, 4, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "empty or too large" },
  { CONV_TRANSPOSE,
    { IN (F32, 4, 1, 3, 0, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 4, 4, 2) },
    CONV_SLOTS (0, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "empty or too large" },
  { CONV_TRANSPOSE,
    { IN (F32, 4, 1, 3, 3, 2), CONSTANT (F32, 4, 2, 2, 2, 2), OUT (F32, 4, 1, 4, 4, 2) },
    CONV_SLOTS (3, 2, 1, 2, 2, 1),
    PT_ERROR_ARGUMENT,
    "padding is larger" },
  { MAXIMUM_POOL,
    { IN (F32, 3, 3, 3, 2), OUT (F32, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 1),
    PT_ERROR_ARGUMENT,
    "not four-dimensional" },
  { AVERAGE,
    { IN (F32, 4, 1, 1, 3, 2), OUT (F32, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 1),
    PT_ERROR_ARGUMENT,
    "smaller than its window" },
  { MAXIMUM_POOL,
    { IN (F32, 4, 1, 3, 3, 2), OUT (F32, 4, 1, 2, 2, 2) },
    POOL_SLOTS (0, 2, 3),
    PT_ERROR_ARGUMENT,
    "smaller than its window" },
  { ARGMAX,
    { IN (F32, 4, 1, 1, 4, 2), OUT (F32, 4, 1, 2, 2, 2), OUT (I32, 4, 1, 2, 2, 2) },
    ARGMAX_SLOTS,
    PT_ERROR_ARGUMENT,
    "smaller than its window" },
  { GLOBAL_AVERAGE,
    { IN (F32, 2, 3, 2), OUT (F32, 2, 1, 2) },
    SLOTS (2, 0, 1),
    PT_ERROR_ARGUMENT,
    "no image" },
  { GLOBAL_AVERAGE,
    { IN (F32, 3, 0, 3, 2), OUT (F32, 3, 1, 1, 2) },
    SLOTS (2, 0, 1),
    PT_ERROR_ARGUMENT,
    "no image" },
  { GLOBAL_AVERAGE,
    { IN (F32, 3, 3, 0, 2), OUT (F32, 3, 1, 1, 2) },
    SLOTS (2, 0, 1),
    PT_ERROR_ARGUMENT,
    "no image" },
  { RESIZE,
    { IN (F32, 3, 3, 3, 2), OUT (F32, 4, 1, 5, 5, 2) },
    SLOTS (4, 5, 5, 0, 1),
    PT_ERROR_ARGUMENT,
    "not four-dimensional" },
  { RESIZE,
    { IN (F32, 4, 1, 0, 3, 2), OUT (F32, 4, 1, 5, 5, 2) },
    SLOTS (4, 5, 5, 0, 1),
    PT_ERROR_ARGUMENT,
    "input is empty" },
  { RESIZE,
    { IN (F32, 4, 1, 3, 0, 2), OUT (F32, 4, 1, 5, 5, 2) },
    SLOTS (4, 5, 5, 0, 1),
    PT_ERROR_ARGUMENT,
    "input is empty" },
  { TRANSPOSE,
    { IN (F32, 3, 1, 2, 3), OUT (F32, 2, 3, 2) },
    LIST (2, 1, 0),
    PT_ERROR_ARGUMENT,
    "another number of dimensions" },
  { SLICE,
    { IN (F32, 3, 1, 2, 3), OUT (F32, 2, 3, 2) },
    LISTS (5, 1, 2, 0),
    PT_ERROR_ARGUMENT,
    "another number of dimensions" },
  { PAD,
    { IN (F32, 3, 1, 2, 3), OUT (F32, 2, 3, 2) },
    LISTS (5, 0, 2, 0),
    PT_ERROR_ARGUMENT,
    "another number of dimensions" },
  { RESHAPE,
    { IN (F32, 1, 6), OUT (F32, 2, 4, 2) },
    LIST (2, 4, 2),
    PT_ERROR_ARGUMENT,
    "another number of elements" },
  { RESHAPE,
    { IN (F32, 1, 6), OUT (F32, 2, 4, 1) },
    LIST (2, 4, 0),
    PT_ERROR_ARGUMENT,
    "another number of elements" },
  { RESHAPE,
    { IN (F32, 1, 6), OUT (F32, 3, 4, 1, 1) },
    LIST (3, G_MAXINT32, G_MAXINT32, G_MAXINT32),
    PT_ERROR_ARGUMENT,
    "new shape is too large" },
  { RESHAPE,
    { IN (F32, 1, 6), OUT (F32, 2, 4, 1) },
    LIST (2, G_MAXINT32, G_MAXINT32),
    PT_ERROR_MEMORY,
    "too large" },
  { CONCATENATE2,
    { IN (F32, 2, 2, 3), IN (F32, 2, 4, 3), OUT (F32, 2, 4, 3) },
    SLOTS (6, 1, 0, 1, 0, 0, 2),
    PT_ERROR_ARGUMENT,
    "do not fit together" },
  { CONCATENATE2,
    { IN (F32, 2, 2, 3), IN (F32, 1, 3), OUT (F32, 2, 4, 3) },
    SLOTS (6, 0, 0, 1, 0, 0, 2),
    PT_ERROR_ARGUMENT,
    "do not fit together" },
  { CONCATENATE2,
    { IN (F32, 2, 2, 3), IN (F32, 2, 2, 3), OUT (F32, 2, 4, 3) },
    SLOTS (6, 2, 0, 1, 0, 0, 2),
    PT_ERROR_ARGUMENT,
    "axis is no dimension" },
};

/* ---- doing it ---- */

static PtDType
dtype_of (int type)
{
  switch (type) {
  case F16: return PT_DTYPE_F16;
  case BF16: return PT_DTYPE_BF16;
  case QI8: return PT_DTYPE_I8;
  case QU8: return PT_DTYPE_U8;
  case I32: return PT_DTYPE_I32;
  default: return PT_DTYPE_F32;
  }
}

typedef struct {
  PtTensor tensors[MAX_VALUES];
  PtTensor *args[MAX_VALUES];
  guint n;
} Arguments;

static Builder *
build (const Case *c, Arguments *arguments)
{
  static guint8 memory[MAX_VALUES][4096];
  Builder *b = builder_new ();
  Node node = c->node;

  memset (arguments, 0, sizeof *arguments);
  for (guint i = 0; i < MAX_VALUES && c->values[i].type != 0; i++) {
    Value value = c->values[i];
    gint64 sizes[8];

    if (value.flags != 0) {
      guint n = arguments->n++;

      value.external = n;
      for (guint k = 0; k < value.rank; k++)
        sizes[k] = value.dims[k];
      arguments->tensors[n] =
          make_tensor (dtype_of (value.type), value.rank, sizes, memory[n], sizeof memory[n]);
      arguments->args[n] = &arguments->tensors[n];
    }
    builder_value (b, value);
    if (value.type == QD8 && value.flags == 0)
      builder_simple (b, CONVERT, 2, (guint32[]){ 0, i });
  }
  node.tag = c->tag;
  builder_node (b, node);
  return b;
}

static void
check_error (const Case *c, guint i, GError *error)
{
  g_assert_nonnull (error);
  if (error->code != (int) c->code || strstr (error->message, c->words) == NULL)
    g_error ("case %u: \"%s\" (%d) does not say \"%s\" (%d)", i, error->message, error->code,
             c->words, (int) c->code);
  g_error_free (error);
}

static void
test_types (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    Arguments arguments;
    g_autoptr (Builder) b = build (&types[i], &arguments);
    g_autoptr (GBytes) payload = builder_finish (b, TRUE);
    GError *error = NULL;

    g_assert_null (delegate_new (payload, &error));
    check_error (&types[i], i, error);
  }
}

static void
test_shapes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++) {
    Arguments arguments;
    g_autoptr (Builder) b = build (&shapes[i], &arguments);
    g_autoptr (GBytes) payload = builder_finish (b, TRUE);
    GError *error = NULL;
    gpointer delegate = delegate_new (payload, &error);

    g_assert_no_error (error);
    if (delegate_run (delegate, arguments.args, arguments.n, &error))
      g_error ("shape %u runs, which is to be refused: %s", i, shapes[i].words);
    check_error (&shapes[i], i, error);
    delegate_free (delegate);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xnnpack/refused/types", test_types);
  g_test_add_func ("/xnnpack/refused/shapes", test_shapes);
  return g_test_run ();
}
