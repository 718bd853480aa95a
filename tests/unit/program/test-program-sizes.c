/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/keys.h"
#include "engine/program/program-file.h"
#include "engine/program/schema.h"
#include "engine/program/table-memory.h"

#include <string.h>

/* Programs that describe very much. A small writer of such files first. */

typedef struct {
  GArray *words; /* of guint32 */
} Writer;

static guint32
here (const Writer *w)
{
  return w->words->len * 4;
}

static guint32
put (Writer *w, guint32 word)
{
  guint32 at = here (w);

  g_array_append_val (w->words, word);
  return at;
}

/* Let the offset at @from refer to what comes next. */
static void
link_here (Writer *w, guint32 from)
{
  g_array_index (w->words, guint32, from / 4) = here (w) - from;
}

/* A table of @n_slots offsets, each in the word of its slot; returns where it is. */
static guint32
put_table (Writer *w, guint n_slots, guint32 used)
{
  guint n = (4 + 2 * n_slots + 3) / 4;
  guint32 vtable = here (w), table;
  guint16 *entries;

  for (guint i = 0; i < n; i++)
    put (w, 0);
  entries = (guint16 *) (gpointer) (w->words->data + vtable);
  entries[0] = (guint16) (4 + 2 * n_slots);
  entries[1] = (guint16) (4 + 4 * n_slots);
  for (guint i = 0; i < n_slots; i++)
    entries[2 + i] = (used & 1u << i) != 0 ? (guint16) (4 + 4 * i) : 0;
  table = put (w, here (w) - vtable);
  for (guint i = 0; i < n_slots; i++)
    put (w, 0);
  return table;
}

static guint32
slot (guint32 table, guint i)
{
  return table + 4 + 4 * i;
}

static void
begin (Writer *w)
{
  w->words = g_array_new (FALSE, FALSE, sizeof (guint32));
  put (w, 0);
  put (w, 0x32315445); /* "ET12" */
  put (w, 0);
}

static PtProgram *
finish (Writer *w, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < 16; i++)
    put (w, 0);
  bytes = g_bytes_new_take (w->words->data, w->words->len * 4);
  g_array_free (w->words, FALSE);
  return pt_program_new (bytes, "many.pte", error);
}

#define PLAN_SLOTS                                                          \
  (1u << SLOT_PLAN_NAME | 1u << SLOT_PLAN_VALUES | 1u << SLOT_PLAN_INPUTS | \
   1u << SLOT_PLAN_OUTPUTS | 1u << SLOT_PLAN_CHAINS | 1u << SLOT_PLAN_BUFFER_SIZES)

/* The lists of @plans: no values, inputs or outputs, one empty chain, no memory; shared. */
static void
put_shared_lists (Writer *w, const guint32 *plans, guint n)
{
  static const guint empty[] = { SLOT_PLAN_VALUES, SLOT_PLAN_INPUTS, SLOT_PLAN_OUTPUTS };
  guint32 chains, chain;

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (empty); k++)
      link_here (w, slot (plans[i], empty[k]));
  put (w, 0);
  for (guint i = 0; i < n; i++)
    link_here (w, slot (plans[i], SLOT_PLAN_BUFFER_SIZES));
  put (w, 1);
  put (w, 0);
  put (w, 0);
  for (guint i = 0; i < n; i++)
    link_here (w, slot (plans[i], SLOT_PLAN_CHAINS));
  put (w, 1);
  chains = put (w, 0);
  chain = put_table (w, 3, 1u << SLOT_CHAIN_INSTRUCTIONS);
  g_array_index (w->words, guint32, chains / 4) = chain - chains;
  link_here (w, slot (chain, SLOT_CHAIN_INSTRUCTIONS));
  put (w, 0);
}

static void
put_plan_name (Writer *w, guint32 plan, guint number)
{
  char name[8];
  guint32 words[2];

  g_snprintf (name, sizeof name, "m%06u", number);
  memcpy (words, name, sizeof words);
  link_here (w, slot (plan, SLOT_PLAN_NAME));
  put (w, 7);
  put (w, words[0]);
  put (w, words[1]);
}

