/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"

#include "engine/cuda/cuda.h"
#include "engine/openvino/openvino.h"
#include "engine/operators/operators.h"
#include "engine/runtime/prims.h"
#include "engine/vulkan/vulkan.h"
#include "engine/xnnpack/xnnpack.h"

void
pt_init (void)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    pt_prims_register ();
    pt_operators_register_all ();
    pt_xnnpack_register ();
    pt_cuda_register ();
    pt_openvino_register ();
    pt_vulkan_register ();
    g_once_init_leave (&once, 1);
  }
}
