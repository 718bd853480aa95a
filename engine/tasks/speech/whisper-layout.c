/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-layout.h"

#include "engine/base/set-error.h"
#include "engine/tasks/speech/floats.h"
#include "engine/tasks/speech/whisper-positions.h"

#define RATE 16000
#define HOP 160
#define MAX_BANDS 201
#define MAX_FRAMES (100 * 120)
/* Encoders of samples are called with 1 to 29 seconds: the position of a whole window of 30 seconds
 * is beyond what the published ones transcribe well (docs/formats/protocols.md, section 5.8). */
#define MIN_SAMPLES (1 * RATE)
#define MAX_SAMPLES (29 * RATE)
/* An encoder that takes less than this takes no word. */
#define LEAST_SAMPLES (RATE / 10)
/* Of the Fourier transform whose magnitudes some encoders take. */
#define N_BINS 256
#define N_FFT (2 * N_BINS)
/* Positions of a decoder that takes one id at a position, and does not show how many it has. */
#define USUAL_POSITIONS 128
/* Start, language, task and timestamp, and as many more. */
#define LEAST_POSITIONS 8

typedef struct {
  const char *encoder, *decoder;
} Names;

/* In two programs both methods are called forward, but for Moonshine's decoder. */
#define CACHED "forward_cached"

/* Names of the methods in one program. */
static const Names IN_ONE[] = {
  { "encoder", "text_decoder" },
  { "encode", "decode" },
  { "encoder", "decoder" },
};

gboolean
pt_whisper_layout_fail (const PtProgram *program, GError **error, const char *what, ...)
{
  g_autofree char *reason = NULL, *name = NULL;
  va_list args;

  va_start (args, what);
  reason = g_strdup_vprintf (what, args);
  va_end (args);
  name = g_filename_display_basename (pt_program_path (program));
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“%s” cannot transcribe: %s. Use an export of Whisper with one of the layouts "
                  "that Pteris supports.",
                  name, reason);
}

static gboolean
find_methods (PtModule *module, PtModule *decoder, PtWhisperLayout *self, GError **error)
{
  self->encoder_program = pt_module_program (module);
  self->decoder_program = pt_module_program (decoder != NULL ? decoder : module);
  if (decoder != NULL) {
    self->encoder = pt_module_method (module, "forward", error);
    if (self->encoder == NULL)
      return FALSE;
    self->decoder = pt_module_method (
        decoder, pt_module_has_method (decoder, CACHED) ? CACHED : "forward", error);
    return self->decoder != NULL;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (IN_ONE); i++) {
    if (!pt_module_has_method (module, IN_ONE[i].encoder) ||
        !pt_module_has_method (module, IN_ONE[i].decoder))
      continue;
    self->encoder = pt_module_method (module, IN_ONE[i].encoder, error);
    self->decoder =
        self->encoder != NULL ? pt_module_method (module, IN_ONE[i].decoder, error) : NULL;
    return self->decoder != NULL;
  }
  return pt_whisper_layout_fail (self->encoder_program, error,
                                 "it lacks the methods encoder and text_decoder, or encode and "
                                 "decode");
}

/* ---- the encoder ---- */

static gboolean
read_mel (PtWhisperLayout *self, const PtTensorSpec *in, GError **error)
{
  if (in->sizes[0] != 1 || in->sizes[1] < 1 || in->sizes[1] > MAX_BANDS || in->sizes[2] < 4 ||
      in->sizes[2] > MAX_FRAMES || in->sizes[2] % 2 != 0)
    return pt_whisper_layout_fail (self->encoder_program, error,
                                   "its encoder takes [%d, %d, %d], which is no log-mel "
                                   "spectrogram [1, bands, frames]",
                                   in->sizes[0], in->sizes[1], in->sizes[2]);
  self->input.sound = PT_WHISPER_MEL;
  self->input.n_bands = (guint) in->sizes[1];
  self->input.n_frames = (guint) in->sizes[2];
  self->input.n_samples = (gsize) self->input.n_frames * HOP;
  return TRUE;
}

/* @most: samples of a call. A static input wants that many, silence behind a shorter window. */
static gboolean
read_bounds (PtWhisperLayout *self, const PtTensorSpec *in, gint64 most, GError **error)
{
  if (most < LEAST_SAMPLES)
    return pt_whisper_layout_fail (
        self->encoder_program, error,
        "its encoder takes at most %" G_GINT64_FORMAT " samples, less than a word", MAX (most, 0));
  self->input.n_samples = (gsize) MIN (most, MAX_SAMPLES);
  self->input.least = (gsize) (in->dynamism == PT_DYNAMISM_STATIC ? most : MIN (most, MIN_SAMPLES));
  self->begins_at_zero = TRUE;
  return TRUE;
}

