/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-report.h"

#include <string.h>

#include "engine/openvino/openvino-blob.h"
#include "engine/openvino/openvino-find.h"

#define MAX_PAIRS 4

typedef struct {
  PtHeap *heap;
  PtInspectPair *pairs;
  guint n;
} Pairs;

/* Takes @value. */
static void
add (Pairs *self, const char *name, char *value)
{
  self->pairs[self->n++] =
      (PtInspectPair){ pt_heap_text (self->heap, name), pt_heap_take (self->heap, value) };
}

static char *
name_maker (const PtOpenvinoBlob *blob)
{
  return blob->version != NULL ? g_strdup_printf ("OpenVINO %s", blob->version)
                               : g_strdup ("OpenVINO before 2026.4");
}

static char *
name_library (const PtOpenvinoPlace *place)
{
  if (place == NULL)
    return g_strdup ("not installed");
  return g_strdup_printf ("%s%s%s", place->version != NULL ? place->version : "",
                          place->version != NULL ? " at " : "", place->path);
}

/* From 2026.4 on, only the same version reads a blob; what older versions do is in
 * docs/formats/openvino.md, section 5. */
static void
compare_versions (const PtOpenvinoBlob *blob, const PtOpenvinoPlace *place, GPtrArray *missing)
{
  g_autofree char *advice = NULL;

  if (blob->version == NULL || place->version == NULL ||
      strcmp (blob->version, place->version) == 0)
    return;
  advice = pt_openvino_advice (blob->version);
  g_ptr_array_add (missing,
                   g_strdup_printf ("the program was compiled with OpenVINO %s, and this computer "
                                    "has version %s. %s",
                                    blob->version, place->version, advice));
}

void
pt_openvino_describe (const PtDelegateContext *context, PtDelegateDescription *description)
{
  g_autoptr (GError) damage = NULL;
  g_autoptr (PtOpenvinoBlob) blob = pt_openvino_blob_new (context->spec, &damage);
  g_autoptr (PtOpenvinoPlace) place = NULL;
  Pairs pairs = { .heap = description->heap };

  if (blob == NULL) {
    g_ptr_array_add (description->missing, g_strdup (damage->message));
    return;
  }
  place = pt_openvino_find (blob->version, NULL);
  pairs.pairs = pt_heap_new0 (pairs.heap, PtInspectPair, MAX_PAIRS);
  add (&pairs, "device", g_strdup (blob->device));
  add (&pairs, "compiled with", name_maker (blob));
  if (blob->target != NULL)
    add (&pairs, "processors", g_utf8_make_valid (blob->target, -1));
  add (&pairs, "OpenVINO here", name_library (place));
  /* Its absence is told once, by the backend. */
  if (place != NULL)
    compare_versions (blob, place, description->missing);
  description->content.kind = PT_INSPECT_CONTENT_PAIRS;
  description->content.pairs = pairs.pairs;
  description->content.n_pairs = pairs.n;
}

/* OpenVINO makes a copy of the weights for its kernels. How many bits they have only it knows. */
void
pt_openvino_measure (const PtDelegateContext *context, PtDelegateNeeds *needs)
{
  g_autoptr (PtOpenvinoBlob) blob = pt_openvino_blob_new (context->spec, NULL);
  guint64 *bytes;

  if (blob == NULL)
    return;
  bytes = pt_openvino_blob_is_cpu (blob) ? &needs->workspace : &needs->device;
  *bytes += MIN (blob->size, G_MAXUINT64 - *bytes);
}
