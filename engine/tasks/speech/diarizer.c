/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/diarizer.h"

#include "engine/base/set-error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pteris/audio.h>

#include "engine/base/allocate.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/speech/floats.h"

/* Frames of a chunk, and recent frames that the model gets with it. */
#define CHUNK 124
#define FIFO 124
/* Probability above which a frame belongs to a speaker. */
#define THRESHOLD 0.5f
/* Limits of sizes that no model exceeds. */
#define MAX_SAMPLES (1 << 28)
#define MAX_COLUMNS (1 << 22)
#define MAX_BANDS 1024
#define MAX_WIDTH (1 << 14)
#define MAX_FRAMES (1 << 20)
#define MAX_SPEAKERS 64
#define MAX_CACHE (1 << 16)
#define MAX_RATE 192000
/* The shortest sound that is processed: 0.1 s. */
#define MIN_PART 10
/* Turns that ended this many frames ago are dropped: 10 minutes. */
#define MEMORY 7500

/* Frames and their predictions: the speaker cache, or the FIFO of recent frames. */
typedef struct {
  float *frames, *chances;
  guint n, room;
} Frames;

struct _PtDiarizer {
  PtMethod *preprocessor, *pre_encoder, *encoder; /* of the module */
  guint rate, n_bands, n_speakers, width, frame;  /* samples of a frame */
  gsize max_samples;
  guint max_columns, max_input, n_cache, chunk;
  PtAudioReader *reader; /* NULL: no recording is open */
  double start;
  gboolean at_end;
  float *sound, *columns, *input, *chances;
  Frames cache, fifo, pending;
  guint *order; /* scratch: frames of the cache */
  guint8 *keep;
  guint64 n_frames;            /* that were judged */
  guint64 begun[MAX_SPEAKERS]; /* first frame of the current turn, plus one; 0: no turn */
  guint names[MAX_SPEAKERS];   /* 0: not spoken yet */
  guint n_names;
  GArray *turns; /* PtTurn */
  gboolean keep_all;
};

static gboolean
fail_layout (const char *what, GError **error)
{
  return pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "The speaker diarization model cannot be used here: %s. Leave it out: it is not needed.",
      what);
}

/* ---- loading ---- */

static gboolean
read_number (PtModule *module, const char *name, gint64 fallback, gint64 most, guint *out,
             GError **error)
{
  gint64 value = fallback;

  pt_module_constant_int (module, name, &value);
  if (value < 1 || value > most)
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "The metadata of the speaker diarization model is invalid: “%s” is %" G_GINT64_FORMAT ".",
        name, value);
  *out = (guint) value;
  return TRUE;
}

static gboolean
read_metadata (PtDiarizer *self, PtModule *module, GError **error)
{
  guint factor = 1;
  double stride = 0.01, frame;

  if (!read_number (module, "sample_rate", 16000, MAX_RATE, &self->rate, error) ||
      !read_number (module, "subsampling_factor", 8, 1024, &factor, error) ||
      !read_number (module, "max_num_of_spks", 4, MAX_SPEAKERS, &self->n_speakers, error) ||
      !read_number (module, "spkcache_len", 188, MAX_CACHE, &self->n_cache, error))
    return FALSE;
  pt_module_constant_double (module, "window_stride", &stride);
  frame = stride * factor * self->rate;
  if (!(frame >= 1 && frame <= MAX_SAMPLES))
    return fail_layout ("its “window_stride” is invalid", error);
  self->frame = (guint) lround (frame);
  return TRUE;
}

static gboolean
is_length (const PtTensorSpec *spec)
{
  return spec != NULL && spec->dtype == PT_DTYPE_I64 && spec->numel == 1;
}

