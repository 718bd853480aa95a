/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/constants.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/cuda/shims.h"
#include "engine/cuda/state-names.h"
#include "engine/program/mapping.h"

/*
 * The kind of a constant by the library's own account, which is not reliable (docs/formats/cuda.md,
 * section 5.1).
 */
enum { TYPE_UNKNOWN = 0, TYPE_PARAMETER = 1, TYPE_BUFFER = 2, TYPE_LIFTED = 3 };

/* A constant of unknown kind up to this size is reset with the state, to be safe. */
#define SMALL_BYTES ((gsize) 64 << 10)
/* Alignment of the sizes of constants that the library keeps on the host. */
#define PADDING 64
#define MAX_CONSTANTS (1u << 20)
#define FQN_PREFIX "fqn:"

/** One constant of the library's container. */
typedef struct {
  const char *name; /* owned by the container; name in the library's code */
  const char *fqn;  /* owned by the container; name in the original module */
  gsize size;       /* bytes of its storage, by the library's account */
  gint32 dtype;
  gint32 type;
  gboolean is_folded;     /* the library computes it; nothing to bind */
  PtCudaStorage *storage; /* a reference to the storage */
  PtShimTensor *tensor;   /* owned; the handle that is bound */
} Constant;

struct _PtCudaConstants {
  PtCudaContext *cuda;
  PtCudaScope *scope;
  PtCudaContainer *container; /* not owned */
  Constant *items;
  guint n;
  GPtrArray *state;        /* PtCudaStorage that reset() resets, each one once */
  GPtrArray *on_host;      /* PtCudaStorage on the host */
  PtShimRecord handles;    /* handles that the library made from the bound ones */
  PtCudaStateNames *names; /* NULL: the program has no list of its state */
};

/* ---- reading the library's constants ---- */

static gboolean
read_constant (const PtCudaContainer *container, guint i, Constant *constant, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (container);
  PtModelContainer handle = pt_cuda_container_handle (container);
  bool folded = false;
  size_t size = 0;
  int code = model->get_constant_name (handle, i, &constant->name);

  if (code == 0)
    code = model->get_constant_original_fqn (handle, i, &constant->fqn);
  if (code == 0 && model->get_constant_from_folded != NULL)
    code = model->get_constant_from_folded (handle, i, &folded);
  if (code == 0 && model->get_constant_type != NULL)
    code = model->get_constant_type (handle, i, &constant->type);
  if (code == 0)
    code = model->get_constant_dtype (handle, i, &constant->dtype);
  if (code == 0)
    code = model->get_constant_data_size (handle, i, &size);
  if (code != 0 || constant->name == NULL || constant->fqn == NULL)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "The model's library does not say what its weight %u is.", i);
  constant->is_folded = folded;
  constant->size = size;
  return TRUE;
}

static gboolean
has_all_symbols (const PtCudaContainer *container, gboolean by_name, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (container);

  if (model->get_constant_name != NULL && model->get_constant_original_fqn != NULL &&
      model->get_constant_dtype != NULL && model->get_constant_data_size != NULL &&
      (by_name ? model->update_user_managed_constant_buffer_pairs != NULL
               : model->update_constants_from_blob != NULL))
    return TRUE;
  return pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "The model's library lacks the functions that load its weights (ExecuTorch error 0x10).");
}

static gboolean
read_constants (PtCudaConstants *self, gboolean by_name, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self->container);
  size_t n = 0;
  guint i;

  if (model->get_num_constants == NULL)
    return TRUE;
  if (model->get_num_constants (pt_cuda_container_handle (self->container), &n) != 0 ||
      n > MAX_CONSTANTS)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "The model's library does not say how many weights it has.");
  if (n > 0 && !has_all_symbols (self->container, by_name, error))
    return FALSE;
  self->items = pt_allocate (n, sizeof (Constant), error);
  if (self->items == NULL)
    return FALSE;
  self->n = (guint) n;
  for (i = 0; i < self->n; i++)
    if (!read_constant (self->container, i, &self->items[i], error))
      return FALSE;
  return TRUE;
}

