/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-emit.h"

G_BEGIN_DECLS

/** Items of one group of an elementwise shader: ITEM_GROUP of shaders/common.glsl. */
#define PT_VK_ITEMS 256

#define PT_VK_MAX_STRIDED 3

/**
 * A loop over a shape, and the strides in up to three tensors. The innermost dimension is the first
 * one, as shaders want it. Twice the rank of tensors, because a repetition needs two dimensions for
 * one.
 */
typedef struct {
  guint rank, n;
  gint64 size[2 * PT_VK_MAX_RANK];
  gint64 stride[PT_VK_MAX_STRIDED][2 * PT_VK_MAX_RANK];
} PtVkStrides;

/** A loop over @shape with @n tensors, whose strides are 0 at first. */
void pt_vk_strides_start (PtVkStrides *s, const PtVkShape *shape, guint n);

/** The strides of a contiguous tensor of shape @in that is broadcast to the loop's shape. */
void pt_vk_strides_broadcast (PtVkStrides *s, guint tensor, const PtVkShape *in);

/** The stride of dimension @dim of a contiguous tensor. */
gint64 pt_vk_stride_of (const PtVkShape *shape, guint dim);

/** Join dimensions that follow each other in all tensors, and leave out those of size 1. */
void pt_vk_strides_collapse (PtVkStrides *s);

/** Push the sizes, then the strides of each tensor, each filled up to @room numbers. */
void pt_vk_strides_push (const PtVkStrides *s, PtVkDispatch *dispatch, guint room);

G_END_DECLS
