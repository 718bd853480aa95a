/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/look-writing.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/tasks/vision/ctc.h"
#include "engine/tasks/vision/look-method.h"
#include "engine/tasks/vision/look-traits.h"
#include "engine/tasks/vision/text-boxes.h"

/* The detector's input for writing in lines. */
#define USUAL_SIZE 800
#define MAX_ALPHABET_FILE (1 << 20)
/* The methods of a recogniser, one for each width. */
#define MAX_WIDTHS 16
/* A line that is read with less confidence may be upside down. */
#define LOW_CONFIDENCE 0.3
/* Contrast below this part of the range is raised. */
#define LOW_CONTRAST 0.2

static const float MEAN[3] = { 0.485f, 0.456f, 0.406f };
static const float DEVIATION[3] = { 0.229f, 0.224f, 0.225f };
static const float HALF[1] = { 0.5f };

struct _PtWritingReader {
  gboolean has_detector;
  PtLookMethod detector;
  PtLookMethod recognizers[MAX_WIDTHS]; /* by width, the smallest first */
  guint n_recognizers;
  guint classes; /* of the recognisers, with the blank */
  gunichar *characters;
};

/* ---- the recogniser ---- */

static int
compare_widths (gconstpointer a, gconstpointer b)
{
  const PtLookMethod *x = a, *y = b;

  return x->width < y->width ? -1 : x->width > y->width;
}

static gboolean
add_recognizer (PtWritingReader *self, PtModule *module, const char *name, GError **error)
{
  PtLookMethod *method = &self->recognizers[self->n_recognizers++];
  const PtValueSpec *value;

  if (!pt_look_method_open (method, module, name, 1, error))
    return FALSE;
  value =
      pt_method_n_outputs (method->method) == 1 ? pt_method_output_spec (method->method, 0) : NULL;
  if (value == NULL || value->kind != PT_VALUE_TENSOR || value->as_tensor->rank != 3 ||
      value->as_tensor->sizes[2] < 2 ||
      (self->classes > 0 && self->classes != (guint) value->as_tensor->sizes[2]))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This recogniser of writing is not supported: it must return [1, steps, "
                    "characters + 1].");
  self->classes = (guint) value->as_tensor->sizes[2];
  return TRUE;
}

static gboolean
open_recognizers (PtWritingReader *self, PtModule *module, GError **error)
{
  const PtProgram *program = pt_module_program (module);
  g_autoptr (GArray) sizes = pt_look_method_sizes (program);

  if (pt_program_find_plan (program, "forward") != NULL &&
      !add_recognizer (self, module, "forward", error))
    return FALSE;
  for (guint i = 0; i < sizes->len && self->n_recognizers < MAX_WIDTHS; i++) {
    g_autofree char *name = g_strdup_printf ("forward_%u", g_array_index (sizes, guint, i));

    if (!add_recognizer (self, module, name, error))
      return FALSE;
  }
  qsort (self->recognizers, self->n_recognizers, sizeof (PtLookMethod), compare_widths);
  return self->n_recognizers > 0 || pt_fail (error, PT_ERROR_UNSUPPORTED,
                                             "The recogniser of writing has no method “forward”.");
}

/* ---- the alphabet ---- */

static gboolean
fail_alphabet (guint n, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; pt_alphabet_name (i) != NULL; i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", pt_alphabet_name (i));
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The recogniser reads %u characters, and which ones is not known. Name a file "
                  "with them (--labels), or one of these alphabets in the name of the model's file "
                  "or folder: %s.",
                  n, known->str);
}

/* The alphabet that a name of the model has, if it is as long. */
static const char *
find_alphabet (const PtModelSet *set, guint n)
{
  static const char *const WORDS[] = { "english", "latin",  "cyrillic", "japanese", "zhsim",
                                       "korean",  "telugu", "kannada",  NULL };
  const char *path = pt_model_set_part (set, "recognizer");
  g_autofree char *folder = g_path_get_dirname (path != NULL ? path : set->program);
  PtModelSet recognizer = *set; /* for its names alone */
  const char *word, *found = NULL;

  recognizer.program = (char *) (path != NULL ? path : set->program);
  recognizer.folder = folder;
  word = pt_look_hint (&recognizer, WORDS);

  if (word != NULL)
    found = pt_alphabet_find (strcmp (word, "zhsim") == 0 ? "zh_sim" : word, 0);
  if (found != NULL && g_utf8_strlen (found, -1) == (glong) n)
    return found;
  return pt_alphabet_find (NULL, n);
}

