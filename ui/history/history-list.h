/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** What is listed. Texts are not translated yet; functions never get NULL. Actions take the id of
 * an item. */
typedef struct {
  const char *name, *search, *search_label; /* of the list, and the field above it */
  const char *empty, *nothing;              /* instead of the list: there is none, none was found */
  const char *open_action, *rename_action, *export_action, *delete_action;
  const char *stored_as; /* for pteris_store_search() */
  const char *changed;   /* the signal of an item that has another title */

  gint64 (*get_id) (gpointer item);
  gint64 (*get_time) (gpointer item); /* whose day it belongs to */
  const char *(*get_title) (gpointer item);
  void (*rename) (gpointer history, gpointer item, const char *title);
  gpointer (*find) (gpointer history, gint64 id); /* not a new reference; NULL: it is gone */
} PterisHistoryKind;

/** PterisHistoryList: what is in a history by day, the newest first, and a field that searches in
 * its titles and text. Menus of its rows do actions of the window, each with the item's id. */
#define PTERIS_TYPE_HISTORY_LIST (pteris_history_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisHistoryList, pteris_history_list, PTERIS, HISTORY_LIST, GtkWidget)

/** Once. @kind must live as long as the list. */
void pteris_history_list_bind (PterisHistoryList *self, const PterisHistoryKind *kind,
                               GListModel *history);

/** Mark @item as the one that is shown, and bring it into sight; NULL: none is. */
void pteris_history_list_set_current (PterisHistoryList *self, gpointer item);

/** Ask for another title of @item in its row, if that is in sight. */
void pteris_history_list_rename (PterisHistoryList *self, gpointer item);

/** Put the keyboard into the search. */
void pteris_history_list_search (PterisHistoryList *self);

G_END_DECLS
