/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/word-program.h"

#include "engine/base/set-error.h"
#include "engine/tasks/speak/phonemes.h"

/* Longer words are said in parts. */
#define MAX_LETTERS 20
/* Steps of the output for each letter. */
#define STEPS 2
/* The class that separates phonemes. */
#define BLANK 0

struct _PtWordProgram {
  PtModule *module;
  guint most; /* letters that one call takes */
};

/* The most letters of a call of @module; 0: its method does not read letters. */
static guint
most_letters (PtModule *module)
{
  PtProgram *program = pt_module_program (module);
  const PtPlan *plan = pt_program_find_plan (program, "forward");
  const PtTensorSpec *in, *out;

  if (plan == NULL || plan->n_inputs != 1 || plan->n_outputs < 1 ||
      plan->values[plan->inputs[0]].kind != PT_VALUE_TENSOR ||
      plan->values[plan->outputs[0]].kind != PT_VALUE_TENSOR)
    return 0;
  in = plan->values[plan->inputs[0]].as_tensor;
  out = plan->values[plan->outputs[0]].as_tensor;
  if (in->dtype != PT_DTYPE_I64 || in->rank != 2 || in->sizes[0] != 1 ||
      in->dynamism == PT_DYNAMISM_STATIC || out->dtype != PT_DTYPE_F32 || out->rank != 3)
    return 0;
  return (guint) CLAMP (in->sizes[1], 0, MAX_LETTERS);
}

PtWordProgram *
pt_word_program_open (const char *path, const PtMethodOptions *options, GError **error)
{
  g_autoptr (PtModule) module = pt_module_open (path, NULL, options, error);
  guint most = module != NULL ? most_letters (module) : 0;
  PtWordProgram *self;

  if (module == NULL)
    return NULL;
  if (most == 0) {
    pt_fail (error, PT_ERROR_UNSUPPORTED,
             "“%s” is not a phonemizer: its method “forward” must take letters [1, n] and give "
             "phonemes [1, 2n, classes]. Download it again.",
             path);
    return NULL;
  }
  self = g_new (PtWordProgram, 1);
  self->module = g_steal_pointer (&module);
  self->most = most;
  return self;
}

void
pt_word_program_free (PtWordProgram *self)
{
  if (self == NULL)
    return;
  pt_module_free (self->module);
  g_free (self);
}

static guint
best_class (const float *row, gsize n)
{
  gsize best = 0;

  for (gsize i = 1; i < n; i++)
    if (row[i] > row[best])
      best = i;
  return (guint) best;
}

/* Appends the best phoneme of each step, one for equal ones in a row, without blanks. */
static gboolean
take_phonemes (const PtMethod *method, gsize n_letters, GString *out, GError **error)
{
  const PtValue *value = pt_method_output (method, 0);
  const PtTensor *tensor = value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
  guint last = BLANK;

  if (tensor == NULL || tensor->device_type != PT_DEVICE_CPU || tensor->dtype != PT_DTYPE_F32 ||
      tensor->rank != 3 || tensor->sizes[0] != 1 ||
      tensor->sizes[1] != (gint64) (STEPS * n_letters) || tensor->sizes[2] < 1)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The phonemizer of this model is not supported: it must give float "
                    "[1, 2n, classes] for n letters.");
  for (gint64 i = 0; i < tensor->sizes[1]; i++) {
    const float *row = (const float *) tensor->data + i * tensor->sizes[2];
    guint class = best_class (row, (gsize) tensor->sizes[2]);
    gunichar phoneme = pt_phoneme_of_class (class);

    if (class != last && phoneme != 0)
      g_string_append_unichar (out, phoneme);
    last = class;
  }
  return TRUE;
}

static gboolean
say_letters (PtWordProgram *self, gint64 *letters, gsize n, GString *out, GCancellable *cancellable,
             GError **error)
{
  PtMethod *method = pt_module_method (self->module, "forward", error);
  const gint64 sizes[2] = { 1, (gint64) n };
  PtTensor tensor;

  return method != NULL && pt_tensor_init (&tensor, PT_DTYPE_I64, 2, sizes, NULL, letters, error) &&
         pt_method_set_input_tensor (method, 0, &tensor, error) &&
         pt_method_execute (method, cancellable, error) && take_phonemes (method, n, out, error);
}

gboolean
pt_word_program_say (PtWordProgram *self, const char *word, GString *out, gboolean *knows,
                     GCancellable *cancellable, GError **error)
{
  g_autofree char *lower = g_utf8_strdown (word, -1);
  const char *p = lower;

  *knows = FALSE;
  while (*p != '\0') {
    gint64 letters[MAX_LETTERS];
    gsize n = 0;

    for (guint i = 0; i < self->most && *p != '\0'; i++, p = g_utf8_next_char (p)) {
      letters[n] = pt_letter_token (g_utf8_get_char (p));
      n += letters[n] != 0;
    }
    if (n == 0)
      continue;
    *knows = TRUE;
    if (!say_letters (self, letters, n, out, cancellable, error))
      return FALSE;
  }
  return TRUE;
}
