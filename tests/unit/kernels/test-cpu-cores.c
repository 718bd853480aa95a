/* SPDX-License-Identifier: BSD-3-Clause */

/* Cores are counted from copies of what Linux and Windows say about CPUs. */

#include "engine/kernels/cpu-cores.h"

#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "tests/unit/remove-folder.h"

#ifdef G_OS_WIN32
#include <windows.h>
#endif

#define MAX_CPUS 32

/* ---- files of Linux ---- */

typedef struct {
  const char *name;
  const char *files[3 * MAX_CPUS]; /* path, text, path, text, …, NULL */
  const char *siblings;            /* with two hardware threads a core: of the first thread, then of
                                      the next, …, separated by spaces; or NULL: cores have one */
  const char *allowed;             /* "1" or "0" for each hardware thread */
  guint n_physical, n_fast;
} Machine;

#define CAPACITY(n) "devices/system/cpu/cpu" #n "/cpu_capacity"

static const Machine MACHINES[] = {
  { .name = "alike", .allowed = "1111", .n_physical = 4, .n_fast = 4 },
  { .name = "two threads a core",
    .siblings = "0-1 0-1 2-3 2-3",
    .allowed = "1111",
    .n_physical = 2,
    .n_fast = 2 },
  { .name = "two threads a core, far apart",
    .siblings = "0,2 1,3 0,2 1,3",
    .allowed = "1111",
    .n_physical = 2,
    .n_fast = 2 },
  { .name = "affinity to half of two cores",
    .siblings = "0,2 1,3 0,2 1,3",
    .allowed = "0011",
    .n_physical = 2,
    .n_fast = 2 },
  { .name = "Intel with two fast cores of two threads and four others",
    .files = { "devices/cpu_core/cpus", "0-3\n", "devices/cpu_atom/cpus", "4-7\n" },
    .siblings = "0-1 0-1 2-3 2-3 4 5 6 7",
    .allowed = "11111111",
    .n_physical = 6,
    .n_fast = 2 },
  { .name = "affinity to slow ones only",
    .files = { "devices/cpu_core/cpus", "0-3\n", "devices/cpu_atom/cpus", "4-7\n" },
    .siblings = "0-1 0-1 2-3 2-3 4 5 6 7",
    .allowed = "00001111",
    .n_physical = 4,
    .n_fast = 4 },
  { .name = "ARM with one best, three middle and four small ones",
    .files = { CAPACITY (0), "290\n", CAPACITY (1), "290\n", CAPACITY (2), "290\n", CAPACITY (3),
               "290\n", CAPACITY (4), "744\n", CAPACITY (5), "744\n", CAPACITY (6), "744\n",
               CAPACITY (7), "1024\n" },
    .allowed = "11111111",
    .n_physical = 8,
    .n_fast = 4 },
  { .name = "affinity to small ones of ARM",
    .files = { CAPACITY (0), "290\n", CAPACITY (1), "290\n", CAPACITY (2), "1024\n" },
    .allowed = "110",
    .n_physical = 2,
    .n_fast = 2 },
  { .name = "nonsense",
    .files = { "devices/cpu_core/cpus", "99999999999999999999-,x", CAPACITY (1), "-1" },
    .siblings = "999999999999 -3 1-",
    .allowed = "111",
    .n_physical = 2,
    .n_fast = 2 },
  { .name = "nothing allowed", .allowed = "000" },
};

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static void
write_machine (const char *folder, const Machine *machine)
{
  g_auto (GStrv) siblings =
      g_strsplit (machine->siblings != NULL ? machine->siblings : "", " ", -1);

  for (guint i = 0; machine->files[i] != NULL; i += 2)
    write_file (folder, machine->files[i], machine->files[i + 1]);
  for (guint i = 0; siblings[i] != NULL; i++) {
    g_autofree char *name =
        g_strdup_printf ("devices/system/cpu/cpu%u/topology/thread_siblings_list", i);

    write_file (folder, name, siblings[i]);
  }
}

static void
test_files (gconstpointer data)
{
  const Machine *machine = data;
  g_autofree char *folder = g_dir_make_tmp ("pteris-cores-XXXXXX", NULL);
  gboolean allowed[MAX_CPUS];
  guint n = (guint) strlen (machine->allowed);
  PtCpuCores cores;

  for (guint i = 0; i < n; i++)
    allowed[i] = machine->allowed[i] == '1';
  write_machine (folder, machine);
  cores = pt_cpu_cores_from_files (folder, allowed, n);
  g_assert_cmpuint (cores.n_physical, ==, machine->n_physical);
  g_assert_cmpuint (cores.n_fast, ==, machine->n_fast);
  remove_folder (folder);
}

/* ---- records of Windows ---- */

#ifdef G_OS_WIN32

typedef SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX Record;

static Record
make_core (guint8 class, guint64 mask)
{
  Record record;

  memset (&record, 0, sizeof record);
  record.Relationship = RelationProcessorCore;
  record.Size = sizeof record;
  ((guint8 *) &record.Processor)[1] = class;
  record.Processor.GroupCount = 1;
  record.Processor.GroupMask[0].Mask = (KAFFINITY) mask;
  return record;
}

static void
check_records (const Record *records, gsize size, guint64 allowed, guint n_physical, guint n_fast)
{
  PtCpuCores cores = pt_cpu_cores_from_records (records, size, allowed);

  g_assert_cmpuint (cores.n_physical, ==, n_physical);
  g_assert_cmpuint (cores.n_fast, ==, n_fast);
}

static void
test_records (void)
{
  const Record alike[] = { make_core (0, 1), make_core (0, 2) };
  Record kinds[] = { make_core (1, 3), make_core (1, 12), make_core (0, 16), make_core (0, 32),
                     make_core (0, 64) };

  check_records (alike, sizeof alike, G_MAXUINT64, 2, 2);
  check_records (alike, sizeof alike, 2, 1, 1);
  check_records (kinds, sizeof kinds, G_MAXUINT64, 5, 2);
  check_records (kinds, sizeof kinds, 16 + 32, 2, 2);
  check_records (kinds, sizeof kinds - 1, G_MAXUINT64, 4, 2);
  check_records (kinds, 0, G_MAXUINT64, 0, 0);
  kinds[1].Size = 0;
  check_records (kinds, sizeof kinds, G_MAXUINT64, 1, 1);
  kinds[1].Size = G_MAXUINT32;
  check_records (kinds, sizeof kinds, G_MAXUINT64, 1, 1);
}

#endif

static void
test_here (void)
{
  PtCpuCores cores = pt_cpu_cores ();

  g_test_message ("%u cores, %u fast", cores.n_physical, cores.n_fast);
  g_assert_cmpuint (cores.n_fast, >=, 1);
  g_assert_cmpuint (cores.n_fast, <=, cores.n_physical);
  g_assert_cmpuint (cores.n_physical, <=, g_get_num_processors ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (MACHINES); i++) {
    g_autofree char *path = g_strdelimit (g_strdup (MACHINES[i].name), " ,", '-');
    g_autofree char *name = g_strconcat ("/cpu-cores/files/", path, NULL);

    g_test_add_data_func (name, &MACHINES[i], test_files);
  }
#ifdef G_OS_WIN32
  g_test_add_func ("/cpu-cores/records", test_records);
#endif
  g_test_add_func ("/cpu-cores/here", test_here);
  return g_test_run ();
}
