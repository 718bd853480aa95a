/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include <pteris/job.h>

/* Times in whole milliseconds, the resolution of the formats. */
typedef struct {
  gint64 start, end;
  char *text;
  guint speaker; /* 0: not known */
  const PtSegment *segment;
} Cue;

/* Names of speakers are only known to the window; here speakers have numbers. */
static void
append_speaker (GString *out, const Cue *cue)
{
  if (cue->speaker > 0)
    g_string_append_printf (out, "Speaker %u: ", cue->speaker);
}

/* The largest time: 1000 hours. */
#define MAX_SECONDS 3.6e6

static gint64
milliseconds (double seconds, gint64 at_least)
{
  gint64 value;

  if (!(seconds >= 0 && seconds <= MAX_SECONDS))
    return at_least;
  value = (gint64) llround (seconds * 1000);
  return MAX (value, at_least);
}

/* Makes one line of valid UTF-8: a line break would end the cue. */
static char *
one_line (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *line = g_string_new (NULL);
  const char *p;
  gboolean space = FALSE;

  for (p = valid; *p != '\0'; p = g_utf8_next_char (p)) {
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
      space = line->len > 0;
      continue;
    }
    if (g_unichar_iscntrl (g_utf8_get_char (p)))
      continue;
    if (space)
      g_string_append_c (line, ' ');
    space = FALSE;
    g_string_append_len (line, p, g_utf8_next_char (p) - p);
  }
  return g_string_free (line, FALSE);
}

static void
append_clock (GString *out, gint64 ms, char point)
{
  g_string_append_printf (out, "%02" G_GINT64_FORMAT ":%02d:%02d%c%03d", ms / 3600000,
                          (int) (ms / 60000 % 60), (int) (ms / 1000 % 60), point,
                          (int) (ms % 1000));
}

static void
append_times (GString *out, const Cue *cue, char point)
{
  append_clock (out, cue->start, point);
  g_string_append (out, " --> ");
  append_clock (out, cue->end, point);
  g_string_append_c (out, '\n');
}

static void
append_srt (GString *out, const Cue *cue, guint number)
{
  g_autoptr (GString) text = g_string_new (cue->text);

  /* SubRip has no escapes; "-->" would be parsed as a line of times. */
  g_string_replace (text, "-->", "->", 0);
  g_string_append_printf (out, "%u\n", number);
  append_times (out, cue, ',');
  append_speaker (out, cue);
  g_string_append_printf (out, "%s\n\n", text->str);
}

static void
append_vtt (GString *out, const Cue *cue)
{
  g_autoptr (GString) text = g_string_new (cue->text);

  g_string_replace (text, "&", "&amp;", 0);
  g_string_replace (text, "<", "&lt;", 0);
  g_string_replace (text, ">", "&gt;", 0);
  append_times (out, cue, '.');
  if (cue->speaker > 0)
    g_string_append_printf (out, "<v Speaker %u>", cue->speaker);
  g_string_append_printf (out, "%s\n\n", text->str);
}

/* @text: from one_line(), without control characters. */
static void
append_json_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (; *text != '\0'; text++) {
    if (*text == '"' || *text == '\\')
      g_string_append_c (out, '\\');
    g_string_append_c (out, *text);
  }
  g_string_append_c (out, '"');
}

/* With a decimal point in every locale. */
static void
append_seconds (GString *out, gint64 ms)
{
  g_string_append_printf (out, "%d.%03d", (int) (ms / 1000), (int) (ms % 1000));
}

/* Words whose times are known. */
static void
append_json_words (GString *out, const PtSegment *segment)
{
  gboolean first = TRUE;

  for (guint i = 0; i < segment->n_words; i++) {
    const PtWord *word = &segment->words[i];
    g_autofree char *text = NULL, *line = NULL;

    if (!(word->from > 0) && !(word->to > 0))
      continue;
    text = g_strndup (segment->text + word->start, word->length);
    line = one_line (text);
    g_string_append (out, first ? ", \"words\": [" : ", ");
    g_string_append (out, "{\"start\": ");
    append_seconds (out, milliseconds (word->from, 0));
    g_string_append (out, ", \"end\": ");
    append_seconds (out, milliseconds (word->to, 0));
    g_string_append (out, ", \"word\": ");
    append_json_string (out, line);
    g_string_append_c (out, '}');
    first = FALSE;
  }
  if (!first)
    g_string_append_c (out, ']');
}