/* ---- binding ---- */

/* Binds handles of the @items that @chosen accepts; NULL: of all that are not folded. */
static gboolean
bind (PtCudaConstants *self, const gboolean *chosen, gboolean is_all, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self->container);
  g_autofree PtModelPair *pairs = g_new0 (PtModelPair, self->n);
  g_auto (PtShimRecord) record = { 0 };
  gsize n = 0;
  guint i;
  int code;

  for (i = 0; i < self->n; i++)
    if (!self->items[i].is_folded && (chosen == NULL || chosen[i]))
      pairs[n++] = (PtModelPair){ self->items[i].name, self->items[i].tensor };
  if (n == 0)
    return TRUE;
  pt_cuda_container_enter (self->container);
  pt_shim_record_begin (&record);
  code = model->update_user_managed_constant_buffer_pairs (
      pt_cuda_container_handle (self->container), pairs, n, false, is_all);
  pt_shim_record_end ();
  if (!pt_cuda_container_leave (self->container, code, "Loading the weights", error))
    return FALSE;
  /* The library no longer uses the handles of the former binding. */
  pt_shim_record_clear (&self->handles);
  self->handles = record;
  memset (&record, 0, sizeof record);
  return TRUE;
}

static gboolean
view (PtCudaConstants *self, Constant *constant, gint32 dtype, guint rank, const gint64 *sizes,
      const gint64 *strides, gint64 offset, GError **error)
{
  const PtCudaStorage *storage = constant->storage;
  gboolean on_device = storage->device_type != PT_DEVICE_CPU;

  constant->tensor =
      pt_shim_tensor_view (storage->data, storage->size, dtype, rank, sizes, strides, offset,
                           storage->device_type, on_device ? self->cuda->index : 0, error);
  return constant->tensor != NULL;
}

/* ---- constants with names ---- */

static gsize
rounded (gsize size)
{
  return (size + PADDING - 1) / PADDING * PADDING;
}

static gboolean
fail_library (GError **error, const char *what, const char *fqn)
{
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The program is damaged: its list of weights does not belong to its library: %s "
                  "“%s” (ExecuTorch error 0x23).",
                  what, fqn);
}

/* Finds the payload entry of each constant of the library: @entries, [n]. */
static gboolean
match_entries (PtCudaConstants *self, const PtCudaPayload *payload, guint *entries, GError **error)
{
  g_autoptr (GHashTable) by_fqn = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree gboolean *used = g_new0 (gboolean, payload->n_constants);
  guint i;

  for (i = 0; i < payload->n_constants; i++)
    g_hash_table_insert (by_fqn, (gpointer) payload->constants[i].fqn, GUINT_TO_POINTER (i + 1));
  for (i = 0; i < self->n; i++) {
    const Constant *constant = &self->items[i];
    guint found = GPOINTER_TO_UINT (g_hash_table_lookup (by_fqn, constant->fqn));
    const PtCudaConstant *entry = found > 0 ? &payload->constants[found - 1] : NULL;

    if (constant->is_folded)
      continue;
    if (entry == NULL)
      return fail_library (error, "nothing is listed for", constant->fqn);
    if ((gint32) entry->dtype != constant->dtype)
      return fail_library (error, "another element type is listed for", constant->fqn);
    if (rounded (entry->nbytes) != rounded (constant->size))
      return fail_library (error, "another size is listed for", constant->fqn);
    entries[i] = found - 1;
    used[found - 1] = TRUE;
  }
  for (i = 0; i < payload->n_constants; i++)
    if (!used[i])
      return fail_library (error, "the library has no", payload->constants[i].fqn);
  return TRUE;
}

static gboolean
take_storages (PtCudaConstants *self, const PtDelegateContext *context,
               const PtCudaPayload *payload, PtCudaStorage **storages, GError **error)
{
  g_autofree PtCudaStorageSpec *specs = g_new0 (PtCudaStorageSpec, payload->n_constants);
  guint i;

  for (i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *entry = &payload->constants[i];

    specs[i] = (PtCudaStorageSpec){ .key = entry->key,
                                    .key_length = entry->key_length,
                                    .size = entry->nbytes,
                                    .device_type = entry->device_type,
                                    .initial = pt_cuda_constant_find (context, entry, error) };
    if (specs[i].initial == NULL)
      return FALSE;
  }
  return pt_cuda_scope_take (self->scope, specs, payload->n_constants, storages, error);
}

