/* SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <pteris/engine.h>

#include "app/cli.h"
#include "app/console.h"
#include "app/portable.h"
#include "engine/base/long-paths.h"

#ifdef PTERIS_HAVE_WINDOW
#include "ui/window/about.h"
#include "ui/window/application.h"
#ifdef PTERIS_HAVE_SERVER
#include "server/server.h"
#include "ui/sharing/sharing.h"
#endif
#endif

const PterisCommand pteris_commands[] = {
  { "chat", "MODEL", "chat with a model", pteris_chat_command },
  { "transcribe", "MODEL AUDIO…", "transcribe speech to text", pteris_transcribe_command },
  { "classify", "MODEL IMAGE…", "classify images", pteris_classify_command },
  { "embed", "MODEL TEXT…", "make vectors of texts, and compare texts", pteris_embed_command },
  { "privacy", "MODEL TEXT", "find names and secrets in a text", pteris_privacy_command },
  { "look", "MODEL IMAGE…", "find what is in images", pteris_look_command },
  { "speak", "MODEL TEXT", "read a text aloud", pteris_speak_command },
  { "run", "MODEL", "run a method with tensors from files", pteris_run_command },
  { "inspect", "MODEL", "show a model's contents and what it needs to run here",
    pteris_inspect_command },
  { "bench", "MODEL", "measure a model's speed", pteris_bench_command },
  { "serve", "[MODEL…]", "let other programs use the models (OpenAI's and Ollama's interfaces)",
    pteris_serve_command },
  { "stats", "", "show GPU, CPU and memory use", pteris_stats_command },
  { "get", "REPO[:VARIANT]", "download a published model", pteris_get_command },
  { "models", "", "list the models of the library", pteris_models_command },
  { "remove", "NAME", "delete a model of the library", pteris_remove_command },
  { "update", "", "check whether there is a newer version", pteris_update_command },
  { NULL },
};

static int
show_help (void)
{
  pteris_put ("Usage:\n  pteris [FILE…]                    open the window\n");
  for (const PterisCommand *c = pteris_commands; c->name != NULL; c++) {
    g_autofree char *usage = g_strconcat (c->name, " ", c->arguments, NULL);

    pteris_putf ("  pteris %s%*s%s\n", usage, (int) (27 - g_utf8_strlen (usage, -1)), "",
                 c->summary);
  }
  pteris_put (
      "\n"
      "MODEL is a model file (.pte), its folder, or the name of a model in the library.\n"
      "“pteris COMMAND --help” shows the options of a command, “pteris --version” the versions.\n"
      "Options of the window: --safe-graphics (draw without the GPU), --quit (close the open "
      "window).\n");
  return PTERIS_EXIT_DONE;
}

static int
show_version (void)
{
#ifdef PTERIS_HAVE_WINDOW
  g_autofree char *versions = pteris_about_versions ();

  pteris_put (versions);
#else
  g_autofree char *versions = pt_engine_versions ();

  pteris_putf ("Pteris %s\n%s\n", PTERIS_VERSION, versions);
#endif
  return PTERIS_EXIT_DONE;
}

static int
open_window (int argc, char **argv)
{
#ifdef PTERIS_HAVE_WINDOW
#ifdef PTERIS_HAVE_SERVER
  pteris_sharing_use (&pteris_server_functions);
#endif
  return pteris_application_main (argc, argv);
#else
  pteris_complain ("Pteris was built without its window. “pteris --help” lists the commands.");
  return PTERIS_EXIT_FAILED;
#endif
}

static int
dispatch (int argc, char **argv)
{
  if (argc < 2)
    return open_window (argc, argv);
  for (const PterisCommand *c = pteris_commands; c->name != NULL; c++)
    if (strcmp (argv[1], c->name) == 0)
      return c->run (argc - 1, argv + 1);
  if (strcmp (argv[1], "--complete") == 0)
    return pteris_complete_command (argc - 1, argv + 1);
  if (strcmp (argv[1], "--help") == 0 || strcmp (argv[1], "-h") == 0)
    return show_help ();
  if (strcmp (argv[1], "--version") == 0)
    return show_version ();
  if (argv[1][0] != '-' && !g_file_test (argv[1], G_FILE_TEST_EXISTS) &&
      strpbrk (argv[1], "./\\:") == NULL) {
    pteris_complain ("“%s” is not a command. “pteris --help” lists the commands.", argv[1]);
    return PTERIS_EXIT_USAGE;
  }
  return open_window (argc, argv);
}

/* A full disk is often noticed only by the last write. */
static int
check_output (int status)
{
  if (fflush (stdout) == 0 && !ferror (stdout))
    return status;
  pteris_complain ("The output could not be written. Check the disk's free space.");
  return status != PTERIS_EXIT_DONE ? status : PTERIS_EXIT_FAILED;
}

int
main (int argc, char **argv)
{
  int status;
#ifdef G_OS_WIN32
  /* The C library's arguments are in the code page; these are UTF-8. */
  g_auto (GStrv) wide = g_win32_get_command_line ();

  argv = wide;
  argc = (int) g_strv_length (wide);
  pt_long_paths_allow ();
  pteris_portable_init ();
  pteris_console_init ();
#endif
  status = pt_engine_host_main (argc, argv);
  if (status >= 0)
    return status;
  setlocale (LC_CTYPE, "");
  return check_output (dispatch (argc, argv));
}
