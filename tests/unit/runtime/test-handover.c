/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/method-private.h"

/*
 * Which tensors delegates may hand over to others of their backend, by plans that are made here:
 * delegate 0 writes value 2 of value 1, delegate 1 writes value 3 of value 2. Value 0 is nothing.
 */

#define N_VALUES 6
#define N_DELEGATES 3

static guint
one_input (gconstpointer delegate)
{
  return 1;
}

static const PtBackend hands_over = { .id = "One", .n_inputs = one_input };
static const PtBackend another = { .id = "Another", .n_inputs = one_input };
static const PtBackend keeps_out = { .id = "Third" };

typedef struct {
  PtTensorSpec specs[N_VALUES];
  PtValueSpec value_specs[N_VALUES];
  PtInstruction instructions[8];
  PtChain chain;
  PtPlan plan;
  PtTensor tensors[N_VALUES];
  PtValue values[N_VALUES];
  PtDelegate delegates[N_DELEGATES];
  PtMethod method;
} Fixture;

static const gint32 inputs[] = { 1 }, outputs[] = { 3 };
static const gint32 first_args[] = { 1, 2 }, second_args[] = { 2, 3 };

static void
add (Fixture *f, PtInstructionKind kind, guint op, const gint32 *args, guint n)
{
  f->instructions[f->chain.n_instructions++] =
      (PtInstruction){ .kind = kind, .op = op, .args = args, .n_args = n };
}

static void
set_up (Fixture *f, gconstpointer data)
{
  for (guint i = 0; i < N_VALUES; i++) {
    f->specs[i] = (PtTensorSpec){
      .storage = PT_STORAGE_PLANNED, .memory_id = 1, .memory_offset = 64 * i, .nbytes = 64
    };
    f->value_specs[i] = (PtValueSpec){ .kind = PT_VALUE_TENSOR, .as_tensor = &f->specs[i] };
    f->values[i] = (PtValue){ .kind = PT_VALUE_TENSOR, .as_tensor = &f->tensors[i] };
  }
  for (guint i = 0; i < N_DELEGATES; i++)
    f->delegates[i].backend = &hands_over;
  f->chain.instructions = f->instructions;
  f->plan = (PtPlan){ .values = f->value_specs,
                      .n_values = N_VALUES,
                      .inputs = inputs,
                      .n_inputs = 1,
                      .outputs = outputs,
                      .n_outputs = 1,
                      .chains = &f->chain,
                      .n_chains = 1,
                      .n_delegates = N_DELEGATES };
  f->method.plan = &f->plan;
  f->method.values = f->values;
  f->method.delegates = f->delegates;
  f->method.n_delegates = N_DELEGATES;
  add (f, PT_INSTRUCTION_DELEGATE, 0, first_args, 2);
  add (f, PT_INSTRUCTION_DELEGATE, 1, second_args, 2);
}

/* Whether value 2 is handed over, and nothing else is. */
static gboolean
mark (Fixture *f)
{
  g_autoptr (GError) error = NULL;

  pt_method_mark_handovers (&f->method, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < N_VALUES; i++)
    g_assert_true (i == 2 || !f->tensors[i].stays_on_device);
  return f->tensors[2].stays_on_device;
}

static void
test_between (Fixture *f, gconstpointer data)
{
  g_assert_true (mark (f));
}

/* Not between backends, nor where a backend does not say what it reads. */
static void
test_backends (Fixture *f, gconstpointer data)
{
  f->delegates[1].backend = &another;
  g_assert_false (mark (f));
  f->delegates[1].backend = &keeps_out;
  g_assert_false (mark (f));
  f->delegates[0].backend = &keeps_out;
  f->delegates[1].backend = &hands_over;
  g_assert_false (mark (f));
}

static void
test_kernel_reads (Fixture *f, gconstpointer data)
{
  static const gint32 args[] = { 2, 4, 4 };

  add (f, PT_INSTRUCTION_KERNEL, 0, args, 3);
  g_assert_false (mark (f));
}

static void
test_is_output (Fixture *f, gconstpointer data)
{
  static const gint32 both[] = { 3, 2 };

  f->plan.outputs = both;
  f->plan.n_outputs = 2;
  g_assert_false (mark (f));
}

static void
test_is_in_list (Fixture *f, gconstpointer data)
{
  static const gint32 items[] = { 2 };

  f->value_specs[4].kind = PT_VALUE_TENSOR_LIST;
  f->value_specs[4].as_indices.items = items;
  f->value_specs[4].as_indices.count = 1;
  g_assert_false (mark (f));
}

static void
test_control_flow (Fixture *f, gconstpointer data)
{
  add (f, PT_INSTRUCTION_JUMP_FALSE, 0, NULL, 0);
  g_assert_false (mark (f));
}

static void
test_called_twice (Fixture *f, gconstpointer data)
{
  static const gint32 again[] = { 1, 4 };

  add (f, PT_INSTRUCTION_DELEGATE, 0, again, 2);
  g_assert_false (mark (f));
}

static void
test_initial_bytes (Fixture *f, gconstpointer data)
{
  static const guint8 bytes[64];

  f->specs[2].data = bytes;
  g_assert_false (mark (f));
}

static void
test_not_planned (Fixture *f, gconstpointer data)
{
  f->specs[2].storage = PT_STORAGE_NONE;
  g_assert_false (mark (f));
}

/* A value in the same memory that something reads before anything wrote it is a view. */
static void
test_view (Fixture *f, gconstpointer data)
{
  static const gint32 args[] = { 4, 5, 5 };

  f->specs[4].memory_offset = f->specs[2].memory_offset + 32;
  g_assert_true (mark (f)); /* not used */
  f->tensors[2].stays_on_device = FALSE;
  add (f, PT_INSTRUCTION_KERNEL, 0, args, 3);
  g_assert_false (mark (f));
}

static void
test_view_is_output (Fixture *f, gconstpointer data)
{
  static const gint32 both[] = { 3, 4 };

  f->specs[4].memory_offset = f->specs[2].memory_offset;
  f->plan.outputs = both;
  f->plan.n_outputs = 2;
  g_assert_false (mark (f));
}

/* Memory that is used again: something writes it first. */
static void
test_memory_of_others (Fixture *f, gconstpointer data)
{
  static const gint32 kernel_args[] = { 3, 4, 4 }, delegate_args[] = { 4, 5 };

  f->specs[1].memory_offset = f->specs[2].memory_offset; /* an input, which was used up */
  f->specs[4].memory_offset = f->specs[2].memory_offset;
  f->specs[5].memory_offset = f->specs[2].memory_offset;
  add (f, PT_INSTRUCTION_KERNEL, 0, kernel_args, 3);
  add (f, PT_INSTRUCTION_DELEGATE, 2, delegate_args, 2);
  g_assert_true (mark (f));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define TEST(name, function) g_test_add ("/handover/" name, Fixture, NULL, set_up, function, NULL)
  TEST ("between", test_between);
  TEST ("backends", test_backends);
  TEST ("kernel-reads", test_kernel_reads);
  TEST ("is-output", test_is_output);
  TEST ("is-in-list", test_is_in_list);
  TEST ("control-flow", test_control_flow);
  TEST ("called-twice", test_called_twice);
  TEST ("initial-bytes", test_initial_bytes);
  TEST ("not-planned", test_not_planned);
  TEST ("view", test_view);
  TEST ("view-is-output", test_view_is_output);
  TEST ("memory-of-others", test_memory_of_others);
  return g_test_run ();
}
