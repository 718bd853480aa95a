/* SPDX-License-Identifier: BSD-3-Clause */

/* The stand-in's start, devices, contexts, errors and controls. */

#include "tests/fakes/fake-cuda-private.h"

#include <string.h>

FakeState fake = { .version = 13000, .capability = 90, .n_devices = 1, .total = (gsize) 8 << 30 };

/* Handles of devices are not their indices. */
#define FIRST_HANDLE 7

static GPrivate current = G_PRIVATE_INIT (NULL);

/* ---- Failures on demand ---- */

typedef struct {
  char *function;
  guint nth, n_calls; /* since it was asked for */
  int code;
} Failure;

static GPtrArray *failures;
static GHashTable *calls; /* name -> number */

static void
failure_free (gpointer data)
{
  g_free (((Failure *) data)->function);
  g_free (data);
}

static void
add_failure (const char *function, guint nth, int code)
{
  Failure *failure = g_new0 (Failure, 1);

  failure->function = g_strdup (function);
  failure->nth = nth;
  failure->code = code;
  if (failures == NULL)
    failures = g_ptr_array_new_with_free_func (failure_free);
  g_ptr_array_add (failures, failure);
}

static void
kill_context (PtCuContext context, PtCuResult code)
{
  if (context != NULL && context->fatal == 0)
    context->fatal = code;
}

static PtCuResult
injected (const char *name)
{
  for (guint i = 0; failures != NULL && i < failures->len; i++) {
    Failure *failure = g_ptr_array_index (failures, i);

    if (strcmp (failure->function, name) != 0)
      continue;
    failure->n_calls++;
    if (failure->nth == 0 || failure->nth == failure->n_calls)
      return failure->code;
  }
  return PT_CU_SUCCESS;
}

PtCuResult
fake_enter (const char *function, FakeNeed need)
{
  g_autofree char *name = g_strndup (
      function, strlen (function) - (g_str_has_suffix (function, "_v2") ? strlen ("_v2") : 0));
  PtCuContext context = g_private_get (&current);
  PtCuResult code;
  guint n;

  if (calls == NULL)
    calls = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  n = GPOINTER_TO_UINT (g_hash_table_lookup (calls, name));
  g_hash_table_insert (calls, g_strdup (name), GUINT_TO_POINTER (n + 1));
  code = injected (name);
  if (pt_cuda_is_fatal (code))
    kill_context (context, code);
  if (code == PT_CU_SUCCESS && need > NEEDS_NOTHING && !fake.started)
    code = PT_CU_NOT_INITIALIZED;
  if (code == PT_CU_SUCCESS && need == NEEDS_CONTEXT)
    code = context == NULL ? PT_CU_INVALID_CONTEXT : context->fatal;
  return code;
}

/* The same as the engine's, which this library does not have. */
gboolean
pt_cuda_is_fatal (PtCuResult code)
{
  return code == PT_CU_ILLEGAL_ADDRESS || code == PT_CU_LAUNCH_TIMEOUT ||
         code == PT_CU_LAUNCH_FAILED || (code >= 714 && code <= 718);
}

/* ---- Objects ---- */

void
fake_object_add (gpointer handle, ObjectKind kind)
{
  if (fake.objects == NULL)
    fake.objects = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (fake.objects, handle, GINT_TO_POINTER (kind));
}

gboolean
fake_object_is (gconstpointer handle, ObjectKind kind)
{
  return fake.objects != NULL && handle != NULL &&
         GPOINTER_TO_INT (g_hash_table_lookup (fake.objects, handle)) == (int) kind;
}

void
fake_object_remove (gpointer handle)
{
  g_hash_table_remove (fake.objects, handle);
}

void
fake_object_free (gpointer handle, ObjectKind kind)
{
  switch (kind) {
  case OBJECT_STREAM: fake_stream_free (handle); break;
  case OBJECT_EVENT: g_free (handle); break;
  case OBJECT_MODULE: fake_module_free (handle); break;
  case OBJECT_GRAPH: fake_graph_free (handle); break;
  case OBJECT_EXEC: fake_exec_free (handle); break;
  }
}

static guint
count_objects (ObjectKind kind)
{
  GHashTableIter iter;
  gpointer value;
  guint n = 0;

  if (fake.objects == NULL)
    return 0;
  g_hash_table_iter_init (&iter, fake.objects);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    n += GPOINTER_TO_INT (value) == (int) kind;
  return n;
}

/* Only with the last context: objects do not record their context. */
static guint
free_all_objects (void)
{
  g_autoptr (GList) handles = NULL;
  guint n = 0;

  for (int i = 0; i < MOST_FAKE_DEVICES; i++)
    if (fake.primaries[i] != NULL)
      return 0;
  handles = fake.objects != NULL ? g_hash_table_get_keys (fake.objects) : NULL;
  for (GList *link = handles; link != NULL; link = link->next, n++) {
    ObjectKind kind = (ObjectKind) GPOINTER_TO_INT (g_hash_table_lookup (fake.objects, link->data));

    fake_object_remove (link->data);
    fake_object_free (link->data, kind);
  }
  return n;
}

