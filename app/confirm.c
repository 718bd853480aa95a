/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/confirm.h"

#include <stdio.h>

#include "engine/base/clean.h"

gboolean
pteris_can_ask (void)
{
  return pteris_is_terminal (0) && pteris_is_terminal (2);
}

int
pteris_confirm (const char *question, gboolean by_default)
{
  g_autofree char *text = pt_clean_text (question, NULL, ' ');
  g_autofree char *answer = NULL;
  int status;

  fprintf (stderr, "%s %s ", text, by_default ? "[Y/n]" : "[y/N]");
  fflush (stderr);
  answer = pteris_cli_read_line (&status);
  if (status != PTERIS_EXIT_DONE)
    return status;
  if (answer == NULL)
    return PTERIS_EXIT_FAILED;
  g_strstrip (answer);
  if (*answer == '\0')
    return by_default ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
  return g_ascii_tolower (*answer) == 'y' ? PTERIS_EXIT_DONE : PTERIS_EXIT_FAILED;
}
