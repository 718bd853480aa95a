/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib.h>

int
main (int argc, char **argv)
{
  g_print ("Pteris\n");
  return 0;
}
