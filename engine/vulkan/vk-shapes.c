/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of elementwise operators, copies, creation and reductions. */
#include "engine/vulkan/vk-shapes.h"

#include <math.h>
#include <string.h>

gboolean
pt_vk_misfit (const PtVkCall *call, const char *what, GError **error)
{
  return pt_vk_damaged (error, "%s", what);
}

static const PtVkShape *
shape_of (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return &pt_vk_arg (graph, call, i)->shape;
}

static gboolean
set_out (const PtVkGraph *graph, const PtVkCall *call, const PtVkShape *shape, GError **error)
{
  return pt_vk_set_shape (graph, pt_vk_out (graph, call, 0), shape, error);
}

static gsize
numel_of (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return pt_vk_arg (graph, call, i)->numel;
}

/* ---- Elementwise ---- */

PT_VK_SHAPE (same)
{
  for (guint k = 0; k < pt_vk_n_outs (graph, call); k++)
    if (!pt_vk_set_shape (graph, pt_vk_out (graph, call, k), shape_of (graph, call, 0), error))
      return FALSE;
  return TRUE;
}

gboolean
pt_vk_broadcast (const PtVkShape *a, const PtVkShape *b, PtVkShape *out, GError **error)
{
  PtVkShape result = { .rank = MAX (a->rank, b->rank) };

  for (guint i = 1; i <= result.rank; i++) {
    gint64 x = i <= a->rank ? a->sizes[a->rank - i] : 1;
    gint64 y = i <= b->rank ? b->sizes[b->rank - i] : 1;

    if (x != y && x != 1 && y != 1)
      return pt_vk_damaged (
          error, "sizes %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " do not go together", x, y);
    result.sizes[result.rank - i] = x == 1 ? y : x;
  }
  *out = result;
  return TRUE;
}

PT_VK_SHAPE (binary)
{
  PtVkShape shape;

  return pt_vk_broadcast (shape_of (graph, call, 0), shape_of (graph, call, 1), &shape, error) &&
         set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (where)
{
  PtVkShape shape;

  return pt_vk_broadcast (shape_of (graph, call, 0), shape_of (graph, call, 1), &shape, error) &&
         pt_vk_broadcast (&shape, shape_of (graph, call, 2), &shape, error) &&
         set_out (graph, call, &shape, error);
}

/* ---- Copies and views ---- */

PT_VK_SHAPE (view)
{
  PtVkShape shape = { 0 };
  gsize known = 1;
  int open = -1;

  shape.rank = pt_vk_ints (graph, call, 1, shape.sizes, PT_VK_MAX_RANK);
  if (shape.rank > PT_VK_MAX_RANK)
    return pt_vk_misfit (call, "a view has too many dimensions", error);
  for (guint i = 0; i < shape.rank; i++) {
    if (shape.sizes[i] == -1 && open < 0)
      open = (int) i;
    else if (shape.sizes[i] < 0 || !g_size_checked_mul (&known, known, (gsize) shape.sizes[i]))
      return pt_vk_misfit (call, "a view has a negative or very large size", error);
  }
  if (open >= 0 && known > 0) {
    shape.sizes[open] = (gint64) (numel_of (graph, call, 0) / known);
    known *= (gsize) shape.sizes[open];
  }
  if (known != numel_of (graph, call, 0))
    return pt_vk_misfit (call, "a view has another number of elements than its tensor", error);
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (squeeze)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gint64 dims[PT_VK_MAX_RANK];
  guint n = pt_vk_ints (graph, call, 1, dims, PT_VK_MAX_RANK), bits = 0, dim;
  PtVkShape shape = { 0 };

  for (guint i = 0; i < MIN (n, PT_VK_MAX_RANK); i++) {
    if (!pt_vk_dim (dims[i], in->rank, &dim, error))
      return FALSE;
    bits |= 1u << dim;
  }
  for (guint i = 0; i < in->rank; i++)
    if ((bits >> i & 1) == 0 || in->sizes[i] != 1)
      shape.sizes[shape.rank++] = in->sizes[i];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (unsqueeze)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape shape = { .rank = in->rank + 1 };
  guint dim;

  if (in->rank == PT_VK_MAX_RANK)
    return pt_vk_misfit (call, "a tensor gets too many dimensions", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), shape.rank, &dim, error))
    return FALSE;
  for (guint i = 0; i < shape.rank; i++)
    shape.sizes[i] = i == dim ? 1 : in->sizes[i - (i > dim)];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (permute)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gint64 dims[PT_VK_MAX_RANK];
  guint seen = 0, dim;
  PtVkShape shape = { .rank = in->rank };

  if (pt_vk_ints (graph, call, 1, dims, PT_VK_MAX_RANK) != in->rank)
    return pt_vk_misfit (call, "a permutation has another length than its tensor", error);
  for (guint i = 0; i < in->rank; i++) {
    if (!pt_vk_dim (dims[i], in->rank, &dim, error))
      return FALSE;
    seen |= 1u << dim;
    shape.sizes[i] = in->sizes[dim];
  }
  if (seen != (1u << in->rank) - 1)
    return pt_vk_misfit (call, "a permutation names a dimension twice", error);
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (transpose)
{
  PtVkShape shape = *shape_of (graph, call, 0);

  if (shape.rank > 2)
    return pt_vk_misfit (call, "a tensor of more than two dimensions is transposed", error);
  if (shape.rank == 2) {
    gint64 first = shape.sizes[0];

    shape.sizes[0] = shape.sizes[1];
    shape.sizes[1] = first;
  }
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (select)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gint64 index = pt_vk_int (graph, call, 2, 0);
  PtVkShape shape = { 0 };
  guint dim;

  if (in->rank == 0)
    return pt_vk_misfit (call, "an element of a scalar is selected", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->rank, &dim, error))
    return FALSE;
  if (index < -in->sizes[dim] || index >= in->sizes[dim])
    return pt_vk_misfit (call, "an index lies outside its dimension", error);
  for (guint i = 0; i < in->rank; i++)
    if (i != dim)
      shape.sizes[shape.rank++] = in->sizes[i];
  return set_out (graph, call, &shape, error);
}

