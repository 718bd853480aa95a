/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The library that model libraries import their functions from. It only jumps through a table that
 * libpteris fills, so processes without such a model need not load it.
 */

#include "engine/cuda/shims/names.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__ ((visibility ("default")))
#endif

static PtShimTable table;

EXPORT int32_t pt_shims_install (const PtShimTable *new_table);

int32_t
pt_shims_install (const PtShimTable *new_table)
{
  if (new_table->size != sizeof table)
    return 1;
  table = *new_table;
  return 0;
}

#define FORWARD(result, name, parameters, arguments) \
  EXPORT result name parameters;                     \
  result name parameters                             \
  {                                                  \
    return table.name arguments;                     \
  }
PT_SHIM_FUNCTIONS (FORWARD)
