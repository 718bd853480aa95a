/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look-embedding.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/tasks/models/plan-shapes.h"
#include "engine/text/tokenizer.h"

/* The factor of CLIP's similarities before their softmax. */
#define LOGIT_SCALE 100
#define MAX_TOKENIZER (64 << 20)
#define MAX_TOKENS 4096

/* ---- vectors ---- */

/* Scales @values to length 1. FALSE: they are NaN, infinite or all 0. */
static gboolean
scale_to_unit (float *values, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (double) values[i] * values[i];
  if (!isfinite (sum) || !(sum > 0))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    values[i] = (float) (values[i] / sqrt (sum));
  return TRUE;
}

const float *
pt_look_vector (const PtLookOutput *output, PtHeap *heap, GError **error)
{
  float *values = pt_allocate (output->n, sizeof (float), error);

  if (values == NULL)
    return NULL;
  pt_heap_take (heap, values);
  memcpy (values, output->values, output->n * sizeof (float));
  if (output->n > 0 && scale_to_unit (values, output->n))
    return values;
  pt_look_fail_damaged (error);
  return NULL;
}

/* ---- texts ---- */

/* How texts become ids of the length that the program takes. */
typedef struct {
  PtMethod *method;
  PtTokenizer *tokenizer;
  PtDType dtype;
  guint n_inputs;
  guint most;   /* ids */
  guint length; /* that all texts get; 0: their own */
  gint32 pad;   /* id behind shorter texts */
} TextHalf;

static void
text_half_clear (TextHalf *self)
{
  g_clear_pointer (&self->tokenizer, pt_tokenizer_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TextHalf, text_half_clear)

/* Reads from tokenizer.json how long texts are made. */
static void
read_padding (TextHalf *self, const char *path)
{
  g_autoptr (json_t) json =
      g_str_has_suffix (path, ".json") ? pt_json_load (path, MAX_TOKENIZER, NULL) : NULL;
  const json_t *padding = json_object_get (json, "padding");
  gint64 most = pt_json_int (json_object_get (json, "truncation"), "max_length", 0);
  gint64 length = pt_json_int (json_object_get (padding, "strategy"), "Fixed", 0);

  if (most > 0 && most < self->most)
    self->most = (guint) most;
  if (length > 0 && length <= self->most && self->length == 0)
    self->length = (guint) length;
  self->pad = (gint32) CLAMP (pt_json_int (padding, "pad_id", 0), 0, G_MAXINT32);
}

static gboolean
open_half (TextHalf *self, PtModule *module, const char *tokenizer, GError **error)
{
  const PtTensorSpec *ids = NULL;

  *self = (TextHalf){ .method = pt_module_method (module, "forward", error) };
  if (self->method == NULL)
    return FALSE;
  self->n_inputs = pt_method_n_inputs (self->method);
  if (self->n_inputs == 1 || self->n_inputs == 2)
    ids = pt_plan_input (pt_method_plan (self->method), 0);
  if (!pt_spec_is_index (ids, 2) || ids->sizes[0] != 1 || ids->sizes[1] < 2 ||
      ids->sizes[1] > MAX_TOKENS)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The program for texts is not supported: it must take ids and a mask [1, n].");
  self->dtype = ids->dtype;
  self->most = (guint) ids->sizes[1];
  self->length = ids->dynamism == PT_DYNAMISM_STATIC ? self->most : 0;
  read_padding (self, tokenizer);
  self->tokenizer = pt_tokenizer_open (tokenizer, error);
  return self->tokenizer != NULL;
}

/* Cuts @ids to @most, but keeps those that every text ends with. */
static void
cut (const TextHalf *self, GArray *ids)
{
  guint n_suffix, most = self->most;
  const gint32 *suffix = pt_tokenizer_suffix (self->tokenizer, &n_suffix);

  if (ids->len <= most)
    return;
  g_array_set_size (ids, most - MIN (n_suffix, most));
  g_array_append_vals (ids, suffix, MIN (n_suffix, most));
}

static gboolean
set_ids (TextHalf *self, guint input, const GArray *ids, gboolean as_mask, gpointer memory,
         GError **error)
{
  const gint64 sizes[2] = { 1, ids->len };
  PtTensor tensor;

  for (guint i = 0; i < ids->len; i++) {
    gint32 id = g_array_index (ids, gint32, i);

    if (as_mask)
      id = id != 0;
    if (self->dtype == PT_DTYPE_I64)
      ((gint64 *) memory)[i] = id;
    else
      ((gint32 *) memory)[i] = id;
  }
  return pt_tensor_init (&tensor, self->dtype, 2, sizes, NULL, memory, error) &&
         pt_method_set_input_tensor (self->method, input, &tensor, error);
}

static float *
make_vector (TextHalf *self, const char *text, guint n, GCancellable *cancellable, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autofree gint64 *memory = g_new0 (gint64, 2 * (gsize) self->most);
  g_auto (PtLookOutput) output = { 0 };
  PtLookMethod method = { .method = self->method };

  if (!pt_tokenizer_encode (self->tokenizer, text, -1, PT_ENCODE_ADD, ids, error))
    return NULL;
  cut (self, ids);
  while (ids->len < MAX (self->length, 1))
    g_array_append_val (ids, self->pad);
  if (!set_ids (self, 0, ids, FALSE, memory, error) ||
      (self->n_inputs > 1 && !set_ids (self, 1, ids, TRUE, memory + self->most, error)) ||
      !pt_method_execute (self->method, cancellable, error) ||
      !pt_look_method_output (&method, 0, &output, error))
    return NULL;
  if (output.n != n) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "The program for texts makes vectors of %" G_GSIZE_FORMAT
             " numbers, that for pictures of %u: they belong to different models.",
             output.n, n);
    return NULL;
  }
  if (scale_to_unit (output.values, n))
    return g_steal_pointer (&output.values);
  pt_look_fail_damaged (error);
  return NULL;
}

