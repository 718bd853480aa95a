/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/runtime/method-private.h"

#include "engine/base/allocate.h"

/* A message lists at most this many names. */
#define MAX_NAMES 64

/* A set of names in the order of first use. */
typedef struct {
  GPtrArray *names;
  GHashTable *seen;
} NameSet;

static void
name_set_init (NameSet *set)
{
  set->names = g_ptr_array_new ();
  set->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
name_set_clear (NameSet *set)
{
  g_ptr_array_free (set->names, TRUE);
  g_hash_table_destroy (set->seen);
}

/* Takes ownership of @name. */
static void
name_set_add (NameSet *set, char *name)
{
  if (g_hash_table_contains (set->seen, name)) {
    g_free (name);
    return;
  }
  g_hash_table_add (set->seen, name);
  g_ptr_array_add (set->names, name);
}

static void
append_names (GString *message, const char *singular, const char *plural, const NameSet *set)
{
  guint i, n = set->names->len;

  if (n == 0)
    return;
  g_string_append_printf (message, "%s%s ", message->len > 0 ? "; " : "",
                          n == 1 ? singular : plural);
  for (i = 0; i < MIN (n, MAX_NAMES); i++)
    g_string_append_printf (message, "%s%s", i > 0 ? ", " : "",
                            (const char *) g_ptr_array_index (set->names, i));
  if (n > MAX_NAMES)
    g_string_append_printf (message, " and %u more", n - MAX_NAMES);
}

static gboolean
find_missing_operators (const PtPlan *plan, NameSet *missing, GError **error)
{
  g_autofree guint8 *checked = pt_allocate (plan->n_operators, 1, error);
  guint c, i;

  if (checked == NULL)
    return FALSE;

  for (c = 0; c < plan->n_chains; c++) {
    for (i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtInstruction *instruction = &plan->chains[c].instructions[i];

      if (instruction->kind != PT_INSTRUCTION_KERNEL || checked[instruction->op])
        continue;
      checked[instruction->op] = TRUE;
      if (pt_operator_find (plan->operators[instruction->op]) == NULL)
        name_set_add (missing, g_strdup (plan->operators[instruction->op]));
    }
  }
  return TRUE;
}

static void
find_missing_backends (const PtPlan *plan, NameSet *missing)
{
  guint i;

  for (i = 0; i < plan->n_delegates; i++) {
    const char *id = plan->delegates[i].id;
    const PtBackend *backend = pt_backend_find (id);
    g_autoptr (GError) reason = NULL;

    if (backend == NULL && pt_backend_device (id) != NULL)
      name_set_add (missing, g_strdup_printf ("%s for %s", id, pt_backend_device (id)));
    else if (backend == NULL)
      name_set_add (missing, g_strdup (id));
    else if (backend->is_available != NULL && !backend->is_available (&reason))
      name_set_add (missing, g_strdup_printf ("%s (%s)", id, reason->message));
  }
}

static void
find_missing_devices (const PtPlan *plan, NameSet *missing)
{
  guint i;

  for (i = 1; i < plan->n_buffers; i++) {
    const PtBufferSpec *buffer = &plan->buffers[i];

    if (buffer->device_type != PT_DEVICE_CPU && pt_device_find (buffer->device_type) == NULL)
      name_set_add (missing, g_strdup_printf ("%s:%d", pt_device_name (buffer->device_type),
                                              buffer->device_index));
  }
}

gboolean
pt_plan_check_available (const PtProgram *program, const PtPlan *plan, GError **error)
{
  NameSet operators, backends, devices;
  g_autoptr (GString) list = g_string_new (NULL);
  gboolean lacks_operators, is_checked;

  name_set_init (&operators);
  name_set_init (&backends);
  name_set_init (&devices);
  is_checked = find_missing_operators (plan, &operators, error);
  find_missing_backends (plan, &backends);
  find_missing_devices (plan, &devices);
  append_names (list, "the operator", "the operators", &operators);
  append_names (list, "the backend", "the backends", &backends);
  append_names (list, "memory on the device", "memory on the devices", &devices);
  lacks_operators = operators.names->len > 0;
  name_set_clear (&operators);
  name_set_clear (&backends);
  name_set_clear (&devices);
  if (!is_checked || list->len == 0)
    return is_checked;
  return pt_fail (error, lacks_operators ? PT_ERROR_MISSING_OPERATOR : PT_ERROR_MISSING_BACKEND,
                  "%s cannot run here; missing: %s (ExecuTorch error %s). Use the model's program "
                  "for the CPU (XNNPACK), or export one.",
                  pt_program_path (program), list->str, lacks_operators ? "0x14" : "0x20");
}

static gboolean
is_constant_tensor (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR &&
         (value->as_tensor->storage == PT_STORAGE_CONSTANT ||
          value->as_tensor->storage == PT_STORAGE_EXTERNAL_CONSTANT);
}

static gboolean
is_scalar_kind (PtValueKind kind)
{
  return kind == PT_VALUE_INT || kind == PT_VALUE_BOOL || kind == PT_VALUE_DOUBLE ||
         kind == PT_VALUE_NONE;
}

/*
 * Refuses a program that writes to a constant, because constants lie in read-only pages. A slot
 * that holds a tensor at load must keep a tensor, so an operator that writes a number to it is
 * refused, too.
 */
static gboolean
check_outs (const PtPlan *plan, const PtInstruction *instruction, const PtOperator *operator,
            GError ** error)
{
  PtValueKind result = plan->values[instruction->args[operator->n_args - 1]].kind;
  guint i, k;

  if (operator->n_outs == 0 && !is_scalar_kind (result))
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: %s would put a number into a value of kind %s "
                    "(ExecuTorch error 0x23).",
                    operator->name, pt_value_kind_name (result));
  for (i = operator->first_out; i < (guint) operator->first_out + operator->n_outs; i++) {
    const PtValueSpec *out = &plan->values[instruction->args[i]];
    gboolean is_constant = is_constant_tensor (out);

    if (out->kind == PT_VALUE_TENSOR_LIST)
      for (k = 0; k < out->as_indices.count; k++)
        is_constant |= is_constant_tensor (&plan->values[out->as_indices.items[k]]);
    if (is_constant)
      return pt_fail (error, PT_ERROR_PROGRAM,
                      "The program is damaged: %s would write to a constant "
                      "(ExecuTorch error 0x23).",
                      operator->name);
  }
  return TRUE;
}

