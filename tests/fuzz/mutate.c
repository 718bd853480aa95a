/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include <string.h>

/*
 * Random damage hardly ever leaves a program that opens, so a plain fuzzer would never get to what
 * comes behind. This changes words and looks whether the program still opens.
 */

#define ATTEMPTS 12

size_t LLVMFuzzerMutate (guint8 *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator (guint8 *data, size_t size, size_t max_size, unsigned int seed);

typedef struct {
  gsize begin, size;
} Region;

/* The payload of one of the delegates, or everything. */
static Region
choose_region (GRand *rand, const guint8 *data, gsize size)
{
  Region all = { 0, size };
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtProgram) program = pt_program_new (bytes, "mutant.pte", NULL);
  const guint8 *base = g_bytes_get_data (bytes, NULL);
  const PtPlan *plan;
  const PtDelegateSpec *delegate;

  if (program == NULL || g_rand_int_range (rand, 0, 3) == 0)
    return all;
  plan = pt_program_plan (
      program, (guint) g_rand_int_range (rand, 0, (gint32) pt_program_n_plans (program)));
  if (plan->n_delegates == 0)
    return all;
  delegate = &plan->delegates[g_rand_int_range (rand, 0, (gint32) plan->n_delegates)];
  if (delegate->payload_size < 8)
    return all;
  return (Region){ (gsize) (delegate->payload - base), delegate->payload_size };
}

static guint32
choose_word (GRand *rand, guint32 old, const guint8 *data, gsize size)
{
  static const guint32 favourites[] = { 0,      1,          2,          3,          4,
                                        16,     0xff,       0x10000,    0x7fffffff, 0x80000000,
                                        0xffff, 0xffffffff, 0xfffffffe, 0x40000000, 0x3f800000,
                                        17,     0x7fc00000, 0x7f800000, 0x00ffffff, 64 };
  guint32 other;

  switch (g_rand_int_range (rand, 0, 5)) {
  case 0: return favourites[g_rand_int_range (rand, 0, G_N_ELEMENTS (favourites))];
  case 1: return old + (guint32) g_rand_int_range (rand, -8, 9);
  case 2: return old ^ (1u << g_rand_int_range (rand, 0, 32));
  case 3: return (guint32) g_rand_int_range (rand, 0, 40);
  default:
    memcpy (&other, data + (gsize) g_rand_int_range (rand, 0, (gint32) (size / 4)) * 4,
            sizeof other);
    return other;
  }
}

static void
change (GRand *rand, guint8 *data, gsize size, Region region)
{
  gsize at = region.begin + (gsize) g_rand_int_range (rand, 0, (gint32) region.size);
  guint32 word;

  if (g_rand_int_range (rand, 0, 4) == 0) {
    data[at] = (guint8) choose_word (rand, data[at], data, size);
    return;
  }
  at = MIN (at & ~(gsize) 3, size - 4);
  memcpy (&word, data + at, sizeof word);
  word = choose_word (rand, word, data, size);
  memcpy (data + at, &word, sizeof word);
}

static gboolean
opens (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtProgram) program = pt_program_new (bytes, "mutant.pte", NULL);

  return program != NULL;
}

size_t
LLVMFuzzerCustomMutator (guint8 *data, size_t size, size_t max_size, unsigned int seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  g_autofree guint8 *original = g_memdup2 (data, size);
  Region region;

  if (size < 64 || g_rand_int_range (rand, 0, 16) == 0)
    return LLVMFuzzerMutate (data, size, max_size);
  region = choose_region (rand, data, size);
  for (guint i = 0; i < ATTEMPTS; i++) {
    gint32 n = g_rand_int_range (rand, 1, 5);

    memcpy (data, original, size);
    while (n-- > 0)
      change (rand, data, size, region);
    if (opens (data, size))
      break;
  }
  return size;
}