static gboolean
check_sound (PtDiarizer *self, GError **error)
{
  const PtTensorSpec *sound = pt_input_tensor_spec (self->preprocessor, 0);
  const PtTensorSpec *mel = pt_output_tensor_spec (self->preprocessor, 0);
  const PtTensorSpec *columns = pt_input_tensor_spec (self->pre_encoder, 0);
  const PtTensorSpec *frames = pt_output_tensor_spec (self->pre_encoder, 0);

  if (sound == NULL || sound->rank != 1 || sound->dtype != PT_DTYPE_F32 ||
      sound->sizes[0] < (gint64) (self->rate / MIN_PART) ||
      !is_length (pt_input_tensor_spec (self->preprocessor, 1)) || mel == NULL || mel->rank != 3 ||
      mel->dtype != PT_DTYPE_F32 || mel->sizes[1] < 1 || mel->sizes[1] > MAX_BANDS)
    return fail_layout ("its preprocessor does not turn samples into a spectrogram", error);
  if (columns == NULL || columns->rank != 3 || columns->dtype != PT_DTYPE_F32 ||
      columns->sizes[0] != 1 || columns->sizes[2] != mel->sizes[1] || columns->sizes[1] < 1 ||
      columns->sizes[1] > MAX_COLUMNS || !is_length (pt_input_tensor_spec (self->pre_encoder, 1)) ||
      frames == NULL || frames->rank != 3 || frames->dtype != PT_DTYPE_F32 ||
      frames->sizes[2] < 1 || frames->sizes[2] > MAX_WIDTH || frames->sizes[1] > MAX_FRAMES)
    return fail_layout ("its “pre_encode” does not take what its preprocessor makes", error);
  self->max_samples = (gsize) MIN (sound->sizes[0], MAX_SAMPLES);
  self->n_bands = (guint) mel->sizes[1];
  self->max_columns = (guint) columns->sizes[1];
  self->width = (guint) frames->sizes[2];
  return TRUE;
}

static gboolean
check_encoder (PtDiarizer *self, GError **error)
{
  const PtTensorSpec *in = pt_input_tensor_spec (self->encoder, 0);
  const PtTensorSpec *out = pt_output_tensor_spec (self->encoder, 0);

  if (in == NULL || in->rank != 3 || in->dtype != PT_DTYPE_F32 || in->sizes[0] != 1 ||
      in->sizes[2] != (gint64) self->width || in->sizes[1] > MAX_FRAMES ||
      !is_length (pt_input_tensor_spec (self->encoder, 1)) || out == NULL || out->rank != 3 ||
      out->dtype != PT_DTYPE_F32 || out->sizes[2] != (gint64) self->n_speakers)
    return fail_layout ("its “encode” does not turn frames into speakers", error);
  self->max_input = (guint) in->sizes[1];
  if (self->max_input < self->n_cache + 4)
    return fail_layout ("its “encode” takes fewer frames than it wants to remember", error);
  self->chunk = MIN (CHUNK, (self->max_input - self->n_cache) / 2);
  return TRUE;
}

static gboolean
allocate (float **out, gsize count, gsize size, GError **error)
{
  *out = pt_allocate (count, size * sizeof (float), error);
  return *out != NULL;
}

static gboolean
frames_init (Frames *frames, const PtDiarizer *self, guint room, GError **error)
{
  frames->room = room;
  return allocate (&frames->frames, room, self->width, error) &&
         allocate (&frames->chances, room, self->n_speakers, error);
}

static gboolean
allocate_all (PtDiarizer *self, GError **error)
{
  /* Each column makes at most one frame; a preprocessor call makes a few more columns than fit. */
  guint pending = self->chunk + self->max_columns + 1;

  if (!allocate (&self->sound, self->max_samples, 1, error) ||
      !allocate (&self->columns, self->max_columns, self->n_bands, error) ||
      !allocate (&self->input, self->max_input, self->width, error) ||
      !allocate (&self->chances, self->max_input, self->n_speakers, error) ||
      !frames_init (&self->cache, self, self->n_cache + 2 * self->chunk, error) ||
      !frames_init (&self->fifo, self, 2 * self->chunk, error) ||
      !frames_init (&self->pending, self, pending, error))
    return FALSE;
  self->order = pt_allocate (self->cache.room, sizeof (guint), error);
  if (self->order == NULL)
    return FALSE;
  self->keep = pt_allocate (self->cache.room, 1, error);
  return self->keep != NULL;
}

