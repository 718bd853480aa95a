/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/flatbuffer.h"

#include <string.h>
#include <pteris/error.h>

/*
 * A buffer by hand:
 *
 *    0  root -> 32
 *   12  vtable of the root: 5 slots (u8, union, string, vector, f64)
 *   32  root
 *   64  a table "Leaf" with one i32
 *   80  string "hi"
 *   88  vector of one Leaf, which shares the vtable of the first
 */

enum { ROOT_TAG, ROOT_UNION, ROOT_TEXT, ROOT_LEAVES, ROOT_NUMBER };

static const PtFbField leaf_fields[] = { { "value", PT_FB_I32, FALSE, NULL, NULL, 0 } };
static const PtFbTable leaf = { "Leaf", leaf_fields, 1 };
static const PtFbTable *const choices[] = { NULL, &leaf };
static const PtFbField root_fields[] = {
  { "tag", PT_FB_U8, FALSE, NULL, NULL, 0 },
  { "choice", PT_FB_UNION, FALSE, NULL, choices, 2 },
  { "text", PT_FB_STRING, FALSE, NULL, NULL, 0 },
  { "leaves", PT_FB_TABLE, TRUE, &leaf, NULL, 0 },
  { "number", PT_FB_F64, FALSE, NULL, NULL, 0 },
};
static const PtFbTable root = { "Root", root_fields, G_N_ELEMENTS (root_fields) };

#define SIZE 104

typedef struct {
  gint64 aligned[SIZE / 8];
} Buffer;

static guint8 *
bytes (Buffer *b)
{
  return (guint8 *) b->aligned;
}

static void
put_u16 (Buffer *b, gsize at, guint16 value)
{
  memcpy (bytes (b) + at, &value, sizeof value);
}

static void
put_u32 (Buffer *b, gsize at, guint32 value)
{
  memcpy (bytes (b) + at, &value, sizeof value);
}

static void
fill (Buffer *b)
{
  static const guint16 root_vtable[] = { 14, 4, 28, 4, 8, 12, 16 };
  static const guint16 leaf_vtable[] = { 6, 4, 4 };
  double number = 2.5;

  memset (b, 0, sizeof *b);
  put_u32 (b, 0, 32);
  for (guint i = 0; i < G_N_ELEMENTS (root_vtable); i++)
    put_u16 (b, 12 + 2 * i, root_vtable[i]);
  put_u32 (b, 32, 20);
  put_u32 (b, 36, 64 - 36);
  put_u32 (b, 40, 80 - 40);
  put_u32 (b, 44, 88 - 44);
  memcpy (bytes (b) + 48, &number, sizeof number);
  bytes (b)[60] = 1;
  put_u32 (b, 64, (guint32) -8); /* its vtable comes after it */
  put_u32 (b, 68, 42);
  for (guint i = 0; i < G_N_ELEMENTS (leaf_vtable); i++)
    put_u16 (b, 72 + 2 * i, leaf_vtable[i]);
  put_u32 (b, 80, 2);
  memcpy (bytes (b) + 84, "hi", 3);
  put_u32 (b, 88, 1);
  put_u32 (b, 92, 4);
  put_u32 (b, 96, 96 - 72);
  put_u32 (b, 100, 7);
}

