/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/nodes.h"

#include "engine/base/set-error.h"
#include "engine/xnnpack/xnn-convolution.h"
#include "engine/xnnpack/xnn-elementwise.h"
#include "engine/xnnpack/fully-connected.h"
#include "engine/xnnpack/xnn-image.h"
#include "engine/xnnpack/xnn-matmul.h"
#include "engine/xnnpack/quantize.h"
#include "engine/xnnpack/xnn-shape-nodes.h"

#define UNARY(name, detail)                                                                       \
  {                                                                                               \
    name, PT_XNN_TABLE_N1, 1, detail, pt_xnn_prepare_unary, pt_xnn_shape_same, pt_xnn_setup_unary \
  }
#define UNARY_NUMBER(name, detail)                                                 \
  {                                                                                \
    name, PT_XNN_TABLE_SCALAR, 1, detail, pt_xnn_prepare_unary, pt_xnn_shape_same, \
        pt_xnn_setup_unary                                                         \
  }
#define BINARY(name, detail)                                                         \
  {                                                                                  \
    name, PT_XNN_TABLE_N2, 2, detail, pt_xnn_prepare_binary, pt_xnn_shape_broadcast, \
        pt_xnn_setup_binary                                                          \
  }
#define CONCATENATE(name, n)                                                                     \
  {                                                                                              \
    name, PT_XNN_TABLE_CAT, n, 0, pt_xnn_prepare_moves, pt_xnn_shape_concat, pt_xnn_setup_concat \
  }