static gboolean
load_method (PtModule *module, const char *name, guint n_inputs, guint n_outputs, PtMethod **method,
             GError **error)
{
  *method = pt_module_method (module, name, error);
  if (*method == NULL)
    return FALSE;
  if (pt_method_n_inputs (*method) != n_inputs || pt_method_n_outputs (*method) < n_outputs)
    return fail_layout ("its methods take other inputs than Sortformer's", error);
  return TRUE;
}

PtDiarizer *
pt_diarizer_new (PtModule *module, GError **error)
{
  g_autoptr (PtDiarizer) self = g_new0 (PtDiarizer, 1);

  self->turns = g_array_new (FALSE, FALSE, sizeof (PtTurn));
  if (!load_method (module, "preprocessor", 2, 2, &self->preprocessor, error) ||
      !load_method (module, "pre_encode", 2, 2, &self->pre_encoder, error) ||
      !load_method (module, "encode", 2, 1, &self->encoder, error) ||
      !read_metadata (self, module, error) || !check_sound (self, error) ||
      !check_encoder (self, error) || !allocate_all (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

static void
frames_clear (Frames *frames)
{
  g_free (frames->frames);
  g_free (frames->chances);
}

void
pt_diarizer_free (PtDiarizer *self)
{
  if (self == NULL)
    return;
  pt_diarizer_close (self);
  frames_clear (&self->cache);
  frames_clear (&self->fifo);
  frames_clear (&self->pending);
  g_array_unref (self->turns);
  g_free (self->sound);
  g_free (self->columns);
  g_free (self->input);
  g_free (self->chances);
  g_free (self->order);
  g_free (self->keep);
  g_free (self);
}

double
pt_diarizer_frame (const PtDiarizer *self)
{
  return (double) self->frame / self->rate;
}

gboolean
pt_diarizer_open (PtDiarizer *self, const char *path, double start, GCancellable *cancellable,
                  GError **error)
{
  pt_diarizer_close (self);
  self->reader = pt_audio_reader_open_at (path, start, self->rate, cancellable, error);
  if (self->reader == NULL)
    return FALSE;
  self->start = start;
  self->at_end = FALSE;
  self->cache.n = self->fifo.n = self->pending.n = 0;
  self->n_frames = 0;
  self->n_names = 0;
  self->keep_all = FALSE;
  memset (self->begun, 0, sizeof self->begun);
  memset (self->names, 0, sizeof self->names);
  g_array_set_size (self->turns, 0);
  return TRUE;
}

void
pt_diarizer_close (PtDiarizer *self)
{
  g_clear_pointer (&self->reader, pt_audio_reader_free);
}

/* ---- frames ---- */

static void
append (const PtDiarizer *self, Frames *to, const float *frames, const float *chances, guint n)
{
  n = MIN (n, to->room - to->n);
  memcpy (to->frames + (gsize) to->n * self->width, frames,
          (gsize) n * self->width * sizeof (float));
  if (chances != NULL)
    memcpy (to->chances + (gsize) to->n * self->n_speakers, chances,
            (gsize) n * self->n_speakers * sizeof (float));
  to->n += n;
}

static void
drop (const PtDiarizer *self, Frames *from, guint n)
{
  from->n -= n;
  memmove (from->frames, from->frames + (gsize) n * self->width,
           (gsize) from->n * self->width * sizeof (float));
  memmove (from->chances, from->chances + (gsize) n * self->n_speakers,
           (gsize) from->n * self->n_speakers * sizeof (float));
}

static float
surest (const PtDiarizer *self, guint i)
{
  const float *chances = self->cache.chances + (gsize) i * self->n_speakers;
  float highest = 0;

  for (guint s = 0; s < self->n_speakers; s++)
    highest = MAX (highest, chances[s]);
  return highest;
}

static int
compare_frames (gconstpointer a, gconstpointer b, gpointer data)
{
  const PtDiarizer *self = data;
  guint i = *(const guint *) a, k = *(const guint *) b;
  float x = surest (self, i), y = surest (self, k);

  if (x != y)
    return x > y ? -1 : 1;
  return i < k ? -1 : i > k;
}

/* Keeps the frames of the cache with the clearest predictions, in order of time. */
static void
compress (PtDiarizer *self)
{
  Frames *cache = &self->cache;
  guint n = 0;

  if (cache->n <= self->n_cache)
    return;
  for (guint i = 0; i < cache->n; i++)
    self->order[i] = i;
  g_qsort_with_data (self->order, (int) cache->n, sizeof (guint), compare_frames, self);
  memset (self->keep, 0, cache->n);
  for (guint i = 0; i < self->n_cache; i++)
    self->keep[self->order[i]] = TRUE;
  for (guint i = 0; i < cache->n; i++) {
    if (!self->keep[i])
      continue;
    memmove (cache->frames + (gsize) n * self->width, cache->frames + (gsize) i * self->width,
             self->width * sizeof (float));
    memmove (cache->chances + (gsize) n * self->n_speakers,
             cache->chances + (gsize) i * self->n_speakers, self->n_speakers * sizeof (float));
    n++;
  }
  cache->n = n;
}

/* Moves the oldest frames of the FIFO to the cache and appends the chunk to the FIFO. */
static void
remember (PtDiarizer *self, const float *chunk, const float *chances, guint n)
{
  guint overflow;

  append (self, &self->fifo, chunk, chances, n);
  overflow = self->fifo.n > MIN (FIFO, self->chunk) ? self->fifo.n - MIN (FIFO, self->chunk) : 0;
  append (self, &self->cache, self->fifo.frames, self->fifo.chances, overflow);
  drop (self, &self->fifo, overflow);
  compress (self);
}

/* ---- who speaks ---- */

static void
end_turn (PtDiarizer *self, guint speaker, guint64 end)
{
  PtTurn turn = { self->begun[speaker] - 1, end, speaker };

  self->begun[speaker] = 0;
  g_array_append_val (self->turns, turn);
}

static void
judge (PtDiarizer *self, const float *chances, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint64 frame = self->n_frames + i;

    for (guint s = 0; s < self->n_speakers; s++) {
      gboolean speaks = chances[(gsize) i * self->n_speakers + s] > THRESHOLD;

      if (speaks && self->begun[s] == 0) {
        self->begun[s] = frame + 1;
        if (self->names[s] == 0)
          self->names[s] = ++self->n_names;
      } else if (!speaks && self->begun[s] != 0) {
        end_turn (self, s, frame);
      }
    }
  }
  self->n_frames += n;
}

static void
forget (PtDiarizer *self)
{
  guint n = 0;

  if (self->keep_all)
    return;
  while (n < self->turns->len &&
         g_array_index (self->turns, PtTurn, n).end + MEMORY < self->n_frames)
    n++;
  if (n > 0)
    g_array_remove_range (self->turns, 0, n);
}

/* Runs the model on the first @n pending frames together with the cache and the FIFO. */
static gboolean
do_chunk (PtDiarizer *self, guint n, GCancellable *cancellable, GError **error)
{
  guint before = self->cache.n + self->fifo.n, total = before + n;
  gint64 sizes[3] = { 1, total, self->width }, one = 1, length = total;
  gsize row = self->width * sizeof (float);
  PtTensor frames, count;
  guint i;

  memcpy (self->input, self->cache.frames, self->cache.n * row);
  memcpy (self->input + (gsize) self->cache.n * self->width, self->fifo.frames, self->fifo.n * row);
  memcpy (self->input + (gsize) before * self->width, self->pending.frames, n * row);
  if (!pt_tensor_init (&frames, PT_DTYPE_F32, 3, sizes, NULL, self->input, error) ||
      !pt_tensor_init (&count, PT_DTYPE_I64, 1, &one, NULL, &length, error) ||
      !pt_method_set_input_tensor (self->encoder, 0, &frames, error) ||
      !pt_method_set_input_tensor (self->encoder, 1, &count, error) ||
      !pt_method_execute (self->encoder, cancellable, error) ||
      !pt_output_floats (self->encoder, 0, "the speakers", (gsize) total * self->n_speakers,
                         self->chances, error))
    return FALSE;
  for (i = 0; i < self->cache.n * self->n_speakers; i++)
    self->cache.chances[i] = self->chances[i];
  for (i = 0; i < self->fifo.n * self->n_speakers; i++)
    self->fifo.chances[i] = self->chances[(gsize) self->cache.n * self->n_speakers + i];
  judge (self, self->chances + (gsize) before * self->n_speakers, n);
  remember (self, self->pending.frames, self->chances + (gsize) before * self->n_speakers, n);
  drop (self, &self->pending, n);
  return TRUE;
}

/* Processes all complete chunks of pending frames. */
static gboolean
do_chunks (PtDiarizer *self, GCancellable *cancellable, GError **error)
{
  while (self->pending.n >= self->chunk)
    if (!do_chunk (self, self->chunk, cancellable, error))
      return FALSE;
  return TRUE;
}

/* At the end of the recording, processes the last, incomplete chunk. */
static gboolean
do_rest (PtDiarizer *self, GCancellable *cancellable, GError **error)
{
  /* Its attention takes at least two frames. */
  if (self->at_end && self->pending.n > 0 && self->pending.n + self->cache.n + self->fifo.n >= 2 &&
      !do_chunk (self, self->pending.n, cancellable, error))
    return FALSE;
  for (guint s = 0; self->at_end && s < self->n_speakers; s++)
    if (self->begun[s] != 0)
      end_turn (self, s, self->n_frames);
  forget (self);
  return TRUE;
}

/* ---- listening ---- */

/* Encodes @n columns of the mel spectrogram from @first on; each band has @n_columns. */
static gboolean
pre_encode (PtDiarizer *self, const float *mel, guint n_columns, guint first, guint n,
            GCancellable *cancellable, GError **error)
{
  gint64 sizes[3] = { 1, self->max_columns, self->n_bands }, one = 1, length = n, n_frames;
  PtTensor columns, count;
  const PtTensor *frames;

  memset (self->columns, 0, (gsize) self->max_columns * self->n_bands * sizeof (float));
  for (guint i = 0; i < n; i++)
    for (guint b = 0; b < self->n_bands; b++)
      self->columns[(gsize) i * self->n_bands + b] = mel[(gsize) b * n_columns + first + i];
  if (!pt_tensor_init (&columns, PT_DTYPE_F32, 3, sizes, NULL, self->columns, error) ||
      !pt_tensor_init (&count, PT_DTYPE_I64, 1, &one, NULL, &length, error) ||
      !pt_method_set_input_tensor (self->pre_encoder, 0, &columns, error) ||
      !pt_method_set_input_tensor (self->pre_encoder, 1, &count, error) ||
      !pt_method_execute (self->pre_encoder, cancellable, error) ||
      !pt_output_index (self->pre_encoder, 1, "the number of frames", &n_frames, error))
    return FALSE;
  frames = pt_in_tensor (pt_method_output (self->pre_encoder, 0), "the frames", error);
  if (frames == NULL)
    return FALSE;
  if (frames->dtype != PT_DTYPE_F32 || frames->rank != 3 ||
      frames->sizes[2] != (gint64) self->width || !pt_tensor_is_contiguous (frames))
    return fail_layout ("its frames are not what it declares", error);
  append (self, &self->pending, frames->data, NULL, (guint) CLAMP (n_frames, 0, frames->sizes[1]));
  return do_chunks (self, cancellable, error);
}

/* Reads one window of the preprocessor and processes it. */
static gboolean
listen_on (PtDiarizer *self, GCancellable *cancellable, GError **error)
{
  gssize got =
      pt_audio_reader_read (self->reader, self->sound, self->max_samples, cancellable, error);
  gint64 size = (gint64) got, one = 1, length = size, n_valid;
  g_autofree float *mel = NULL;
  PtTensor sound, count;
  const PtTensor *out;
  guint n_columns, n;

  if (got < 0)
    return FALSE;
  self->at_end = (gsize) got < self->max_samples;
  if (got < (gssize) (self->rate / MIN_PART))
    return do_rest (self, cancellable, error);
  if (!pt_tensor_init (&sound, PT_DTYPE_F32, 1, &size, NULL, self->sound, error) ||
      !pt_tensor_init (&count, PT_DTYPE_I64, 1, &one, NULL, &length, error) ||
      !pt_method_set_input_tensor (self->preprocessor, 0, &sound, error) ||
      !pt_method_set_input_tensor (self->preprocessor, 1, &count, error) ||
      !pt_method_execute (self->preprocessor, cancellable, error) ||
      !pt_output_index (self->preprocessor, 1, "the number of columns", &n_valid, error))
    return FALSE;
  out = pt_in_tensor (pt_method_output (self->preprocessor, 0), "the spectrogram", error);
  if (out == NULL)
    return FALSE;
  if (out->dtype != PT_DTYPE_F32 || out->rank != 3 || out->sizes[0] != 1 ||
      out->sizes[1] != (gint64) self->n_bands || out->sizes[2] > MAX_COLUMNS ||
      !pt_tensor_is_contiguous (out))
    return fail_layout ("its spectrogram is not what it declares", error);
  n_columns = (guint) out->sizes[2];
  n = (guint) CLAMP (n_valid, 0, (gint64) n_columns);
  /* A copy: methods may share memory, so the next call may overwrite the output. */
  mel = g_memdup2 (out->data, pt_tensor_nbytes (out));
  for (guint first = 0; first < n; first += self->max_columns)
    if (!pre_encode (self, mel, n_columns, first, MIN (self->max_columns, n - first), cancellable,
                     error))
      return FALSE;
  return do_rest (self, cancellable, error);
}

/* Number of frames in both ranges. */
static guint64
overlap (guint64 a, guint64 b, guint64 begin, guint64 end)
{
  guint64 from = MAX (a, begin), to = MIN (b, end);

  return to > from ? to - from : 0;
}

gboolean
pt_diarizer_find (PtDiarizer *self, double start, double end, guint *speaker,
                  GCancellable *cancellable, GError **error)
{
  double frame = pt_diarizer_frame (self);
  guint64 first = (guint64) floor (MAX (start - self->start, 0) / frame);
  guint64 last = MAX ((guint64) ceil (MAX (end - self->start, 0) / frame), first + 1);
  guint64 spoken[MAX_SPEAKERS] = { 0 }, most = 0;

  *speaker = 0;
  while (!self->at_end && self->n_frames < last)
    if (!listen_on (self, cancellable, error))
      return FALSE;
  for (guint i = 0; i < self->turns->len; i++) {
    const PtTurn *turn = &g_array_index (self->turns, PtTurn, i);

    spoken[turn->speaker] += overlap (turn->begin, turn->end, first, last);
  }
  for (guint s = 0; s < self->n_speakers; s++) {
    if (self->begun[s] != 0)
      spoken[s] += overlap (self->begun[s] - 1, self->n_frames, first, last);
    if (spoken[s] > most) {
      most = spoken[s];
      *speaker = self->names[s];
    }
  }
  return TRUE;
}

const GArray *
pt_diarizer_listen (PtDiarizer *self, GCancellable *cancellable, GError **error)
{
  self->keep_all = TRUE;
  while (!self->at_end)
    if (!listen_on (self, cancellable, error))
      return NULL;
  return self->turns;
}