static gboolean
resolve_kernel (PtMethod *method, const PtInstruction *instruction, PtPlanStep *step,
                GError **error)
{
  const char *name = method->plan->operators[instruction->op];
  const PtOperator *operator= pt_operator_find (name);

  if (instruction->n_args != operator->n_args)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: it calls %s with %u arguments instead of %u "
                    "(ExecuTorch error 0x23).",
                    name, instruction->n_args, operator->n_args);
  step->kernel = operator->kernel;
  return check_outs (method->plan, instruction, operator, error);
}

/*
 * The slot of a scalar may hold another kind of scalar while the method runs; the slot of a tensor
 * always holds a tensor.
 */
static gboolean
check_move (const PtPlan *plan, const PtInstruction *instruction, GError **error)
{
  PtValueKind from = plan->values[instruction->from].kind;
  PtValueKind to = plan->values[instruction->to].kind;

  if (from == to || (is_scalar_kind (from) && is_scalar_kind (to)))
    return TRUE;
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The program is damaged: it moves a value of kind %s onto one of kind %s "
                  "(ExecuTorch error 0x23).",
                  pt_value_kind_name (from), pt_value_kind_name (to));
}

static gboolean
check_free (const PtPlan *plan, const PtInstruction *instruction, GError **error)
{
  const PtValueSpec *value = &plan->values[instruction->from];

  if (value->kind == PT_VALUE_TENSOR && !is_constant_tensor (value))
    return TRUE;
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The program is damaged: it frees a value that is no working memory "
                  "(ExecuTorch error 0x23).");
}