/* By tag (docs/formats/xnnpack.md, section 5). */
static const PtXnnClass classes[] = {
  [PT_XNN_TAG_ADD] = BINARY ("Add", PT_BINARY_ADD),
  [PT_XNN_TAG_FULLY_CONNECTED] = { "FullyConnected", PT_XNN_TABLE_FC, 3, 0,
                                   pt_xnn_prepare_fully_connected, pt_xnn_shape_fully_connected,
                                   pt_xnn_setup_fully_connected },
  [3] = { "Softmax", PT_XNN_TABLE_N1, 1, 0, pt_xnn_prepare_softmax, pt_xnn_shape_same,
          pt_xnn_setup_softmax },
  [4] = UNARY ("Sigmoid", PT_UNARY_XNN_SIGMOID),
  [PT_XNN_TAG_TRANSPOSE] = { "StaticTranspose", PT_XNN_TABLE_TRANSPOSE, 1, 0, pt_xnn_prepare_moves,
                             pt_xnn_shape_transpose, pt_xnn_setup_transpose },
  [PT_XNN_TAG_CLAMP] = UNARY ("Clamp", PT_XNN_UNARY_CLAMP),
  [7] = { "Conv2d", PT_XNN_TABLE_CONV, 3, PT_XNN_CONV_NORMAL, pt_xnn_prepare_conv,
          pt_xnn_shape_conv, pt_xnn_setup_conv },
  [8] = BINARY ("Div", PT_BINARY_DIV),
  [9] = { "StaticResizeBilinear2D", PT_XNN_TABLE_RESIZE, 1, 0, pt_xnn_prepare_resize,
          pt_xnn_shape_resize, NULL },
  [10] = { "StaticConstantPad", PT_XNN_TABLE_PAD, 1, 0, pt_xnn_prepare_moves, pt_xnn_shape_pad,
           pt_xnn_setup_pad },
  [11] = { "AvgPooling2d", PT_XNN_TABLE_POOL, 1, PT_XNN_POOL_AVERAGE, pt_xnn_prepare_pool,
           pt_xnn_shape_pool, pt_xnn_setup_pool },
  [12] = BINARY ("Minimum", PT_BINARY_MIN),
  [13] = { "DepthwiseConv2d", PT_XNN_TABLE_CONV, 3, PT_XNN_CONV_DEPTHWISE, pt_xnn_prepare_conv,
           pt_xnn_shape_conv, pt_xnn_setup_conv },
  [14] = { "MaxPooling2d", PT_XNN_TABLE_POOL, 1, PT_XNN_POOL_MAX, pt_xnn_prepare_pool,
           pt_xnn_shape_pool, pt_xnn_setup_pool },
  [PT_XNN_TAG_MULTIPLY] = BINARY ("Multiply", PT_BINARY_MUL),
  [PT_XNN_TAG_SUBTRACT] = BINARY ("Subtract", PT_BINARY_SUB),
  [17] = UNARY ("Floor", PT_UNARY_FLOOR),
  [PT_XNN_TAG_CONVERT] = { "Convert", PT_XNN_TABLE_N1, 1, 0, pt_xnn_prepare_convert,
                           pt_xnn_shape_same, pt_xnn_setup_convert },
  [19] = { "GlobalAvgPooling2d", PT_XNN_TABLE_N1, 1, 0, pt_xnn_prepare_global_average,
           pt_xnn_shape_global_average, pt_xnn_setup_pool },
  [PT_XNN_TAG_RESHAPE] = { "StaticReshape", PT_XNN_TABLE_RESHAPE, 1, 0, pt_xnn_prepare_moves,
                           pt_xnn_shape_reshape, pt_xnn_setup_copy },
  [21] = { "ArgMaxPooling2d", PT_XNN_TABLE_ARGMAX, 1, 0, pt_xnn_prepare_argmax, pt_xnn_shape_argmax,
           NULL },
  [22] = UNARY ("SquareRoot", PT_UNARY_SQRT),
  [23] = UNARY ("Ceiling", PT_UNARY_CEIL),
  [24] = UNARY ("Hardswish", PT_UNARY_HARDSWISH),
  [25] = UNARY_NUMBER ("LeakyReLU", PT_XNN_UNARY_LEAKY_RELU),
  [26] = BINARY ("Maximum", PT_BINARY_MAX),
  [27] = UNARY ("Negate", PT_UNARY_NEGATE),
  [28] = UNARY ("Square", PT_UNARY_SQUARE),
  [29] = UNARY_NUMBER ("ELU", PT_XNN_UNARY_ELU),
  [30] = UNARY ("Abs", PT_UNARY_ABS),
  [31] = BINARY ("PReLU", PT_XNN_BINARY_PRELU),
  [32] = CONCATENATE ("Concatenate2", 2),
  [33] = CONCATENATE ("Concatenate3", 3),
  [34] = CONCATENATE ("Concatenate4", 4),
  [35] = { "StaticSlice", PT_XNN_TABLE_SLICE, 1, 0, pt_xnn_prepare_moves, pt_xnn_shape_slice,
           pt_xnn_setup_slice },
  [36] = { "ScaledDotProductAttention", PT_XNN_TABLE_NONE, 0, 0, NULL, NULL, NULL },
  [37] = { "BatchMatrixMultiply", PT_XNN_TABLE_N2, 2, 0, pt_xnn_prepare_matmul, pt_xnn_shape_matmul,
           pt_xnn_setup_matmul },
  [38] = CONCATENATE ("Concatenate5", 5),
  [39] = { "ConvTranspose2d", PT_XNN_TABLE_CONV, 3, PT_XNN_CONV_TRANSPOSED, pt_xnn_prepare_conv,
           pt_xnn_shape_conv_transpose, pt_xnn_setup_conv },
  [40] = UNARY ("ReciprocalSquareRoot", PT_UNARY_XNN_RSQRT),
  [41] = UNARY ("Log", PT_UNARY_LOG),
  [42] = UNARY ("Gelu", PT_UNARY_XNN_GELU),
  [43] = UNARY ("Tanh", PT_UNARY_TANH),
  [44] = UNARY ("Exp", PT_UNARY_EXP),
  [45] = UNARY ("Sin", PT_UNARY_XNN_SIN),
  [PT_XNN_TAG_COPY] = { "Copy", PT_XNN_TABLE_N1, 1, 0, pt_xnn_prepare_moves, pt_xnn_shape_same,
                        pt_xnn_setup_copy },
  [47] = UNARY ("Cos", PT_UNARY_XNN_COS),
};

G_STATIC_ASSERT (G_N_ELEMENTS (classes) <= PT_XNN_N_TAGS);

const PtXnnClass *
pt_xnn_class_by_tag (guint tag)
{
  return tag < G_N_ELEMENTS (classes) && classes[tag].name != NULL ? &classes[tag] : NULL;
}

gboolean
pt_xnn_is_kind (const PtXnnNode *node, guint tag)
{
  return node->klass == &classes[tag];
}

gboolean
pt_xnn_node_fail (const PtXnnNode *node, GError **error, PtError code, const char *why)
{
  return pt_fail (error, code, "A %s of an XNNPACK delegate cannot run: %s.", node->klass->name,
                  why);
}

gboolean
pt_xnn_node_types_fail (const PtXnnGraph *graph, const PtXnnNode *node, GError **error)
{
  g_autoptr (GString) types = g_string_new (NULL);

  for (guint k = 0; k < node->n_in; k++)
    if (node->in[k] != PT_XNN_NONE)
      g_string_append_printf (types, "%s%s", k > 0 ? ", " : "",
                              pt_xnn_type_name (pt_xnn_in (graph, node, k)->type));
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "An XNNPACK delegate has a %s from %s to %s, which Pteris does not run. "
                  "(ExecuTorch error 0x10)",
                  node->klass->name, types->str,
                  pt_xnn_type_name (pt_xnn_out (graph, node, 0)->type));
}