static gboolean
bind_by_name (PtCudaConstants *self, const PtDelegateContext *context, const PtCudaPayload *payload,
              GError **error)
{
  g_autofree guint *entries = g_new0 (guint, self->n);
  g_autofree PtCudaStorage **storages = g_new0 (PtCudaStorage *, payload->n_constants);
  gboolean ok = TRUE;
  guint i;

  if (!match_entries (self, payload, entries, error) ||
      !take_storages (self, context, payload, storages, error))
    return FALSE;
  for (i = 0; ok && i < self->n; i++) {
    const PtCudaConstant *entry = &payload->constants[entries[i]];

    if (self->items[i].is_folded)
      continue;
    self->items[i].storage = pt_cuda_storage_ref (storages[entries[i]]);
    ok = view (self, &self->items[i], (gint32) entry->dtype, entry->rank, entry->sizes,
               entry->strides, entry->offset, error);
  }
  for (i = 0; i < payload->n_constants; i++)
    pt_cuda_storage_unref (storages[i]);
  return ok && bind (self, NULL, TRUE, error);
}

/* ---- constants in one blob ---- */

static char *
shared_key (const Constant *constant)
{
  return g_strconcat (FQN_PREFIX, constant->fqn, NULL);
}

/* Without a name a storage cannot be shared with other methods. */
static PtCudaStorage *
find_shared (PtCudaConstants *self, const Constant *constant)
{
  g_autofree char *key = shared_key (constant);

  if (self->names == NULL || constant->is_folded || constant->fqn[0] == '\0')
    return NULL;
  return pt_cuda_scope_find (self->scope, key, strlen (key));
}

/* The size of all constants in the blob that are not folded. */
static gboolean
measure_blob (PtCudaConstants *self, guint64 *size, GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self->container);
  uint64_t said = 0;
  guint i;

  *size = 0;
  for (i = 0; i < self->n; i++) {
    if (self->items[i].is_folded)
      continue;
    if (self->items[i].size > G_MAXSSIZE || *size > G_MAXSSIZE - self->items[i].size)
      return fail_library (error, "too large is", self->items[i].fqn);
    *size += self->items[i].size;
  }
  if (*size == 0 || model->get_constants_blob_size == NULL)
    return TRUE;
  if (model->get_constants_blob_size (pt_cuda_container_handle (self->container), &said) != 0 ||
      said != *size)
    return pt_fail (error, PT_ERROR_DELEGATE,
                    "The model's library does not say how large its weights are.");
  return TRUE;
}

static const guint8 *
find_blob (PtCudaConstants *self, const PtDelegateContext *context, const PtCudaPayload *payload,
           guint64 need, GError **error)
{
  gsize size = 0;
  const guint8 *blob =
      pt_delegate_find_data (context, payload->weights_key, payload->weights_key_length, &size);

  if (blob == NULL && context->data == NULL) {
    pt_fail (error, PT_ERROR_MISSING_FILE,
             "The weights are not in the program but in a data file (aoti_cuda_blob.ptd), which is "
             "missing (ExecuTorch error 0x20).");
    return NULL;
  }
  if (blob == NULL) {
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "The data files lack the weights of method %s; they probably belong to another model "
             "(ExecuTorch error 0x20).",
             context->method);
    return NULL;
  }
  if (size != need) {
    pt_fail (error, PT_ERROR_DATA,
             "The data file has %" G_GSIZE_FORMAT " bytes of weights for method %s, and the model "
             "wants %" G_GUINT64_FORMAT "; they belong to different models (ExecuTorch error "
             "0x24).",
             size, context->method, need);
    return NULL;
  }
  return blob;
}

/*
 * The library allocates memory and copies its constants to it. The recorder sees the tensors that
 * it makes.
 */
