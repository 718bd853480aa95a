/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/diagnostics.h"

#include <adwaita.h>
#include <glib/gstdio.h>

#ifndef G_OS_WIN32
#include <sys/utsname.h>
#endif

#include "engine/base/native-machine.h"
#include "ui/i18n.h"

static void
diagnose_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, pt_diagnose (), (GDestroyNotify) pt_diagnosis_free);
}

void
pteris_diagnose_async (GObject *source, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (source, NULL, callback, user_data);

  g_task_set_source_tag (task, pteris_diagnose_async);
  g_task_run_in_thread (task, diagnose_in_thread);
}

PtDiagnosis *
pteris_diagnose_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}

static void
add_system (GString *text)
{
  g_autofree char *name = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
#ifndef G_OS_WIN32
  struct utsname kernel;
#endif

  g_string_append_printf (text, "System: %s", name != NULL ? name : "unknown");
#ifndef G_OS_WIN32
  if (uname (&kernel) == 0)
    g_string_append_printf (text, ", %s %s %s", kernel.sysname, kernel.release, kernel.machine);
#endif
  g_string_append_c (text, '\n');
}

char *
pteris_diagnostics_text (const PtDiagnosis *diagnosis, GdkDisplay *display)
{
  GString *text = g_string_new (NULL);
  const char *renderer = g_getenv ("GSK_RENDERER");

  g_string_append_printf (text, "Pteris %s\n", PTERIS_VERSION);
  add_system (text);
  g_string_append_printf (
      text, "GTK %u.%u.%u, libadwaita %u.%u.%u, GLib %u.%u.%u, %s, GSK_RENDERER: %s\n",
      gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
      adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
      glib_major_version, glib_minor_version, glib_micro_version, G_OBJECT_TYPE_NAME (display),
      renderer != NULL ? renderer : "not set");
  g_string_append (text, diagnosis->report);
  return g_string_free (text, FALSE);
}

const char *
pteris_diagnostics_tell_emulation (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "pteris", NULL);
  g_autofree char *told = g_build_filename (folder, "told-emulation", NULL);

  if (!pt_native_machine_is_emulated () || g_file_test (told, G_FILE_TEST_EXISTS))
    return NULL;
  g_mkdir_with_parents (folder, 0700);
  /* Without the file it is said at the next start again. */
  g_file_set_contents_full (told, "", 0, G_FILE_SET_CONTENTS_NONE, 0600, NULL);
  return _ (
      "This computer has an ARM processor. Pteris is made for x64 processors and runs here in "
      "Windows' emulation, which is slower and was not tested.");
}