static gboolean
read_alphabet (PtWritingReader *self, const PtModelSet *set, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  guint n = self->classes - 1;
  const char *found;
  glong length;
  gsize size;

  if (path != NULL) {
    text = pt_text_load (path, MAX_ALPHABET_FILE, &size, error);
    if (text == NULL)
      return FALSE;
    g_strdelimit (text, "\r\n", '\n');
    while (size > 0 && text[size - 1] == '\n')
      text[--size] = '\0';
    if (!g_utf8_validate (text, -1, NULL) || g_utf8_strlen (text, -1) != (glong) n)
      return pt_fail (error, PT_ERROR_DATA,
                      "“%s” must have the %u characters of the recogniser's alphabet, in one line, "
                      "as UTF-8.",
                      path, n);
  }
  found = text != NULL ? text : find_alphabet (set, n);
  if (found == NULL)
    return fail_alphabet (n, error);
  self->characters = g_utf8_to_ucs4_fast (found, -1, &length);
  return TRUE;
}

/* ---- life ---- */

static gboolean
open_detector (PtWritingReader *self, PtModule *module, guint size, GError **error)
{
  g_autofree char *name = pt_look_method_find (
      pt_module_program (module), pt_module_chosen_method (module), size, USUAL_SIZE, error);

  self->has_detector = TRUE;
  return name != NULL && pt_look_method_open (&self->detector, module, name, 3, error);
}

PtWritingReader *
pt_writing_reader_new (const PtModelSet *set, PtModule *detector, PtModule *recognizer,
                       const char *alphabet, guint size, GError **error)
{
  g_autoptr (PtWritingReader) self = g_new0 (PtWritingReader, 1);

  if (detector != NULL && !open_detector (self, detector, size, error))
    return NULL;
  if (recognizer != NULL &&
      (!open_recognizers (self, recognizer, error) || !read_alphabet (self, set, alphabet, error)))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_writing_reader_free (PtWritingReader *self)
{
  if (self == NULL)
    return;
  pt_look_method_clear (&self->detector);
  for (guint i = 0; i < self->n_recognizers; i++)
    pt_look_method_clear (&self->recognizers[i]);
  g_free (self->characters);
  g_free (self);
}

/* ---- finding ---- */

/* The lines of @image in pixels of a page of PT_TEXT_PAGE², in which it is as in the detector's
 * input. */
static GArray *
find_lines (PtWritingReader *self, const PtImage *image, GCancellable *cancellable, GError **error)
{
  PtPixels from = { image->width, image->height, 3, image->pixels };
  PtPixels to = pt_look_method_pixels (&self->detector);
  g_auto (PtLookOutput) map = { 0 };
  g_autoptr (GArray) boxes = NULL;

  if (!pt_resample_padded (&from, &to, NULL, error))
    return NULL;
  pt_look_method_normalize (&self->detector, MEAN, DEVIATION, TRUE);
  if (!pt_look_method_call (&self->detector, cancellable, error) ||
      !pt_look_method_output (&self->detector, 0, &map, error))
    return NULL;
  if (map.rank != 3 || map.sizes[2] != 2 || map.n == 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "This detector of writing is not supported: it must return [1, height, width, 2].");
    return NULL;
  }
  boxes = pt_text_boxes_find (map.values, (guint) map.sizes[1], (guint) map.sizes[0], error);
  for (guint i = 0; boxes != NULL && i < boxes->len; i++) {
    PtTextBox *box = &g_array_index (boxes, PtTextBox, i);
    double scale = (double) PT_TEXT_PAGE / (double) map.sizes[0];

    *box = (PtTextBox){ box->x1 * scale, box->y1 * scale, box->x2 * scale, box->y2 * scale, FALSE };
  }
  if (boxes != NULL)
    pt_text_boxes_join (boxes);
  return g_steal_pointer (&boxes);
}

/* ---- reading ---- */

static void
free_pixels (PtPixels *pixels)
{
  g_free (pixels->pixels);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtPixels, free_pixels)

static gboolean
make_pixels (PtPixels *out, guint width, guint height, GError **error)
{
  *out = (PtPixels){ width, height, 1, pt_allocate ((gsize) width * height, 1, error) };
  return out->pixels != NULL;
}

/* The picture in shades of grey. */
static gboolean
make_grey (const PtImage *image, PtPixels *out, GError **error)
{
  if (!make_pixels (out, image->width, image->height, error))
    return FALSE;
  for (gsize i = 0; i < (gsize) image->width * image->height; i++) {
    const guint8 *p = image->pixels + 3 * i;

    out->pixels[i] = (guint8) (0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2] + 0.5f);
  }
  return TRUE;
}

