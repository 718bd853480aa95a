/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Long recordings through the published layouts of Whisper that read samples
 * (docs/formats/protocols.md, section 5.8): the programs of tools/make-whisper-fixtures.py write a
 * word for the loudness of each two seconds, so all segments and their times are known.
 */

#include <string.h>

#include <glib/gstdio.h>

#include "engine/init.h"
#include "engine/tasks/speech/recognizer.h"
#include "engine/tasks/speech/transcribe-job.h"

#define RATE 16000
#define PLACES 14 /* words of a window */
#define LEVELS 10
#define SECONDS 64
#define N_WORDS (SECONDS / 2)
#define HEADER 44

typedef struct {
  const char *name, *encoder, *decoder; /* @decoder: NULL: in the same program */
} Layout;

static const Layout LAYOUTS[] = {
  { "one", "one.pte", NULL },
  { "two", "encoder.pte", "decoder.pte" },
  { "magnitudes", "magnitudes.pte", "decoder.pte" },
};

static char *folder;

/* The loudness of word @i, which no other word of its window has in this order. */
static guint
level_of (guint i)
{
  return (i * 7 + i / 5) % LEVELS;
}

/* ---- files ---- */

static void
add_token (GString *json, const char *list, guint id, const char *name)
{
  if (strcmp (list, "vocab") == 0)
    g_string_append_printf (json, "%s\"%s\":%u", id > 0 ? "," : "", name, id);
  else
    g_string_append_printf (json,
                            "%s{\"id\":%u,\"content\":\"%s\",\"single_word\":false,\"lstrip\":"
                            "false,\"rstrip\":false,\"normalized\":false,\"special\":true}",
                            g_str_has_suffix (json->str, "[") ? "" : ",", id, name);
}

/* Letters of byte-level vocabularies: bytes that are no visible ASCII have other ones. */
static void
add_bytes (GString *json, guint *id)
{
  gunichar next = 256;

  for (guint byte = 0; byte < 256; byte++) {
    gboolean shown =
        (byte > ' ' && byte < 127) || (byte > 160 && byte != 173); /* as GPT-2's table */
    char name[8] = { 0 };

    if (byte == '"' || byte == '\\')
      g_snprintf (name, sizeof name, "\\%c", (char) byte);
    else
      name[g_unichar_to_utf8 (shown ? byte : next++, name)] = '\0';
    add_token (json, "vocab", (*id)++, name);
  }
}

