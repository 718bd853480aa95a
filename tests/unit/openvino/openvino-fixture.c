/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/openvino/openvino-fixture.h"

#include <string.h>
#include <gmodule.h>
#include <pteris/trust.h>

#include <glib/gstdio.h>

static char *folder;

void
openvino_begin (const char *library)
{
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("PTERIS_HOST", "1", TRUE);
  g_setenv ("PTERIS_OPENVINO", library, TRUE);
}

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *below = g_build_filename (path, name, NULL);

    remove_all (below);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

void
openvino_end (void)
{
  remove_all (folder);
  g_clear_pointer (&folder, g_free);
}

PtProgram *
openvino_program (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "openvino", name, "model.pte", NULL);
  g_autoptr (GError) error = NULL;
  PtProgram *program = pt_program_open (path, &error);

  g_assert_no_error (error);
  return program;
}

PtDelegateContext
openvino_context (const PtProgram *program)
{
  return (PtDelegateContext){ .program = program,
                              .spec = &pt_program_plan (program, 0)->delegates[0],
                              .method = "forward",
                              .pool = pt_pool_default (),
                              .trust = PT_TRUST_AS_READ,
                              .scope = program };
}

/* The symbol of the stand-in, which is loaded already, or now. */
static gpointer
symbol (const char *name)
{
  static GModule *module;
  gpointer address = NULL;

  if (module == NULL)
    module = g_module_open (g_getenv ("PTERIS_OPENVINO"), G_MODULE_BIND_LOCAL);
  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, name, &address));
  return address;
}

const char *
openvino_calls (void)
{
  FakeOpenvinoCalls get;
  gpointer address = symbol ("fake_openvino_calls");

  memcpy (&get, &address, sizeof get);
  return get ();
}

int
openvino_alive (void)
{
  FakeOpenvinoAlive get;
  gpointer address = symbol ("fake_openvino_alive");

  memcpy (&get, &address, sizeof get);
  return get ();
}

void
openvino_refuse (const PtDelegateContext *context, PtError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtOpenvinoModel) model = pt_openvino_model_new (context, &error);

  g_assert_null (model);
  g_assert_error (error, PT_ERROR, (int) code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in: %s", words, error->message);
}