static gboolean
upload_blob (PtCudaConstants *self, const guint8 *blob, gsize size, PtShimRecord *record,
             GError **error)
{
  const PtModelSymbols *model = pt_cuda_container_symbols (self->container);
  g_autoptr (PtCudaUpload) upload = pt_cuda_upload_new (self->cuda, error);
  g_autoptr (GError) upload_error = NULL;
  gboolean copied;
  int code;

  if (upload == NULL)
    return FALSE;
  pt_cuda_container_enter (self->container);
  pt_shim_record_begin (record);
  pt_shim_upload_begin (upload, NULL);
  code = model->update_constants_from_blob (pt_cuda_container_handle (self->container), blob);
  copied = pt_shim_upload_finish (&upload_error);
  pt_shim_record_end ();
  if (!pt_cuda_container_leave (self->container, code, "Loading the weights", error))
    return FALSE;
  if (!copied) {
    g_propagate_error (error, g_steal_pointer (&upload_error));
    return FALSE;
  }
  pt_mapping_forget (blob, size);
  return TRUE;
}

/* Takes ownership of the library's copy, because it may be shared and outlive the container. */
static PtCudaSlab *
adopt_block (PtCudaConstants *self, PtShimRecord *record, GError **error)
{
  PtCuPointer block;

  if (record->blocks->len != 1) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The model's library takes its weights in an unknown way.");
    return NULL;
  }
  block = g_array_index (record->blocks, PtCuPointer, 0);
  pt_shim_adopt (block);
  return pt_cuda_slab_new (self->cuda, block);
}

/* Bytes from the beginning of the storage to the end of the view @tensor. */
static gsize
tensor_end (const PtShimTensor *tensor)
{
  return (gsize) tensor->offset * pt_dtype_size ((PtDType) tensor->dtype) +
         pt_shim_tensor_extent (tensor);
}

/* Makes a storage of the library's copy, so that methods that are loaded later find it. */
static gboolean
describe (PtCudaConstants *self, Constant *constant, PtShimTensor *tensor, const guint8 *initial,
          PtCudaSlab *slab, GError **error)
{
  gboolean on_device = tensor->storage->device_type != PT_DEVICE_CPU;
  g_autofree char *key = NULL;
  PtCudaStorageSpec spec = { .size = constant->size,
                             .device_type = (PtDeviceType) tensor->storage->device_type,
                             .initial = initial };

  constant->tensor = tensor;
  /* The padding behind the last constant may be missing. */
  if (!on_device)
    spec.size = MIN (spec.size, tensor_end (tensor));
  if (self->names != NULL && on_device && constant->fqn[0] != '\0' &&
      find_shared (self, constant) == NULL) {
    key = shared_key (constant);
    spec.key = key;
    spec.key_length = strlen (key);
  }
  if (on_device && slab == NULL && constant->size > 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model's library takes its weights in an unknown way.");
  constant->storage =
      pt_cuda_scope_adopt (self->scope, &spec, tensor->storage->data, on_device ? slab : NULL);
  constant->storage->view = pt_shim_tensor_share (tensor);
  return TRUE;
}

static gboolean
describe_all (PtCudaConstants *self, const guint8 *blob, PtShimRecord *record, GError **error)
{
  PtCudaSlab *slab = NULL;
  gsize offset = 0;
  gboolean ok = TRUE;
  guint i, k = 0;

  if (record->blocks != NULL && record->blocks->len > 0) {
    slab = adopt_block (self, record, error);
    if (slab == NULL)
      return FALSE;
  }
  for (i = 0; ok && i < self->n; i++) {
    Constant *constant = &self->items[i];

    if (constant->is_folded)
      continue;
    if (k >= record->constants->len) {
      ok = fail_library (error, "the library does not take", constant->fqn);
      break;
    }
    ok = describe (self, constant, pt_shim_tensor_share (record->constants->pdata[k++]),
                   blob + offset, slab, error);
    offset += constant->size;
  }
  if (slab != NULL)
    pt_cuda_slab_unref (slab);
  return ok;
}

/* Makes a view of a shared storage with the layout of the tensor that was uploaded. */
static gboolean
same_view (const PtShimTensor *a, const PtShimTensor *b)
{
  return a->dtype == b->dtype && a->rank == b->rank && a->offset == b->offset &&
         memcmp (a->sizes, b->sizes, (gsize) a->rank * sizeof (gint64)) == 0 &&
         memcmp (a->strides, b->strides, (gsize) a->rank * sizeof (gint64)) == 0;
}

/* Binds storages that another method has already uploaded, in place of this upload. */
static gboolean
share (PtCudaConstants *self, GError **error)
{
  g_autofree gboolean *chosen = g_new0 (gboolean, self->n);
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < self->n; i++) {
    Constant *constant = &self->items[i];
    PtCudaStorage *storage = find_shared (self, constant);
    PtShimTensor *own = constant->tensor;

    if (storage == NULL || storage == constant->storage || storage->size != constant->size ||
        constant->storage->device_type == PT_DEVICE_CPU || !same_view (storage->view, own))
      continue;
    pt_cuda_storage_unref (constant->storage);
    constant->storage = pt_cuda_storage_ref (storage);
    constant->tensor = pt_shim_tensor_share (storage->view);
    pt_shim_tensor_free (own);
    chosen[i] = any = TRUE;
  }
  return !any || bind (self, chosen, FALSE, error);
}

