/* SPDX-License-Identifier: BSD-3-Clause */

/* Modules, kernels and launches of the stand-in: every module has every kernel. */

#include "tests/fakes/fake-cuda-private.h"

#include <string.h>

#define DEFAULT_SHARED (48 << 10)
#define MOST_THREADS 1024

struct _PtCuModule {
  GHashTable *functions; /* name -> PtCuFunction */
};

struct _PtCuFunction {
  char name[128];
  guint most_shared;
};

/* A fat binary, an ELF file or PTX, at any address. */
static gboolean
is_image (const void *image)
{
  static const char *const beginnings[] = { "\x50\xed\x55\xba",
                                            "\x7f"
                                            "ELF",
                                            "//", ".version" };

  for (guint i = 0; image != NULL && i < G_N_ELEMENTS (beginnings); i++)
    if (strncmp (image, beginnings[i], strlen (beginnings[i])) == 0)
      return TRUE;
  return FALSE;
}

PtCuResult
cuModuleLoadData (PtCuModule *module, const void *image)
{
  ENTER (NEEDS_CONTEXT);
  if (!is_image (image))
    return CU_INVALID_IMAGE;
  *module = g_new0 (struct _PtCuModule, 1);
  (*module)->functions = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  fake_object_add (*module, OBJECT_MODULE);
  return PT_CU_SUCCESS;
}

void
fake_module_free (PtCuModule module)
{
  g_hash_table_unref (module->functions);
  g_free (module);
}

PtCuResult
cuModuleUnload (PtCuModule module)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (module, OBJECT_MODULE))
    return CU_INVALID_HANDLE;
  fake_object_remove (module);
  fake_module_free (module);
  return PT_CU_SUCCESS;
}

PtCuResult
cuModuleGetFunction (PtCuFunction *function, PtCuModule module, const char *name)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (module, OBJECT_MODULE))
    return CU_INVALID_HANDLE;
  if (name == NULL || name[0] == 0)
    return CU_NOT_FOUND;
  *function = g_hash_table_lookup (module->functions, name);
  if (*function == NULL) {
    *function = g_new0 (struct _PtCuFunction, 1);
    g_strlcpy ((*function)->name, name, sizeof (*function)->name);
    (*function)->most_shared = DEFAULT_SHARED;
    g_hash_table_insert (module->functions, (*function)->name, *function);
  }
  return PT_CU_SUCCESS;
}

static guint
most_shared (void)
{
  int bytes = 0;

  cuDeviceGetAttribute (&bytes, PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 7);
  return (guint) bytes;
}

PtCuResult
cuFuncSetAttribute (PtCuFunction function, int attribute, int value)
{
  ENTER (NEEDS_CONTEXT);
  if (function == NULL || attribute != PT_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      (guint) value > most_shared ())
    return PT_CU_INVALID_VALUE;
  function->most_shared = (guint) value;
  return PT_CU_SUCCESS;
}

PtCuResult
cuFuncGetAttribute (int *value, int attribute, PtCuFunction function)
{
  ENTER (NEEDS_CONTEXT);
  if (function == NULL)
    return CU_INVALID_HANDLE;
  switch (attribute) {
  case 0: *value = MOST_THREADS; break; /* threads of a block */
  case 4: *value = 32; break;           /* registers of a thread */
  case PT_CU_FUNCTION_PTX_VERSION: *value = 90; break;
  case PT_CU_FUNCTION_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = (int) function->most_shared; break;
  default: *value = 0; break;
  }
  return PT_CU_SUCCESS;
}

PtCuResult
cuFuncGetParamInfo (PtCuFunction function, gsize i, gsize *offset, gsize *size)
{
  const FakeKernel *kernel;
  ENTER (NEEDS_CONTEXT);

  if (function == NULL)
    return CU_INVALID_HANDLE;
  kernel = fake.kernels != NULL ? g_hash_table_lookup (fake.kernels, function->name) : NULL;
  if (kernel == NULL || i >= kernel->n_arguments)
    return PT_CU_INVALID_VALUE;
  *offset = 8 * i;
  *size = 8;
  return PT_CU_SUCCESS;
}

void
fake_set_function (FakeOp *op, PtCuFunction function)
{
  const FakeKernel *kernel =
      fake.kernels != NULL ? g_hash_table_lookup (fake.kernels, function->name) : NULL;

  op->function = function;
  op->kernel = kernel != NULL ? *kernel : (FakeKernel){ 0 };
  g_strlcpy (op->launch.name, function->name, sizeof op->launch.name);
}

PtCuResult
cuLaunchKernel (PtCuFunction function, guint grid_x, guint grid_y, guint grid_z, guint block_x,
                guint block_y, guint block_z, guint shared_bytes, PtCuStream stream,
                void **arguments, void **extra)
{
  FakeOp op = {
    .kind = OP_LAUNCH,
    .launch = { .grid = { grid_x, grid_y, grid_z },
                .block = { block_x, block_y, block_z },
                .shared_bytes = shared_bytes },
  };
  guint64 threads = (guint64) block_x * block_y * block_z;
  ENTER (NEEDS_CONTEXT);

  if (function == NULL)
    return CU_INVALID_HANDLE;
  if (grid_x == 0 || grid_y == 0 || grid_z == 0 || threads == 0 || threads > MOST_THREADS ||
      grid_y > G_MAXUINT16 || grid_z > G_MAXUINT16 || shared_bytes > function->most_shared)
    return PT_CU_INVALID_VALUE;
  fake_set_function (&op, function);
  for (guint i = 0; i < op.kernel.n_arguments; i++)
    memcpy (&op.arguments[i], arguments[i], sizeof op.arguments[i]);
  if (fake.hook != NULL)
    fake.hook (&op.launch, arguments, fake.hook_data);
  return fake_push (stream, &op);
}

/* Some model libraries import it. */
G_MODULE_EXPORT PtCuResult PT_CUDA_CALL
cuTensorMapEncodeTiled (void *map, int type, guint rank, void *address, const guint64 *sizes,
                        const guint64 *strides, const guint32 *box, const guint32 *element_strides,
                        int interleave, int swizzle, int promotion, int fill);

PtCuResult
cuTensorMapEncodeTiled (void *map, int type, guint rank, void *address, const guint64 *sizes,
                        const guint64 *strides, const guint32 *box, const guint32 *element_strides,
                        int interleave, int swizzle, int promotion, int fill)
{
  ENTER (NEEDS_CONTEXT);
  memset (map, 0, 128);
  return PT_CU_SUCCESS;
}
