/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/language-drop-down.h"

#include "ui/parts/drop-down.h"
#include "ui/speech/languages.h"

void
pteris_language_drop_down_set_up (GtkDropDown *drop_down)
{
  g_auto (GStrv) names = pteris_languages_new_names ();
  g_autoptr (GtkStringList) languages = gtk_string_list_new ((const char *const *) names);
  g_autoptr (GtkExpression) name =
      gtk_property_expression_new (GTK_TYPE_STRING_OBJECT, NULL, "string");

  gtk_drop_down_set_model (drop_down, G_LIST_MODEL (languages));
  gtk_drop_down_set_expression (drop_down, name);
  gtk_drop_down_set_enable_search (drop_down, TRUE);
  pteris_drop_down_ellipsize (drop_down);
}
