/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advanced indexing: index.Tensor and index_put (docs/formats/operators.md, section 15.2).
 *
 * The shape of the chosen elements is [before, chosen, after]: the leading dimensions without
 * index, then the common shape of all index tensors, then the other dimensions. The position of an
 * element is the sum of three offsets, one from each part, so three small tables are enough.
 */
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/operators/convert.h"
#include "engine/operators/families.h"
#include "engine/operators/index.h"
#include "engine/operators/move.h"
#include "engine/program/checked.h"

typedef struct {
  guint n; /* number of index tensors; a mask counts once for each of its dimensions */
  PtView indices[PT_MAX_RANK]; /* i32 or i64 */
  guint dims[PT_MAX_RANK];     /* the dimension that each one indexes, ascending */
  guint rank;                  /* rank of the common shape */
  gint64 sizes[PT_MAX_RANK];   /* the common shape */
  guint n_before, n_after;     /* the dimensions without index */
  guint before[PT_MAX_RANK], after[PT_MAX_RANK];
  guint out_rank;
  gint64 out_sizes[PT_MAX_RANK];
} Selection;

typedef struct {
  gsize n;
  gint64 *offsets; /* in elements; NULL: 0, 1, 2, ... */
} Offsets;

/* A mask becomes one index tensor for each of its dimensions: the coordinates where it is true. */
static gboolean
add_mask (PtExecution *execution, Selection *selection, PtView *mask, guint dim, const PtView *self,
          GError **error)
{
  gint64 count = 0, at = 0, *coords[PT_MAX_RANK];

  PT_CHECK (mask->rank > 0 && dim + mask->rank <= self->rank,
            "A mask has more dimensions than the tensor.");
  for (guint i = 0; i < mask->rank; i++)
    PT_CHECK (mask->sizes[i] == self->sizes[dim + i], "A mask has another shape than the tensor.");
  if (!pt_make_dense (execution, mask->dtype, mask, error))
    return FALSE;
  for (gsize i = 0; i < mask->numel; i++)
    count += mask->data[i] != 0;
  for (guint i = 0; i < mask->rank; i++) {
    PtView *index = &selection->indices[selection->n];

    if (!pt_scratch_view (execution, PT_DTYPE_I64, 1, &count, index, error))
      return FALSE;
    coords[i] = (gint64 *) index->data;
    selection->dims[selection->n++] = dim + i;
  }
  for (gsize i = 0; i < mask->numel && at < count; i++) {
    gsize rest = i;

    if (mask->data[i] == 0)
      continue;
    for (guint d = mask->rank; d-- > 0; rest /= (gsize) mask->sizes[d])
      coords[d][at] = (gint64) (rest % (gsize) mask->sizes[d]);
    at++;
  }
  return TRUE;
}

static gboolean
read_indices (PtExecution *execution, const PtValue *list, const PtView *self, Selection *selection,
              GError **error)
{
  guint dim = 0;

  if (list->kind != PT_VALUE_OPTIONAL_TENSOR_LIST && list->kind != PT_VALUE_TENSOR_LIST)
    return pt_fail (error, PT_ERROR_TYPE, "'indices' must be a list of tensors.");
  for (guint i = 0; i < list->as_values.count; i++) {
    const PtValue *item = list->as_values.items[i];
    PtView view;

    PT_CHECK (dim < self->rank, "There are more indices than dimensions.");
    if (item == NULL || pt_value_is_none (item)) {
      dim++;
      continue;
    }
    if (!pt_arg_view (item, "indices", PT_INDEX | PT_BIT (BOOL) | PT_BIT (U8), &view, error))
      return FALSE;
    if (!pt_dtype_in (view.dtype, PT_INDEX)) {
      if (!add_mask (execution, selection, &view, dim, self, error))
        return FALSE;
      dim += view.rank;
      continue;
    }
    selection->indices[selection->n] = view;
    selection->dims[selection->n++] = dim++;
  }
  return TRUE;
}

/* Sets the shape of the chosen elements. */
static gboolean
plan_selection (const PtView *self, Selection *selection, GError **error)
{
  guint first = selection->n > 0 ? selection->dims[0] : 0, next = 0;
  gboolean adjacent =
      selection->n == 0 || selection->dims[selection->n - 1] - first == selection->n - 1;

  if (!pt_broadcast (selection->n, selection->indices, &selection->rank, selection->sizes, error))
    return FALSE;
  PT_CHECK (self->rank - selection->n + selection->rank <= PT_MAX_RANK,
            "A result would have more than %d dimensions.", PT_MAX_RANK);
  for (guint i = 0; i < self->rank; i++) {
    if (next < selection->n && selection->dims[next] == i)
      next++;
    else if (adjacent && selection->n > 0 && i < first)
      selection->before[selection->n_before++] = i;
    else
      selection->after[selection->n_after++] = i;
  }
  for (guint i = 0; i < selection->n_before; i++)
    selection->out_sizes[selection->out_rank++] = self->sizes[selection->before[i]];
  for (guint i = 0; i < selection->rank; i++)
    selection->out_sizes[selection->out_rank++] = selection->sizes[i];
  for (guint i = 0; i < selection->n_after; i++)
    selection->out_sizes[selection->out_rank++] = self->sizes[selection->after[i]];
  return TRUE;
}

