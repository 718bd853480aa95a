/* SPDX-License-Identifier: BSD-3-Clause */

/* Pictures, recordings and programs that lie: an answer or a sentence, never more. */

#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/init.h"
#include "engine/tasks/chat/chat-task.h"
#include "tests/unit/tasks/fixtures.h"

#define HOURS 3
#define RATE 16000
#define N_DAMAGED 60

typedef struct {
  char *scratch, *program, *tokenizer;
  const char *kind;
} Fixture;

static void
set_up (Fixture *f, gconstpointer name)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "chat", name, NULL);

  f->kind = name;
  f->scratch = g_dir_make_tmp ("pteris-hostile-XXXXXX", NULL);
  f->program = g_build_filename (folder, "model.pte", NULL);
  f->tokenizer = g_steal_pointer (&folder);
}

static void
tear_down (Fixture *f, gconstpointer name)
{
  remove_folder (f->scratch);
  g_free (f->scratch);
  g_free (f->program);
  g_free (f->tokenizer);
}

/** Ask @program about @path; 0, or the code of the error, which is a sentence. */
static int
ask (const Fixture *f, const char *program, const char *path)
{
  const char *files[] = { path, NULL };
  const PtMessage message = { "user", "What is it?", files };
  const PtChatOptions request = { .messages = &message,
                                  .n_messages = 1,
                                  .max_new_tokens = 3,
                                  .sampling = PT_SAMPLING_GREEDY,
                                  .seed = 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = pt_module_open (program, NULL, NULL, &error);
  g_autoptr (PtTokenizer) tokenizer = NULL;
  g_autoptr (PtChat) chat = NULL;
  PtReason reason = PT_REASON_NONE;
  PtStats stats;

  if (module != NULL) {
    tokenizer = pt_tokenizer_open (f->tokenizer, &error);
    g_assert_no_error (error);
    chat = pt_chat_new (module, tokenizer, f->tokenizer, &error);
  }
  if (chat != NULL)
    reason = pt_chat_answer (chat, &request, NULL, NULL, NULL, &stats, &error);
  if (reason != PT_REASON_NONE)
    return 0;
  g_assert_nonnull (error);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_test_message ("%s", error->message);
  return error->code + 1;
}

static char *
case_file (const Fixture *f)
{
  return g_build_filename (f->tokenizer,
                           strcmp (f->kind, "voxtral") == 0 ? "audio0.wav" : "image.png", NULL);
}

/* ---- pictures ---- */

static void
test_pictures (Fixture *f, gconstpointer name)
{
  static const guint8 dot[] = { 'B', 'M', 58, 0, 0, 0, 0, 0, 0,  0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0,
                                0,   0,   1,  0, 0, 0, 1, 0, 24, 0, 0,  0, 0, 0, 4,  0, 0, 0, 0, 0,
                                0,   0,   0,  0, 0, 0, 0, 0, 0,  0, 0,  0, 0, 0, 9,  8, 7, 0 };
  g_autofree char *from = case_file (f), *png = NULL, *path = NULL, *large = NULL;
  guint8 wide[sizeof dot];
  gsize size;

  path = file_in (f->scratch, "dot.bmp", dot, sizeof dot);
  g_assert_cmpint (ask (f, f->program, path), ==, 0);
  memcpy (wide, dot, sizeof dot);
  wide[20] = wide[24] = 0x7f;
  large = file_in (f->scratch, "large.bmp", wide, sizeof wide);
  g_assert_cmpint (ask (f, f->program, large), !=, 0);
  g_assert_true (g_file_get_contents (from, &png, &size, NULL));
  for (gsize n = 1; n < size; n += size / 12) {
    g_autofree char *part = file_in (f->scratch, "part.png", png, n);

    ask (f, f->program, part);
  }
}

/* ---- recordings ---- */

static void
put (guint8 *at, guint32 value)
{
  for (guint i = 0; i < 4; i++)
    at[i] = (guint8) (value >> (8 * i));
}

/* A header of mono samples; @format 1: of 16 bits, 3: floats. */
static char *
wav_file (const Fixture *f, const char *name, guint format, gconstpointer data, guint32 size)
{
  guint width = format == 3 ? 4 : 2;
  g_autofree guint8 *bytes = g_malloc0 (44 + (data != NULL ? size : 0));

  memcpy (bytes, "RIFF....WAVEfmt ", 16);
  put (bytes + 4, 36 + size);
  put (bytes + 16, 16);
  put (bytes + 20, format | 1 << 16);
  put (bytes + 24, RATE);
  put (bytes + 28, RATE * width);
  put (bytes + 32, width | width * 8 << 16);
  memcpy (bytes + 36, "data", 4);
  put (bytes + 40, size);
  if (data != NULL)
    memcpy (bytes + 44, data, size);
  return file_in (f->scratch, name, bytes, 44 + (data != NULL ? size : 0));
}

static void
test_sounds (Fixture *f, gconstpointer name)
{
  static const gint16 one = 1000;
  float odd[4000];
  g_autofree char *none = wav_file (f, "none.wav", 1, "", 0);
  g_autofree char *single = wav_file (f, "single.wav", 1, &one, sizeof one);
  g_autofree char *noise = NULL, *hours = NULL, *cut = NULL;
  FILE *file;
  gint64 begin;

  for (gsize i = 0; i < G_N_ELEMENTS (odd); i++)
    odd[i] = i % 3 == 0 ? (float) NAN : i % 3 == 1 ? (float) INFINITY : 1e30f;
  noise = wav_file (f, "odd.wav", 3, odd, sizeof odd);
  cut = wav_file (f, "cut.wav", 1, odd, 1000);
  g_assert_cmpint (ask (f, f->program, none), ==, PT_ERROR_AUDIO + 1);
  g_assert_cmpint (ask (f, f->program, single), ==, 0);
  ask (f, f->program, noise);
  ask (f, f->program, cut);
  /* Three hours of silence in a file without blocks: refused long before they are read. */
  hours = wav_file (f, "hours.wav", 1, NULL, HOURS * 3600 * RATE * 2);
  file = g_fopen (hours, "r+b");
  fseek (file, 43 + (long) HOURS * 3600 * RATE * 2, SEEK_SET);
  fputc (0, file);
  fclose (file);
  begin = g_get_monotonic_time ();
  g_assert_cmpint (ask (f, f->program, hours), ==, PT_ERROR_CONTEXT_FULL + 1);
  g_test_message ("refused after %.0f ms", (double) (g_get_monotonic_time () - begin) / 1000);
}

/* ---- programs ---- */

static char *
changed_program (const Fixture *f, const char *bytes, gsize size, gconstpointer from,
                 gconstpointer to, gsize length)
{
  g_autofree char *copy = g_memdup2 (bytes, size);
  guint n = 0;

  for (gsize i = 0; i + length <= size; i += 4)
    if (memcmp (copy + i, from, length) == 0) {
      memcpy (copy + i, to, length);
      n++;
    }
  g_test_message ("%u changed", n);
  return file_in (f->scratch, "changed.pte", copy, size);
}

/** Settings of pictures and sound that cannot be. */
static void
test_metadata (Fixture *f, gconstpointer name)
{
  const double half = 0.5, values[] = { NAN, INFINITY, 0, -1, 1e300, 1e-300 };
  const gint64 numbers[] = { 684, 24, 4, 2, 160, 16000, 128 };
  const gint64 lies[] = { -1, 0, 1, G_MAXINT32, G_MAXINT64, G_MININT64 };
  g_autofree char *path = case_file (f), *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (f->program, &bytes, &size, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
    g_autofree char *program = changed_program (f, bytes, size, &half, &values[i], sizeof (double));

    ask (f, program, path);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gint64 lie = lies[i % G_N_ELEMENTS (lies)];
    g_autofree char *program = changed_program (f, bytes, size, &numbers[i], &lie, sizeof (gint64));

    ask (f, program, path);
  }
}

/* An encoder that says it takes a picture of 360 GB. */
static void
test_sides (Fixture *f, gconstpointer name)
{
  const gint32 sides[] = { 1, 3, 56, 56 }, lies[] = { 1, 3, 900, 33554432 };
  g_autofree char *path = case_file (f), *bytes = NULL, *program = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (f->program, &bytes, &size, NULL));
  program = changed_program (f, bytes, size, sides, lies, sizeof lies);
  g_assert_cmpint (ask (f, program, path), ==, PT_ERROR_UNSUPPORTED + 1);
}

