/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** PterisListObject: the base of objects that are a GListModel of their own GListStore. */
#define PTERIS_TYPE_LIST_OBJECT (pteris_list_object_get_type ())
G_DECLARE_DERIVABLE_TYPE (PterisListObject, pteris_list_object, PTERIS, LIST_OBJECT, GObject)

struct _PterisListObjectClass {
  GObjectClass parent_class;
};

/** Create the store; call it once in the init function of a derived type. The store lives as long
 * as @self. */
GListStore *pteris_list_object_begin (PterisListObject *self, GType item_type);

G_END_DECLS
