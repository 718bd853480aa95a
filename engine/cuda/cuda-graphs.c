/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-graphs.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/graph-edges.h"

/*
 * Calls without a graph before one is recorded: by then modules are loaded and lazy state exists.
 */
#define WARM_CALLS 3
/* Maximum of remembered shapes, and of graphs. */
#define MAX_ENTRIES 4
/*
 * A call is small when its index inputs have at most this many elements; without index inputs, all
 * elements count.
 */
#define MAX_INDICES 64
#define MAX_ELEMENTS 65536
/* Memory of one graph for renamed blocks (buffer-renaming.c). */
#define SPARE_BYTES ((gsize) 256 << 10)
/* Limit of the memory of one graph. */
#define MAX_BYTES ((gsize) 512 << 20)
/* After this many replacements nothing more is recorded. */
#define MAX_RECORDINGS 16

/*
 * The key of a call: rank, sizes and address of each input, and one word for the constants on the
 * host.
 */
#define KEY_WORDS(n_inputs) ((n_inputs) * (2 + PT_MAX_RANK) + 1)

typedef struct {
  gint64 *key;    /* [n_words], the key */
  guint n_calls;  /* consecutive calls that changed nothing on the host */
  guint64 age;    /* time of the last use */
  gboolean known; /* the entry is in use */
  gboolean ready; /* a graph is recorded, and the fields below are set */
  PtCudaPool *pool;
  PtCuPointer spare;
  PtCuGraphExec exec;
  gboolean is_changed;    /* by what a driver may not accept */
  gpointer *slots;        /* [n_inputs]: the addresses where the graph reads its inputs */
  PtShimTensor **outputs; /* [n_outputs] */
} Entry;

struct _PtCudaGraphs {
  PtCudaContainer *container;
  PtCudaConstants *constants;
  PtCudaContext *context;
  guint n_inputs, n_outputs;
  gsize n_words;
  gint64 *key;        /* entry of the current call */
  Entry *current;     /* entry of the current call; NULL: do not record it */
  gboolean *moves;    /* [n_inputs]: the device address of the input differs between calls */
  gboolean is_plain;  /* a driver did not accept changed kernels, or those that start early */
  gboolean is_off;    /* recording has failed for good */
  guint n_recordings; /* number of recordings */
  guint64 clock;
  PtShimTensor **arguments; /* [n_inputs], used while recording */
  PtCudaPool *recording;    /* memory of the graph that is being recorded, or NULL */
  Entry entries[MAX_ENTRIES];
};

static gboolean
is_possible (const PtCudaGraphs *self)
{
  const PtCuda *cu = self->context->cu;
  const char *setting = g_getenv ("PTERIS_CUDA_GRAPHS");

  return g_strcmp0 (setting, "0") != 0 && cu->cuStreamBeginCapture != NULL &&
         cu->cuStreamEndCapture != NULL && cu->cuGraphInstantiateWithFlags != NULL &&
         cu->cuGraphLaunch != NULL && cu->cuGraphExecDestroy != NULL && cu->cuGraphDestroy != NULL;
}

PtCudaGraphs *
pt_cuda_graphs_new (PtCudaContainer *container, PtCudaConstants *constants)
{
  PtCudaGraphs *self = g_new0 (PtCudaGraphs, 1);
  guint i;

  self->container = container;
  self->constants = constants;
  self->context = pt_cuda_container_context (container);
  self->n_inputs = pt_cuda_container_n_inputs (container);
  self->n_outputs = pt_cuda_container_n_outputs (container);
  self->n_words = KEY_WORDS (self->n_inputs);
  self->key = g_new0 (gint64, self->n_words);
  self->moves = g_new0 (gboolean, self->n_inputs);
  self->arguments = g_new0 (PtShimTensor *, self->n_inputs);
  for (i = 0; i < MAX_ENTRIES; i++) {
    self->entries[i].key = g_new0 (gint64, self->n_words);
    self->entries[i].slots = g_new0 (gpointer, self->n_inputs);
    self->entries[i].outputs = g_new0 (PtShimTensor *, self->n_outputs);
  }
  self->is_off = !is_possible (self);
  return self;
}

/* ---- recordings ---- */

