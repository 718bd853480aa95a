/* SPDX-License-Identifier: BSD-3-Clause */

/* The delegates of a method, by their backends. */

#include <string.h>

#include "engine/tasks/inspect/inspect-private.h"

/* The delegates of one backend, as far as they are read. */
typedef struct {
  const char *id; /* of the program */
  const PtBackend *backend;
  PtInspectDelegate delegate;
  GArray *nodes;    /* PtInspectCount */
  GArray *contents; /* PtInspectContent */
} Group;

static void
add_nodes (GArray *nodes, const PtInspectContent *content)
{
  for (guint i = 0; i < content->n_nodes; i++) {
    const PtInspectCount *more = &content->nodes[i];
    PtInspectCount *known = NULL;

    for (guint k = 0; known == NULL && k < nodes->len; k++)
      if (strcmp (g_array_index (nodes, PtInspectCount, k).name, more->name) == 0)
        known = &g_array_index (nodes, PtInspectCount, k);
    if (known != NULL)
      known->count += more->count;
    else
      g_array_append_val (nodes, *more);
  }
}

static void
describe (PtInspection *in, const PtPlan *plan, const PtDelegateSpec *spec, Group *group)
{
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  PtDelegateDescription description = { .heap = in->heap, .missing = missing };
  PtDelegateContext context = {
    .program = in->program,
    .data = in->data,
    .spec = spec,
    .method = plan->name,
    .pool = pt_pool_default (),
  };

  group->backend->describe (&context, &description);
  for (guint i = 0; i < missing->len; i++)
    pt_inspect_missing (in, missing->pdata[i]);
  if (description.content.kind == PT_INSPECT_CONTENT_NODES)
    add_nodes (group->nodes, &description.content);
  else if (description.content.kind != PT_INSPECT_CONTENT_NONE)
    g_array_append_val (group->contents, description.content);
}

static gboolean
is_available (PtInspection *in, const char *id, const PtBackend *backend)
{
  g_autoptr (GError) reason = NULL;

  if (backend == NULL) {
    const char *device = pt_backend_device (id);

    pt_inspect_missing (in,
                        g_strdup_printf ("the backend %s%s%s", id, device != NULL ? " for " : "",
                                         device != NULL ? device : ""));
    return FALSE;
  }
  if (backend->is_available == NULL || backend->is_available (&reason))
    return TRUE;
  pt_inspect_missing (in, g_strdup_printf ("the backend %s: %s", id, reason->message));
  return FALSE;
}

/* The delegates of backend @id, begun if it is new. */
static Group *
find_group (PtInspection *in, GArray *groups, const char *id)
{
  Group group = { .id = id, .backend = pt_backend_find (id) };

  for (guint i = 0; i < groups->len; i++)
    if (strcmp (g_array_index (groups, Group, i).id, id) == 0)
      return &g_array_index (groups, Group, i);
  group.delegate.backend = pt_heap_text (in->heap, id);
  group.delegate.available = is_available (in, id, group.backend);
  group.nodes = g_array_new (FALSE, FALSE, sizeof (PtInspectCount));
  group.contents = g_array_new (FALSE, FALSE, sizeof (PtInspectContent));
  g_array_append_val (groups, group);
  return &g_array_index (groups, Group, groups->len - 1);
}

void
pt_inspect_delegates (PtInspection *in, const PtPlan *plan, PtInspectMethod *method)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  PtInspectDelegate *delegates;

  for (guint i = 0; i < plan->n_delegates; i++) {
    const PtDelegateSpec *spec = &plan->delegates[i];
    Group *group = find_group (in, groups, spec->id);

    group->delegate.count++;
    group->delegate.payload_bytes +=
        MIN (spec->payload_size, G_MAXINT64 - group->delegate.payload_bytes);
    if (group->backend != NULL && group->backend->describe != NULL)
      describe (in, plan, spec, group);
  }
  delegates = pt_heap_new0 (in->heap, PtInspectDelegate, groups->len);
  for (guint i = 0; i < groups->len; i++) {
    Group *group = &g_array_index (groups, Group, i);

    delegates[i] = group->delegate;
    delegates[i].nodes = pt_heap_take_array (in->heap, group->nodes, &delegates[i].n_nodes);
    delegates[i].contents =
        pt_heap_take_array (in->heap, group->contents, &delegates[i].n_contents);
  }
  method->delegates = delegates;
  method->n_delegates = groups->len;
}