static gboolean
take_offsets (PtExecution *execution, gsize n, Offsets *offsets, GError **error)
{
  gsize bytes;

  offsets->n = n;
  if (!pt_mul_size (n, sizeof *offsets->offsets, &bytes))
    return pt_fail (error, PT_ERROR_MEMORY, "An index does not fit in memory.");
  offsets->offsets = pt_execution_scratch (execution, MAX (bytes, 1), error);
  return offsets->offsets != NULL;
}

/* Lists the offsets of the elements of some dimensions of @self, in row-major order. */
static gboolean
list_dims (PtExecution *execution, const PtView *self, guint n_dims, const guint *dims,
           Offsets *offsets, GError **error)
{
  gboolean dense = TRUE;
  gsize n = 1;

  for (guint i = n_dims; i-- > 0;) {
    dense = dense && (self->sizes[dims[i]] == 1 || self->strides[dims[i]] == (gint64) n);
    n *= (gsize) self->sizes[dims[i]];
  }
  *offsets = (Offsets){ n };
  if (dense)
    return TRUE;
  if (!take_offsets (execution, n, offsets, error))
    return FALSE;
  for (gsize at = 0; at < n; at++) {
    gsize rest = at;

    offsets->offsets[at] = 0;
    for (guint i = n_dims; i-- > 0; rest /= (gsize) self->sizes[dims[i]])
      offsets->offsets[at] +=
          (gint64) (rest % (gsize) self->sizes[dims[i]]) * self->strides[dims[i]];
  }
  return TRUE;
}

/*
 * Lists the offsets of the chosen elements. Each index is read once, checked and turned into an
 * offset.
 */
static gboolean
list_chosen (PtExecution *execution, const PtView *self, Selection *selection, Offsets *offsets,
             GError **error)
{
  gsize n = 1;

  for (guint i = 0; i < selection->rank; i++)
    n *= (gsize) selection->sizes[i];
  if (!take_offsets (execution, n, offsets, error))
    return FALSE;
  memset (offsets->offsets, 0, n * sizeof *offsets->offsets);
  for (guint k = 0; k < selection->n; k++) {
    PtView *index = &selection->indices[k];
    gint64 size = self->sizes[selection->dims[k]], stride = self->strides[selection->dims[k]];
    PtView expanded;

    if (index->numel != n || !pt_view_is_contiguous (index)) {
      if (!pt_scratch_view (execution, index->dtype, selection->rank, selection->sizes, &expanded,
                            error))
        return FALSE;
      pt_move (execution, &expanded, index);
      *index = expanded;
    }
    for (gsize i = 0; i < n; i++) {
      gint64 at = pt_index_at (index, (gint64) i);

      if (at < -size || at >= size)
        return pt_fail_index (error, at, size);
      offsets->offsets[i] += (at < 0 ? at + size : at) * stride;
    }
  }
  return TRUE;
}

typedef struct {
  Offsets before, chosen, after;
  gsize size;    /* bytes of an element */
  guint8 *self;  /* the tensor that is indexed */
  guint8 *dense; /* shape [before, chosen, after] */
  gboolean put;  /* dense, of the size of self */
  gboolean add;
  PtDType dtype;
} Transfer;

static inline gint64
offset_at (const Offsets *offsets, gsize i)
{
  return offsets->offsets != NULL ? offsets->offsets[i] : (gint64) i;
}

/* Copies single elements. */
#define DEFINE_GATHER(name, T)                                                      \
  static void name (const gint64 *offsets, gsize n, const guint8 *from, guint8 *to) \
  {                                                                                 \
    for (gsize i = 0; i < n; i++)                                                   \
      ((T *) to)[i] = ((const T *) from)[offsets[i]];                               \
  }

/* clang-format off */
DEFINE_GATHER (gather_1, guint8)
DEFINE_GATHER (gather_2, guint16)
DEFINE_GATHER (gather_4, guint32)
DEFINE_GATHER (gather_8, guint64)
/* clang-format on */

static gboolean
gather_elements (const Transfer *t, const guint8 *self, guint8 *dense)
{
  if (t->put || t->after.n != 1 || t->size > 8)
    return FALSE;
  switch (t->size) {
  case 1: gather_1 (t->chosen.offsets, t->chosen.n, self, dense); break;
  case 2: gather_2 (t->chosen.offsets, t->chosen.n, self, dense); break;
  case 4: gather_4 (t->chosen.offsets, t->chosen.n, self, dense); break;
  default: gather_8 (t->chosen.offsets, t->chosen.n, self, dense); break;
  }
  return TRUE;
}