static void
drop (PtCudaGraphs *self, Entry *entry)
{
  const PtCuda *cu = self->context->cu;

  /* A replay may still use the memory that will be freed. */
  if (entry->exec != NULL) {
    cu->cuStreamSynchronize (self->context->stream);
    cu->cuGraphExecDestroy (entry->exec);
  }
  pt_cuda_free_handles (entry->outputs, self->n_outputs);
  if (entry->pool != NULL) {
    for (guint i = 0; i < self->n_inputs; i++)
      if (entry->slots[i] != NULL && entry->key[i * (2 + PT_MAX_RANK) + 1] == 0)
        pt_cuda_pool_release (entry->pool, (PtCuPointer) (guintptr) entry->slots[i]);
    pt_cuda_pool_release (entry->pool, entry->spare);
    pt_cuda_pool_free (entry->pool);
  }
  memset (entry->slots, 0, self->n_inputs * sizeof (gpointer));
  entry->exec = NULL;
  entry->pool = NULL;
  entry->spare = 0;
  entry->ready = FALSE;
  entry->n_calls = 0;
}

void
pt_cuda_graphs_free (PtCudaGraphs *self)
{
  guint i;

  for (i = 0; i < MAX_ENTRIES; i++) {
    drop (self, &self->entries[i]);
    g_free (self->entries[i].key);
    g_free (self->entries[i].slots);
    g_free (self->entries[i].outputs);
  }
  g_free (self->key);
  g_free (self->moves);
  g_free (self->arguments);
  g_free (self);
}

/* ---- looking up a call ---- */

static gboolean
is_index_type (PtDType dtype)
{
  return dtype == PT_DTYPE_I64 || dtype == PT_DTYPE_I32;
}

static gboolean
is_small (const PtCudaGraphs *self, PtTensor *const *inputs)
{
  gsize n_indices = 0, n_elements = 0;
  gboolean has_indices = FALSE;
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    n_elements += inputs[i]->numel;
    if (is_index_type (inputs[i]->dtype)) {
      has_indices = TRUE;
      n_indices += inputs[i]->numel;
    }
  }
  return has_indices ? n_indices <= MAX_INDICES : n_elements <= MAX_ELEMENTS;
}

/*
 * The key of a call: rank, address and sizes of each input. An input on the device is read in
 * place, so its address is part of the key. An input on the host, or one whose address changes, is
 * copied to memory of the graph. The constants on the host are part of the key because they select
 * the branches that a library takes.
 */
static void
make_key (PtCudaGraphs *self, PtTensor *const *inputs)
{
  guint i, k;

  for (i = 0; i < self->n_inputs; i++) {
    gint64 *words = self->key + i * (2 + PT_MAX_RANK);
    const PtTensor *tensor = inputs[i];
    gboolean in_place = tensor->device_type != PT_DEVICE_CPU && !self->moves[i];

    words[0] = tensor->rank;
    words[1] = in_place ? (gint64) (guintptr) tensor->data : 0;
    for (k = 0; k < tensor->rank; k++)
      words[2 + k] = tensor->sizes[k];
  }
  self->key[self->n_words - 1] =
      self->constants != NULL ? (gint64) pt_cuda_constants_host_state (self->constants) : 0;
}

static gboolean
same_shapes (const PtCudaGraphs *self, const gint64 *key)
{
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    const gint64 *a = self->key + i * (2 + PT_MAX_RANK), *b = key + i * (2 + PT_MAX_RANK);

    if (a[0] != b[0] || memcmp (a + 2, b + 2, (gsize) a[0] * sizeof (gint64)) != 0)
      return FALSE;
  }
  return self->key[self->n_words - 1] == key[self->n_words - 1];
}

/* Finds inputs whose memory differs from the recording's: they are copied from now on. */
static gboolean
find_moves (PtCudaGraphs *self, const Entry *entry)
{
  gboolean found = FALSE;
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    gsize at = i * (2 + PT_MAX_RANK) + 1;

    if (self->key[at] == entry->key[at])
      continue;
    self->moves[i] = TRUE;
    self->key[at] = 0;
    found = TRUE;
  }
  return found;
}

/*
 * The entry of this call, or the least recently used one to replace. When recording is switched
 * off, existing graphs stay and other calls get NULL.
 */
