/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/bundle.h"
#include "engine/program/data-file.h"
#include "tests/hostile/hostile.h"

#include <string.h>

/*
 * Good files with one thing wrong: cut at every place that matters, every field of the header and
 * every word of the tables set to numbers that make trouble.
 */

typedef enum { PROGRAM, DATA, BUNDLE } Kind;

static const struct {
  const char *path;
  Kind kind;
  gsize header_end; /* where the fields of the header end; 0: there are none */
} bases[] = {
  { "tiny/linear/model.pte", PROGRAM, 40 },
  { "tiny/xnnpack_linear/model.pte", PROGRAM, 40 },
  { "tiny/external_weights/model.pte", PROGRAM, 40 },
  { "tiny/lists_and_index/model.pte", PROGRAM, 40 },
  { "tiny/cond/model.pte", PROGRAM, 40 },
  { "tiny/external_weights/weights.ptd", DATA, 48 },
  { "tiny/bundled/model.bpte", BUNDLE, 0 },
};

/* Opens a copy of exactly these bytes. */
static gboolean
opens (Kind kind, const guint8 *data, gsize size, const char *what)
{
  guint8 *copy = g_aligned_alloc (1, MAX (size, 1), 64);
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (copy, size, g_aligned_free, copy);
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (PtDataFile) file = NULL;
  g_autoptr (PtBundle) bundle = NULL;
  GError *error = NULL;

  memcpy (copy, data, size);
  switch (kind) {
  case PROGRAM: program = pt_program_new (bytes, "damaged.pte", &error); break;
  case DATA: file = pt_data_file_new (bytes, "damaged.ptd", &error); break;
  case BUNDLE: bundle = pt_bundle_new (bytes, "damaged.bpte", &error); break;
  }
  if (program != NULL || file != NULL || bundle != NULL)
    return TRUE;
  if (error == NULL || error->domain != PT_ERROR || error->code == PT_ERROR_INTERNAL ||
      !g_utf8_validate (error->message, -1, NULL))
    g_error ("%s: not an error for a person", what);
  g_error_free (error);
  return FALSE;
}

static void
test_cuts (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data), size, cut;
  g_autofree guint8 *good = hostile_data (bases[i].path, &size);

  g_assert_true (opens (bases[i].kind, good, size, "the good file"));
  hostile_begin ();
  for (cut = 0; cut < size; cut = cut < 128 ? cut + 1 : cut + 64) {
    /* The last bytes of a file may be padding. */
    if (opens (bases[i].kind, good, cut, "a cut file") && cut + 4096 < size)
      g_error ("%s opens with %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes", bases[i].path, cut,
               size);
  }
  for (cut = 4096; cut < size; cut += 4096)
    for (gsize k = cut - 1; k <= cut + 1 && k < size; k++)
      opens (bases[i].kind, good, k, "a cut file");
  hostile_end (bases[i].path);
}

/* @data with the @width bytes at @at replaced, opened. */
static void
try_number (gsize i, guint8 *data, gsize size, gsize at, gsize width, guint64 number)
{
  guint64 old = 0;
  g_autofree char *what = g_strdup_printf ("%s with %" G_GUINT64_FORMAT " at %" G_GSIZE_FORMAT,
                                           bases[i].path, number, at);

  memcpy (&old, data + at, width);
  memcpy (data + at, &number, width);
  opens (bases[i].kind, data, size, what);
  memcpy (data + at, &old, width);
}

static void
test_header (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data), size;
  g_autofree guint8 *file = hostile_data (bases[i].path, &size);

  hostile_begin ();
  for (gsize at = 0; at + 8 <= MAX (bases[i].header_end, 16); at += 4) {
    guint64 old, numbers[] = { 0,
                               1,
                               4,
                               8,
                               size - 1,
                               size,
                               size + 1,
                               1u << 31,
                               0xffffffff,
                               (guint64) 1 << 32,
                               (guint64) 1 << 63,
                               G_MAXUINT64,
                               G_MAXUINT64 - 1,
                               0,
                               0,
                               0,
                               0,
                               0 };

    memcpy (&old, file + at, sizeof old);
    numbers[13] = old - 1;
    numbers[14] = old + 1;
    numbers[15] = 0 - old;
    numbers[16] = GUINT64_SWAP_LE_BE (old);
    numbers[17] = G_MAXUINT64 - old + 1;
    for (guint n = 0; n < G_N_ELEMENTS (numbers); n++) {
      try_number (i, file, size, at, 4, numbers[n]);
      try_number (i, file, size, at, 8, numbers[n]);
    }
  }
  hostile_end (bases[i].path);
}

static void
test_words (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data), size;
  g_autofree guint8 *file = hostile_data (bases[i].path, &size);

  for (gsize at = 8; at + 4 <= MIN (size, 4096); at += 2) {
    guint32 old, numbers[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1u << 30, 0, 0, 0, 0 };

    memcpy (&old, file + at, sizeof old);
    numbers[6] = old + 1;
    numbers[7] = old - 1;
    numbers[8] = old + 4;
    numbers[9] = (guint32) (size - at);
    for (guint n = 0; n < G_N_ELEMENTS (numbers); n++)
      try_number (i, file, size, at, 4, numbers[n]);
  }
}

int
main (int argc, char **argv)
{
  static const struct {
    const char *name;
    GTestDataFunc func;
  } tests[] = { { "cuts", test_cuts }, { "header", test_header }, { "words", test_words } };

  g_test_init (&argc, &argv, NULL);
  for (gsize t = 0; t < G_N_ELEMENTS (tests); t++)
    for (gsize i = 0; i < G_N_ELEMENTS (bases); i++) {
      g_autofree char *path =
          g_strdup_printf ("/hostile/damage/%s/%s", tests[t].name, bases[i].path);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), tests[t].func);
    }
  return g_test_run ();
}
