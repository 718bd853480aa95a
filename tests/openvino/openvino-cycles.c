/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * openvino-cycles PROGRAM...: each program is loaded, called and freed 200 times, and the memory of
 * the process stays as it is after the first 50. PTERIS_OPENVINO names the library. In TAP.
 */

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pteris/trust.h>

#include "engine/init.h"
#include "engine/runtime/module.h"

#define CYCLES 200
#define WARM 50
/* What allocators keep, not what leaks: a compiled model of the smallest program takes 1 MB. */
#define MAX_GROWTH (4.0 * (1 << 20))

static double
resident_bytes (void)
{
  g_autofree char *text = NULL;
  guint64 pages = 0;

  if (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL)) {
    char *second;

    g_ascii_strtoull (text, &second, 10);
    pages = g_ascii_strtoull (second, NULL, 10);
  }
  return (double) pages * (double) sysconf (_SC_PAGESIZE);
}

/* Zeros for all inputs, in memory that the caller frees after the call. */
static GPtrArray *
set_inputs (PtMethod *method)
{
  GPtrArray *memory = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < pt_method_n_inputs (method); i++) {
    const PtTensorSpec *spec = pt_method_input_spec (method, i)->as_tensor;
    gint64 sizes[PT_MAX_RANK];
    PtTensor tensor;

    for (guint k = 0; k < spec->rank; k++)
      sizes[k] = spec->sizes[k];
    g_ptr_array_add (memory, g_malloc0 (spec->nbytes + 1));
    pt_tensor_init (&tensor, spec->dtype, spec->rank, sizes, NULL, memory->pdata[memory->len - 1],
                    NULL);
    tensor.capacity = spec->nbytes;
    pt_method_set_input_tensor (method, i, &tensor, NULL);
  }
  return memory;
}

static gboolean
cycle (const char *path, GError **error)
{
  const PtMethodOptions options = { .trust = PT_TRUST_AS_READ };
  g_autoptr (PtModule) module = pt_module_open (path, NULL, &options, error);
  PtMethod *method = module != NULL ? pt_module_method (module, "forward", error) : NULL;
  g_autoptr (GPtrArray) memory = method != NULL ? set_inputs (method) : NULL;

  return method != NULL && pt_method_execute (method, NULL, error);
}

static gboolean
run (const char *path, guint number)
{
  g_autoptr (GError) error = NULL;
  double warm = 0, last;

  for (guint i = 0; i < CYCLES; i++) {
    if (!cycle (path, &error)) {
      g_print ("not ok %u - %s: %s\n", number, path, error->message);
      return FALSE;
    }
    if (i + 1 == WARM)
      warm = resident_bytes ();
  }
  last = resident_bytes ();
  g_print ("# %s: %.1f MB after %d cycles, %.1f MB after %d\n", path, warm / 1e6, WARM, last / 1e6,
           CYCLES);
  g_print ("%s %u - %s\n", last - warm < MAX_GROWTH ? "ok" : "not ok", number, path);
  return last - warm < MAX_GROWTH;
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *own = g_build_filename (folder, "pteris", NULL);
  static const char *const NAMES[] = { "trusted", "trusted.lock" };
  gboolean good = TRUE;

  g_setenv ("PTERIS_HOST", "1", TRUE);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  pt_init ();
  g_print ("1..%d\n", argc - 1);
  for (int i = 1; i < argc; i++)
    good &= run (argv[i], (guint) i);
  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = g_build_filename (own, NAMES[i], NULL);

    unlink (path);
  }
  rmdir (own);
  rmdir (folder);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