static void
test_damaged (Fixture *f, gconstpointer name)
{
  g_autofree char *path = case_file (f), *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (f->program, &bytes, &size, NULL));
  for (guint i = 0; i < N_DAMAGED; i++) {
    g_autofree char *copy = g_memdup2 (bytes, size), *program = NULL;
    /* Tables are at the beginning. */
    gsize at = (gsize) g_test_rand_int_range (32, (gint32) MIN (size, 60000));

    copy[at] = (char) (copy[at] ^ (1 << (i % 8)));
    program = file_in (f->scratch, "damaged.pte", copy, size);
    ask (f, program, path);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add ("/files-hostile/pictures", Fixture, "gemma3_vision", set_up, test_pictures,
              tear_down);
  g_test_add ("/files-hostile/pictures/patches", Fixture, "gemma4", set_up, test_pictures,
              tear_down);
  g_test_add ("/files-hostile/pictures/shape", Fixture, "llava", set_up, test_pictures, tear_down);
  g_test_add ("/files-hostile/sounds", Fixture, "voxtral", set_up, test_sounds, tear_down);
  g_test_add ("/files-hostile/metadata/pictures", Fixture, "gemma3_vision", set_up, test_metadata,
              tear_down);
  g_test_add ("/files-hostile/metadata/sounds", Fixture, "voxtral", set_up, test_metadata,
              tear_down);
  g_test_add ("/files-hostile/metadata/sides", Fixture, "gemma3_vision", set_up, test_sides,
              tear_down);
  g_test_add ("/files-hostile/damaged/pictures", Fixture, "gemma3_vision", set_up, test_damaged,
              tear_down);
  g_test_add ("/files-hostile/damaged/patches", Fixture, "gemma4", set_up, test_damaged, tear_down);
  return g_test_run ();
}
