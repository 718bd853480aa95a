/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A model library for CUDA that fails in the way that the first element of its input names
 * (crashing-model.h). It takes GPU memory before it fails, and gives none of it back.
 */

#include "tests/fakes/crashing-model.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/cuda/shims/names.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__ ((visibility ("default")))
#endif

#define DECLARE(result, name, parameters, arguments) result name parameters;
PT_SHIM_FUNCTIONS (DECLARE)
#ifdef _WIN32
PT_SHIM_DRIVER_FUNCTIONS (DECLARE)
#endif

enum { COPY_TO_HOST = 2 };

typedef struct Container {
  int device;
  void *ballast;
} Container;

EXPORT int32_t AOTInductorModelContainerCreateWithDevice (Container **out, size_t n_models,
                                                          const char *device,
                                                          const char *cubin_dir);
EXPORT int32_t AOTInductorModelContainerDelete (Container *self);
EXPORT int32_t AOTInductorModelContainerGetNumInputs (Container *self, size_t *n);
EXPORT int32_t AOTInductorModelContainerGetNumOutputs (Container *self, size_t *n);
EXPORT int32_t AOTInductorModelContainerGetNumConstants (Container *self, size_t *n);
EXPORT int32_t AOTInductorModelContainerGetInputName (Container *self, size_t i, const char **name);
EXPORT int32_t AOTInductorModelContainerGetOutputName (Container *self, size_t i,
                                                       const char **name);
EXPORT int32_t AOTInductorModelContainerRun (Container *self, PtShimHandle *inputs, size_t n_in,
                                             PtShimHandle *outputs, size_t n_out, void *stream,
                                             void *proxy_executor);
EXPORT int32_t AOTInductorModelContainerRunSingleThreaded (Container *self, PtShimHandle *inputs,
                                                           size_t n_in, PtShimHandle *outputs,
                                                           size_t n_out, void *stream,
                                                           void *proxy_executor);

int32_t
AOTInductorModelContainerCreateWithDevice (Container **out, size_t n_models, const char *device,
                                           const char *cubin_dir)
{
  *out = calloc (1, sizeof **out);
  return *out == NULL;
}

int32_t
AOTInductorModelContainerDelete (Container *self)
{
  cudaFree (self->ballast);
  free (self);
  return 0;
}

int32_t
AOTInductorModelContainerGetNumInputs (Container *self, size_t *n)
{
  *n = 1;
  return 0;
}

int32_t
AOTInductorModelContainerGetNumOutputs (Container *self, size_t *n)
{
  *n = 1;
  return 0;
}

int32_t
AOTInductorModelContainerGetNumConstants (Container *self, size_t *n)
{
  *n = 0;
  return 0;
}

int32_t
AOTInductorModelContainerGetInputName (Container *self, size_t i, const char **name)
{
  *name = "arg0_1";
  return 0;
}

int32_t
AOTInductorModelContainerGetOutputName (Container *self, size_t i, const char **name)
{
  *name = "output_0";
  return 0;
}

/* ---- on the GPU ---- */

static const char code[] = ".version 7.0\n"
                           ".target sm_70\n"
                           ".address_size 64\n"
                           ".visible .entry write_to_null ()\n"
                           "{\n"
                           "  .reg .u64 %address;\n"
                           "  .reg .u32 %value;\n"
                           "  mov.u64 %address, 0;\n"
                           "  mov.u32 %value, 1;\n"
                           "  st.global.u32 [%address], %value;\n"
                           "  ret;\n"
                           "}\n"
                           ".visible .entry spin ()\n"
                           "{\n"
                           "again:\n"
                           "  bra.uni again;\n"
                           "}\n";

static int32_t
launch (const char *kernel, void *stream)
{
  void *module, *function;

  return cuModuleLoadData (&module, code) != 0 ||
         cuModuleGetFunction (&function, module, kernel) != 0 ||
         cuLaunchKernel (function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL) != 0;
}

/* ---- a run ---- */

static int32_t
fail_as (CrashingModelMode mode, void *stream)
{
  static volatile int forever = 1;
  /* Hidden from the compiler, which would leave such code out. */
  int *volatile nowhere = NULL;
  void *volatile twice;

  switch (mode) {
  case CRASHING_MODEL_GOOD: return 0;
  case CRASHING_MODEL_NULL: return *nowhere;
  case CRASHING_MODEL_ABORT: fputs ("terminate called: the model gives up\n", stderr); abort ();
  case CRASHING_MODEL_LOOP:
    while (forever)
      continue;
    return 1;
  case CRASHING_MODEL_FREE_TWICE:
    /* Of this size the C library notices it on every processor. */
    twice = malloc (64);
    free (twice);
    free (twice);
    return 1;
  case CRASHING_MODEL_EXIT: exit (CRASHING_MODEL_STATUS);
  case CRASHING_MODEL_GPU_NULL: return launch ("write_to_null", stream);
  case CRASHING_MODEL_GPU_LOOP: return launch ("spin", stream);
  }
  return 1;
}

int32_t
AOTInductorModelContainerRun (Container *self, PtShimHandle *inputs, size_t n_in,
                              PtShimHandle *outputs, size_t n_out, void *stream,
                              void *proxy_executor)
{
  float first;
  void *data;
  int32_t failed = 0;

  if (self->ballast == NULL)
    failed = cudaMalloc (&self->ballast, CRASHING_MODEL_BALLAST);
  failed = failed || aoti_torch_get_data_ptr (inputs[0], &data) != 0 ||
           cudaMemcpy (&first, data, sizeof first, COPY_TO_HOST) != 0 ||
           fail_as ((CrashingModelMode) first, stream) != 0;
  outputs[0] = inputs[0];
  inputs[0] = NULL;
  return failed;
}

int32_t
AOTInductorModelContainerRunSingleThreaded (Container *self, PtShimHandle *inputs, size_t n_in,
                                            PtShimHandle *outputs, size_t n_out, void *stream,
                                            void *proxy_executor)
{
  return AOTInductorModelContainerRun (self, inputs, n_in, outputs, n_out, stream, proxy_executor);
}
