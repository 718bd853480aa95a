/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** PterisListObject: an object that is a GListModel of what lies in a store of its own. */
#define PTERIS_TYPE_LIST_OBJECT (pteris_list_object_get_type ())
G_DECLARE_DERIVABLE_TYPE (PterisListObject, pteris_list_object, PTERIS, LIST_OBJECT, GObject)

struct _PterisListObjectClass {
  GObjectClass parent_class;
};

/** Once, in the init function of a type that is derived: the store. It lives as long as @self. */
GListStore *pteris_list_object_begin (PterisListObject *self, GType item_type);

G_END_DECLS
