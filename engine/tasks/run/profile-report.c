/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/profile-private.h"

#include <string.h>

#include "engine/tasks/run/run-private.h"

/* Totals of one operator, backend or kind of control flow. */
typedef struct {
  const char *name;
  PtRunInstructionKind kind;
  guint instructions;
  guint64 calls;
  gint64 total; /* ns */
} Total;

static double
seconds (gint64 ns)
{
  return (double) ns / 1e9;
}

static double
share (gint64 part, gint64 whole)
{
  return whole > 0 ? (double) part / (double) whole : 0;
}

static gint64
whole_time (const PtProfile *profile)
{
  gint64 total = 0;

  for (guint i = 0; i < profile->n_entries; i++)
    total += profile->entries[i].total;
  return total;
}

/* Medians: the times of all events, those of one instruction side by side. */

static int
compare_times (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static gint64
median (gint64 *times, gsize n)
{
  if (n == 0)
    return 0;
  qsort (times, n, sizeof *times, compare_times);
  return n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

/* The median of every entry, in their order; free with g_free(). */
static gint64 *
find_medians (const PtProfile *profile)
{
  const PtProfileEvent *events = (const PtProfileEvent *) (gpointer) profile->events->data;
  g_autofree gsize *ends = g_new0 (gsize, profile->n_entries + 1);
  g_autofree gint64 *times = g_new (gint64, profile->events->len);
  gint64 *medians = g_new (gint64, profile->n_entries);

  for (guint i = 0; i < profile->events->len; i++)
    ends[events[i].entry + 1]++;
  for (guint i = 0; i < profile->n_entries; i++)
    ends[i + 1] += ends[i];
  /* Filled from its begin on, an entry's place ends where the next one begins. */
  for (guint i = 0; i < profile->events->len; i++)
    times[ends[events[i].entry]++] = events[i].end - events[i].begin;
  for (guint i = 0; i < profile->n_entries; i++) {
    gsize begin = i > 0 ? ends[i - 1] : 0;

    medians[i] = median (times + begin, ends[i] - begin);
  }
  return medians;
}

/* ---- instructions ---- */

static void
describe_tensors (PtHeap *heap, const PtProfileEntry *entry, PtRunInstruction *out)
{
  PtArgument *tensors = pt_heap_new0 (heap, PtArgument, entry->n_slots);

  for (guint i = 0; i < entry->n_slots; i++) {
    const PtProfileTensor *tensor = &entry->tensors[i];

    if (tensor->is_tensor)
      tensors[out->n_tensors++] =
          pt_run_describe_tensor (heap, tensor->dtype, tensor->rank, tensor->sizes);
  }
  out->tensors = tensors;
}

static void
describe_entry (const PtProfile *profile, PtHeap *heap, const PtProfileEntry *entry, gint64 middle,
                gint64 whole, PtRunInstruction *out)
{
  gboolean delegate = entry->instruction->kind == PT_INSTRUCTION_DELEGATE;

  *out = (PtRunInstruction){ .chain = entry->chain,
                             .index = entry->index,
                             .kind = pt_profile_kind (entry),
                             .name = pt_heap_text (heap, pt_profile_name (profile, entry)),
                             .delegate = delegate ? (int) entry->instruction->op : -1,
                             .varies = entry->varies,
                             .calls = entry->calls,
                             .total_s = seconds (entry->total),
                             .median_s = seconds (middle),
                             .min_s = seconds (entry->least),
                             .max_s = seconds (entry->most),
                             .share = share (entry->total, whole) };
  describe_tensors (heap, entry, out);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const PtProfileEntry *x = *(const PtProfileEntry *const *) a;
  const PtProfileEntry *y = *(const PtProfileEntry *const *) b;

  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return x < y ? -1 : x > y;
}

static void
describe_entries (const PtProfile *profile, PtHeap *heap, gint64 whole, PtRunProfile *out)
{
  g_autoptr (GPtrArray) order = g_ptr_array_new ();
  g_autofree gint64 *medians = find_medians (profile);
  PtRunInstruction *instructions;

  for (guint i = 0; i < profile->n_entries; i++)
    if (profile->entries[i].calls > 0)
      g_ptr_array_add (order, &profile->entries[i]);
  g_ptr_array_sort (order, compare_entries);
  instructions = pt_heap_new0 (heap, PtRunInstruction, order->len);
  for (guint i = 0; i < order->len; i++) {
    const PtProfileEntry *entry = g_ptr_array_index (order, i);

    describe_entry (profile, heap, entry, medians[entry - profile->entries], whole,
                    &instructions[i]);
  }
  out->instructions = instructions;
  out->n_instructions = order->len;
}

/* ---- operators ---- */

static int
compare_totals (gconstpointer a, gconstpointer b)
{
  const Total *x = *(const Total *const *) a, *y = *(const Total *const *) b;

  if (x->total != y->total)
    return x->total < y->total ? 1 : -1;
  return strcmp (x->name, y->name);
}

/* Totals by name, in the order of @list, which owns them. */
static void
add_up (const PtProfile *profile, GPtrArray *list)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < profile->n_entries; i++) {
    const PtProfileEntry *entry = &profile->entries[i];
    const char *name = pt_profile_name (profile, entry);
    Total *total = g_hash_table_lookup (by_name, name);

    if (entry->calls == 0)
      continue;
    if (total == NULL) {
      total = g_new0 (Total, 1);
      total->name = name;
      total->kind = pt_profile_kind (entry);
      g_ptr_array_add (list, total);
      g_hash_table_insert (by_name, (gpointer) name, total);
    }
    total->instructions++;
    total->calls += entry->calls;
    total->total += entry->total;
  }
  g_ptr_array_sort (list, compare_totals);
}

static void
describe_totals (const PtProfile *profile, PtHeap *heap, gint64 whole, PtRunProfile *out)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);
  PtRunTotal *totals;

  add_up (profile, list);
  totals = pt_heap_new0 (heap, PtRunTotal, list->len);
  for (guint i = 0; i < list->len; i++) {
    const Total *total = g_ptr_array_index (list, i);

    totals[i] = (PtRunTotal){ .name = pt_heap_text (heap, total->name),
                              .kind = total->kind,
                              .instructions = total->instructions,
                              .calls = total->calls,
                              .total_s = seconds (total->total),
                              .share = share (total->total, whole) };
  }
  out->totals = totals;
  out->n_totals = list->len;
}

static void
describe_remarks (const PtProfile *profile, PtHeap *heap, PtRunProfile *out)
{
  g_auto (GStrv) texts = pt_method_remarks (profile->method);

  if (texts[0] != NULL)
    out->remarks = pt_heap_texts (heap, (const char *const *) texts);
}

const PtRunProfile *
pt_profile_report (const PtProfile *profile, PtHeap *heap)
{
  PtRunProfile *out = pt_heap_new0 (heap, PtRunProfile, 1);
  gint64 whole = whole_time (profile), calls = 0;

  for (guint i = 0; i < profile->calls->len; i++)
    calls += g_array_index (profile->calls, PtProfileCall, i).duration;
  out->calls = profile->calls->len;
  out->calls_s = seconds (calls);
  out->total_s = seconds (whole);
  out->lost = profile->lost;
  describe_entries (profile, heap, whole, out);
  describe_totals (profile, heap, whole, out);
  describe_remarks (profile, heap, out);
  return out;
}