GPtrArray *
pt_look_text_vectors (PtModule *module, const char *tokenizer, const char *const *texts, guint n,
                      GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) vectors = g_ptr_array_new_with_free_func (g_free);
  g_auto (TextHalf) half = { 0 };

  if (tokenizer == NULL) {
    pt_fail (
        error, PT_ERROR_MISSING_FILE,
        "The model needs its tokenizer (tokenizer.json) to compare pictures with texts. Put it "
        "beside the program, or name it.");
    return NULL;
  }
  if (!open_half (&half, module, tokenizer, error))
    return NULL;
  for (guint i = 0; texts[i] != NULL; i++) {
    float *vector = make_vector (&half, texts[i], n, cancellable, error);

    if (vector == NULL)
      return NULL;
    g_ptr_array_add (vectors, vector);
  }
  return g_steal_pointer (&vectors);
}

/* ---- comparing ---- */

const PtSimilarity *
pt_look_compare (const float *vector, guint n, const char *const *texts, const GPtrArray *vectors,
                 PtHeap *heap, guint *n_out)
{
  PtSimilarity *out = pt_heap_new0 (heap, PtSimilarity, MAX (vectors->len, 1));
  double most = -INFINITY, sum = 0;

  for (guint i = 0; i < vectors->len; i++) {
    const float *other = vectors->pdata[i];

    for (guint k = 0; k < n; k++)
      out[i].similarity += (double) vector[k] * other[k];
    out[i].text = pt_heap_text (heap, texts[i]);
    most = MAX (most, out[i].similarity);
  }
  for (guint i = 0; i < vectors->len; i++)
    sum += out[i].probability = exp (LOGIT_SCALE * (out[i].similarity - most));
  for (guint i = 0; i < vectors->len; i++)
    out[i].probability /= sum;
  *n_out = vectors->len;
  return out;
}
