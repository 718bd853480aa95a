/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/kokoro.h"

#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/speak/durations.h"
#include "engine/tasks/speak/phonemes.h"

#define METHOD_PREFIX "forward"
/* Methods do not take fewer tokens. */
#define MIN_TOKENS 8
/* More tokens than this are not asked for, whatever a method's bound is. */
#define MAX_TOKENS 4096
#define MIN_TICKS 16
#define MAX_TICKS (1 << 20)
/* The two pads around the phonemes. */
#define N_PADS 2

/* A method for pieces of up to @tokens tokens. */
typedef struct {
  const char *name; /* belongs to the program */
  guint tokens;
  guint ticks;     /* synthesizer: the most ticks of a piece */
  gboolean is_set; /* it takes exactly @tokens */
} Length;

struct _PtKokoro {
  PtModule *predictor, *synthesizer;
  GArray *predictor_lengths, *synthesizer_lengths; /* Length, the shortest first */
  guint most_tokens;
  guint most_ticks; /* of the longest method */
};

/* The inputs and results of one piece of text. */
typedef struct {
  gsize n_phonemes;
  gsize n_tokens;
  gint64 *tokens;
  guint8 *mask;      /* bool */
  gint64 *durations; /* in ticks */
  const float *style;
  gunichar last; /* the last phoneme */
} Piece;

static void
piece_clear (Piece *piece)
{
  g_free (piece->tokens);
  g_free (piece->mask);
  g_free (piece->durations);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Piece, piece_clear)

/* ---- methods ---- */

static const PtTensorSpec *
tensor_of (const PtPlan *plan, const gint32 *indices, guint n, guint i)
{
  const PtValueSpec *value = i < n ? &plan->values[indices[i]] : NULL;

  return value != NULL && value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
is_shaped (const PtTensorSpec *spec, PtDType dtype, guint rank)
{
  return spec != NULL && spec->dtype == dtype && spec->rank == rank;
}

/* Whether @plan takes what Kokoro's predictor (4 inputs) or synthesizer (5 inputs) does. */
static gboolean
takes (const PtPlan *plan, guint n_inputs)
{
  const PtTensorSpec *in[5] = { NULL };

  if (plan->n_inputs != n_inputs)
    return FALSE;
  for (guint i = 0; i < n_inputs; i++)
    in[i] = tensor_of (plan, plan->inputs, plan->n_inputs, i);
  if (!is_shaped (in[0], PT_DTYPE_I64, 2) || !is_shaped (in[1], PT_DTYPE_BOOL, 2) ||
      in[0]->sizes[0] != 1)
    return FALSE;
  if (n_inputs == 4)
    return plan->n_outputs == 2 && is_shaped (in[2], PT_DTYPE_F32, 2) &&
           in[2]->numel == PT_VOICE_WIDTH / 2 && is_shaped (in[3], PT_DTYPE_F32, 1);
  return plan->n_outputs >= 1 && is_shaped (in[2], PT_DTYPE_I64, 1) &&
         is_shaped (in[3], PT_DTYPE_F32, 3) && is_shaped (in[4], PT_DTYPE_F32, 2) &&
         in[4]->numel == PT_VOICE_WIDTH;
}

static int
compare_lengths (gconstpointer a, gconstpointer b)
{
  const Length *x = a, *y = b;

  return x->tokens < y->tokens ? -1 : x->tokens > y->tokens;
}

/* The methods of @module with @n_inputs inputs, by the number of tokens they take. */
static GArray *
find_lengths (PtModule *module, guint n_inputs)
{
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (Length));
  PtProgram *program = pt_module_program (module);

  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);
    const PtTensorSpec *tokens;
    Length length = { plan->name, 0, 0, FALSE };

    if (!g_str_has_prefix (plan->name, METHOD_PREFIX) || !takes (plan, n_inputs))
      continue;
    tokens = tensor_of (plan, plan->inputs, plan->n_inputs, 0);
    length.tokens = (guint) CLAMP (tokens->sizes[1], 0, MAX_TOKENS);
    length.is_set = tokens->dynamism == PT_DYNAMISM_STATIC;
    if (n_inputs == 5)
      length.ticks =
          (guint) CLAMP (tensor_of (plan, plan->inputs, plan->n_inputs, 2)->sizes[0], 0, MAX_TICKS);
    if (length.tokens > N_PADS && (n_inputs == 4 || length.ticks > 0))
      g_array_append_val (lengths, length);
  }
  g_array_sort (lengths, compare_lengths);
  return lengths;
}