/* ---- Start and devices ---- */

static guint64
setting (const char *variable, guint64 value)
{
  const char *text = g_getenv (variable);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : value;
}

static gboolean
are_hidden (void)
{
  const char *visible = g_getenv ("CUDA_VISIBLE_DEVICES");

  return visible != NULL && (visible[0] == 0 || strcmp (visible, "-1") == 0);
}

static void
read_failures (void)
{
  const char *text = g_getenv ("FAKE_CUDA_FAIL");
  g_auto (GStrv) list = text != NULL ? g_strsplit (text, ",", -1) : NULL;

  for (guint i = 0; list != NULL && list[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (list[i], ":", 3);

    g_assert_cmpuint (g_strv_length (parts), ==, 3);
    add_failure (parts[0], (guint) g_ascii_strtoull (parts[1], NULL, 10),
                 (int) g_ascii_strtoll (parts[2], NULL, 10));
  }
}

PtCuResult
cuInit (guint flags)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);
  PtCuResult code;

  if (!fake.started) {
    read_failures ();
    fake.capability = (guint) setting ("FAKE_CUDA_CAPABILITY", fake.capability);
    fake.n_devices = (guint) setting ("FAKE_CUDA_DEVICES", fake.n_devices);
    fake.total = (gsize) setting ("FAKE_CUDA_MEMORY", fake.total);
  }
  code = fake_enter (__func__, NEEDS_NOTHING);
  if (code == PT_CU_SUCCESS && (are_hidden () || fake.n_devices == 0))
    code = PT_CU_NO_DEVICE;
  fake.started |= code == PT_CU_SUCCESS;
  return code;
}

PtCuResult
cuDriverGetVersion (int *version)
{
  ENTER (NEEDS_NOTHING);
  *version = (int) setting ("FAKE_CUDA_VERSION", fake.version);
  return PT_CU_SUCCESS;
}

PtCuResult
cuGetErrorName (PtCuResult code, const char **text)
{
  *text = "CUDA_ERROR_TEST";
  return PT_CU_SUCCESS;
}

PtCuResult
cuGetErrorString (PtCuResult code, const char **text)
{
  *text = "an error of the stand-in";
  return PT_CU_SUCCESS;
}

PtCuResult
cuDeviceGetCount (int *n)
{
  ENTER (NEEDS_START);
  *n = (int) fake.n_devices;
  return PT_CU_SUCCESS;
}

PtCuResult
cuDeviceGet (PtCuDevice *device, int index)
{
  ENTER (NEEDS_START);
  *device = index + FIRST_HANDLE;
  return index >= 0 && index < (int) fake.n_devices ? PT_CU_SUCCESS : CU_INVALID_DEVICE;
}

static gboolean
is_device (PtCuDevice device)
{
  return device >= FIRST_HANDLE && device < FIRST_HANDLE + (int) fake.n_devices;
}

PtCuResult
cuDeviceGetName (char *text, int size, PtCuDevice device)
{
  ENTER (NEEDS_START);
  g_snprintf (text, (gulong) size, "NVIDIA Test %d", device - FIRST_HANDLE + 1);
  return is_device (device) ? PT_CU_SUCCESS : CU_INVALID_DEVICE;
}

PtCuResult
cuDeviceTotalMem (gsize *bytes, PtCuDevice device)
{
  ENTER (NEEDS_START);
  *bytes = fake.total;
  return is_device (device) ? PT_CU_SUCCESS : CU_INVALID_DEVICE;
}

static int
shared_memory (void)
{
  switch (fake.capability) {
  case 75: return 64 << 10;
  case 80: return 163 << 10;
  case 86:
  case 89:
  case 120: return 99 << 10;
  default: return 227 << 10;
  }
}

PtCuResult
cuDeviceGetAttribute (int *value, int attribute, PtCuDevice device)
{
  ENTER (NEEDS_START);
  if (!is_device (device))
    return CU_INVALID_DEVICE;
  switch (attribute) {
  case PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 48 << 10; break;
  case PT_CU_DEVICE_MULTIPROCESSOR_COUNT: *value = 132; break;
  case PT_CU_DEVICE_L2_CACHE_SIZE: *value = 50 << 20; break;
  case PT_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR: *value = (int) fake.capability / 10; break;
  case PT_CU_DEVICE_COMPUTE_CAPABILITY_MINOR: *value = (int) fake.capability % 10; break;
  case PT_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = shared_memory (); break;
  default: return PT_CU_INVALID_VALUE;
  }
  return PT_CU_SUCCESS;
}

/* Functions by name. A library asks for hundreds that the stand-in does not have. */
PtCuResult
cuGetProcAddress (const char *name, void **function, int version, guint64 flags, int *status)
{
  static const struct {
    const char *name;
    gpointer function;
  } functions[] = {
#define ENTRY(name, needed, arguments) { #name, (gpointer) name },
    PT_CUDA_FUNCTIONS (ENTRY)
#undef ENTRY
  };

  *function = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (strcmp (functions[i].name, name) == 0)
      *function = functions[i].function;
  return *function != NULL ? PT_CU_SUCCESS : CU_NOT_FOUND;
}