/* Other methods have uploaded all constants already, so the blob is not needed. */
static gboolean
are_all_shared (PtCudaConstants *self)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    const Constant *constant = &self->items[i];
    const PtCudaStorage *storage = find_shared (self, constant);

    if (!constant->is_folded && (storage == NULL || storage->size != constant->size ||
                                 storage->view->dtype != constant->dtype))
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_all_shared (PtCudaConstants *self, GError **error)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    Constant *constant = &self->items[i];

    if (constant->is_folded)
      continue;
    constant->storage = pt_cuda_storage_ref (find_shared (self, constant));
    constant->tensor = pt_shim_tensor_share (constant->storage->view);
  }
  return bind (self, NULL, FALSE, error);
}

static gboolean
bind_blob (PtCudaConstants *self, const PtDelegateContext *context, const PtCudaPayload *payload,
           GError **error)
{
  g_auto (PtShimRecord) record = { 0 };
  const guint8 *blob;
  guint64 need;

  if (self->names != NULL && !has_all_symbols (self->container, TRUE, error))
    return FALSE;
  if (self->names != NULL && are_all_shared (self))
    return take_all_shared (self, error);
  if (!measure_blob (self, &need, error))
    return FALSE;
  blob = need > 0 ? find_blob (self, context, payload, need, error) : (const guint8 *) "";
  return blob != NULL && upload_blob (self, blob, (gsize) need, &record, error) &&
         describe_all (self, blob, &record, error) && share (self, error);
}

/* ---- selecting the state ---- */

static gboolean
is_state (const PtCudaConstants *self, const Constant *constant)
{
  PtCudaStorage *storage = constant->storage;

  if (storage->device_type == PT_DEVICE_CPU)
    return TRUE;
  if (self->names != NULL)
    return pt_cuda_state_names_contain (self->names, constant->fqn);
  switch (constant->type) {
  case TYPE_PARAMETER: return FALSE;
  case TYPE_BUFFER:
  case TYPE_LIFTED: return TRUE;
  default: return storage->size <= SMALL_BYTES || pt_cuda_storage_is_zero (storage);
  }
}

static void
add_once (GPtrArray *storages, PtCudaStorage *storage)
{
  if (!g_ptr_array_find (storages, storage, NULL))
    g_ptr_array_add (storages, pt_cuda_storage_ref (storage));
}

static void
find_state (PtCudaConstants *self)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    Constant *constant = &self->items[i];

    if (constant->storage == NULL)
      continue;
    if (is_state (self, constant))
      add_once (self->state, constant->storage);
    if (constant->storage->device_type == PT_DEVICE_CPU)
      add_once (self->on_host, constant->storage);
  }
}

/* ---- all steps ---- */

