/* SPDX-License-Identifier: BSD-3-Clause */

/* Chrome trace events: "X" is a span with begin and length in microseconds. */

#include "engine/tasks/run/profile-private.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/base/output.h"

/* The one process and thread that a trace tells of. */
#define WHERE "\"pid\":1,\"tid\":1"

static json_t *
list_tensors (const PtProfileEntry *entry)
{
  json_t *array = json_array ();

  for (guint i = 0; i < entry->n_slots; i++) {
    const PtProfileTensor *tensor = &entry->tensors[i];
    g_autoptr (GString) text = g_string_new (NULL);

    if (!tensor->is_tensor)
      continue;
    g_string_append_printf (text, "%s [", pt_dtype_name (tensor->dtype));
    for (guint k = 0; k < tensor->rank; k++)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k > 0 ? ", " : "", tensor->sizes[k]);
    g_string_append_c (text, ']');
    json_array_append_new (array, json_string (text->str));
  }
  return array;
}

/* All of an event but its times. */
static char *
describe_entry (const PtProfile *profile, const PtProfileEntry *entry)
{
  g_autofree char *position = g_strdup_printf ("%u.%u", entry->chain, entry->index);
  json_t *object = json_pack ("{s:o, s:s, s:{s:s, s:o}}", "name",
                              pt_json_text (pt_profile_name (profile, entry)), "cat",
                              pt_profile_kind_name (pt_profile_kind (entry)), "args", "instruction",
                              position, "tensors", list_tensors (entry));
  char *text;

  if (entry->instruction->kind == PT_INSTRUCTION_DELEGATE)
    json_object_set_new (json_object_get (object, "args"), "delegate",
                         json_integer (entry->instruction->op));
  text = pt_json_steal_text (object);
  text[strlen (text) - 1] = '\0'; /* the brace: there is more to come */
  return text;
}

static void
append_time (GString *text, const char *key, gint64 ns)
{
  g_string_append_printf (text, ",\"%s\":%" G_GINT64_FORMAT ".%03d", key, ns / 1000,
                          (int) (ns % 1000));
}

static void
append_span (GString *text, const char *what, gint64 begin, gint64 end)
{
  g_string_append_printf (text, ",\n%s,\"ph\":\"X\"," WHERE, what);
  append_time (text, "ts", begin);
  append_time (text, "dur", MAX (end - begin, 0));
  g_string_append_c (text, '}');
}

/* Appends the name of the thread, and a span around the instructions of each call. */
static void
append_calls (const PtProfile *profile, gint64 zero, GString *text)
{
  g_autofree char *name =
      pt_json_steal_text (json_pack ("{s:o}", "name", pt_json_text (profile->plan->name)));
  g_autofree char *call = NULL;

  g_string_append_printf (text, "{\"name\":\"thread_name\",\"ph\":\"M\"," WHERE ",\"args\":%s}",
                          name);
  name[strlen (name) - 1] = '\0';
  call = g_strconcat (name, ",\"cat\":\"method\"", NULL);
  for (guint i = 0; i < profile->calls->len; i++) {
    const PtProfileCall *made = &g_array_index (profile->calls, PtProfileCall, i);
    const PtProfileEvent *events =
        &g_array_index (profile->events, PtProfileEvent, made->first_event);

    /* From the first instruction to the last, so that spans nest. */
    if (made->n_events > 0)
      append_span (text, call, events[0].begin - zero, events[made->n_events - 1].end - zero);
  }
}

static void
append_events (const PtProfile *profile, gint64 zero, GString *text)
{
  g_auto (GStrv) names = g_new0 (char *, profile->n_entries + 1);

  for (guint i = 0; i < profile->n_entries; i++)
    names[i] = describe_entry (profile, &profile->entries[i]);
  for (guint i = 0; i < profile->events->len; i++) {
    const PtProfileEvent *event = &g_array_index (profile->events, PtProfileEvent, i);

    append_span (text, names[event->entry], event->begin - zero, event->end - zero);
  }
}

gboolean
pt_profile_write_trace (const PtProfile *profile, const char *path, GError **error)
{
  g_autoptr (GString) text = g_string_new ("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  gint64 zero = 0;

  if (profile->events->len > 0)
    zero = g_array_index (profile->events, PtProfileEvent, 0).begin;
  append_calls (profile, zero, text);
  append_events (profile, zero, text);
  g_string_append (text, "\n]}\n");
  return pt_output_write (path, PT_OUTPUT_TEXT, NULL, &(const PtOutputPart){ text->str, text->len },
                          1, error);
}
