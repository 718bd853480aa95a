/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/list-object.h"

typedef struct {
  GListStore *store;
} PterisListObjectPrivate;

static void list_model_init (GListModelInterface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (PterisListObject, pteris_list_object, G_TYPE_OBJECT,
                                  G_ADD_PRIVATE (PterisListObject)
                                      G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static GListModel *
store_of (gpointer self)
{
  PterisListObjectPrivate *private = pteris_list_object_get_instance_private (self);

  return G_LIST_MODEL (private->store);
}

static GType
get_item_type (GListModel *self)
{
  return g_list_model_get_item_type (store_of (self));
}

static guint
get_n_items (GListModel *self)
{
  return g_list_model_get_n_items (store_of (self));
}

static gpointer
get_item (GListModel *self, guint position)
{
  return g_list_model_get_item (store_of (self), position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
on_items_changed (GListModel *store, guint position, guint removed, guint added, gpointer self)
{
  g_list_model_items_changed (G_LIST_MODEL (self), position, removed, added);
}

GListStore *
pteris_list_object_begin (PterisListObject *self, GType item_type)
{
  PterisListObjectPrivate *private = pteris_list_object_get_instance_private (self);

  private->store = g_list_store_new (item_type);
  g_signal_connect (private->store, "items-changed", G_CALLBACK (on_items_changed), self);
  return private->store;
}

static void
pteris_list_object_finalize (GObject *object)
{
  PterisListObjectPrivate *private =
      pteris_list_object_get_instance_private (PTERIS_LIST_OBJECT (object));

  g_clear_object (&private->store);
  G_OBJECT_CLASS (pteris_list_object_parent_class)->finalize (object);
}

static void
pteris_list_object_class_init (PterisListObjectClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_list_object_finalize;
}

static void
pteris_list_object_init (PterisListObject *self)
{
}
