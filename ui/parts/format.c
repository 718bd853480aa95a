/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/format.h"

#include <math.h>

#include "ui/i18n.h"

char *
pteris_format_clock (double seconds)
{
  gint64 tenths = llround (MAX (seconds, 0) * 10);
  int tenth = (int) (tenths % 10);
  int second = (int) (tenths / 10 % 60);
  int minute = (int) (tenths / 600 % 60);
  gint64 hour = tenths / 36000;

  if (hour > 0)
    return g_strdup_printf ("%" G_GINT64_FORMAT ":%02d:%02d.%d", hour, minute, second, tenth);
  return g_strdup_printf ("%d:%02d.%d", minute, second, tenth);
}

gboolean
pteris_parse_clock (const char *text, double *seconds)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 4);
  guint n = g_strv_length (parts);
  double sum = 0;

  if (n == 0 || n > 3)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    char *part = g_strdelimit (g_strstrip (parts[i]), ",", '.'), *end = NULL;
    double value = g_ascii_strtod (part, &end);

    if (end == part || *end != '\0' || !(value >= 0) || value > 1e6 || (i > 0 && value >= 60))
      return FALSE;
    sum = sum * 60 + value;
  }
  *seconds = sum;
  return TRUE;
}

char *
pteris_format_duration (double seconds)
{
  gint64 whole = llround (seconds);

  if (seconds < 0.9995)
    return g_strdup_printf (_ ("%.0f ms"), seconds * 1000);
  if (seconds < 9.95)
    return g_strdup_printf (_ ("%.1f s"), seconds);
  if (whole < 60)
    return g_strdup_printf (_ ("%d s"), (int) whole);
  if (whole < 3600)
    return g_strdup_printf (_ ("%d min %d s"), (int) (whole / 60), (int) (whole % 60));
  return g_strdup_printf (_ ("%d h %d min"), (int) (whole / 3600), (int) (whole / 60 % 60));
}

char *
pteris_format_rate (double per_second)
{
  return g_strdup_printf (per_second < 9.95 ? "%.1f" : "%.0f", per_second);
}

double
pteris_stats_speed (const PtStats *stats)
{
  /* The prefill gives the first token, so n tokens are n - 1 decode steps. */
  if (stats->new_tokens < 2 || stats->decode_s <= 0)
    return 0;
  return (stats->new_tokens - 1) / stats->decode_s;
}

static void
append_part (GString *out, const char *part)
{
  if (out->len > 0)
    g_string_append (out, " · ");
  g_string_append (out, part);
}

char *
pteris_format_chat_stats (const PtStats *stats)
{
  GString *out = g_string_new (NULL);
  double speed = pteris_stats_speed (stats);

  if (speed > 0) {
    g_autofree char *rate = pteris_format_rate (speed);
    g_autofree char *part = g_strdup_printf (_ ("%s tokens/s"), rate);

    append_part (out, part);
  }
  if (stats->first_token_s > 0) {
    g_autofree char *time = pteris_format_duration (stats->first_token_s);
    g_autofree char *part = g_strdup_printf (_ ("first token %s"), time);

    append_part (out, part);
  }
  if (stats->context_size > 0) {
    g_autofree char *part =
        g_strdup_printf (_ ("%u of %u tokens"), stats->context_used, stats->context_size);

    append_part (out, part);
  }
  return g_string_free (out, FALSE);
}

char *
pteris_format_step (const PtEvent *event)
{
  switch (event->step) {
  case PT_STEP_OPENING: return g_strdup (_ ("Opening the model"));
  case PT_STEP_TOKENIZER: return g_strdup (_ ("Reading the tokenizer"));
  case PT_STEP_PREPARING: return g_strdup (_ ("Preparing the model"));
  case PT_STEP_READY: return g_strdup (_ ("Ready"));
  case PT_STEP_TRANSCRIBING: return g_strdup (_ ("Transcribing"));
  case PT_STEP_LOADING: return g_strdup (_ ("Loading the model"));
  case PT_STEP_RUNNING:
    return event->count > 1 ? g_strdup_printf (_ ("Run %u of %u"), event->number, event->count)
                            : g_strdup (_ ("Running"));
  case PT_STEP_TESTING: return g_strdup_printf (_ ("Test %u of %u"), event->number, event->count);
  case PT_STEP_CALLING: return g_strdup_printf (_ ("Step %u of %u"), event->number, event->count);
  case PT_STEP_MEASURING: return g_strdup_printf (_ ("Run %u of %u"), event->number, event->count);
  case PT_STEP_READING: return g_strdup_printf (_ ("Text %u of %u"), event->number, event->count);
  case PT_STEP_LOOKING: return g_strdup (_ ("Searching…"));
  case PT_STEP_SPEAKING: return g_strdup (_ ("Speaking"));
  case PT_N_STEPS: break;
  }
  g_return_val_if_reached (g_strdup (""));
}