static gboolean
resolve_step (PtMethod *method, const PtInstruction *instruction, PtPlanStep *step,
              PtValue ***slots, GError **error)
{
  const PtPlan *plan = method->plan;
  guint i;

  step->kind = instruction->kind;
  switch (instruction->kind) {
  case PT_INSTRUCTION_KERNEL:
    if (!resolve_kernel (method, instruction, step, error))
      return FALSE;
    break;
  case PT_INSTRUCTION_DELEGATE: step->delegate = &method->delegates[instruction->op]; break;
  case PT_INSTRUCTION_MOVE:
    step->to = &method->values[instruction->to];
    step->from = &method->values[instruction->from];
    return check_move (plan, instruction, error);
  case PT_INSTRUCTION_JUMP_FALSE:
    step->from = &method->values[instruction->from];
    step->target = instruction->to;
    return TRUE;
  case PT_INSTRUCTION_FREE:
    step->from = &method->values[instruction->from];
    return check_free (plan, instruction, error);
  }

  step->n_args = instruction->n_args;
  step->args = *slots;
  for (i = 0; i < instruction->n_args; i++)
    *(*slots)++ = &method->values[instruction->args[i]];
  return TRUE;
}

/* The total number of entries in all lists and argument lists. */
static guint64
count_slots (const PtPlan *plan)
{
  guint64 count = 0;
  guint c, i;

  for (i = 0; i < plan->n_values; i++)
    if (plan->values[i].kind == PT_VALUE_INT_LIST || plan->values[i].kind == PT_VALUE_TENSOR_LIST ||
        plan->values[i].kind == PT_VALUE_OPTIONAL_TENSOR_LIST)
      count += plan->values[i].as_indices.count;
  for (c = 0; c < plan->n_chains; c++)
    for (i = 0; i < plan->chains[c].n_instructions; i++)
      count += plan->chains[c].instructions[i].n_args;
  return count;
}

static void
resolve_lists (PtMethod *method, PtValue ***slots)
{
  guint i, k;

  for (i = 0; i < method->plan->n_values; i++) {
    const PtValueSpec *spec = &method->plan->values[i];

    if (spec->kind != PT_VALUE_INT_LIST && spec->kind != PT_VALUE_TENSOR_LIST &&
        spec->kind != PT_VALUE_OPTIONAL_TENSOR_LIST)
      continue;
    method->values[i].as_values.items = *slots;
    method->values[i].as_values.count = spec->as_indices.count;
    for (k = 0; k < spec->as_indices.count; k++) {
      gint32 index = spec->as_indices.items[k];

      *(*slots)++ = index >= 0 ? &method->values[index] : NULL;
    }
  }
}

gboolean
pt_method_resolve (PtMethod *method, GError **error)
{
  const PtPlan *plan = method->plan;
  guint64 n_slots = count_slots (plan);
  PtValue **slots;
  guint c, i;

  /* Each entry takes four bytes of the file, unless a damaged file shares them between lists. */
  if (n_slots > pt_program_size (method->program))
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "The program is damaged: its lists are longer than the file "
                    "(ExecuTorch error 0x23).");
  method->slots = slots = pt_allocate (n_slots, sizeof (PtValue *), error);
  if (slots == NULL)
    return FALSE;
  method->chains = pt_allocate (plan->n_chains, sizeof (PtStepList), error);
  if (method->chains == NULL)
    return FALSE;
  resolve_lists (method, &slots);
  for (c = 0; c < plan->n_chains; c++) {
    PtStepList *list = &method->chains[c];

    list->n_steps = plan->chains[c].n_instructions;
    list->steps = pt_allocate (list->n_steps, sizeof (PtPlanStep), error);
    if (list->steps == NULL)
      return FALSE;
    for (i = 0; i < list->n_steps; i++)
      if (!resolve_step (method, &plan->chains[c].instructions[i], &list->steps[i], &slots, error))
        return FALSE;
  }
  return TRUE;
}
