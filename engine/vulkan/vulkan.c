/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vulkan.h"

#include <string.h>

#include "engine/base/driver-question.h"
#include "engine/base/set-error.h"
#include "engine/runtime/backend.h"
#include "engine/vulkan/vk-delegate.h"
#include "engine/vulkan/vk-handed.h"
#include "engine/vulkan/vk-instance.h"
#include "engine/vulkan/vk-operators.h"
#include "engine/vulkan/vk-payload.h"
#include "engine/vulkan/vulkan-gpus.h"

/* ---- The GPU, asked in a process of its own ---- */

#define QUESTION "vulkan"

/* The answer begins with one of these. */
#define YES '+'
#define NO '-'

typedef struct {
  char *name;     /* of the best GPU; or NULL */
  GError *reason; /* why there is none */
} BestGpu;

static char *
describe_best_gpu (void)
{
  g_autoptr (GError) error = NULL;
  const PtVkInstance *instance = pt_vk_instance (&error);

  return g_strdup_printf ("%c%s", instance != NULL ? YES : NO,
                          instance != NULL ? instance->gpus[0].name : error->message);
}

static void
read_answer (BestGpu *best, const char *answer, const char *problem)
{
  if (answer != NULL && answer[0] == YES && answer[1] != '\0')
    best->name = g_strdup (answer + 1);
  else if (answer != NULL && answer[0] == NO)
    pt_fail (&best->reason, PT_ERROR_NOT_FOUND, "%s", answer + 1);
  else
    pt_fail (&best->reason, PT_ERROR_NOT_FOUND,
             "Vulkan cannot be asked for GPUs: %s. Update the driver of the GPU.",
             problem != NULL ? problem : "the answer is empty");
}

static const BestGpu *
best_gpu (void)
{
  static gsize once = 0;
  static BestGpu best;

  if (g_once_init_enter (&once)) {
    g_autoptr (GError) problem = NULL;
    g_autofree char *answer = pt_driver_ask (QUESTION, &problem);

    read_answer (&best, answer, problem != NULL ? problem->message : NULL);
    g_once_init_leave (&once, 1);
  }
  return &best;
}

static gboolean
is_available (GError **error)
{
  const BestGpu *best = pt_vk_is_on_cpu () ? NULL : best_gpu ();

  if (best == NULL || best->name != NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (best->reason);
  return FALSE;
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  return pt_vk_delegate_new (context, error);
}

static gboolean
execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
         GError **error)
{
  return pt_vk_delegate_execute (delegate, execution, args, n_args, error);
}

static void
destroy (gpointer delegate)
{
  pt_vk_delegate_free (delegate);
}

static gboolean
reset (gpointer delegate, GError **error)
{
  return pt_vk_delegate_reset (delegate, error);
}

static gboolean
select_state (gpointer delegate, guint state, GError **error)
{
  return pt_vk_delegate_select_state (delegate, state, error);
}

static void
forget_state (gpointer delegate, guint state)
{
  pt_vk_delegate_forget_state (delegate, state);
}

static guint
n_inputs (gconstpointer delegate)
{
  return pt_vk_delegate_n_inputs (delegate);
}

/* The best GPU stands for all: a payload does not say which one it runs on. */
static const char *
name_device (const PtDelegateSpec *spec, gboolean *is_cpu)
{
  const char *name = pt_vk_is_on_cpu () ? NULL : best_gpu ()->name;

  *is_cpu = FALSE;
  return name != NULL ? name : "GPU";
}

/* ---- Descriptions ---- */

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (((const PtInspectCount *) a)->name, ((const PtInspectCount *) b)->name);
}

static void
describe (const PtDelegateContext *context, PtDelegateDescription *description)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtVkGraph) graph = pt_vk_payload_read (context, &error);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (PtInspectCount));
  PtInspectContent *content = &description->content;

  if (graph == NULL) {
    g_ptr_array_add (description->missing, g_strdup (error->message));
    return;
  }
  for (guint i = 0; pt_vk_operator_nth (i) != NULL; i++) {
    PtInspectCount count = { .name = pt_vk_operator_nth (i)->name };

    for (guint k = 0; k < graph->n_calls; k++)
      count.count += graph->calls[k].op == pt_vk_operator_nth (i);
    if (count.count > 0)
      g_array_append_val (nodes, count);
  }
  g_array_sort (nodes, compare_counts);
  content->kind = PT_INSPECT_CONTENT_NODES;
  content->nodes =
      pt_heap_take_array (description->heap, g_steal_pointer (&nodes), &content->n_nodes);
}

/* The weights lie on the GPU; at the bytes of the file, which is what they need there, or half of
 * it for halves that become floats. */
static void
measure (const PtDelegateContext *context, PtDelegateNeeds *needs)
{
  g_autoptr (PtVkGraph) graph = pt_vk_payload_read (context, NULL);

  for (guint i = 0; graph != NULL && i < graph->n_values; i++) {
    const PtVkValue *value = &graph->values[i];
    guint64 bytes;

    if (value->kind != PT_VK_TENSOR || value->constant == NULL)
      continue;
    bytes = value->numel * pt_dtype_size (value->declared);
    if (value->is_state || pt_delegate_needs_add (needs, value->constant, bytes,
                                                  (guint) pt_dtype_size (value->declared) * 8))
      needs->device += MIN (bytes, G_MAXUINT64 - needs->device);
  }
}

static const PtBackend backend = {
  .id = "VulkanBackend",
  .uses_gpu = TRUE,
  .is_available = is_available,
  .name_device = name_device,
  .init = init,
  .execute = execute,
  .destroy = destroy,
  .n_inputs = n_inputs,
  .reset = reset,
  .select_state = select_state,
  .forget_state = forget_state,
  .describe = describe,
  .measure = measure,
};

void
pt_vulkan_register (void)
{
  pt_driver_question_register (QUESTION, describe_best_gpu);
  pt_vulkan_gpus_register ();
  pt_vk_device_register ();
  pt_backend_register (&backend);
}