static gboolean
read_samples (PtWhisperLayout *self, const PtTensorSpec *in, GError **error)
{
  self->input.sound = PT_WHISPER_SAMPLES;
  return read_bounds (self, in, in->sizes[in->rank - 1], error);
}

static gboolean
read_magnitudes (PtWhisperLayout *self, const PtTensorSpec *in, GError **error)
{
  gint64 frames = in->sizes[0];

  self->input.sound = PT_WHISPER_MAGNITUDES;
  self->input.n_bands = N_BINS;
  return read_bounds (self, in, frames > 0 ? (frames - 1) * HOP + N_FFT : 0, error);
}

static gboolean
read_encoder (PtWhisperLayout *self, GError **error)
{
  const PtTensorSpec *in = pt_input_tensor_spec (self->encoder, 0);

  if (pt_method_n_inputs (self->encoder) != 1 || pt_method_n_outputs (self->encoder) != 1 ||
      pt_output_tensor_spec (self->encoder, 0) == NULL)
    return pt_whisper_layout_fail (self->encoder_program, error,
                                   "its encoder does not turn one tensor into one tensor");
  if (in == NULL || !pt_spec_is_floats (in, in->rank))
    return pt_whisper_layout_fail (self->encoder_program, error,
                                   "its encoder takes no floating-point numbers");
  self->input.dtype = in->dtype;
  self->input.rank = in->rank;
  if (in->rank == 3)
    return read_mel (self, in, error);
  if (in->rank == 1 || (in->rank == 2 && in->sizes[0] == 1 && in->sizes[1] != N_BINS))
    return read_samples (self, in, error);
  if (in->rank == 2 && in->sizes[1] == N_BINS)
    return read_magnitudes (self, in, error);
  return pt_whisper_layout_fail (self->encoder_program, error,
                                 "its encoder takes neither a log-mel spectrogram [1, bands, "
                                 "frames] nor samples [n] nor magnitudes [frames, %d]",
                                 N_BINS);
}

/* ---- the decoder ---- */

static gboolean
is_index (const PtTensorSpec *spec)
{
  return spec != NULL && (spec->dtype == PT_DTYPE_I64 || spec->dtype == PT_DTYPE_I32);
}

/* Which of the inputs behind the ids is what. */
static gboolean
sort_inputs (PtWhisperLayout *self, GError **error)
{
  guint n = pt_method_n_inputs (self->decoder);

  for (guint i = 1; i < n && i < 3; i++) {
    const PtTensorSpec *spec = pt_input_tensor_spec (self->decoder, i);

    if (is_index (spec) && self->position_input == 0)
      self->position_input = i;
    else if (spec != NULL && pt_spec_is_floats (spec, spec->rank) && self->sound_input == 0)
      self->sound_input = i;
  }
  if (n < 2 || n > 3 || self->sound_input == 0 || (n == 3) != (self->position_input != 0))
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder does not take ids, what the encoder gives, and "
                                   "perhaps a position");
  return TRUE;
}

static gboolean
read_ids (PtWhisperLayout *self, GError **error)
{
  const PtTensorSpec *ids = pt_input_tensor_spec (self->decoder, 0);

  if (!pt_spec_is_indices (ids, 2) || ids->sizes[0] != 1 || ids->sizes[1] < 1)
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder does not take ids [1, n]");
  self->id_dtype = ids->dtype;
  self->max_ids = MIN ((guint) ids->sizes[1], PT_WHISPER_MAX_POSITIONS);
  self->fixed_ids = ids->dynamism == PT_DYNAMISM_STATIC && ids->sizes[1] > 1;
  if (self->fixed_ids && (self->position_input != 0 || ids->sizes[1] > PT_WHISPER_MAX_POSITIONS))
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder wants %d ids in every call", ids->sizes[1]);
  return TRUE;
}

static gboolean
read_position (PtWhisperLayout *self, GError **error)
{
  const PtTensorSpec *position;

  if (self->position_input == 0)
    return TRUE;
  position = pt_input_tensor_spec (self->decoder, self->position_input);
  if (position->rank != 1 || position->sizes[0] < 1)
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder takes positions of rank %u with room for %d, and "
                                   "not [1] or [n]",
                                   position->rank, position->rank > 0 ? position->sizes[0] : 1);
  self->position_dtype = position->dtype;
  self->one_position = position->sizes[0] == 1;
  return TRUE;
}

/* The chosen ids: of a call with a fixed number of ids there must be one for each. */
static gboolean
read_chosen (PtWhisperLayout *self, const PtTensorSpec *chosen, GError **error)
{
  if (self->encoder_program == self->decoder_program || self->position_input != 0)
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder chooses ids by itself instead of returning "
                                   "logits, which Pteris supports only of a decoder in a program "
                                   "of its own that takes all ids and no position");
  if (chosen->numel < 1 || (self->fixed_ids && chosen->numel != self->max_ids))
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder wants %u ids in every call and does not choose "
                                   "one behind each",
                                   self->max_ids);
  self->chooses_ids = TRUE;
  return TRUE;
}

