/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#ifdef _WIN32
#include <windows.h>

#include <psapi.h>
#endif

#include <glib/gstdio.h>
#include <jansson.h>

#include "case-files.h"
#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shim-tensor.h"
#include "engine/init.h"
#include "tests/run-json.h"
#include "tests/fakes/emulate.h"
#include "tests/fakes/fake-cuda.h"

/*
 * cuda-cases: drive the real libraries of CUDA programs without a GPU, and print TAP.
 *
 * PTERIS_CUDA_CASES names folders, as PATH does, below which every case.json is taken. The stand-in
 * for the driver moves bytes; our own kernels are emulated (on Windows they do nothing either),
 * those of the libraries do nothing. So numbers mean nothing, but everything else is as on a GPU:
 * loading, weights, calls, shapes, types, graphs, memory. Each case is run as it says, then every
 * step of it again and again, and then with each request for memory of the GPU refused in turn;
 * nothing may be left behind.
 *
 * A case that this system cannot load, because its library was made on a newer one or for another
 * one, is skipped.
 */

#define N_REPEATS 8
#define MOST_ALLOCATIONS 200

static const FakeCuda *fake;

/* ---- the stand-ins ---- */

#ifdef EMULATED

static void
emulate_ours (const FakeLaunch *launch, void **arguments, gpointer user_data)
{
  PtCudaContext *context = pt_cuda_context_find (0);

  if (!g_str_has_prefix (launch->name, "pt_") || context->is_capturing)
    return;
  context->cu->cuStreamSynchronize (context->stream);
  pt_emulate_launch (fake, launch, arguments[0]);
}

#endif

static void
start (void)
{
  fake->reset ();
#ifdef EMULATED
  fake->set_launch_hook (emulate_ours, NULL);
#endif
}

/* Whether a model's library is still on disk. */
#ifdef G_OS_WIN32
static gboolean
has_library (void)
{
  HMODULE modules[512];
  wchar_t path[1024];
  DWORD size = 0;

  g_assert_true (EnumProcessModules (GetCurrentProcess (), modules, sizeof modules, &size));
  for (guint i = 0; i < MIN (size, sizeof modules) / sizeof *modules; i++)
    if (GetModuleFileNameW (modules[i], path, G_N_ELEMENTS (path)) > 0 &&
        wcsstr (path, L"pteris-native-") != NULL)
      return TRUE;
  return FALSE;
}
#else
static gboolean
has_library (void)
{
  g_autofree char *maps = NULL;

  return g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL) &&
         strstr (maps, "/memfd:pteris") != NULL;
}
#endif

/* Describes the resources that a run did not free; NULL: none. */
static char *
find_leak (void)
{
  FakeCounts counts;

  if (has_library ())
    return g_strdup ("a model's library is still mapped");
  fake->counts (&counts);
  if (counts.contexts + counts.allocations + counts.host_allocations + counts.modules +
          counts.graphs + counts.events + counts.streams + counts.leaked +
          pt_shim_tensor_count () ==
      0)
    return NULL;
  return g_strdup_printf (
      "%u contexts, %u pieces of memory, %u on the host, %u modules, %u graphs, "
      "%u events, %u streams, %u tensors are left, %u went with their context",
      counts.contexts, counts.allocations, counts.host_allocations, counts.modules, counts.graphs,
      counts.events, counts.streams, pt_shim_tensor_count (), counts.leaked);
}

/* ---- one case ---- */

typedef struct {
  const char *path;
  char *folder;
  json_t *root;
  guint64 n_replays;
  char *why; /* it failed */
  char *skipped;
} Case;

static gboolean
fail (Case *c, char *why)
{
  c->why = why;
  return FALSE;
}

/* Whether the library was made for another system. */
static gboolean
is_elsewhere (const GError *error)
{
  return g_error_matches (error, PT_ERROR, PT_ERROR_UNSUPPORTED) &&
         (strstr (error->message, "too old for this model") != NULL ||
          strstr (error->message, "The model was exported for") != NULL);
}

/* Shapes and types must be as expected, whatever the numbers are. */
static gboolean
check_report (Case *c, const char *text)
{
  g_autoptr (GString) why = g_string_new (NULL);
  json_t *report = json_loads (text, 0, NULL), *step, *output;
  size_t s, i;

  json_array_foreach (json_object_get (report, "steps"), s, step) {
    json_array_foreach (json_object_get (step, "outputs"), i, output) {
      const char *reason = json_string_value (json_object_get (output, "why"));

      if (reason != NULL && g_str_has_prefix (reason, "it is ") &&
          !g_str_has_prefix (reason, "it is not in the range"))
        g_string_append_printf (why, "step %u, output %u: %s; ", (guint) s, (guint) i, reason);
    }
  }
  json_decref (report);
  return why->len == 0 || fail (c, g_strdup (why->str));
}

