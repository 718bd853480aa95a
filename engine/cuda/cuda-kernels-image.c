/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-kernels-private.h"

#ifdef PT_CUDA_KERNELS

#ifdef G_OS_WIN32
#define SECTION ".section .rdata,\"dr\"\n"
#else
#define SECTION ".section .rodata\n"
#endif

__asm__(SECTION ".balign 64\n"
                ".globl pt_cuda_kernels_bytes\n"
                "pt_cuda_kernels_bytes:\n"
                ".incbin \"" PT_CUDA_KERNELS "\"\n"
                ".byte 0\n"
                ".text\n");

extern const guint8 pt_cuda_kernels_bytes[] __attribute__ ((visibility ("hidden")));

gconstpointer
pt_cuda_kernels_image (void)
{
  return pt_cuda_kernels_bytes;
}

#else

gconstpointer
pt_cuda_kernels_image (void)
{
  return NULL;
}

#endif