PtCudaConstants *
pt_cuda_constants_new (const PtDelegateContext *context, const PtCudaPayload *payload,
                       PtCudaContainer *container, GError **error)
{
  PtCudaConstants *self = g_new0 (PtCudaConstants, 1);
  gboolean by_name = pt_cuda_payload_has_names (payload), ok;

  self->cuda = pt_cuda_container_context (container);
  self->container = container;
  self->scope = pt_cuda_scope_ref (context->scope, self->cuda);
  self->state = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_cuda_storage_unref);
  self->on_host = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_cuda_storage_unref);
  ok = pt_cuda_state_names_find (context->program, &self->names, error) &&
       read_constants (self, by_name, error);
  if (ok && by_name)
    ok = bind_by_name (self, context, payload, error);
  else if (ok && self->n > 0)
    ok = bind_blob (self, context, payload, error);
  if (!ok) {
    pt_cuda_container_close (container);
    pt_cuda_constants_free (self);
    return NULL;
  }
  find_state (self);
  return self;
}

void
pt_cuda_constants_free (PtCudaConstants *self)
{
  guint i;

  for (i = 0; i < self->n; i++) {
    g_clear_pointer (&self->items[i].tensor, pt_shim_tensor_free);
    g_clear_pointer (&self->items[i].storage, pt_cuda_storage_unref);
  }
  pt_shim_record_clear (&self->handles);
  g_ptr_array_unref (self->state);
  g_ptr_array_unref (self->on_host);
  g_clear_pointer (&self->names, pt_cuda_state_names_free);
  pt_cuda_scope_unref (self->scope);
  g_free (self->items);
  g_free (self);
}

void
pt_cuda_constants_touch (PtCudaConstants *self)
{
  self->scope->n_calls++;
}

gboolean
pt_cuda_constants_reset (PtCudaConstants *self, GError **error)
{
  guint i;

  for (i = 0; i < self->state->len; i++)
    if (!pt_cuda_storage_reset (self->state->pdata[i], error))
      return FALSE;
  return TRUE;
}

gboolean
pt_cuda_constants_select (PtCudaConstants *self, guint state, GError **error)
{
  return pt_cuda_storages_select ((PtCudaStorage **) self->state->pdata, self->state->len, state,
                                  error);
}

void
pt_cuda_constants_forget (PtCudaConstants *self, guint state)
{
  for (guint i = 0; i < self->state->len; i++)
    pt_cuda_storage_forget (self->state->pdata[i], state);
}

gboolean
pt_cuda_constants_has_state (const PtCudaConstants *self, const char *part)
{
  guint i;

  for (i = 0; i < self->n; i++)
    if (self->items[i].storage != NULL && is_state (self, &self->items[i]) &&
        strstr (self->items[i].fqn, part) != NULL)
      return TRUE;
  return FALSE;
}

guint64
pt_cuda_constants_host_state (const PtCudaConstants *self)
{
  guint64 hash = G_GUINT64_CONSTANT (14695981039346656037);
  guint i;
  gsize k;

  if (self->on_host->len == 0)
    return 0;
  for (i = 0; i < self->on_host->len; i++) {
    const PtCudaStorage *storage = self->on_host->pdata[i];
    const guint8 *bytes = storage->data;

    for (k = 0; k < storage->size; k++)
      hash = (hash ^ bytes[k]) * G_GUINT64_CONSTANT (1099511628211);
  }
  return hash;
}

gboolean
pt_cuda_constants_find (const PtCudaConstants *self, PtCuPointer pointer, PtCuPointer *start,
                        gsize *size)
{
  *size = 0;
  for (guint i = 0; i < self->n; i++) {
    const PtCudaStorage *storage = self->items[i].storage;
    PtCuPointer data = storage != NULL ? (PtCuPointer) (guintptr) storage->data : 0;

    /* When storages overlap, return the larger one. */
    if (data == 0 || storage->device_type != PT_DEVICE_CUDA || pointer < data ||
        pointer - data >= storage->size || storage->size <= *size)
      continue;
    *start = data;
    *size = storage->size;
  }
  return *size > 0;
}