static gboolean
read_logits (PtWhisperLayout *self, GError **error)
{
  const PtTensorSpec *logits = pt_output_tensor_spec (self->decoder, 0);
  guint rank = logits != NULL ? logits->rank : 0;

  if (is_index (logits))
    return read_chosen (self, logits, error);
  if (rank < 1 || !pt_spec_is_floats (logits, rank) || logits->sizes[rank - 1] < 2)
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder does not return logits");
  if (self->fixed_ids && (rank < 2 || logits->sizes[rank - 2] != (gint32) self->max_ids))
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder wants %u ids in every call and does not return "
                                   "logits for each",
                                   self->max_ids);
  self->n_ids = (guint) logits->sizes[rank - 1];
  return TRUE;
}

static char *
describe (const PtTensorSpec *spec)
{
  GString *text = g_string_new (pt_dtype_name (spec->dtype));

  for (guint i = 0; i < spec->rank; i++)
    g_string_append_printf (text, "%s%d", i == 0 ? " [" : ", ", spec->sizes[i]);
  return g_string_free (g_string_append (text, spec->rank > 0 ? "]" : ""), FALSE);
}

/* The dimensions of @spec behind its leading ones. */
static guint
skip_ones (const PtTensorSpec *spec)
{
  guint skip = 0;

  while (skip < spec->rank && spec->sizes[skip] == 1)
    skip++;
  return skip;
}

/* Whether what the encoder gives is what the decoder takes. */
static gboolean
check_sound (PtWhisperLayout *self, GError **error)
{
  const PtTensorSpec *gives = pt_output_tensor_spec (self->encoder, 0);
  const PtTensorSpec *takes = pt_input_tensor_spec (self->decoder, self->sound_input);
  guint a = skip_ones (gives), b = skip_ones (takes);
  gboolean fits = gives->dtype == takes->dtype && gives->rank - a == takes->rank - b;
  g_autofree char *given = NULL, *taken = NULL;

  for (; fits && a < gives->rank; a++, b++)
    fits = gives->sizes[a] == takes->sizes[b] ||
           (gives->dynamism == PT_DYNAMISM_BOUND && takes->dynamism == PT_DYNAMISM_BOUND &&
            a + 1 < gives->rank);
  if (fits)
    return TRUE;
  given = describe (gives);
  taken = describe (takes);
  return pt_whisper_layout_fail (self->decoder_program, error,
                                 "its encoder gives %s, and its decoder takes %s", given, taken);
}

/* ---- positions ---- */

static void
count_positions (PtWhisperLayout *self, PtModule *decoder)
{
  guint most = PT_WHISPER_MAX_POSITIONS;
  PtWhisperPositions found = { 0 };
  gint64 declared;

  if (pt_module_constant_int (decoder, "get_max_seq_len", &declared))
    most = (guint) CLAMP (declared, 1, PT_WHISPER_MAX_POSITIONS);
  else if (self->position_input == 0)
    most = self->max_ids;
  if (self->position_input != 0)
    found = pt_whisper_positions_find (pt_method_plan (self->decoder), self->position_input);
  if (found.table > 0)
    most = MIN (most, found.table);
  if (found.cache > 0)
    most = MIN (most, found.cache);
  else if (self->begins_at_zero && self->position_input != 0)
    most = MIN (most, USUAL_POSITIONS);
  self->n_positions = most;
}

gboolean
pt_whisper_layout_chooses_ids (const PtProgram *program)
{
  const PtPlan *plan = pt_program_find_plan (program, CACHED);
  const PtValueSpec *value;

  if (plan == NULL)
    plan = pt_program_find_plan (program, "forward");
  if (plan == NULL || plan->n_outputs < 1)
    return FALSE;
  value = &plan->values[plan->outputs[0]];
  return value->kind == PT_VALUE_TENSOR && is_index (value->as_tensor);
}

gboolean
pt_whisper_layout_find (PtModule *module, PtModule *decoder, PtWhisperLayout *self, GError **error)
{
  *self = (PtWhisperLayout){ 0 };
  if (!find_methods (module, decoder, self, error) || !read_encoder (self, error) ||
      !sort_inputs (self, error) || !read_ids (self, error) || !read_position (self, error) ||
      !read_logits (self, error) || !check_sound (self, error))
    return FALSE;
  count_positions (self, decoder != NULL ? decoder : module);
  if (self->n_positions < LEAST_POSITIONS)
    return pt_whisper_layout_fail (self->decoder_program, error,
                                   "its decoder has %u positions, too few for a prompt and an "
                                   "answer",
                                   self->n_positions);
  return TRUE;
}
