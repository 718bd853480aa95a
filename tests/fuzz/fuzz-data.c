/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/data-file.h"
#include "tests/fuzz/fuzz.h"

/* Opening a data file. */

static void
touch_entry (const PtDataEntry *entry)
{
  fuzz_touch (entry->key, entry->key_length);
  fuzz_touch (entry->data, entry->size);
  if (entry->has_layout) {
    fuzz_touch (entry->sizes, entry->rank * sizeof *entry->sizes);
    fuzz_touch (entry->dim_order, entry->rank);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtDataFile) file = NULL;
  GError *error = NULL;

  file = pt_data_file_new (bytes, "fuzz.ptd", &error);
  if (file == NULL)
    fuzz_check_error (error);
  else
    for (guint i = 0; i < pt_data_file_n_entries (file); i++)
      touch_entry (pt_data_file_entry (file, i));
  return 0;
}