/* @n methods; all of one name when @one_name. */
static PtProgram *
make_plans (guint n, gboolean one_name, GError **error)
{
  Writer w;
  g_autofree guint32 *plans = g_new (guint32, n);
  guint32 root, first;

  begin (&w);
  root = put_table (&w, 2, 1u << SLOT_PROGRAM_PLANS);
  g_array_index (w.words, guint32, 0) = root;
  link_here (&w, slot (root, SLOT_PROGRAM_PLANS));
  put (&w, n);
  first = here (&w);
  for (guint i = 0; i < n; i++)
    put (&w, 0);
  for (guint i = 0; i < n; i++) {
    plans[i] = put_table (&w, 9, PLAN_SLOTS);
    g_array_index (w.words, guint32, first / 4 + i) = plans[i] - (first + 4 * i);
  }
  for (guint i = 0; i < n; i++)
    put_plan_name (&w, plans[i], one_name ? 0 : i);
  put_shared_lists (&w, plans, n);
  return finish (&w, error);
}

static void
test_many_methods (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = make_plans (100000, FALSE, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (pt_program_n_plans (program), ==, 100000);
  g_assert_cmpstr (pt_program_find_plan (program, "m031415")->name, ==, "m031415");
}

static void
test_one_name (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = make_plans (2, TRUE, &error);

  g_assert_null (program);
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, "two methods m000000"));
}

/* A long list of arguments, named by very many instructions. */
static void
test_shared_arguments (void)
{
  const guint n = 50000;
  Writer w;
  guint32 root, plan, plans, chain, chains, list, instruction, call, values;
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = NULL;

  begin (&w);
  root = put_table (&w, 2, 1u << SLOT_PROGRAM_PLANS);
  g_array_index (w.words, guint32, 0) = root;
  link_here (&w, slot (root, SLOT_PROGRAM_PLANS));
  put (&w, 1);
  plans = put (&w, 0);
  plan = put_table (&w, 9, PLAN_SLOTS | 1u << SLOT_PLAN_OPERATORS);
  g_array_index (w.words, guint32, plans / 4) = plan - plans;
  put_plan_name (&w, plan, 0);
  put_shared_lists (&w, &plan, 1);
  /* Its own values: one None. */
  link_here (&w, slot (plan, SLOT_PLAN_VALUES));
  put (&w, 1);
  values = put (&w, 0);
  list = put_table (&w, 2, 3);
  g_array_index (w.words, guint32, values / 4) = list - values;
  g_array_index (w.words, guint32, slot (list, 0) / 4) = TAG_NULL;
  values = slot (list, 1);
  list = put_table (&w, 0, 0);
  g_array_index (w.words, guint32, values / 4) = list - values;
  /* Its own operators: one. */
  link_here (&w, slot (plan, SLOT_PLAN_OPERATORS));
  put (&w, 1);
  values = put (&w, 0);
  list = put_table (&w, 2, 1u << SLOT_OPERATOR_NAME);
  g_array_index (w.words, guint32, values / 4) = list - values;
  link_here (&w, slot (list, SLOT_OPERATOR_NAME));
  put (&w, 3);
  put (&w, 'a' | 'b' << 8 | 'c' << 16);
  /* Its own chain: @n times one instruction. */
  link_here (&w, slot (plan, SLOT_PLAN_CHAINS));
  put (&w, 1);
  chains = put (&w, 0);
  chain = put_table (&w, 3, 1u << SLOT_CHAIN_INSTRUCTIONS);
  g_array_index (w.words, guint32, chains / 4) = chain - chains;
  link_here (&w, slot (chain, SLOT_CHAIN_INSTRUCTIONS));
  put (&w, n);
  list = here (&w);
  for (guint i = 0; i < n; i++)
    put (&w, 0);
  instruction = put_table (&w, 2, 3);
  for (guint i = 0; i < n; i++)
    g_array_index (w.words, guint32, list / 4 + i) = instruction - (list + 4 * i);
  g_array_index (w.words, guint32, slot (instruction, 0) / 4) = TAG_KERNEL_CALL;
  call = put_table (&w, 2, 1u << SLOT_CALL_ARGS);
  g_array_index (w.words, guint32, slot (instruction, 1) / 4) = call - slot (instruction, 1);
  link_here (&w, slot (call, SLOT_CALL_ARGS));
  put (&w, n);
  for (guint i = 0; i < n; i++)
    put (&w, 0);
  program = finish (&w, &error);
  g_assert_null (program);
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, "more than a file of this size"));
}