static gint64
clamp_index (gint64 index, gint64 size)
{
  if (index < 0)
    index = index < -size ? 0 : index + size;
  return MIN (index, size);
}

gboolean
pt_vk_slice_of (const PtVkGraph *graph, const PtVkCall *call, PtVkSlice *slice, GError **error)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gint64 size, end;

  if (in->rank == 0)
    return pt_vk_misfit (call, "a scalar is sliced", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->rank, &slice->dim, error))
    return FALSE;
  size = in->sizes[slice->dim];
  slice->step = pt_vk_int (graph, call, 4, 1);
  if (slice->step < 1)
    return pt_vk_misfit (call, "a slice has a step below 1", error);
  slice->start = clamp_index (pt_vk_int (graph, call, 2, 0), size);
  end = clamp_index (pt_vk_int (graph, call, 3, size), size);
  slice->count = end > slice->start ? (end - slice->start - 1) / slice->step + 1 : 0;
  return TRUE;
}

PT_VK_SHAPE (slice)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  PtVkSlice slice;

  if (!pt_vk_slice_of (graph, call, &slice, error))
    return FALSE;
  shape.sizes[slice.dim] = slice.count;
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (split)
{
  const PtVkValue *list = pt_vk_arg (graph, call, 1);
  PtVkShape shape = *shape_of (graph, call, 0);
  gint64 sizes[64], sum = 0;
  guint dim, n = pt_vk_ints (graph, call, 1, sizes, G_N_ELEMENTS (sizes));

  if (list->kind != PT_VK_INTS && list->kind != PT_VK_VALUES)
    return pt_vk_misfit (call, "a split has no list of sizes", error);
  if (n > G_N_ELEMENTS (sizes) || n != pt_vk_n_outs (graph, call) || shape.rank == 0)
    return pt_vk_misfit (call, "a split has another number of outputs than of sizes", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 2, 0), shape.rank, &dim, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    if (sizes[i] < 0 || sizes[i] > shape_of (graph, call, 0)->sizes[dim] - sum)
      return pt_vk_misfit (call, "the parts of a split are larger than the whole", error);
    sum += sizes[i];
    shape.sizes[dim] = sizes[i];
    if (!pt_vk_set_shape (graph, pt_vk_out (graph, call, i), &shape, error))
      return FALSE;
  }
  if (sum != shape_of (graph, call, 0)->sizes[dim])
    return pt_vk_misfit (call, "the parts of a split are smaller than the whole", error);
  return TRUE;
}