static void
append_json (GString *out, const GArray *cues)
{
  g_autoptr (GString) all = g_string_new (NULL);
  guint i;

  for (i = 0; i < cues->len; i++)
    g_string_append_printf (all, "%s%s", i > 0 ? " " : "", g_array_index (cues, Cue, i).text);
  g_string_append (out, "{\n  \"text\": ");
  append_json_string (out, all->str);
  g_string_append (out, ",\n  \"segments\": [");
  for (i = 0; i < cues->len; i++) {
    const Cue *cue = &g_array_index (cues, Cue, i);

    g_string_append_printf (
        out,
        "%s\n    {\"id\": %u, \"start\": %d.%03d, \"end\": %d.%03d, \"text\": ", i > 0 ? "," : "",
        i, (int) (cue->start / 1000), (int) (cue->start % 1000), (int) (cue->end / 1000),
        (int) (cue->end % 1000));
    append_json_string (out, cue->text);
    if (cue->speaker > 0)
      g_string_append_printf (out, ", \"speaker\": %u", cue->speaker);
    append_json_words (out, cue->segment);
    g_string_append_c (out, '}');
  }
  g_string_append (out, cues->len > 0 ? "\n  ]\n}\n" : "]\n}\n");
}

static void
clear_cue (gpointer data)
{
  g_free (((Cue *) data)->text);
}

static GArray *
make_cues (const PtSegment *segments, guint n)
{
  GArray *cues = g_array_new (FALSE, FALSE, sizeof (Cue));
  gint64 last = 0;
  guint i;

  g_array_set_clear_func (cues, clear_cue);
  for (i = 0; i < n; i++) {
    Cue cue = { .text = one_line (segments[i].text != NULL ? segments[i].text : "") };

    if (*cue.text == '\0') {
      g_free (cue.text);
      continue;
    }
    cue.start = milliseconds (segments[i].start, last);
    cue.end = milliseconds (segments[i].end, cue.start);
    last = cue.end;
    cue.speaker = segments[i].speaker;
    cue.segment = &segments[i];
    g_array_append_val (cues, cue);
  }
  return cues;
}

char *
pt_format_segments (const PtSegment *segments, guint n, PtSubtitleFormat format)
{
  g_autoptr (GArray) cues = make_cues (segments, n);
  GString *out = g_string_new (format == PT_SUBTITLE_VTT ? "WEBVTT\n\n" : NULL);
  guint i;

  if (format == PT_SUBTITLE_JSON) {
    append_json (out, cues);
    return g_string_free (out, FALSE);
  }
  for (i = 0; i < cues->len; i++) {
    const Cue *cue = &g_array_index (cues, Cue, i);

    if (format == PT_SUBTITLE_SRT)
      append_srt (out, cue, i + 1);
    else if (format == PT_SUBTITLE_VTT)
      append_vtt (out, cue);
    else {
      append_speaker (out, cue);
      g_string_append_printf (out, "%s\n", cue->text);
    }
  }
  return g_string_free (out, FALSE);
}

gboolean
pt_subtitle_format_find (const char *name, PtSubtitleFormat *out)
{
  static const char *const names[] = {
    [PT_SUBTITLE_TXT] = "txt",
    [PT_SUBTITLE_SRT] = "srt",
    [PT_SUBTITLE_VTT] = "vtt",
    [PT_SUBTITLE_JSON] = "json",
  };
  const char *dot = strrchr (name, '.');
  guint i;

  for (i = 0; i < G_N_ELEMENTS (names); i++) {
    if (g_ascii_strcasecmp (dot != NULL ? dot + 1 : name, names[i]) == 0) {
      *out = (PtSubtitleFormat) i;
      return TRUE;
    }
  }
  return FALSE;
}

/* ---- copies ---- */

PtSegment
pt_segment_from_event (const PtEvent *event)
{
  return (PtSegment){
    .start = event->start,
    .end = event->end,
    .text = g_strdup (event->text),
    .words = g_memdup2 (event->words, event->n_words * sizeof (PtWord)),
    .n_words = event->n_words,
    .tokens = g_memdup2 (event->tokens, event->n_tokens * sizeof (PtWord)),
    .n_tokens = event->n_tokens,
    .speaker = event->speaker,
  };
}

void
pt_segment_clear (PtSegment *segment)
{
  g_free ((char *) segment->text);
  g_free ((PtWord *) segment->words);
  g_free ((PtWord *) segment->tokens);
  *segment = (PtSegment){ 0 };
}
