/* SPDX-License-Identifier: BSD-3-Clause */

/* A stand-in for a model library that loads: with FAKE_LACKING one that lacks a function. */

#include <gmodule.h>

#include "engine/cuda/model-symbols.h"

static int n_created;

G_MODULE_EXPORT int32_t AOTInductorModelContainerCreateWithDevice (PtModelContainer *out, size_t n,
                                                                   const char *device,
                                                                   const char *folder);
G_MODULE_EXPORT int32_t AOTInductorModelContainerDelete (PtModelContainer container);
G_MODULE_EXPORT int32_t AOTInductorModelContainerGetNumInputs (PtModelContainer container,
                                                               size_t *n);
G_MODULE_EXPORT int32_t AOTInductorModelContainerGetNumOutputs (PtModelContainer container,
                                                                size_t *n);
G_MODULE_EXPORT int32_t AOTInductorModelContainerRun (PtModelContainer container, gpointer *inputs,
                                                      size_t n_inputs, gpointer *outputs,
                                                      size_t n_outputs, gpointer stream,
                                                      gpointer proxy);

/* Constructors run when the library is loaded; a test checks whether they did. */
static void __attribute__ ((constructor)) leave_trace (void)
{
  const char *path = g_getenv ("MODEL_CODE_TRACE");

  if (path != NULL)
    g_file_set_contents (path, "loaded", -1, NULL);
}

/* The number of containers that this copy of the library has made. */
int32_t
AOTInductorModelContainerCreateWithDevice (PtModelContainer *out, size_t n, const char *device,
                                           const char *folder)
{
  *out = GINT_TO_POINTER (++n_created);
  return 0;
}

int32_t
AOTInductorModelContainerDelete (PtModelContainer container)
{
  return 0;
}

int32_t
AOTInductorModelContainerGetNumInputs (PtModelContainer container, size_t *n)
{
  *n = 2;
  return 0;
}

int32_t
AOTInductorModelContainerGetNumOutputs (PtModelContainer container, size_t *n)
{
  *n = 1;
  return 0;
}

#ifndef FAKE_LACKING
int32_t
AOTInductorModelContainerRun (PtModelContainer container, gpointer *inputs, size_t n_inputs,
                              gpointer *outputs, size_t n_outputs, gpointer stream, gpointer proxy)
{
  return 1;
}
#endif