PT_VK_SHAPE (cat)
{
  guint n = pt_vk_list_length (graph, call, 0), dim = 0;
  PtVkShape shape = { 0 };
  gboolean has_any = FALSE;

  for (guint i = 0; i < n; i++) {
    const PtVkShape *in = &graph->values[pt_vk_list_item (graph, call, 0, i)].shape;

    if (in->rank == 1 && in->sizes[0] == 0)
      continue; /* an empty list goes with everything */
    if (!has_any) {
      shape = *in;
      has_any = TRUE;
      if (in->rank == 0 || !pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->rank, &dim, error))
        return pt_vk_misfit (call, "scalars are joined", *error == NULL ? error : NULL);
      continue;
    }
    for (guint k = 0; k < shape.rank; k++)
      if (in->rank != shape.rank || (k != dim && in->sizes[k] != shape.sizes[k]))
        return pt_vk_misfit (call, "tensors of different shapes are joined", error);
    shape.sizes[dim] += in->sizes[dim]; /* each is below 2^32 */
  }
  if (!has_any)
    shape.rank = 1;
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (expand)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape shape = { 0 };
  guint n = pt_vk_ints (graph, call, 1, shape.sizes, PT_VK_MAX_RANK), lead;

  if (n > PT_VK_MAX_RANK || n < in->rank)
    return pt_vk_misfit (call, "a tensor is expanded to fewer dimensions", error);
  shape.rank = n;
  lead = n - in->rank;
  for (guint i = 0; i < n; i++) {
    gint64 old = i < lead ? 1 : in->sizes[i - lead];

    if (shape.sizes[i] == -1 && i >= lead)
      shape.sizes[i] = old;
    if (shape.sizes[i] < 0 || (old != 1 && old != shape.sizes[i]))
      return pt_vk_misfit (call, "a tensor is expanded to a shape that does not fit", error);
  }
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (repeat)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape shape = { 0 };
  guint n = pt_vk_ints (graph, call, 1, shape.sizes, PT_VK_MAX_RANK), lead;

  if (n > PT_VK_MAX_RANK || n < in->rank)
    return pt_vk_misfit (call, "a tensor is repeated in fewer dimensions", error);
  shape.rank = n;
  lead = n - in->rank;
  for (guint i = 0; i < n; i++)
    if (shape.sizes[i] < 0 || shape.sizes[i] > G_MAXINT32)
      return pt_vk_misfit (call, "a tensor is repeated a negative number of times", error);
    else if (i >= lead)
      shape.sizes[i] *= in->sizes[i - lead];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (pad)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  gint64 pads[2 * PT_VK_MAX_RANK];
  guint n = pt_vk_ints (graph, call, 1, pads, G_N_ELEMENTS (pads));

  if (n % 2 != 0 || n / 2 > shape.rank)
    return pt_vk_misfit (call, "a padding has too many or an odd number of sizes", error);
  for (guint i = 0; i < n; i++) {
    if (pads[i] < -G_MAXINT32 || pads[i] > G_MAXINT32)
      return pt_vk_misfit (call, "a padding is too large", error);
    shape.sizes[shape.rank - 1 - i / 2] += pads[i];
  }
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (gather)
{
  const PtVkShape *in = shape_of (graph, call, 0), *index = shape_of (graph, call, 2);
  guint dim;

  if (in->rank != index->rank)
    return pt_vk_misfit (call, "an index has another number of dimensions than its tensor", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), in->rank, &dim, error))
    return FALSE;
  for (guint i = 0; i < in->rank; i++)
    if (i != dim && index->sizes[i] > in->sizes[i])
      return pt_vk_misfit (call, "an index is larger than its tensor", error);
  return set_out (graph, call, index, error);
}

