/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program.h"
#include "tests/hostile/hostile.h"

#include <string.h>

/* Chat models whose metadata lies: every number that a constant method gives, changed. */

#define MODEL "chat/qwen3_xnnpack_8da4w"

/* Output @output of method @plan, when it is a number. */
static const gint64 *
number_of (const PtProgram *program, guint plan, guint output)
{
  const PtPlan *p = pt_program_plan (program, plan);
  const PtValueSpec *value = &p->values[p->outputs[output]];

  return value->kind == PT_VALUE_INT ? &value->as_int : NULL;
}

/* Where in the file that number is: changing it there changes it. 0: nowhere. */
static gsize
find_number (guint8 *file, gsize size, guint plan, guint output, gint64 number)
{
  static const gint64 mark = 0x5eed5eed5eed;

  for (gsize at = 0; at + 8 <= size; at += 4) {
    g_autoptr (PtProgram) program = NULL;
    g_autoptr (GBytes) bytes = NULL;
    const gint64 *now;

    if (memcmp (file + at, &number, 8) != 0)
      continue;
    memcpy (file + at, &mark, 8);
    bytes = g_bytes_new (file, size);
    program = pt_program_new (bytes, "lie.pte", NULL);
    memcpy (file + at, &number, 8);
    now = program != NULL ? number_of (program, plan, output) : NULL;
    if (now != NULL && *now == mark)
      return at;
  }
  return 0;
}

static void
lie (guint8 *file, gsize size, guint plan, guint output, gint64 truth)
{
  static const gint64 lies[] = {
    0, -1, 1, 2, 7, G_MAXINT32, (gint64) G_MAXUINT32 + 1, (gint64) 1 << 62, G_MAXINT64, G_MININT64,
  };
  g_autofree char *tokenizer = hostile_data_path (MODEL "/tokenizer.json");
  gsize at = find_number (file, size, plan, output, truth);

  for (guint i = 0; at > 0 && i < G_N_ELEMENTS (lies); i++) {
    PtJob load = PT_JOB_INIT (PT_JOB_LOAD);
    g_autofree char *model = NULL;

    memcpy (file + at, &lies[i], 8);
    model = hostile_file ("model.pte", file, size);
    memcpy (file + at, &truth, 8);
    load.model = model;
    load.tokenizer = tokenizer;
    hostile_chat (&load, NULL);
  }
  g_test_message ("the number at %" G_GSIZE_FORMAT, at);
}

static void
test_numbers (void)
{
  gsize size;
  g_autofree guint8 *file = hostile_data (MODEL "/model.pte", &size);
  g_autoptr (GBytes) bytes = g_bytes_new (file, size);
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", NULL);
  guint n = 0;

  for (guint p = 0; p < pt_program_n_plans (program); p++)
    for (guint o = 0; o < pt_program_plan (program, p)->n_outputs; o++) {
      const gint64 *number = number_of (program, p, o);

      if (number == NULL)
        continue;
      lie (file, size, p, o, *number);
      n++;
    }
  g_assert_cmpuint (n, >, 3);
  hostile_clean_up ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/metadata/numbers", test_numbers);
  return g_test_run ();
}