static Entry *
find_entry (PtCudaGraphs *self)
{
  Entry *oldest = &self->entries[0];
  guint i;

  for (i = 0; i < MAX_ENTRIES; i++) {
    Entry *entry = &self->entries[i];

    if (entry->known && same_shapes (self, entry->key)) {
      if (find_moves (self, entry)) {
        drop (self, entry);
        memcpy (entry->key, self->key, self->n_words * sizeof (gint64));
      }
      return entry;
    }
    if (!entry->known || (oldest->known && entry->age < oldest->age))
      oldest = entry;
  }
  if (self->is_off)
    return NULL;
  drop (self, oldest);
  memcpy (oldest->key, self->key, self->n_words * sizeof (gint64));
  oldest->known = TRUE;
  return oldest;
}

/* ---- memory ---- */

/* The smallest allocation that contains the pointer. */
static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  PtCudaGraphs *self = user_data;
  const PtCuda *cu = self->context->cu;

  if ((self->recording != NULL && pt_cuda_pool_find (self->recording, pointer, start, size)) ||
      (self->constants != NULL && pt_cuda_constants_find (self->constants, pointer, start, size)) ||
      pt_cuda_pool_find (self->context->tensors, pointer, start, size))
    return TRUE;
  return cu->cuMemGetAddressRange != NULL &&
         cu->cuMemGetAddressRange (start, size, pointer) == PT_CU_SUCCESS;
}

/* ---- recording ---- */

/*
 * Sets the addresses where the graph reads its inputs, and makes handles of them, which the library
 * deletes.
 */
