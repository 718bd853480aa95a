/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pteris/job.h>

#include <jansson.h>

static const PtSegment segments[] = {
  { 0, 2.5, " Hello, <world> & \"all\"." },
  { 2.5, 4.25, "Line\nbreak\r\n\r\nand --> arrow \\ back" },
  { 4.25, 4.25, "   " },
  { 3.0, 3.5, "naïve 日本語 👍🏽" },
  { 3599.9996, 36000.0404, "late" },
};

static void
check (PtSubtitleFormat format, const char *want)
{
  g_autofree char *got = pt_format_segments (segments, G_N_ELEMENTS (segments), format);

  g_assert_cmpstr (got, ==, want);
}

static void
test_txt (void)
{
  check (PT_SUBTITLE_TXT, "Hello, <world> & \"all\".\nLine break and --> arrow \\ back\n"
                          "naïve 日本語 👍🏽\nlate\n");
}

static void
test_srt (void)
{
  check (PT_SUBTITLE_SRT, "1\n00:00:00,000 --> 00:00:02,500\nHello, <world> & \"all\".\n\n"
                          "2\n00:00:02,500 --> 00:00:04,250\nLine break and -> arrow \\ back\n\n"
                          "3\n00:00:04,250 --> 00:00:04,250\nnaïve 日本語 👍🏽\n\n"
                          "4\n01:00:00,000 --> 10:00:00,040\nlate\n\n");
}

static void
test_vtt (void)
{
  check (PT_SUBTITLE_VTT, "WEBVTT\n\n"
                          "00:00:00.000 --> 00:00:02.500\nHello, &lt;world&gt; &amp; \"all\".\n\n"
                          "00:00:02.500 --> 00:00:04.250\nLine break and --&gt; arrow \\ back\n\n"
                          "00:00:04.250 --> 00:00:04.250\nnaïve 日本語 👍🏽\n\n"
                          "01:00:00.000 --> 10:00:00.040\nlate\n\n");
}

static void
test_json (void)
{
  g_autofree char *text = pt_format_segments (segments, G_N_ELEMENTS (segments), PT_SUBTITLE_JSON);
  json_error_t error;
  json_t *root = json_loads (text, 0, &error);
  json_t *items, *first, *last;

  g_assert_nonnull (root);
  items = json_object_get (root, "segments");
  g_assert_cmpuint (json_array_size (items), ==, 4);
  first = json_array_get (items, 0);
  g_assert_cmpstr (json_string_value (json_object_get (first, "text")), ==,
                   "Hello, <world> & \"all\".");
  g_assert_cmpfloat (json_real_value (json_object_get (first, "end")), ==, 2.5);
  last = json_array_get (items, 3);
  g_assert_cmpint (json_integer_value (json_object_get (last, "id")), ==, 3);
  g_assert_cmpfloat (json_real_value (json_object_get (last, "end")), ==, 36000.04);
  json_decref (root);
}

/* For any input every file is well-formed. */
static void
test_hostile (void)
{
  const PtSegment bad[] = {
    { NAN, -INFINITY, "a\x01\x7f" },
    { 1e300, -1, "\xff\xfe broken" },
    { 2, 1, NULL },
    { 5, 1, "\"\\\n\t" },
  };
  g_autofree char *srt = pt_format_segments (bad, G_N_ELEMENTS (bad), PT_SUBTITLE_SRT);
  g_autofree char *json = pt_format_segments (bad, G_N_ELEMENTS (bad), PT_SUBTITLE_JSON);
  g_autofree char *none = pt_format_segments (NULL, 0, PT_SUBTITLE_JSON);
  json_t *root = json_loads (json, 0, NULL);

  g_assert_cmpstr (srt, ==,
                   "1\n00:00:00,000 --> 00:00:00,000\na\n\n"
                   "2\n00:00:00,000 --> 00:00:00,000\n\xef\xbf\xbd\xef\xbf\xbd broken\n\n"
                   "3\n00:00:05,000 --> 00:00:05,000\n\"\\\n\n");
  g_assert_nonnull (root);
  json_decref (root);
  g_assert_cmpstr (none, ==, "{\n  \"text\": \"\",\n  \"segments\": []\n}\n");
}

static void
test_names (void)
{
  PtSubtitleFormat format;

  g_assert_true (pt_subtitle_format_find ("srt", &format));
  g_assert_cmpint (format, ==, PT_SUBTITLE_SRT);
  g_assert_true (pt_subtitle_format_find ("talk.final.VTT", &format));
  g_assert_cmpint (format, ==, PT_SUBTITLE_VTT);
  g_assert_false (pt_subtitle_format_find ("talk.doc", &format));
}

/* The copy stays when the event is gone. */
static void
test_copy (void)
{
  PtWord words[] = { { .start = 0, .length = 3, .probability = 0.5f },
                     { .start = 4, .length = 2 } };
  char text[] = "one 2.";
  const PtEvent event = { .kind = PT_EVENT_SEGMENT,
                          .text = text,
                          .start = 1,
                          .end = 2.5,
                          .words = words,
                          .n_words = G_N_ELEMENTS (words),
                          .speaker = 3 };
  PtSegment segment = pt_segment_from_event (&event);

  text[0] = 'x';
  words[0].length = 9;
  g_assert_cmpstr (segment.text, ==, "one 2.");
  g_assert_cmpuint (segment.n_words, ==, 2);
  g_assert_cmpuint (segment.words[0].length, ==, 3);
  g_assert_null (segment.tokens);
  g_assert_cmpuint (segment.speaker, ==, 3);
  g_assert_cmpfloat (segment.end, ==, 2.5);
  pt_segment_clear (&segment);
  g_assert_null (segment.text);
  g_assert_cmpuint (segment.n_words, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tasks/subtitles/txt", test_txt);
  g_test_add_func ("/tasks/subtitles/srt", test_srt);
  g_test_add_func ("/tasks/subtitles/vtt", test_vtt);
  g_test_add_func ("/tasks/subtitles/json", test_json);
  g_test_add_func ("/tasks/subtitles/hostile", test_hostile);
  g_test_add_func ("/tasks/subtitles/names", test_names);
  g_test_add_func ("/tasks/subtitles/copy", test_copy);
  return g_test_run ();
}