static const Length *
last_length (const GArray *lengths)
{
  return &g_array_index (lengths, Length, lengths->len - 1);
}

/* The shortest method that takes @n tokens; the longest one takes most_tokens. */
static const Length *
choose_length (const GArray *lengths, gsize n)
{
  guint i = 0;

  while (i + 1 < lengths->len && g_array_index (lengths, Length, i).tokens < n)
    i++;
  return &g_array_index (lengths, Length, i);
}

PtKokoro *
pt_kokoro_new (PtModule *predictor, PtModule *synthesizer, GError **error)
{
  g_autoptr (PtKokoro) self = g_new0 (PtKokoro, 1);

  self->predictor = predictor;
  self->synthesizer = synthesizer;
  self->predictor_lengths = find_lengths (predictor, 4);
  self->synthesizer_lengths = find_lengths (synthesizer, 5);
  if (self->predictor_lengths->len == 0 || self->synthesizer_lengths->len == 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "This text-to-speech model is not supported: its programs must have methods "
             "“forward…” that take tokens, a mask, a style and a speed, and tokens, a mask, "
             "indices, features and a style, for at least one phoneme.");
    return NULL;
  }
  self->most_tokens = MIN (last_length (self->predictor_lengths)->tokens,
                           last_length (self->synthesizer_lengths)->tokens);
  self->most_ticks = last_length (self->synthesizer_lengths)->ticks;
  return g_steal_pointer (&self);
}

void
pt_kokoro_free (PtKokoro *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->predictor_lengths, g_array_unref);
  g_clear_pointer (&self->synthesizer_lengths, g_array_unref);
  g_free (self);
}

guint
pt_kokoro_limit (const PtKokoro *self)
{
  return self->most_tokens - N_PADS;
}

/* ---- calls ---- */

static gboolean
set_input (PtMethod *method, guint i, PtDType dtype, guint rank, const gint64 *sizes,
           gconstpointer data, GError **error)
{
  PtTensor tensor;

  return pt_tensor_init (&tensor, dtype, rank, sizes, NULL, (gpointer) data, error) &&
         pt_method_set_input_tensor (method, i, &tensor, error);
}

/* Output @i of @method if it is a tensor in the memory of the host. */
static const PtTensor *
host_output (const PtMethod *method, guint i)
{
  const PtValue *value = pt_method_output (method, i);

  return value->kind == PT_VALUE_TENSOR && value->as_tensor->device_type == PT_DEVICE_CPU
             ? value->as_tensor
             : NULL;
}

static gboolean
set_tokens (PtMethod *method, const Piece *piece, GError **error)
{
  const gint64 sizes[2] = { 1, (gint64) piece->n_tokens };

  return set_input (method, 0, PT_DTYPE_I64, 2, sizes, piece->tokens, error) &&
         set_input (method, 1, PT_DTYPE_BOOL, 2, sizes, piece->mask, error);
}

static gboolean
read_durations (const PtMethod *method, Piece *piece, GError **error)
{
  const PtTensor *tensor = host_output (method, 0);

  if (tensor == NULL || tensor->numel < piece->n_tokens ||
      (tensor->dtype != PT_DTYPE_I64 && tensor->dtype != PT_DTYPE_I32))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This text-to-speech model is not supported: the durations of its phonemes "
                    "are no whole numbers, one for each token.");
  piece->durations = g_new (gint64, piece->n_tokens);
  for (gsize i = 0; i < piece->n_tokens; i++)
    piece->durations[i] = tensor->dtype == PT_DTYPE_I64 ? ((const gint64 *) tensor->data)[i]
                                                        : ((const gint32 *) tensor->data)[i];
  return TRUE;
}

