/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/i18n.h"

/*
 * Deleted items can be restored as long as the window is open: with the button of the toast, or
 * later with Ctrl+Z, the last one first.
 */

typedef struct {
  PterisWindowRestore restore;
  gpointer what;
  GDestroyNotify free;
  AdwToast *toast; /* weak: NULL when it is disposed of */
} Undo;

static void
undo_free (gpointer data)
{
  Undo *undo = data;

  if (undo->toast != NULL)
    g_object_remove_weak_pointer (G_OBJECT (undo->toast), (gpointer *) &undo->toast);
  undo->free (undo->what);
  g_free (undo);
}

static void
update_action (PterisWindow *self)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "undo");

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), self->undos->len > 0);
}

/* Restores the @i-th item; one that cannot be restored now stays in the list. */
static void
take_back (PterisWindow *self, guint i)
{
  Undo *undo = self->undos->pdata[i];

  if (!undo->restore (self, undo->what))
    return;
  if (undo->toast != NULL)
    _pteris_window_dismiss_toast (undo->toast);
  g_ptr_array_remove_index (self->undos, i);
  update_action (self);
}

static void
on_clicked (AdwToast *toast, PterisWindow *self)
{
  for (guint i = self->undos->len; i-- > 0;)
    if (((Undo *) self->undos->pdata[i])->toast == toast) {
      take_back (self, i);
      return;
    }
}

void
_pteris_window_offer_undo (PterisWindow *self, const char *text, PterisWindowRestore restore,
                           gpointer what, GDestroyNotify free)
{
  Undo *undo = g_new0 (Undo, 1);

  *undo = (Undo){ restore, what, free, _pteris_window_make_toast (text) };
  g_object_add_weak_pointer (G_OBJECT (undo->toast), (gpointer *) &undo->toast);
  adw_toast_set_button_label (undo->toast, _ ("_Undo"));
  g_signal_connect_object (undo->toast, "button-clicked", G_CALLBACK (on_clicked), self, 0);
  g_ptr_array_add (self->undos, undo);
  update_action (self);
  _pteris_window_add_toast (self, undo->toast);
}

static void
undo_last (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (self->undos->len > 0)
    take_back (self, self->undos->len - 1);
}

void
_pteris_window_add_undo (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = { { "undo", undo_last, NULL, NULL, NULL } };

  self->undos = g_ptr_array_new_with_free_func (undo_free);
  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
  update_action (self);
}