/* The part of @page in @box; a line that stands is laid down. FALSE: it has no pixels, or @error.
 */
static gboolean
cut (const PtPixels *page, const PtTextBox *box, PtPixels *out, GError **error)
{
  guint left = (guint) CLAMP (floor (box->x1), 0, page->width);
  guint top = (guint) CLAMP (floor (box->y1), 0, page->height);
  guint right = (guint) CLAMP (floor (box->x2) + 1, left, page->width);
  guint bottom = (guint) CLAMP (floor (box->y2) + 1, top, page->height);
  guint width = right - left, height = bottom - top;

  *out = (PtPixels){ 0 };
  if (width == 0 || height == 0)
    return TRUE;
  if (!make_pixels (out, box->stands ? height : width, box->stands ? width : height, error))
    return FALSE;
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      guint8 value = page->pixels[(gsize) (top + y) * page->width + left + x];

      if (box->stands)
        out->pixels[(gsize) x * height + (height - 1 - y)] = value;
      else
        out->pixels[(gsize) y * width + x] = value;
    }
  return TRUE;
}

static void
raise_contrast (PtPixels *pixels)
{
  gsize n = (gsize) pixels->width * pixels->height;
  int low = 255, high = 0;
  float ratio;

  for (gsize i = 0; i < n; i++) {
    low = MIN (low, pixels->pixels[i]);
    high = MAX (high, pixels->pixels[i]);
  }
  if ((high - low) / 255.0 >= LOW_CONTRAST)
    return;
  ratio = 200.0f / (float) MAX (10, high - low);
  for (gsize i = 0; i < n; i++)
    pixels->pixels[i] =
        (guint8) (CLAMP (((float) pixels->pixels[i] - (float) (low - 25)) * ratio, 0, 255) + 0.5f);
}

/* The widest method that a line of @width fills; those that are about square are for single
 * characters. */
static PtLookMethod *
choose_width (PtWritingReader *self, guint width)
{
  PtLookMethod *found = NULL;

  for (guint i = 0; i < self->n_recognizers; i++) {
    PtLookMethod *method = &self->recognizers[i];

    if ((found == NULL || method->width <= width) &&
        (method->width >= 2 * method->height || i + 1 == self->n_recognizers))
      found = method;
  }
  return found;
}

static gboolean
read_once (PtWritingReader *self, PtLookMethod *method, GString *text, double *confidence,
           GCancellable *cancellable, GError **error)
{
  g_auto (PtLookOutput) logits = { 0 };

  if (!pt_look_method_call (method, cancellable, error) ||
      !pt_look_method_output (method, 0, &logits, error))
    return FALSE;
  if (logits.n == 0 || logits.n % self->classes != 0)
    return pt_fail (error, PT_ERROR_INTERNAL, "The recogniser gave another number of classes.");
  return pt_ctc_read (logits.values, (guint) (logits.n / self->classes), self->classes,
                      self->characters, text, confidence) ||
         pt_look_fail_damaged (error);
}

static void
turn_around (PtLookMethod *method)
{
  gsize n = (gsize) method->width * method->height;

  for (gsize i = 0; i < n / 2; i++) {
    float other = method->pixels[n - 1 - i];

    method->pixels[n - 1 - i] = method->pixels[i];
    method->pixels[i] = other;
  }
}

/* Reads @line, and if it cannot be read well, upside down. */
static gboolean
read_line (PtWritingReader *self, PtPixels *line, GString *text, double *confidence,
           gboolean *turned, GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) other = g_string_new (NULL);
  g_auto (PtPixels) scaled = { 0 };
  double ratio = (double) line->width / line->height, second;
  guint height = self->recognizers[0].height;
  PtLookMethod *method;
  PtPixels to;

  if (!make_pixels (&scaled, ratio < 1 ? height : (guint) MIN (height * ratio, 1 << 16),
                    ratio < 1 ? (guint) MIN (height / ratio, 1 << 16) : height, error) ||
      !pt_resample (line, &scaled, PT_RESAMPLE_LANCZOS, error))
    return FALSE;
  raise_contrast (&scaled);
  method = choose_width (self, scaled.width);
  to = pt_look_method_pixels (method);
  if (!pt_resample_padded (&scaled, &to, NULL, error))
    return FALSE;
  pt_look_method_normalize (method, HALF, HALF, FALSE);
  if (!read_once (self, method, text, confidence, cancellable, error))
    return FALSE;
  if (*confidence >= LOW_CONFIDENCE)
    return TRUE;
  turn_around (method);
  if (!read_once (self, method, other, &second, cancellable, error))
    return FALSE;
  *turned = second > *confidence;
  if (*turned) {
    g_string_assign (text, other->str);
    *confidence = second;
  }
  return TRUE;
}