PT_VK_SHAPE (index_select)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  const PtVkShape *index = shape_of (graph, call, 2);
  guint dim;

  if (index->rank > 1 || shape.rank == 0)
    return pt_vk_misfit (call, "an index is not a list", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), shape.rank, &dim, error))
    return FALSE;
  shape.sizes[dim] = index->rank == 1 ? index->sizes[0] : 1;
  return set_out (graph, call, &shape, error);
}

/* Index, and the rest of the dimensions of the indexed tensor. */
static gboolean
set_indexed (const PtVkGraph *graph, const PtVkCall *call, const PtVkShape *table,
             const PtVkShape *index, GError **error)
{
  PtVkShape shape = *index;

  if (table->rank == 0 || index->rank + table->rank - 1 > PT_VK_MAX_RANK)
    return pt_vk_misfit (call, "an index has too many dimensions", error);
  for (guint i = 1; i < table->rank; i++)
    shape.sizes[shape.rank++] = table->sizes[i];
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (index)
{
  if (pt_vk_list_length (graph, call, 1) != 1)
    return pt_vk_misfit (call, "a tensor has several indices", error);
  return set_indexed (graph, call, shape_of (graph, call, 0),
                      &graph->values[pt_vk_list_item (graph, call, 1, 0)].shape, error);
}

PT_VK_SHAPE (embedding)
{
  if (shape_of (graph, call, 0)->rank != 2)
    return pt_vk_misfit (call, "an embedding has no two dimensions", error);
  return set_indexed (graph, call, shape_of (graph, call, 0), shape_of (graph, call, 1), error);
}

PT_VK_SHAPE (pixel_shuffle)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  gint64 factor = pt_vk_int (graph, call, call->op->code, 1);
  guint n = shape.rank;

  if (n < 3 || factor < 1 || factor > 1024 || shape.sizes[n - 3] % (factor * factor) != 0)
    return pt_vk_misfit (call, "pixels cannot be shuffled by this factor", error);
  shape.sizes[n - 3] /= factor * factor;
  shape.sizes[n - 2] *= factor;
  shape.sizes[n - 1] *= factor;
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (unfold)
{
  PtVkShape shape = *shape_of (graph, call, 0);
  gint64 size = pt_vk_int (graph, call, 2, 0), step = pt_vk_int (graph, call, 3, 1);
  guint dim;

  if (shape.rank == 0 || shape.rank == PT_VK_MAX_RANK)
    return pt_vk_misfit (call, "a tensor cannot be unfolded", error);
  if (!pt_vk_dim (pt_vk_int (graph, call, 1, 0), shape.rank, &dim, error))
    return FALSE;
  if (size < 0 || step < 1 || size > shape.sizes[dim])
    return pt_vk_misfit (call, "a tensor cannot be unfolded by this size and step", error);
  shape.sizes[dim] = (shape.sizes[dim] - size) / step + 1;
  shape.sizes[shape.rank++] = size;
  return set_out (graph, call, &shape, error);
}

/* ---- Creation ---- */

PT_VK_SHAPE (sizes)
{
  PtVkShape shape = { 0 };

  shape.rank = pt_vk_ints (graph, call, 0, shape.sizes, PT_VK_MAX_RANK);
  if (shape.rank > PT_VK_MAX_RANK)
    return pt_vk_misfit (call, "a tensor has too many dimensions", error);
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (arange)
{
  double start = pt_vk_double (graph, call, 0, 0), end = pt_vk_double (graph, call, 1, 0);
  double step = pt_vk_double (graph, call, 2, 1), n = ceil ((end - start) / step);
  PtVkShape shape = { .rank = 1 };

  if (!(n >= 0 && n <= G_MAXINT32) || step == 0)
    return pt_vk_misfit (call, "a range never reaches its end", error);
  shape.sizes[0] = (gint64) n;
  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (scalar)
{
  static const PtVkShape shape;

  return set_out (graph, call, &shape, error);
}

PT_VK_SHAPE (grid_priors)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape shape = { .rank = 2, .sizes = { 0, 2 } };

  if (in->rank < 2)
    return pt_vk_misfit (call, "a grid has no two dimensions", error);
  shape.sizes[0] = in->sizes[in->rank - 2] * in->sizes[in->rank - 1];
  return set_out (graph, call, &shape, error);
}

/* ---- Reductions and normalisation ---- */

gboolean
pt_vk_reduced (const PtVkGraph *graph, const PtVkCall *call, guint i, guint *bits, GError **error)
{
  gint64 dims[PT_VK_MAX_RANK];
  guint rank = shape_of (graph, call, 0)->rank, dim;
  guint n = pt_vk_ints (graph, call, i, dims, PT_VK_MAX_RANK);

  *bits = n == 0 ? (1u << rank) - 1 : 0;
  for (guint k = 0; k < MIN (n, PT_VK_MAX_RANK); k++) {
    if (!pt_vk_dim (dims[k], rank, &dim, error))
      return FALSE;
    *bits |= 1u << dim;
  }
  return TRUE;
}

PT_VK_SHAPE (reduce)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  gboolean keep = pt_vk_bool (graph, call, 2);
  PtVkShape shape = { 0 };
  guint bits;

  if (!pt_vk_reduced (graph, call, 1, &bits, error))
    return FALSE;
  for (guint i = 0; i < in->rank; i++)
    if ((bits >> i & 1) == 0)
      shape.sizes[shape.rank++] = in->sizes[i];
    else if (keep)
      shape.sizes[shape.rank++] = 1;
  return set_out (graph, call, &shape, error);
}

/* Outputs that nothing needs may be left out of the list. */
static gboolean
set_nth (const PtVkGraph *graph, const PtVkCall *call, guint k, const PtVkShape *shape,
         GError **error)
{
  return k >= pt_vk_n_outs (graph, call) ||
         pt_vk_set_shape (graph, pt_vk_out (graph, call, k), shape, error);
}

PT_VK_SHAPE (layer_norm)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape rows = *in;
  gint64 normalized[PT_VK_MAX_RANK];
  guint n = pt_vk_ints (graph, call, 1, normalized, PT_VK_MAX_RANK);

  if (n > in->rank || n == 0)
    return pt_vk_misfit (call, "a norm has too many dimensions", error);
  for (guint i = 0; i < n; i++) {
    if (normalized[i] != in->sizes[in->rank - n + i])
      return pt_vk_misfit (call, "a norm has another size than its tensor", error);
    rows.sizes[in->rank - n + i] = 1;
  }
  return set_nth (graph, call, 0, in, error) && set_nth (graph, call, 1, &rows, error) &&
         set_nth (graph, call, 2, &rows, error);
}

