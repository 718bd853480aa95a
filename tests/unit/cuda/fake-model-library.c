/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A stand-in for a model library, with the imports, exports and GPU code that such a library has.
 * It is only looked through, never loaded.
 */

#include <math.h>
#include <stdio.h>

#include <gmodule.h>

extern int aoti_torch_dtype_float32 (void);
extern int aoti_torch_delete_tensor_object (void *tensor);
extern int cudaMalloc (void **out, size_t size);
extern int cuLaunchKernel (void);
#ifdef _WIN32
#define SECTION ".section .rdata,\"dr\"\n"
#define aoti_torch_optional ((int (*) (void)) NULL)
#else
#define SECTION ".section .rodata\n"
extern int aoti_torch_optional (void) __attribute__ ((weak));
#endif

__asm__(SECTION ".byte 1\n" /* kernels are not aligned */
                "__kernel_start: .incbin \"" PTERIS_TEST_DATA "/cuda/kernel.fatbin\"\n"
                ".byte 2\n"
                "__cubin_start: .incbin \"" PTERIS_TEST_DATA "/cuda/kernel-sm80.cubin\"\n"
                ".text\n");

G_MODULE_EXPORT int AOTInductorModelContainerRun (void *tensor);
G_MODULE_EXPORT int AOTInductorModelContainerDelete (void *tensor);
G_MODULE_EXPORT double not_ours (double x);

int
AOTInductorModelContainerRun (void *tensor)
{
  return aoti_torch_dtype_float32 () + cudaMalloc (&tensor, 1) + cuLaunchKernel () +
         (aoti_torch_optional != NULL ? aoti_torch_optional () : 0);
}

int
AOTInductorModelContainerDelete (void *tensor)
{
  return aoti_torch_delete_tensor_object (tensor);
}

double
not_ours (double x)
{
  printf ("%f\n", x);
  return exp (x);
}