static PtMethod *
predict (PtKokoro *self, Piece *piece, float speed, GCancellable *cancellable, GError **error)
{
  const Length *length = choose_length (self->predictor_lengths, piece->n_tokens);
  const gint64 style[2] = { 1, PT_VOICE_WIDTH / 2 }, one = 1;
  PtMethod *method = pt_module_method (self->predictor, length->name, error);

  if (method == NULL || !set_tokens (method, piece, error) ||
      !set_input (method, 2, PT_DTYPE_F32, 2, style, piece->style + PT_VOICE_WIDTH / 2, error) ||
      !set_input (method, 3, PT_DTYPE_F32, 1, &one, &speed, error) ||
      !pt_method_execute (method, cancellable, error) || !read_durations (method, piece, error))
    return NULL;
  return method;
}

/* Each token number as often as it lasts ticks. */
static gint64 *
repeat_tokens (const Piece *piece, gsize *n)
{
  gint64 *indices;
  gsize k = 0;

  *n = 0;
  for (gsize i = 0; i < piece->n_tokens; i++)
    *n += (gsize) piece->durations[i];
  indices = g_new (gint64, *n);
  for (gsize i = 0; i < piece->n_tokens; i++)
    for (gint64 t = 0; t < piece->durations[i]; t++)
      indices[k++] = (gint64) i;
  return indices;
}

/* Calls the synthesizer with the features that @predictor left in its second output. */
static PtMethod *
synthesize (PtKokoro *self, const Piece *piece, const Length *length, const PtMethod *predictor,
            GCancellable *cancellable, GError **error)
{
  const PtTensor *features = host_output (predictor, 1);
  PtMethod *method = pt_module_method (self->synthesizer, length->name, error);
  const gint64 style[2] = { 1, PT_VOICE_WIDTH };
  g_autofree gint64 *indices = NULL;
  gint64 sizes[3] = { 1, (gint64) piece->n_tokens, 0 };
  gint64 n_ticks;
  gsize n;

  if (method == NULL)
    return NULL;
  if (features == NULL || features->dtype != PT_DTYPE_F32 || features->rank != 3 ||
      features->sizes[0] != 1 || features->sizes[1] < sizes[1]) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "This text-to-speech model is not supported: its first program must give features "
             "[1, tokens, width].");
    return NULL;
  }
  sizes[2] = features->sizes[2];
  indices = repeat_tokens (piece, &n);
  n_ticks = (gint64) n;
  if (!set_tokens (method, piece, error) ||
      !set_input (method, 2, PT_DTYPE_I64, 1, &n_ticks, indices, error) ||
      !set_input (method, 3, PT_DTYPE_F32, 3, sizes, features->data, error) ||
      !set_input (method, 4, PT_DTYPE_F32, 2, style, piece->style, error) ||
      !pt_method_execute (method, cancellable, error))
    return NULL;
  return method;
}

/* ---- a piece ---- */

/* The tokens of the phonemes between pads. Unknown phonemes are left out, and pads are behind the
 * others instead. @length: the method that takes them. */
