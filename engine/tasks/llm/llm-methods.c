/* SPDX-License-Identifier: BSD-3-Clause */

/* Finds the methods of a text model that read ids or embeddings, and what they take
 * (docs/formats/protocols.md, sections 2.1 to 2.4 and 4.1). */

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/llm/llm-private.h"
#include "engine/tasks/models/family.h"

/* The fewest ids that a method for prompts takes, if there is another one for steps and the
 * metadata do not say. */
#define LEAST_OF_PROMPT 2
/* The number of tokens of a model that chooses them itself and does not say how many there are. */
#define MAX_TOKENS (1 << 20)
/* The inputs of a method that chooses tokens: ids, positions, temperature. */
#define INPUTS_TO_CHOOSE 3
/* The planned buffer that methods share. */
#define SHARED_BUFFER 2

static gboolean
unlike_a_text_model (PtModule *module, GError **error)
{
  return pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "“%s” is not a text model that Pteris can chat with: “forward”, or “prefill” and "
      "“decode”, must take token ids [1, n], perhaps with positions, and give logits, or "
      "take a temperature as well and give a token; or “text_decoder” must take embeddings "
      "[1, n, m] with positions and give logits.",
      pt_program_path (pt_module_program (module)));
}

static gboolean
unlike_gemma (PtModule *module, GError **error)
{
  return pt_fail (
      error, PT_ERROR_UNSUPPORTED,
      "“%s” is not a Gemma 4 that Pteris can chat with: “text_decoder” must take embeddings "
      "[1, n, m], embeddings for each layer [1, n, layers, k] and positions [n], and give logits.",
      pt_program_path (pt_module_program (module)));
}

static gboolean
unlike_its_shape (const PtLlm *self, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The model takes exactly %u tokens in a call, and neither another method for one "
                  "token nor logits for each of them make up for that: export it with dynamic "
                  "shapes.",
                  self->fixed);
}

