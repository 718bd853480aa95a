/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/history/query-source.h"

G_BEGIN_DECLS

/** The kind of the listed items. Texts are not translated yet; functions never get NULL. Actions
 * take the id of an item; @open_place_action also that of a message or segment: "(xx)". */
typedef struct {
  const char *name, *search, *search_label; /* of the list, and of the search field */
  const char *empty, *nothing; /* shown instead of the list: it is empty, or nothing was found */
  const char *open_action, *open_place_action, *rename_action, *export_action, *delete_action;
  const char *private_export_action; /* or NULL */
  const char *stored_as;             /* for pteris_store_search() */
  const char *changed;               /* the signal of an item whose title has changed */

  gint64 (*get_id) (gpointer item);
  gint64 (*get_time) (gpointer item); /* whose day it belongs to */
  const char *(*get_title) (gpointer item);
  void (*rename) (gpointer history, gpointer item, const char *title);
  gpointer (*find) (gpointer history,
                    gint64 id); /* not a new reference; NULL: it no longer exists */
} PterisHistoryKind;

/** PterisHistoryList: the items of a history by day, the newest first, and a field that searches in
 * titles and text. The menus of its rows have actions of the window, with the item's id. */
#define PTERIS_TYPE_HISTORY_LIST (pteris_history_list_get_type ())
G_DECLARE_FINAL_TYPE (PterisHistoryList, pteris_history_list, PTERIS, HISTORY_LIST, GtkWidget)

/** Call it once. @kind must live as long as the list. */
void pteris_history_list_bind (PterisHistoryList *self, const PterisHistoryKind *kind,
                               GListModel *history);

/** Also search by meaning, with the vectors of @source. Call it once. */
void pteris_history_list_set_source (PterisHistoryList *self, PterisQuerySource *source);

/** Mark @item as the current one and scroll to it; NULL: none. */
void pteris_history_list_set_current (PterisHistoryList *self, gpointer item);

/** Begin to edit the title of @item in its row, if that is visible. */
void pteris_history_list_rename (PterisHistoryList *self, gpointer item);

/** Move the focus to the search field. */
void pteris_history_list_search (PterisHistoryList *self);

G_END_DECLS
