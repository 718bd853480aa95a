/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/i18n.h"

#include <libintl.h>
#include <locale.h>

/* Translations in a folder relative to the program, else in the folder of the installation. */
static char *
find_translations (void)
{
  const char *set = g_getenv ("PTERIS_LOCALE_DIR");
  g_autofree char *program = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *beside = NULL;

  if (set != NULL)
    return g_strdup (set);
#ifdef G_OS_WIN32
  folder = g_win32_get_package_installation_directory_of_module (NULL);
  beside = g_build_filename (folder, "share", "locale", NULL);
#else
  program = g_file_read_link ("/proc/self/exe", NULL);
  folder = program != NULL ? g_path_get_dirname (program) : NULL;
  if (folder != NULL)
    beside = g_build_filename (folder, "..", "share", "locale", NULL);
#endif
  if (beside != NULL && g_file_test (beside, G_FILE_TEST_IS_DIR))
    return g_steal_pointer (&beside);
  return g_strdup (PTERIS_LOCALE_DIR);
}

void
pteris_i18n_init (void)
{
  g_autofree char *folder = find_translations ();

  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

void
pteris_i18n_use_local_numbers (void)
{
#ifdef G_OS_WIN32
  _configthreadlocale (_ENABLE_PER_THREAD_LOCALE);
  setlocale (LC_NUMERIC, "");
#else
  locale_t base = duplocale (LC_GLOBAL_LOCALE);
  locale_t local = newlocale (LC_NUMERIC_MASK, "", base);

  if (local != (locale_t) 0)
    uselocale (local);
  else
    freelocale (base);
#endif
}
