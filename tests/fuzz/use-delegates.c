/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/use-delegates.h"

#include <string.h>

static void
try_delegate (const PtProgram *program, const PtDelegateSpec *spec)
{
  const PtBackend *backend = pt_backend_find (spec->id);
  g_autofree guint8 *payload = g_memdup2 (spec->payload, spec->payload_size);
  PtDelegateSpec copy = *spec;
  PtDelegateContext context = {
    .program = program, .spec = &copy, .method = "forward", .pool = fuzz_pool ()
  };
  g_autoptr (PtHeap) heap = pt_heap_new ();
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free);
  PtDelegateDescription description = { .heap = heap, .missing = missing };
  GError *error = NULL;
  gpointer delegate;

  copy.payload = payload;
  delegate = backend->init (&context, &error);
  if (delegate == NULL)
    fuzz_check_error (g_steal_pointer (&error));
  else
    backend->destroy (delegate);
  backend->describe (&context, &description);
  g_assert_cmpuint (missing->len, ==, description.content.kind == PT_INSPECT_CONTENT_NONE);
  for (guint i = 0; i < missing->len; i++)
    g_assert_true (g_utf8_validate (missing->pdata[i], -1, NULL));
}

void
fuzz_delegates (const char *id, const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtProgram) program = NULL;

  program = pt_program_new (bytes, "fuzz.pte", NULL);
  if (program == NULL)
    return;
  for (guint i = 0; i < MIN (pt_program_n_plans (program), 4); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    for (guint k = 0; k < MIN (plan->n_delegates, 4); k++)
      if (strcmp (plan->delegates[k].id, id) == 0)
        try_delegate (program, &plan->delegates[k]);
  }
}
