/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-operators.h"

G_BEGIN_DECLS

/*
 * Shape rules of operators (docs/formats/vulkan.md, sections 7 to 9), as PtVkShapeFunc. Each sets
 * the shapes of all outputs, or the symbolic integer, from the current shapes of the inputs.
 */

#define PT_VK_SHAPE(name) \
  gboolean pt_vk_shape_##name (PtVkGraph *graph, const PtVkCall *call, GError **error)

/* All outputs have the shape of argument 0; of arguments 0 and 1, of 0 to 2, broadcast. */
PT_VK_SHAPE (same);
PT_VK_SHAPE (binary);
PT_VK_SHAPE (where);

/* Copies and views (section 8.2). */
PT_VK_SHAPE (view);
PT_VK_SHAPE (squeeze);
PT_VK_SHAPE (unsqueeze);
PT_VK_SHAPE (permute);
PT_VK_SHAPE (transpose);
PT_VK_SHAPE (select);
PT_VK_SHAPE (slice);
PT_VK_SHAPE (split);
PT_VK_SHAPE (cat);
PT_VK_SHAPE (expand);
PT_VK_SHAPE (repeat);
PT_VK_SHAPE (pad);
PT_VK_SHAPE (gather);
PT_VK_SHAPE (index_select);
PT_VK_SHAPE (index);
PT_VK_SHAPE (embedding);
PT_VK_SHAPE (pixel_shuffle);
PT_VK_SHAPE (unfold);

/* Creation (section 8.3). */
PT_VK_SHAPE (sizes);
PT_VK_SHAPE (arange);
PT_VK_SHAPE (scalar);
PT_VK_SHAPE (grid_priors);

/* Reductions and normalisation (section 8.4). */
PT_VK_SHAPE (reduce);
PT_VK_SHAPE (layer_norm);
PT_VK_SHAPE (group_norm);
PT_VK_SHAPE (batch_norm);

/* Matrices, convolution, pooling, resampling (section 8.5). */
PT_VK_SHAPE (matmul);
PT_VK_SHAPE (addmm);
PT_VK_SHAPE (linear);
PT_VK_SHAPE (convolution);
PT_VK_SHAPE (q8_convolution);
PT_VK_SHAPE (max_pool);
PT_VK_SHAPE (avg_pool);
PT_VK_SHAPE (upsample);
PT_VK_SHAPE (grid_sample);

/* Language models and symbols (sections 7 and 8.6). */
PT_VK_SHAPE (rotary);
PT_VK_SHAPE (attention);
PT_VK_SHAPE (choose_qparams);
PT_VK_SHAPE (choose_tensor);
PT_VK_SHAPE (quant_linear);
PT_VK_SHAPE (embedding_q4);
PT_VK_SHAPE (sym_size);
PT_VK_SHAPE (sym_arithmetic);
PT_VK_SHAPE (select_as_symint);

/* ---- Parts of rules that operators use as well ---- */

/** The broadcast shape of @a and @b. FALSE with an error. */
gboolean pt_vk_broadcast (const PtVkShape *a, const PtVkShape *b, PtVkShape *out, GError **error);

/** The range of a slice, clamped to the dimension: start, and number of elements. */
typedef struct {
  guint dim;
  gint64 start, step, count;
} PtVkSlice;
gboolean pt_vk_slice_of (const PtVkGraph *graph, const PtVkCall *call, PtVkSlice *slice,
                         GError **error);

/** The reduced dimensions as bits: argument @i of @call; Null and an empty list: all. */
gboolean pt_vk_reduced (const PtVkGraph *graph, const PtVkCall *call, guint i, guint *bits,
                        GError **error);

/** A convolution of one or two dimensions; with one, the numbers of the first are 1, 1, 0, 1. */
typedef struct {
  guint n_dims;
  gint64 kernel[2], stride[2], padding[2], dilation[2], output_padding[2], groups;
  gint64 batch, in_channels, out_channels, in[2], out[2];
  gboolean transposed;
} PtVkConvolution;
gboolean pt_vk_convolution_of (const PtVkGraph *graph, const PtVkCall *call, PtVkConvolution *out,
                               GError **error);
/** The same of et_vk.q8ta_conv2d and its kin, whose weight has another layout. */
gboolean pt_vk_q8_convolution_of (const PtVkGraph *graph, const PtVkCall *call,
                                  PtVkConvolution *out, GError **error);

/** A pooling of two dimensions. */
typedef struct {
  gint64 kernel[2], stride[2], padding[2], dilation[2], planes, in[2], out[2];
  gboolean count_padding;
  gint64 divisor; /* 0: none */
} PtVkPooling;
gboolean pt_vk_pooling_of (const PtVkGraph *graph, const PtVkCall *call, gboolean is_average,
                           PtVkPooling *out, GError **error);

/** FALSE with PT_ERROR_PROGRAM: the arguments of an operator contradict each other. */
gboolean pt_vk_misfit (const PtVkCall *call, const char *what, GError **error);

G_END_DECLS