static gboolean
run_as_it_says (Case *c)
{
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  char *leak;

  job.run.steps = c->path;
  job.model.trust = PT_TRUST_AS_READ;
  start ();
  text = run_to_json (&job, &error);
  if (text == NULL && is_elsewhere (error)) {
    c->skipped = g_strdup (error->message);
    return FALSE;
  }
  if (json_array_size (json_object_get (c->root, "steps")) == 0) {
    c->skipped = g_strdup ("nothing is run");
    return FALSE;
  }
  if (text == NULL)
    return fail (c, g_strdup (error->message));
  leak = find_leak ();
  if (leak != NULL)
    return fail (c, leak);
  return check_report (c, text);
}

/* ---- its steps, again and again ---- */

static char *
shape_text (json_t *shape)
{
  g_autoptr (GString) text = g_string_new (NULL);
  json_t *size;
  size_t i;

  json_array_foreach (shape, i, size)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "", (int) json_integer_value (size));
  return g_strdup (text->str);
}

/* The program of the case, and paths below its folder. */
static char *
member_path (const Case *c, json_t *name)
{
  return g_build_filename (c->folder, json_string_value (name), NULL);
}

static char *
run_step (Case *c, json_t *step, GError **error)
{
  g_autofree char *model = member_path (c, json_object_get (c->root, "program"));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) shapes = g_ptr_array_new_with_free_func (g_free);
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);
  json_t *input;
  size_t i;

  json_array_foreach (json_object_get (step, "inputs"), i, input) {
    g_ptr_array_add (inputs, member_path (c, json_object_get (input, "file")));
    g_ptr_array_add (shapes, shape_text (json_object_get (input, "shape")));
  }
  g_ptr_array_add (inputs, NULL);
  g_ptr_array_add (shapes, NULL);
  job.model.path = model;
  job.model.method = json_string_value (json_object_get (step, "method"));
  job.run.inputs = (const char *const *) inputs->pdata;
  job.run.shapes = (const char *const *) shapes->pdata;
  job.run.repeat = N_REPEATS;
  job.model.trust = PT_TRUST_AS_READ;
  return run_to_json (&job, error);
}

static gboolean
run_again (Case *c)
{
  json_t *step;
  size_t i;

  json_array_foreach (json_object_get (c->root, "steps"), i, step) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    char *leak;

    start ();
    text = run_step (c, step, &error);
    if (text == NULL)
      return fail (c, g_strdup (error->message));
    c->n_replays += fake->n_calls ("cuGraphLaunch");
    leak = find_leak ();
    if (leak != NULL)
      return fail (c, leak);
  }
  return TRUE;
}

/* ---- refused memory ---- */

static gboolean
run_short_of_memory (Case *c)
{
  json_t *step = json_array_get (json_object_get (c->root, "steps"), 0);

  for (guint n = 1; n < MOST_ALLOCATIONS; n++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *text = NULL;
    char *leak;

    start ();
    fake->fail ("cuMemAlloc", n, 2);
    text = run_step (c, step, &error);
    if (text == NULL && !g_error_matches (error, PT_ERROR, PT_ERROR_MEMORY))
      return fail (c, g_strdup_printf ("without memory: %s", error->message));
    leak = find_leak ();
    if (leak != NULL)
      return fail (c, leak);
    if (fake->n_calls ("cuMemAlloc") < n)
      return TRUE;
  }
  return fail (c, g_strdup ("it asks for memory without end"));
}

static gboolean
run_case (const char *path, guint number)
{
  Case c = { .path = path, .folder = g_path_get_dirname (path) };
  g_autofree char *name = g_path_get_basename (c.folder);
  gboolean ok;

  c.root = json_load_file (path, 0, NULL);
  ok = run_as_it_says (&c) && run_again (&c) && run_short_of_memory (&c);
  if (c.skipped != NULL)
    g_print ("ok %u - %s # SKIP %s\n", number, name, c.skipped);
  else
    g_print ("%s %u - %s: %u replays\n", ok ? "ok" : "not ok", number, name, (guint) c.n_replays);
  if (c.why != NULL)
    g_print ("# %s\n", c.why);
  ok |= c.skipped != NULL;
  json_decref (c.root);
  g_free (c.folder);
  g_free (c.why);
  g_free (c.skipped);
  return ok;
}

/* ---- all ---- */

static gboolean
run_all (const GPtrArray *cases)
{
  gboolean ok = TRUE;

  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  pt_cuda_kernels_use_image ("// kernels are emulated");
  pt_init ();
  g_print ("1..%u\n", cases->len);
  for (guint i = 0; i < cases->len; i++)
    ok &= run_case (g_ptr_array_index (cases, i), i + 1);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) cases = case_files_find (argc - 1, argv + 1);
  g_autofree char *home = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *data = g_build_filename (home, "pteris", NULL);
  g_autofree char *trusted = g_build_filename (data, "trusted", NULL);
  gboolean ok;

  if (cases->len == 0) {
    g_rmdir (home);
    g_print ("1..0 # SKIP no cases\n");
    return 0;
  }
  g_setenv ("XDG_DATA_HOME", home, TRUE); /* where consent is remembered */
  ok = run_all (cases);
  g_remove (trusted);
  g_rmdir (data);
  g_rmdir (home);
  return ok ? 0 : 1;
}