static void
test_store (void)
{
  PtStore store;
  guint8 *bytes;

  pt_store_init (&store, 1000);
  bytes = pt_store_alloc (&store, 3, 1);
  g_assert_cmpuint (GPOINTER_TO_SIZE (bytes) % 16, ==, 0);
  g_assert_cmpuint (bytes[0] | bytes[1] | bytes[2], ==, 0);
  g_assert_true (pt_store_alloc (&store, 0, 1) != NULL);
  g_assert_null (pt_store_alloc (&store, G_MAXSIZE, 2));
  g_assert_null (pt_store_alloc (&store, G_MAXSIZE, 1));
  g_assert_null (pt_store_alloc (&store, 2 << 20, 1));
  g_assert_true (pt_store_charge (&store, 1 << 20, 1));
  g_assert_false (pt_store_charge (&store, 1 << 20, 1));
  pt_store_clear (&store);
}

static void
test_keys (void)
{
  PtKey keys[] = {
    { "weight", 6, "1" }, { "bias", 4, "2" }, { "a\0b", 3, "3" },
    { "a\0c", 3, "4" },   { "", 0, "5" },
  };
  g_autofree char *shown = NULL;

  g_assert_null (pt_keys_sort (keys, G_N_ELEMENTS (keys)));
  g_assert_cmpstr (pt_keys_find (keys, 5, "weight", 6), ==, "1");
  g_assert_cmpstr (pt_keys_find (keys, 5, "a\0c", 3), ==, "4");
  g_assert_cmpstr (pt_keys_find (keys, 5, "", 0), ==, "5");
  g_assert_null (pt_keys_find (keys, 5, "weigh", 5));
  g_assert_null (pt_keys_find (NULL, 0, "weight", 6));
  keys[0] = keys[1];
  g_assert_nonnull (pt_keys_sort (keys, G_N_ELEMENTS (keys)));
  shown = pt_key_display ("a\xff"
                          "b",
                          3);
  g_assert_true (g_utf8_validate (shown, -1, NULL));
}

static void
test_dtypes (void)
{
  for (int i = 0; i < PT_N_DTYPES; i++) {
    g_assert_cmpuint (pt_dtype_size (i), >, 0);
    g_assert_cmpint (pt_dtype_from_name (pt_dtype_name (i)), ==, i);
  }
  g_assert_cmpuint (pt_dtype_size (PT_DTYPE_BF16), ==, 2);
  g_assert_cmpuint (pt_dtype_size (PT_DTYPE_U64), ==, 8);
  g_assert_cmpuint (pt_dtype_size (30), ==, 0);
  g_assert_cmpuint (pt_dtype_size (-1), ==, 0);
  g_assert_null (pt_dtype_name (30));
  g_assert_cmpint (pt_dtype_from_name ("float12"), ==, -1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/sizes/many-methods", test_many_methods);
  g_test_add_func ("/program/sizes/one-name", test_one_name);
  g_test_add_func ("/program/sizes/shared-arguments", test_shared_arguments);
  g_test_add_func ("/program/sizes/store", test_store);
  g_test_add_func ("/program/sizes/keys", test_keys);
  g_test_add_func ("/program/sizes/dtypes", test_dtypes);
  return g_test_run ();
}