static void
transfer_run (const Transfer *t, guint8 *self, guint8 *dense)
{
  gsize n = t->after.n;

  if (t->after.offsets == NULL && !t->add) {
    memmove (t->put ? self : dense, t->put ? dense : self, n * t->size);
    return;
  }
  for (gsize i = 0; i < n; i++, dense += t->size) {
    guint8 *element = self + offset_at (&t->after, i) * (gint64) t->size;

    if (t->add)
      pt_accumulate (t->dtype, element, dense);
    else
      memmove (t->put ? element : dense, t->put ? dense : element, t->size);
  }
}

static void
transfer (const Transfer *t)
{
  guint8 *dense = t->dense;

  for (gsize p = 0; p < t->before.n; p++) {
    guint8 *self = t->self + offset_at (&t->before, p) * (gint64) t->size;

    if (gather_elements (t, self, dense)) {
      dense += t->chosen.n * t->size;
      continue;
    }
    for (gsize b = 0; b < t->chosen.n; b++, dense += t->after.n * t->size)
      transfer_run (t, self + t->chosen.offsets[b] * (gint64) t->size, dense);
  }
}

static gboolean
prepare (PtExecution *execution, const PtView *self, Selection *selection, Transfer *t,
         GError **error)
{
  t->size = pt_dtype_size (self->dtype);
  t->dtype = self->dtype;
  t->self = self->data;
  return list_dims (execution, self, selection->n_before, selection->before, &t->before, error) &&
         list_chosen (execution, self, selection, &t->chosen, error) &&
         list_dims (execution, self, selection->n_after, selection->after, &t->after, error);
}

PT_KERNEL (index_tensor_out)
{
  Selection selection = { 0 };
  Transfer t = { 0 };
  PtView self, out, work;

  if (!pt_arg_view (args[0], "self", PT_ANY, &self, error) ||
      !read_indices (execution, args[1], &self, &selection, error) ||
      !plan_selection (&self, &selection, error) ||
      !pt_arg_out (args[2], 1u << self.dtype, selection.out_rank, selection.out_sizes, &out, error))
    return FALSE;
  if (selection.n == 0) {
    pt_move (execution, &out, &self);
    return TRUE;
  }
  if (out.numel == 0)
    return TRUE;
  if (!pt_make_work (execution, out.dtype, &out, &work, error) ||
      !prepare (execution, &self, &selection, &t, error))
    return FALSE;
  t.dense = work.data;
  transfer (&t);
  return pt_finish_work (execution, &out, &work, error);
}

/* Writes @values to the indexed elements of @target. */
static gboolean
put (PtExecution *execution, const PtView *target, Selection *selection, const PtView *values,
     gboolean accumulate, GError **error)
{
  Transfer t = { .put = TRUE, .add = accumulate };
  PtView dense;

  PT_CHECK (!accumulate || pt_dtype_in (target->dtype, PT_RHB),
            "Elements of dtype %s cannot be added.", pt_dtype_name (target->dtype));
  PT_CHECK (pt_broadcasts_to (values, selection->out_rank, selection->out_sizes),
            "'values' does not broadcast to the elements that are indexed.");
  if (!pt_scratch_view (execution, values->dtype, selection->out_rank, selection->out_sizes, &dense,
                        error))
    return FALSE;
  if (dense.numel == 0)
    return TRUE;
  pt_move (execution, &dense, values);
  if (!prepare (execution, target, selection, &t, error))
    return FALSE;
  t.dense = dense.data;
  transfer (&t);
  return TRUE;
}

PT_KERNEL (index_put_out)
{
  Selection selection = { 0 };
  gboolean accumulate;
  PtView self, values, out;

  if (!pt_arg_view (args[0], "self", PT_ANY, &self, error) ||
      !read_indices (execution, args[1], &self, &selection, error) ||
      !plan_selection (&self, &selection, error) ||
      !pt_arg_view (args[2], "values", 1u << self.dtype, &values, error) ||
      !pt_value_bool (args[3], "accumulate", &accumulate, error) ||
      !pt_arg_out (args[4], 1u << self.dtype, self.rank, self.sizes, &out, error))
    return FALSE;
  pt_move (execution, &out, &self);
  return put (execution, &out, &selection, &values, accumulate, error);
}

PT_KERNEL (index_put_in_place)
{
  Selection selection = { 0 };
  gboolean accumulate;
  PtView self, values;

  return pt_arg_target (args[0], PT_ANY, &self, error) &&
         read_indices (execution, args[1], &self, &selection, error) &&
         plan_selection (&self, &selection, error) &&
         pt_arg_view (args[2], "values", 1u << self.dtype, &values, error) &&
         pt_value_bool (args[3], "accumulate", &accumulate, error) &&
         put (execution, &self, &selection, &values, accumulate, error);
}

static const PtOperator operators[] = {
  { "aten::index.Tensor_out", index_tensor_out, 4, 2, 1 },
  { "aten::index_put.out", index_put_out, 6, 4, 1 },
  { "aten::index_put_", index_put_in_place, 5, 0, 1 },
};

const PtOperatorFamily pt_advanced_index_family = { operators, G_N_ELEMENTS (operators) };