static gboolean
make_arguments (PtCudaGraphs *self, Entry *entry, PtTensor *const *inputs, GError **error)
{
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    const PtTensor *tensor = inputs[i];
    gsize size = pt_tensor_nbytes (tensor);
    gint64 address = entry->key[i * (2 + PT_MAX_RANK) + 1];

    if (address != 0) {
      entry->slots[i] = tensor->data;
    } else if (size > 0) {
      entry->slots[i] = (gpointer) (guintptr) pt_cuda_pool_allocate (entry->pool, size, error);
      if (entry->slots[i] == NULL)
        return FALSE;
    }
    self->arguments[i] = pt_shim_tensor_view (entry->slots[i], size, (gint32) tensor->dtype,
                                              tensor->rank, tensor->sizes, tensor->strides, 0,
                                              PT_DEVICE_CUDA, self->context->index, error);
    if (self->arguments[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

/* Makes the call between the beginning and the end of a capture; the GPU computes nothing. */
static PtCuGraph
capture (PtCudaGraphs *self, Entry *entry, GError **error)
{
  PtCudaContext *context = self->context;
  const PtCuda *cu = context->cu;
  PtCudaReplacements *replacements = pt_cuda_container_replacements (self->container);
  PtCuGraph graph = NULL;
  PtCuResult code;
  gboolean ok;

  if (!pt_cuda_check (cu->cuStreamBeginCapture (context->stream, PT_CU_STREAM_CAPTURE_RELAXED),
                      "Recording a CUDA graph", error))
    return NULL;
  context->pool = entry->pool;
  context->is_capturing = TRUE;
  pt_cuda_replacements_begin (replacements, PT_CUDA_REPLACE_USE, find_memory, self);
  ok = pt_cuda_container_run (self->container, self->arguments, entry->outputs, error);
  pt_cuda_replacements_end (replacements);
  context->is_capturing = FALSE;
  context->pool = context->tensors;
  code = cu->cuStreamEndCapture (context->stream, &graph);
  if (ok && pt_cuda_check (code, "Recording a CUDA graph", error))
    return graph;
  if (graph != NULL)
    cu->cuGraphDestroy (graph);
  return NULL;
}

/* The effects of kernels of the library, and of our kernels. */
static const PtPtxEffects *
find_effects (PtCuFunction function, gpointer user_data)
{
  PtCudaGraphs *self = user_data;
  const PtPtxEffects *effects = pt_cuda_container_effects (self->container, function);

  return effects != NULL ? effects : pt_cuda_kernels_effects (self->context, function);
}

/* Blocks that the library has freed are not read after the graph. */
static gboolean
is_passing (PtCuPointer start, gpointer user_data)
{
  return pt_cuda_pool_is_idle (((PtCudaGraphs *) user_data)->recording, start);
}

static gboolean
starts_early (PtCuFunction function, gpointer user_data)
{
  return pt_cuda_kernels_start_early (((PtCudaGraphs *) user_data)->context, function);
}

static gboolean
combine (const PtCuKernelNode *first, const PtCuKernelNode *second, PtCudaKernelChange *both,
         gpointer user_data)
{
  return pt_cuda_kernels_combine (((PtCudaGraphs *) user_data)->context, first, second, both);
}

static guint
find_weights (const PtCuKernelNode *node, PtCuPointer *addresses, gpointer user_data)
{
  return pt_cuda_kernels_weights (((PtCudaGraphs *) user_data)->context, node, addresses);
}

static void
read_early (const PtCuKernelNode *node, PtCudaKernelChange *changed, gpointer user_data)
{
  pt_cuda_kernels_read_early (((PtCudaGraphs *) user_data)->context, node, changed);
}

/* Turns off what the environment variable names: a list with commas. */
static void
apply_settings (const PtCudaGraphs *self, PtCudaMemoryView *view)
{
  const char *text = g_getenv ("PTERIS_CUDA_GRAPH_EDGES");
  g_auto (GStrv) list = g_strsplit (text != NULL ? text : "", ",", -1);
  const char *const *settings = (const char *const *) list;

  if (g_strv_contains (settings, "in-place"))
    view->spare = 0;
  if (self->is_plain || g_strv_contains (settings, "ends"))
    view->starts_early = NULL;
  if (self->is_plain || g_strv_contains (settings, "apart"))
    view->combine = NULL;
  if (self->is_plain || g_strv_contains (settings, "late"))
    view->weights = NULL;
}

/* Lets independent kernels run in parallel. On failure they stay in sequence. */
static gboolean
replace_edges (PtCudaGraphs *self, Entry *entry, PtCuGraph graph, GError **error)
{
  PtCudaMemoryView view = { .effects = find_effects,
                            .find = find_memory,
                            .is_passing = is_passing,
                            .starts_early = starts_early,
                            .combine = combine,
                            .weights = find_weights,
                            .read_early = read_early,
                            .user_data = self,
                            .may_drop = TRUE,
                            .spare = entry->spare,
                            .spare_size = SPARE_BYTES };
  PtCudaGraphEdges result;
  gboolean ok;

  if (g_strcmp0 (g_getenv ("PTERIS_CUDA_GRAPH_EDGES"), "0") == 0)
    return TRUE;
  apply_settings (self, &view);
  ok = pt_cuda_replace_edges (self->context->cu, graph, &view, &result);
  entry->is_changed = result.n_early + result.n_combined + result.n_read_early > 0;
  g_debug ("CUDA graph: %u nodes, %s: %u edges, %u early, %u in a row, %u unknown, %u moved, "
           "%u removed, %u combined, %u read early",
           result.n_nodes, ok ? "new edges" : "a chain", result.n_edges, result.n_early,
           result.depth, result.n_barriers, result.n_moved, result.n_dropped, result.n_combined,
           result.n_read_early);
  return !result.is_broken ||
         pt_fail (error, PT_ERROR_GPU, "The driver does not let a recorded call be changed.");
}

static gboolean
are_on_device (const PtCudaGraphs *self, const Entry *entry, GError **error)
{
  guint i;

  for (i = 0; i < self->n_outputs; i++)
    if (entry->outputs[i]->storage->device_type != PT_DEVICE_CUDA)
      return pt_fail (error, PT_ERROR_UNSUPPORTED, "A result is not on the GPU.");
  return TRUE;
}

static gboolean
instantiate (PtCudaGraphs *self, Entry *entry, PtCuGraph graph, GError **error)
{
  const PtCuda *cu = self->context->cu;
  PtCuResult code = cu->cuGraphInstantiateWithFlags (&entry->exec, graph, 0);

  cu->cuGraphDestroy (graph);
  if (code != PT_CU_SUCCESS)
    entry->exec = NULL;
  return pt_cuda_check (code, "Preparing a CUDA graph", error);
}

static gboolean
try_record (PtCudaGraphs *self, Entry *entry, PtTensor *const *inputs, GError **error)
{
  PtCuGraph graph;

  entry->pool = pt_cuda_pool_new_graph (self->context->tensors);
  self->recording = entry->pool;
  if (!make_arguments (self, entry, inputs, error))
    return FALSE;
  entry->spare = pt_cuda_pool_allocate (entry->pool, SPARE_BYTES, NULL);
  graph = capture (self, entry, error);
  if (graph == NULL)
    return FALSE;
  if (!are_on_device (self, entry, error) || !replace_edges (self, entry, graph, error)) {
    self->context->cu->cuGraphDestroy (graph);
    return FALSE;
  }
  if (!instantiate (self, entry, graph, error))
    return FALSE;
  if (pt_cuda_pool_reserved (entry->pool) > MAX_BYTES)
    return pt_fail (error, PT_ERROR_MEMORY, "The graph takes too much memory.");
  if (self->constants != NULL &&
      (gint64) pt_cuda_constants_host_state (self->constants) != entry->key[self->n_words - 1])
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "The call changes constants on the host.");
  return TRUE;
}

/* Failures are not reported to the user: calls are then made without a graph. */
static void
record (PtCudaGraphs *self, Entry *entry, PtTensor *const *inputs)
{
  g_autoptr (GError) why = NULL;
  g_autofree char *replaced = NULL;

  entry->ready = try_record (self, entry, inputs, &why);
  self->recording = NULL;
  replaced = pt_cuda_replacements_describe (pt_cuda_container_replacements (self->container));
  if (replaced != NULL)
    g_debug ("Kernels of the model: %s", replaced);
  pt_cuda_free_handles (self->arguments, self->n_inputs);
  if (entry->ready) {
    self->n_recordings++;
    self->is_off = self->n_recordings >= MAX_RECORDINGS;
    return;
  }
  g_debug ("No CUDA graph: %s", why != NULL ? why->message : "unknown");
  drop (self, entry);
  /* The next recording may succeed. */
  if (entry->is_changed && !self->is_plain)
    self->is_plain = TRUE;
  else
    self->is_off = TRUE;
}

/* ---- calls ---- */

static gboolean
replay (PtCudaGraphs *self, Entry *entry, PtTensor *const *inputs, GError **error)
{
  PtCudaContext *context = self->context;
  const PtCuda *cu = context->cu;
  guint i;

  for (i = 0; i < self->n_inputs; i++) {
    const PtTensor *tensor = inputs[i];
    gsize size = pt_tensor_nbytes (tensor);
    PtCuPointer to = (PtCuPointer) (guintptr) entry->slots[i];
    PtCuResult code;

    if (size == 0 || entry->slots[i] == tensor->data)
      continue;
    code = tensor->device_type == PT_DEVICE_CPU
               ? cu->cuMemcpyHtoDAsync (to, tensor->data, size, context->stream)
               : cu->cuMemcpyDtoDAsync (to, (PtCuPointer) (guintptr) tensor->data, size,
                                        context->stream);
    if (!pt_cuda_context_check (context, code, "Copying an input to the GPU", error))
      return FALSE;
  }
  return pt_cuda_context_check (context, cu->cuGraphLaunch (entry->exec, context->stream),
                                "Starting a CUDA graph", error);
}

gboolean
pt_cuda_graphs_begin (PtCudaGraphs *self, PtTensor *const *inputs, PtShimTensor *const **outputs,
                      gboolean *done, GError **error)
{
  Entry *entry;

  *done = FALSE;
  self->current = NULL;
  pt_cuda_replacements_end (pt_cuda_container_replacements (self->container));
  if ((self->is_off && self->n_recordings == 0) || !is_small (self, inputs))
    return TRUE;
  make_key (self, inputs);
  entry = find_entry (self);
  if (entry == NULL)
    return TRUE;
  entry->age = ++self->clock;
  if (!entry->ready && entry->n_calls >= WARM_CALLS && !self->is_off)
    record (self, entry, inputs);
  if (!entry->ready) {
    self->current = entry;
    /* The last calls before a graph is recorded. */
    if (entry->n_calls > 0 && !self->is_off)
      pt_cuda_replacements_begin (pt_cuda_container_replacements (self->container),
                                  PT_CUDA_REPLACE_WATCH, find_memory, self);
    return TRUE;
  }
  *done = TRUE;
  *outputs = entry->outputs;
  return replay (self, entry, inputs, error);
}

void
pt_cuda_graphs_end (PtCudaGraphs *self)
{
  Entry *entry = self->current;

  pt_cuda_replacements_end (pt_cuda_container_replacements (self->container));
  if (entry == NULL)
    return;
  /* A replay would not repeat the changes that a call makes to constants on the host. */
  if (self->constants == NULL ||
      (gint64) pt_cuda_constants_host_state (self->constants) == entry->key[self->n_words - 1])
    entry->n_calls++;
  else
    entry->n_calls = 0;
  self->current = NULL;
}