static void
assert_bad (Buffer *b, gsize size, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (pt_fb_verify (bytes (b), size, &root, "x", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_reads (void)
{
  Buffer b;
  PtFbRef t, item;
  PtFbVec leaves;
  gsize length;
  GError *error = NULL;

  fill (&b);
  g_assert_true (pt_fb_verify (bytes (&b), SIZE, &root, "x", &error));
  g_assert_no_error (error);
  t = pt_fb_root (bytes (&b));
  g_assert_cmpuint (pt_fb_u8 (t, ROOT_TAG, 9), ==, 1);
  g_assert_cmpfloat (pt_fb_f64 (t, ROOT_NUMBER, 0), ==, 2.5);
  g_assert_cmpstr (pt_fb_string (t, ROOT_TEXT, &length), ==, "hi");
  g_assert_cmpuint (length, ==, 2);
  g_assert_cmpint (pt_fb_i32 (pt_fb_table (t, ROOT_UNION), 0, 0), ==, 42);
  leaves = pt_fb_vec (t, ROOT_LEAVES);
  g_assert_cmpuint (leaves.count, ==, 1);
  item = pt_fb_vec_table (leaves, 0);
  g_assert_true (pt_fb_present (item));
  g_assert_cmpint (pt_fb_i32 (item, 0, -5), ==, 7);
  g_assert_cmpint (pt_fb_i32 (item, 1, -5), ==, -5);
}

static void
test_absent (void)
{
  Buffer b;
  PtFbRef t, none;
  gsize length = 7;

  fill (&b);
  put_u16 (&b, 12, 6); /* one slot only */
  g_assert_true (pt_fb_verify (bytes (&b), SIZE, &root, "x", NULL));
  t = pt_fb_root (bytes (&b));
  g_assert_false (pt_fb_has (t, ROOT_TEXT));
  g_assert_null (pt_fb_string (t, ROOT_TEXT, &length));
  g_assert_cmpuint (length, ==, 0);
  g_assert_false (pt_fb_vec (t, ROOT_LEAVES).present);
  g_assert_cmpfloat (pt_fb_f64 (t, ROOT_NUMBER, 1.5), ==, 1.5);
  none = pt_fb_table (t, ROOT_UNION);
  g_assert_false (pt_fb_present (none));
  g_assert_cmpint (pt_fb_i32 (none, 0, 3), ==, 3);
  g_assert_false (pt_fb_present (pt_fb_table (none, 0)));
}

static void
test_offsets (void)
{
  static const struct {
    gsize at;
    guint32 value;
    const char *word;
  } damage[] = {
    { 0, 4, "Root lies outside" },      { 0, SIZE, "Root lies outside" },
    { 0, 33, "Root lies outside" },     { 32, 33, "field list" },
    { 32, 21, "field list" },           { 32, (guint32) -SIZE, "field list" },
    { 40, 0, "Root.text points" },      { 40, SIZE, "Root.text points" },
    { 40, 0x80000000u, "Root.text" },   { 40, 41, "Root.text" },
    { 80, 20, "Root.text does not" },   { 80, 0xffffffffu, "Root.text is longer" },
    { 80, 1, "Root.text does not" },    { 88, 1000, "Root.leaves is longer" },
    { 92, 0, "Root.leaves points" },    { 92, SIZE, "Root.leaves points" },
    { 64, 0x7fffffff, "Leaf has its" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (damage); i++) {
    Buffer b;

    fill (&b);
    put_u32 (&b, damage[i].at, damage[i].value);
    assert_bad (&b, SIZE, damage[i].word);
  }
}

static void
test_vtables (void)
{
  static const struct {
    gsize at;
    guint16 value;
    const char *word;
  } damage[] = {
    { 12, 15, "field list" },         { 12, 2, "field list" },
    { 12, 0xfffe, "field list" },     { 16, 3, "Root.tag over" },
    { 16, 0xffff, "Root.tag lies" },  { 24, 20, "Root.number lies" },
    { 20, 0xfffe, "Root.text lies" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (damage); i++) {
    Buffer b;

    fill (&b);
    put_u16 (&b, damage[i].at, damage[i].value);
    assert_bad (&b, SIZE, damage[i].word);
  }
}

/* Every shorter buffer is refused or still readable; the sanitizer watches. */
static void
test_truncated (void)
{
  Buffer b;

  fill (&b);
  for (gsize size = 0; size < SIZE; size++) {
    g_autofree guint8 *copy = g_memdup2 (&b, size);
    g_autoptr (GError) error = NULL;

    if (!pt_fb_verify (copy, size, &root, "x", &error))
      g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
    else
      pt_fb_i32 (pt_fb_table (pt_fb_root (copy), ROOT_UNION), 0, 0);
  }
}

/* An alternative that is not known is not followed; its reader sees the tag. */
static void
test_unknown_union (void)
{
  Buffer b;

  fill (&b);
  bytes (&b)[60] = 2;
  put_u32 (&b, 64, 0x7fffffff);
  g_assert_true (pt_fb_verify (bytes (&b), SIZE, &root, "x", NULL));
}

/* A few hundred bytes that describe a tree of 2^40 tables. */
static void
test_shared_tables (void)
{
  static PtFbTable node;
  static const PtFbField node_fields[] = { { "children", PT_FB_TABLE, TRUE, &node, NULL, 0 } };
  guint32 words[5 * 40 + 8] = { 0 };
  g_autoptr (GError) error = NULL;
  gsize n = 4;

  node = (PtFbTable){ "Node", node_fields, 1 };
  words[0] = 16;
  words[2] = 6 | 4 << 16; /* vtable at 8 */
  words[3] = 4;
  for (guint level = 0; level < 40; level++, n += 5) {
    words[n] = (guint32) (n * 4 - 8);
    words[n + 1] = 4;
    words[n + 2] = 2;
    words[n + 3] = 8;
    words[n + 4] = 4;
  }
  words[n] = (guint32) (n * 4 - 8);
  words[n + 1] = 4;
  g_assert_false (pt_fb_verify ((guint8 *) words, sizeof words, &node, "x", &error));
  g_assert_nonnull (strstr (error->message, "limits"));
}

/* Offsets of 32 bits reach no further: larger tables are refused before they are looked at. */
static void
test_too_large (void)
{
  g_autoptr (GError) error = NULL;
  Buffer b;

  fill (&b);
  g_assert_false (pt_fb_verify (bytes (&b), (gsize) G_MAXINT32 + 2, &root, "x", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, "larger"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/flatbuffer/reads", test_reads);
  g_test_add_func ("/flatbuffer/absent", test_absent);
  g_test_add_func ("/flatbuffer/offsets", test_offsets);
  g_test_add_func ("/flatbuffer/vtables", test_vtables);
  g_test_add_func ("/flatbuffer/truncated", test_truncated);
  g_test_add_func ("/flatbuffer/unknown-union", test_unknown_union);
  g_test_add_func ("/flatbuffer/shared-tables", test_shared_tables);
  g_test_add_func ("/flatbuffer/too-large", test_too_large);
  return g_test_run ();
}