static const PtTensorSpec *
tensor_spec (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
is_index (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank && tensor->numel > 0 &&
         (tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32);
}

static gboolean
is_temperature (const PtTensorSpec *tensor)
{
  return tensor != NULL && tensor->dtype == PT_DTYPE_F32 && tensor->numel == 1;
}

/* Whether @tensor is one number, a token: a float is rounded later. */
static gboolean
is_token (const PtTensorSpec *tensor)
{
  return tensor != NULL && tensor->numel == 1 &&
         (tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32 ||
          tensor->dtype == PT_DTYPE_F32);
}

static gboolean
is_float (const PtTensorSpec *tensor)
{
  return tensor->dtype == PT_DTYPE_F32 || tensor->dtype == PT_DTYPE_F16 ||
         tensor->dtype == PT_DTYPE_BF16;
}

static gboolean
is_logits (const PtTensorSpec *tensor)
{
  return tensor != NULL && (tensor->rank == 2 || tensor->rank == 3) && tensor->numel > 0 &&
         is_float (tensor);
}

static gboolean
is_row (const PtTensorSpec *tensor)
{
  return tensor != NULL && tensor->rank == 3 && tensor->sizes[0] == 1 && tensor->numel > 0 &&
         is_float (tensor);
}

/* Reads the input of embeddings for each layer: [1, n, layers, width]. */
static gboolean
read_layers (PtLlm *self, const PtTensorSpec *layers)
{
  if (layers == NULL || layers->rank != 4 || layers->sizes[0] != 1 || layers->numel == 0 ||
      !is_float (layers))
    return FALSE;
  self->layer_type = layers->dtype;
  self->layer_sizes[0] = layers->sizes[2];
  self->layer_sizes[1] = layers->sizes[3];
  return TRUE;
}

/* Reads the decoder's inputs: embeddings, perhaps with those for each layer, and positions; or ids,
 * positions and embeddings. */
static gboolean
read_decoder (PtLlm *self, PtMethod *method)
{
  gboolean beside = self->reading == PT_LLM_IDS_BESIDE_EMBEDDINGS;
  const PtTensorSpec *first, *positions, *rows;

  if (pt_method_n_inputs (method) != (self->reading == PT_LLM_EMBEDDINGS ? 2 : 3) ||
      pt_method_n_outputs (method) != 1)
    return FALSE;
  first = tensor_spec (pt_method_input_spec (method, 0));
  positions = tensor_spec (pt_method_input_spec (method, pt_llm_position_input (self)));
  rows = beside ? tensor_spec (pt_method_input_spec (method, 2)) : first;
  if (!is_row (rows) || !is_index (positions, 1) ||
      !is_logits (tensor_spec (pt_method_output_spec (method, 0))) ||
      (beside && (!is_index (first, 2) || first->sizes[0] != 1)))
    return FALSE;
  if (self->reading == PT_LLM_LAYER_EMBEDDINGS &&
      !read_layers (self, tensor_spec (pt_method_input_spec (method, 1))))
    return FALSE;
  self->prompt = (PtLlmMethod){ method, PT_DTYPE_I64, positions->dtype, FALSE };
  if (beside)
    self->prompt.id_type = first->dtype;
  self->step = self->prompt;
  self->row_type = rows->dtype;
  self->row_width = (gsize) rows->sizes[2];
  return TRUE;
}

static gboolean
read_method (PtLlmMethod *self, PtMethod *method)
{
  guint n = pt_method_n_inputs (method);
  const PtTensorSpec *ids, *positions = NULL, *output;

  if (n < 1 || n > INPUTS_TO_CHOOSE || pt_method_n_outputs (method) != 1)
    return FALSE;
  ids = tensor_spec (pt_method_input_spec (method, 0));
  output = tensor_spec (pt_method_output_spec (method, 0));
  if (n > 1)
    positions = tensor_spec (pt_method_input_spec (method, 1));
  self->method = method;
  self->chooses = n == INPUTS_TO_CHOOSE;
  if (!is_index (ids, 2) || ids->sizes[0] != 1 || (n > 1 && !is_index (positions, 1)))
    return FALSE;
  self->id_type = self->position_type = ids->dtype;
  if (positions != NULL)
    self->position_type = positions->dtype;
  return self->chooses
             ? is_token (output) && is_temperature (tensor_spec (pt_method_input_spec (method, 2)))
             : is_logits (output);
}

/* The name of the decoder's method, which older programs call only "decoder". */
static const char *
decoder_name (const PtProgram *program)
{
  return pt_program_find_plan (program, "text_decoder") != NULL ? "text_decoder" : "decoder";
}

static gboolean
load_decoder (PtLlm *self, PtModule *module, GError **error)
{
  PtMethod *method = pt_module_method (module, decoder_name (pt_module_program (module)), error);

  if (method == NULL)
    return FALSE;
  if (!read_decoder (self, method))
    return self->reading == PT_LLM_LAYER_EMBEDDINGS ? unlike_gemma (module, error)
                                                    : unlike_a_text_model (module, error);
  self->last = &self->prompt;
  return TRUE;
}

static PtLlmReading
reading_of (const PtProgram *program)
{
  const PtPlan *decoder = pt_program_find_plan (program, decoder_name (program));
  const PtPlan *embedding = pt_program_find_plan (program, "token_embedding");

  if (pt_program_find_plan (program, "forward") != NULL || decoder == NULL)
    return PT_LLM_IDS;
  if (embedding == NULL)
    return PT_LLM_IDS_BESIDE_EMBEDDINGS;
  return embedding->n_outputs == 2 || decoder->n_inputs == 3 ? PT_LLM_LAYER_EMBEDDINGS
                                                             : PT_LLM_EMBEDDINGS;
}

/* The method for prompts: "forward" or "prefill"; else, of several methods that do the same in
 * different ways (LoRA), the base one. */
static const char *
name_of_prompt (PtModule *module)
{
  static const char *const NAMES[] = { "forward", "prefill", "decode", "base_forward" };
  const PtProgram *program = pt_module_program (module);

  if (pt_module_chosen_method (module) != NULL)
    return pt_module_chosen_method (module);
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (pt_module_has_method (module, NAMES[i]))
      return NAMES[i];
  for (guint i = 0; i < pt_program_n_plans (program); i++)
    if (pt_plan_reads_ids (pt_program_plan (program, i)))
      return pt_program_plan (program, i)->name;
  return NAMES[0];
}

/* Whether the method has the planned buffer in which methods share the state of a conversation. */
static gboolean
has_shared_buffer (PtModule *module, const char *name)
{
  const PtPlan *plan = pt_program_find_plan (pt_module_program (module), name);

  return plan->n_buffers > SHARED_BUFFER && plan->buffers[SHARED_BUFFER].size > 0 &&
         plan->buffers[SHARED_BUFFER].device_type == PT_DEVICE_CPU;
}

/* Loads the method for prompts, and for steps "decode" if there is one, else the same method. */
static gboolean
load_methods (PtLlm *self, PtModule *module, GError **error)
{
  const char *prompt_name = name_of_prompt (module), *step_name = prompt_name;
  PtMethod *prompt, *step;

  if (pt_module_chosen_method (module) == NULL && pt_module_has_method (module, "decode"))
    step_name = "decode";
  if (strcmp (prompt_name, step_name) != 0 && has_shared_buffer (module, prompt_name) &&
      has_shared_buffer (module, step_name) && !pt_module_share_state (module, error))
    return FALSE;
  prompt = pt_module_method (module, prompt_name, error);
  step = prompt != NULL ? pt_module_method (module, step_name, error) : NULL;
  if (prompt == NULL || step == NULL)
    return FALSE;
  if (!read_method (&self->prompt, prompt) || !read_method (&self->step, step) ||
      self->prompt.chooses != self->step.chooses ||
      pt_method_n_inputs (prompt) != pt_method_n_inputs (step))
    return unlike_a_text_model (module, error);
  self->last = &self->prompt;
  return TRUE;
}

/* Reads the layout and the chunk of the method for prompts from its declared shapes. */
static gboolean
read_shapes (PtLlm *self, GError **error)
{
  const PtMethod *method = self->prompt.method;
  const PtTensorSpec *ids = tensor_spec (pt_method_input_spec (method, 0));

  self->chunk = (guint) ids->sizes[1];
  self->layout = PT_LLM_NO_CACHE;
  if (pt_method_n_inputs (method) > 1) {
    const PtTensorSpec *positions =
        tensor_spec (pt_method_input_spec (method, pt_llm_position_input (self)));

    self->layout = positions->sizes[0] > 1 ? PT_LLM_POSITIONS : PT_LLM_START_POSITION;
    if (positions->sizes[0] > 1)
      self->chunk = MIN (self->chunk, (guint) positions->sizes[0]);
  }
  if (self->reading == PT_LLM_IDS_BESIDE_EMBEDDINGS)
    self->chunk =
        MIN (self->chunk, (guint) tensor_spec (pt_method_input_spec (method, 2))->sizes[1]);
  if (self->reading == PT_LLM_LAYER_EMBEDDINGS)
    self->chunk =
        MIN (self->chunk, (guint) tensor_spec (pt_method_input_spec (method, 1))->sizes[1]);
  if (ids->sizes[1] > 1 && ids->dynamism == PT_DYNAMISM_STATIC)
    self->fixed = (guint) ids->sizes[1];
  return TRUE;
}

static void
read_width (PtLlm *self, PtModule *module)
{
  const PtTensorSpec *output = tensor_spec (pt_method_output_spec (self->prompt.method, 0));
  gint64 n = 0;

  if (!self->prompt.chooses)
    self->width = (gsize) output->sizes[output->rank - 1];
  else if (pt_module_constant_int (module, "get_vocab_size", &n) && n > 0 && n <= MAX_TOKENS)
    self->width = (gsize) n;
  else
    self->width = MAX_TOKENS;
}

/* Whether the metadata say that the model was exported without dynamic shapes. */
static gboolean
says_static (PtModule *module)
{
  gint64 dynamic = 1;

  return pt_module_constant_int (module, "enable_dynamic_shape", &dynamic) && dynamic == 0;
}

/* Whether a prompt may be read one id at a time: ids with a cache, any number in a call. */
static gboolean
reads_one_by_one (const PtLlm *self)
{
  return self->reading == PT_LLM_IDS && self->layout != PT_LLM_NO_CACHE && self->fixed == 0 &&
         self->step.method == self->prompt.method;
}

/** Reads limits from the metadata. For the size of a call declared shapes count as well, because
 * "get_max_seq_len" may be more than a call takes. */
static void
read_limits (PtLlm *self, PtModule *module)
{
  gint64 sequence = 0, context = 0, chunk = 0, least = 0, window;
  guint cells = pt_llm_count_cells (self->prompt.method);
  gboolean is_static = says_static (module);

  pt_module_constant_int (module, "get_max_seq_len", &sequence);
  pt_module_constant_int (module, "get_max_context_len", &context);
  pt_module_constant_int (module, "get_max_prefill_chunk", &chunk);
  pt_module_constant_int (module, "get_min_prefill_chunk", &least);
  if (context <= 0)
    context = sequence > 0 ? sequence : self->chunk;
  /* Without dynamic shapes the first one is a limit as well, unless the cache is known. */
  if (is_static && sequence > 0 && cells == PT_LLM_MAX_CONTEXT)
    context = MIN (context, sequence);
  if (self->layout == PT_LLM_NO_CACHE)
    context = MIN (context, self->chunk);
  if (pt_llm_holds_a_window_only (module, self->prompt.method, &window))
    context = MIN (context, window);
  context = MIN (context, cells);
  self->context = (guint) CLAMP (context, 1, PT_LLM_MAX_CONTEXT);
  if (sequence > 0)
    self->chunk = (guint) MIN (self->chunk, sequence);
  if (chunk > 0)
    self->chunk = (guint) MIN (self->chunk, chunk);
  if (is_static && reads_one_by_one (self))
    self->chunk = 1;
  self->chunk = MIN (self->chunk, self->context);
  self->least = 1;
  if (self->step.method != self->prompt.method && self->layout != PT_LLM_NO_CACHE)
    self->least = least > 0 ? (guint) MIN (least, PT_LLM_MAX_CONTEXT) : LEAST_OF_PROMPT;
}

/**
 * Prepares a method of a fixed shape: the rest of a prompt is read in steps by the other method, or
 * the call is filled up, which does not change the results of a model that only looks back. Cells
 * of a cache that the filling writes are written again before anything reads them, if the cache is
 * addressed by position.
 */
static gboolean
fit_fixed_shape (PtLlm *self, GError **error)
{
  const PtTensorSpec *output = tensor_spec (pt_method_output_spec (self->prompt.method, 0));
  gboolean each =
      !self->prompt.chooses && output->rank == 3 && output->sizes[1] >= (gint32) self->fixed;

  if (self->fixed == 0)
    return TRUE;
  if (self->step.method != self->prompt.method) {
    self->least = self->fixed;
    return self->chunk == self->fixed || unlike_its_shape (self, error);
  }
  if (!each || self->reading != PT_LLM_IDS || !self->can_rewind || self->context < self->fixed)
    return unlike_its_shape (self, error);
  self->chunk = self->fixed;
  if (self->layout != PT_LLM_NO_CACHE)
    self->context -= self->fixed - 1;
  return TRUE;
}

gboolean
pt_llm_find_methods (PtLlm *self, PtModule *module, GError **error)
{
  const PtLlmMethod *methods[] = { &self->prompt, &self->step };

  self->reading = reading_of (pt_module_program (module));
  if (!(self->reading == PT_LLM_IDS ? load_methods (self, module, error)
                                    : load_decoder (self, module, error)) ||
      !read_shapes (self, error))
    return FALSE;
  read_width (self, module);
  read_limits (self, module);
  if (self->reading != PT_LLM_IDS && self->reading != PT_LLM_IDS_BESIDE_EMBEDDINGS &&
      !pt_llm_load_embedding (self, module, error))
    return FALSE;
  self->can_rewind = self->layout == PT_LLM_NO_CACHE ||
                     (pt_llm_finds_cache_by_position (module, self->prompt.method, self->context) &&
                      pt_llm_finds_cache_by_position (module, self->step.method, self->context));
  if (!fit_fixed_shape (self, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++) {
    /* Only the last row of the logits is needed: 2,047 rows of SmolLM2 are 402 MB. */
    if (self->chunk > 1 && !methods[i]->chooses && !pt_llm_fills_up (self))
      pt_method_set_last_rows (methods[i]->method, 0, 1);
    /* Logits that a GPU computes stay there: the GPU can choose the token. */
    if (!methods[i]->chooses)
      pt_method_keep_output_on_device (methods[i]->method, 0, TRUE);
  }
  return TRUE;
}
