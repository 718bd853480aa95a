/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/vulkan/vk-instance.h"

G_BEGIN_DECLS

/*
 * Matrix instructions (VK_KHR_cooperative_matrix), which the headers of Debian 12 do not have yet.
 * The names are ours, the layouts those of Vulkan.
 */

#define PT_VK_MATRIX_EXTENSION "VK_KHR_cooperative_matrix"

typedef struct {
  VkStructureType type; /* PT_VK_MATRIX_FEATURES */
  void *next;
  VkBool32 has_matrix, has_robust_access;
} PtVkMatrixFeatures;

#define PT_VK_MATRIX_FEATURES ((VkStructureType) 1000506000)

/** One instruction: m x k signed bytes by k x n, added to m x n integers. All 0: there is none. */
typedef struct {
  guint32 m, n, k;
} PtVkMatrixSize;

/**
 * The largest instruction for bytes that shaders/matmul-matrix.comp can use, if the GPU has one and
 * what the shader needs beside it. For a GPU of Vulkan 1.3.
 */
PtVkMatrixSize pt_vk_matrix_size (const PtVkInstance *instance, const PtVkGpu *gpu);

G_END_DECLS
