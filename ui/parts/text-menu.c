/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/text-menu.h"

#include "ui/i18n.h"

GMenuModel *
pteris_text_menu (void)
{
  static GMenu *menu;

  if (menu == NULL) {
    menu = g_menu_new ();
    g_menu_append (menu, _ ("Read _Aloud"), "win.read-aloud");
  }
  return G_MENU_MODEL (menu);
}