/* ---- Contexts ---- */

PtCuContext
fake_current (void)
{
  return g_private_get (&current);
}

PtCuResult
cuDevicePrimaryCtxRetain (PtCuContext *context, PtCuDevice device)
{
  int index = device - FIRST_HANDLE;
  ENTER (NEEDS_START);

  if (!is_device (device))
    return CU_INVALID_DEVICE;
  if (fake.primaries[index] == NULL) {
    fake.primaries[index] = g_new0 (struct _PtCuContext, 1);
    fake.primaries[index]->device = index;
  }
  *context = fake.primaries[index];
  (*context)->n_references++;
  fake.counts.contexts++;
  return PT_CU_SUCCESS;
}

PtCuResult
cuDevicePrimaryCtxRelease (PtCuDevice device)
{
  int index = device - FIRST_HANDLE;
  PtCuContext context;
  guint n;
  ENTER (NEEDS_START);

  context = is_device (device) ? fake.primaries[index] : NULL;
  if (context == NULL)
    return PT_CU_INVALID_CONTEXT;
  fake.counts.contexts--;
  if (--context->n_references > 0)
    return PT_CU_SUCCESS;
  fake_drain_all ();
  fake.primaries[index] = NULL;
  n = fake_memory_free_all (index) + free_all_objects ();
  /* Allocations of a failed context cannot be freed. */
  if (context->fatal == 0)
    fake.counts.leaked += n;
  if (g_private_get (&current) == context)
    g_private_set (&current, NULL);
  g_free (context);
  return PT_CU_SUCCESS;
}

PtCuResult
cuCtxGetCurrent (PtCuContext *context)
{
  ENTER (NEEDS_START);
  *context = g_private_get (&current);
  return PT_CU_SUCCESS;
}

PtCuResult
cuCtxSetCurrent (PtCuContext context)
{
  ENTER (NEEDS_START);
  g_private_set (&current, context);
  return PT_CU_SUCCESS;
}

/* ---- Controls ---- */

static void
control_reset (void)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  g_clear_pointer (&failures, g_ptr_array_unref);
  g_clear_pointer (&calls, g_hash_table_unref);
  g_clear_pointer (&fake.launches, g_array_unref);
  g_clear_pointer (&fake.kernels, g_hash_table_unref);
  fake.hook = NULL;
  fake.counts.leaked = 0;
  fake.counts.most_bytes = fake.counts.bytes;
}

static void
control_fail (const char *function, guint nth, int code)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  add_failure (function, nth, code);
}

static void
control_kill (int code)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  for (int i = 0; i < MOST_FAKE_DEVICES; i++)
    kill_context (fake.primaries[i], code);
}

static guint
control_n_calls (const char *function)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  return calls != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (calls, function)) : 0;
}

static guint
control_n_launches (void)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  return fake.launches != NULL ? fake.launches->len : 0;
}

static gboolean
control_launch (guint i, FakeLaunch *launch)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  if (fake.launches == NULL || i >= fake.launches->len)
    return FALSE;
  *launch = g_array_index (fake.launches, FakeLaunch, i);
  return TRUE;
}

static void
control_counts (FakeCounts *counts)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  *counts = fake.counts;
  counts->streams = count_objects (OBJECT_STREAM);
  counts->events = count_objects (OBJECT_EVENT);
  counts->modules = count_objects (OBJECT_MODULE);
  counts->graphs = count_objects (OBJECT_GRAPH) + count_objects (OBJECT_EXEC);
}

static gpointer
control_memory (guint64 pointer)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  return fake_device_bytes (pointer, 1);
}

static void
control_set_memory (gsize bytes)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  fake.total = bytes;
}

static void
control_set_launch_hook (FakeLaunchHook *hook, gpointer user_data)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);

  fake.hook = hook;
  fake.hook_data = user_data;
}

static void
control_set_kernel (const char *kernel, guint n_arguments, FakeLaunchHook *run, gpointer user_data)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&fake.lock);
  const FakeKernel spec = { n_arguments, run, user_data };

  g_assert_cmpuint (n_arguments, <=, FAKE_MOST_ARGUMENTS);
  if (fake.kernels == NULL)
    fake.kernels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_replace (fake.kernels, g_strdup (kernel), g_memdup2 (&spec, sizeof spec));
}

G_MODULE_EXPORT const FakeCuda *fake_cuda_control (void);

const FakeCuda *
fake_cuda_control (void)
{
  static const FakeCuda control = {
    .reset = control_reset,
    .fail = control_fail,
    .kill = control_kill,
    .n_calls = control_n_calls,
    .n_launches = control_n_launches,
    .launch = control_launch,
    .counts = control_counts,
    .memory = control_memory,
    .set_memory = control_set_memory,
    .set_launch_hook = control_set_launch_hook,
    .set_kernel = control_set_kernel,
  };

  return &control;
}