PT_VK_SHAPE (group_norm)
{
  const PtVkShape *in = shape_of (graph, call, 0);
  PtVkShape rows = { .rank = 2 };
  gint64 groups = pt_vk_int (graph, call, 6, 1);

  if (in->rank < 2 || groups < 1 || in->sizes[1] % groups != 0 ||
      pt_vk_int (graph, call, 3, 0) != in->sizes[0] ||
      pt_vk_int (graph, call, 4, 0) != in->sizes[1])
    return pt_vk_misfit (call, "a group norm has other sizes than its tensor", error);
  rows.sizes[0] = in->sizes[0];
  rows.sizes[1] = groups;
  return set_nth (graph, call, 0, in, error) && set_nth (graph, call, 1, &rows, error) &&
         set_nth (graph, call, 2, &rows, error);
}

PT_VK_SHAPE (batch_norm)
{
  static const PtVkShape empty = { .rank = 1 };
  const PtVkShape *in = shape_of (graph, call, 0);

  for (guint i = 1; i <= 4; i++)
    if (in->rank < 2 || shape_of (graph, call, i)->rank != 1 ||
        shape_of (graph, call, i)->sizes[0] != in->sizes[1])
      return pt_vk_misfit (call, "a batch norm has another size than its tensor", error);
  return set_nth (graph, call, 0, in, error) && set_nth (graph, call, 1, &empty, error) &&
         set_nth (graph, call, 2, &empty, error);
}
