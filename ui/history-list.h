/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/** What is listed, and how its rows look. Texts are not translated yet; functions get what they
 * name, never NULL unless that is said. */
typedef struct {
  const char *name, *search, *search_label; /* of the list, and the field above it */
  const char *empty, *nothing;              /* instead of the list: there is none, none was found */
  const char *open;                         /* an action that takes the id of an item */

  gint64 (*get_id) (gpointer item);
  gint64 (*get_time) (gpointer item); /* whose day it belongs to */

  GtkWidget *(*new_row) (void);
  void (*set_item) (GtkWidget *row, gpointer item);  /* NULL: let go of the one before */
  void (*set_day) (GtkWidget *row, const char *day); /* a heading above it; NULL: none */

  void (*search_async) (gpointer history, const char *query, GCancellable *cancellable,
                        GAsyncReadyCallback callback, gpointer user_data);
  GPtrArray *(*search_finish) (gpointer history, GAsyncResult *result, GError **error);
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

/** The row of @item; NULL when it is not in sight. */
GtkWidget *pteris_history_list_get_row (PterisHistoryList *self, gpointer item);

/** Put the keyboard into the search. */
void pteris_history_list_search (PterisHistoryList *self);

G_END_DECLS