static gboolean
piece_init (Piece *piece, const PtKokoro *self, const gunichar *phonemes, gsize n,
            const PtVoice *voice, GError **error)
{
  const Length *length;
  gsize k = 1;

  piece->last = phonemes[n - 1];
  if (phonemes[0] == ' ' && n > 1) {
    phonemes++;
    n--;
  }
  piece->n_phonemes = n;
  piece->n_tokens = MIN (MAX (n + N_PADS, MIN_TOKENS), self->most_tokens);
  length = choose_length (self->predictor_lengths, piece->n_tokens);
  if (length->is_set)
    piece->n_tokens = length->tokens;
  if (n + N_PADS > piece->n_tokens)
    return pt_fail (error, PT_ERROR_INTERNAL, "A piece has too many phonemes.");
  piece->tokens = g_new0 (gint64, piece->n_tokens);
  piece->mask = g_new0 (guint8, piece->n_tokens);
  memset (piece->mask, TRUE, n + N_PADS);
  for (gsize i = 0; i < n; i++) {
    guint token = pt_phoneme_token (phonemes[i]);

    if (token != 0)
      piece->tokens[k++] = token;
  }
  piece->style = pt_voice_row (voice, n, piece->n_tokens);
  return TRUE;
}

static gsize
sum_ticks (const Piece *piece, gsize n_tokens)
{
  gsize ticks = 0;

  for (gsize i = 0; i < MIN (n_tokens, piece->n_tokens); i++)
    ticks += (gsize) piece->durations[i];
  return ticks;
}

/* The ticks to keep: up to the first pad behind the phonemes, and without the last token and a mark
 * before it, where the sound may be disturbed. */
static gsize
ticks_kept (const Piece *piece)
{
  gsize first_pad = 1, cut;

  while (first_pad < piece->n_tokens && piece->tokens[first_pad] != PT_PHONEME_PAD)
    first_pad++;
  cut = piece->n_tokens - (g_unichar_isalpha (piece->last) ? 1 : 2);
  return MIN (sum_ticks (piece, first_pad + 1), sum_ticks (piece, cut));
}

static gboolean
take_samples (const PtMethod *method, const Piece *piece, GArray *samples, GError **error)
{
  const PtTensor *tensor = host_output (method, 0);
  gsize n = ticks_kept (piece) * PT_SPEAK_TICK, begin, end;
  guint pause = pt_phoneme_pause (piece->last) * (PT_SPEAK_RATE / 1000);

  if (tensor == NULL || tensor->dtype != PT_DTYPE_F32)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This text-to-speech model is not supported: its second program must give "
                    "samples as float.");
  if (tensor->numel < n)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This text-to-speech model is not supported: it gave %" G_GSIZE_FORMAT
                    " samples for %" G_GSIZE_FORMAT " ticks; %u for each tick were expected.",
                    tensor->numel, n / PT_SPEAK_TICK, PT_SPEAK_TICK);
  for (gsize i = 0; i < n; i++)
    if (!isfinite (((const float *) tensor->data)[i]))
      return pt_fail (error, PT_ERROR_FORMAT,
                      "The model's output contains invalid numbers (NaN): its files are damaged. "
                      "Download or export it again.");
  pt_trim_silence (tensor->data, n, &begin, &end);
  g_array_append_vals (samples, (const float *) tensor->data + begin, (guint) (end - begin));
  g_array_set_size (samples, samples->len + pause);
  return TRUE;
}

gboolean
pt_kokoro_say (PtKokoro *self, const gunichar *phonemes, gsize n, const PtVoice *voice, float speed,
               GArray *samples, GCancellable *cancellable, GError **error)
{
  g_auto (Piece) piece = { 0 };
  const Length *length;
  PtMethod *predictor, *synthesizer;

  if (n == 0)
    return TRUE;
  if (!piece_init (&piece, self, phonemes, n, voice, error))
    return FALSE;
  length = choose_length (self->synthesizer_lengths, piece.n_tokens);
  predictor = predict (self, &piece, speed, cancellable, error);
  if (predictor == NULL || !pt_durations_fit (piece.durations, piece.n_tokens, MIN_TICKS,
                                              MIN (self->most_ticks, length->ticks), error))
    return FALSE;
  synthesizer = synthesize (self, &piece, length, predictor, cancellable, error);
  return synthesizer != NULL && take_samples (synthesizer, &piece, samples, error);
}