/* ---- pictures ---- */

/* The corners of @box in the picture, clockwise from the top left of the text. */
static void
set_corners (PtTextLine *line, const PtTextBox *box, const PtPlace *place, const PtImage *image,
             gboolean turned)
{
  double scale_x = (double) image->width / place->width;
  double scale_y = (double) image->height / place->height;
  double x[2] = { (box->x1 - place->left) * scale_x, (box->x2 - place->left) * scale_x };
  double y[2] = { (box->y1 - place->top) * scale_y, (box->y2 - place->top) * scale_y };
  guint first = (box->stands ? 3 : 0) + (turned ? 2 : 0);

  for (guint i = 0; i < 4; i++) {
    guint corner = (first + i) % 4;

    line->x[i] = x[corner == 1 || corner == 2];
    line->y[i] = y[corner >= 2];
  }
}

static gboolean
add_line (PtWritingReader *self, const PtPixels *page, const PtTextBox *box, const PtPlace *place,
          const PtImage *image, double threshold, PtHeap *heap, GArray *lines,
          GCancellable *cancellable, GError **error)
{
  PtTextLine line = { .confidence = 1 };
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (PtPixels) pixels = { 0 };
  gboolean turned = FALSE;

  if (self->n_recognizers > 0) {
    if (!cut (page, box, &pixels, error))
      return FALSE;
    if (pixels.pixels == NULL)
      return TRUE;
    if (!read_line (self, &pixels, text, &line.confidence, &turned, cancellable, error))
      return FALSE;
    line.text = pt_heap_text (heap, text->str);
  }
  set_corners (&line, box, place, image, turned);
  if (line.confidence >= threshold)
    g_array_append_val (lines, line);
  return TRUE;
}

/* The page with the picture in its middle. */
static gboolean
make_page (const PtPixels *grey, PtPixels *page, PtPlace *place, GError **error)
{
  return make_pixels (page, PT_TEXT_PAGE, PT_TEXT_PAGE, error) &&
         pt_resample_padded (grey, page, place, error);
}

static gboolean
read_page (PtWritingReader *self, const PtImage *image, double threshold, PtHeap *heap,
           GArray *lines, GCancellable *cancellable, GError **error)
{
  g_autoptr (GArray) boxes = find_lines (self, image, cancellable, error);
  g_auto (PtPixels) grey = { 0 }, page = { 0 };
  PtPlace place;

  if (boxes == NULL || !make_grey (image, &grey, error) || !make_page (&grey, &page, &place, error))
    return FALSE;
  for (guint i = 0; i < boxes->len; i++)
    if (!add_line (self, &page, &g_array_index (boxes, PtTextBox, i), &place, image, threshold,
                   heap, lines, cancellable, error))
      return FALSE;
  return TRUE;
}

/* Without a detector, the whole picture is a line. */
static gboolean
read_whole (PtWritingReader *self, const PtImage *image, double threshold, PtHeap *heap,
            GArray *lines, GCancellable *cancellable, GError **error)
{
  PtTextBox box = { 0, 0, image->width - 1.0, image->height - 1.0, FALSE };
  PtPlace place = { 0, 0, image->width, image->height };
  g_auto (PtPixels) grey = { 0 };

  return make_grey (image, &grey, error) &&
         add_line (self, &grey, &box, &place, image, threshold, heap, lines, cancellable, error);
}

gboolean
pt_writing_reader_run (PtWritingReader *self, const PtImage *image, double threshold, PtHeap *heap,
                       PtLookPicture *out, GCancellable *cancellable, GError **error)
{
  const PtLookMethod *first = self->has_detector ? &self->detector : &self->recognizers[0];
  g_autoptr (GArray) lines = g_array_new (FALSE, TRUE, sizeof (PtTextLine));
  gboolean ok = self->has_detector
                    ? read_page (self, image, threshold, heap, lines, cancellable, error)
                    : read_whole (self, image, threshold, heap, lines, cancellable, error);

  out->input_width = first->width;
  out->input_height = first->height;
  if (ok)
    out->lines = pt_heap_take_array (heap, g_steal_pointer (&lines), &out->n_lines);
  return ok;
}