static char *
write_tokenizer (void)
{
  static const char *const NAMES[] = { "<|endoftext|>",   "<|startoftranscript|>", "<|en|>",
                                       "<|de|>",          "<|translate|>",         "<|transcribe|>",
                                       "<|startoflm|>",   "<|startofprev|>",       "<|nospeech|>",
                                       "<|notimestamps|>" };
  char *path = g_build_filename (folder, "tokenizer.json", NULL);
  g_autoptr (GString) json =
      g_string_new ("{\"version\":\"1.0\",\"model\":{\"type\":\"BPE\",\"merges\":[],\"vocab\":{");
  g_autoptr (GString) added = g_string_new ("[");
  guint id = 0;

  add_bytes (json, &id);
  for (guint g = 0; g < PLACES; g++)
    for (guint k = 0; k < LEVELS; k++) {
      g_autofree char *name = g_strdup_printf ("Ġ%c%c", 'a' + (int) g, 'a' + (int) k);

      add_token (json, "vocab", id++, name);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    add_token (added, "added", id++, NAMES[i]);
  for (guint i = 0; i <= 1500; i++) {
    g_autofree char *name = g_strdup_printf ("<|%u.%02u|>", i / 50, i % 50 * 2);

    add_token (added, "added", id++, name);
  }
  g_string_append_printf (json,
                          "}},\"added_tokens\":%s],\"pre_tokenizer\":{\"type\":\"ByteLevel\","
                          "\"add_prefix_space\":false,\"trim_offsets\":true,\"use_regex\":true},"
                          "\"decoder\":{\"type\":\"ByteLevel\"}}",
                          added->str);
  g_assert_true (g_file_set_contents (path, json->str, (gssize) json->len, NULL));
  return path;
}

static void
put_le (guint8 *at, guint n, guint32 value)
{
  for (guint i = 0; i < n; i++)
    at[i] = (guint8) (value >> (8 * i));
}

/* A square wave of 200 Hz as loud as the words say. */
static char *
write_recording (void)
{
  const guint32 bytes = 2 * SECONDS * RATE;
  char *path = g_build_filename (folder, "levels.wav", NULL);
  g_autofree guint8 *file = g_malloc0 (HEADER + bytes);

  memcpy (file, "RIFF....WAVEfmt ", 16);
  put_le (file + 4, 4, HEADER - 8 + bytes);
  put_le (file + 16, 4, 16);
  put_le (file + 20, 2, 1);
  put_le (file + 22, 2, 1);
  put_le (file + 24, 4, RATE);
  put_le (file + 28, 4, 2 * RATE);
  put_le (file + 32, 2, 2);
  put_le (file + 34, 2, 16);
  memcpy (file + 36, "data", 4);
  put_le (file + 40, 4, bytes);
  for (guint i = 0; i < SECONDS * RATE; i++) {
    double loud = (level_of (i / (2 * RATE)) + 0.5) * 0.08 * 32767;

    put_le (file + HEADER + 2 * i, 2, (guint32) (gint32) (i / 40 % 2 == 0 ? loud : -loud));
  }
  g_assert_true (g_file_set_contents (path, (char *) file, HEADER + bytes, NULL));
  return path;
}

/* ---- transcripts ---- */

static void
on_segment (const PtSegment *segment, gpointer user_data)
{
  guint *n = user_data, place = *n % PLACES;
  const char word[] = { (char) ('a' + place), (char) ('a' + level_of (*n)), '\0' };

  g_assert_cmpuint (*n, <, N_WORDS);
  g_assert_cmpstr (segment->text, ==, word);
  g_assert_cmpfloat_with_epsilon (segment->start, 2.0 * *n, 1e-6);
  g_assert_cmpfloat_with_epsilon (segment->end, 2.0 * (*n + 1), 1e-6);
  (*n)++;
}

static PtModule *
open_module (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "published", "whisper-levels", name, NULL);
  g_autoptr (GError) error = NULL;
  PtModule *module = pt_module_open (path, NULL, NULL, &error);

  g_assert_no_error (error);
  return module;
}

static void
test_long (gconstpointer data)
{
  const Layout *layout = data;
  g_autofree char *words = write_tokenizer (), *recording = write_recording ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PtTokenizer) tokenizer = pt_tokenizer_open (words, &error);
  PtModule *encoder = open_module (layout->encoder);
  PtModule *decoder = layout->decoder != NULL ? open_module (layout->decoder) : NULL;
  PtTranscriber *transcriber;
  PtTranscribeOptions options = { 0 };
  PtTranscribeResult result;
  guint n = 0;

  g_assert_no_error (error);
  transcriber = decoder != NULL ? pt_transcriber_new_of_two (encoder, decoder, tokenizer, &error)
                                : pt_transcriber_new (encoder, tokenizer, NULL, &error);
  g_assert_no_error (error);
  pt_transcriber_run (transcriber, &options, recording, on_segment, NULL, &n, NULL, &result,
                      &error);
  g_assert_no_error (error);
  g_assert_cmpuint (n, ==, N_WORDS);
  g_assert_cmpfloat (result.stats.audio_s, ==, SECONDS);
  pt_transcriber_free (transcriber);
  pt_module_free (encoder);
  g_clear_pointer (&decoder, pt_module_free);
  g_remove (words);
  g_remove (recording);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (LAYOUTS); i++) {
    g_autofree char *path = g_strconcat ("/tasks/whisper-levels/", LAYOUTS[i].name, NULL);

    g_test_add_data_func (path, &LAYOUTS[i], test_long);
  }
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
