/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>
#include <pteris/inspect.h>

G_BEGIN_DECLS

typedef enum {
  PTERIS_INSPECT_SECTION, /* a heading of the items that follow; its value is their number if there
                             are many */
  PTERIS_INSPECT_PLAIN,
  PTERIS_INSPECT_MISSING, /* an operator, backend or file that is missing here */
} PterisInspectItemKind;

/** A section with more items than this shows their number. */
#define PTERIS_INSPECT_FEW 12

/** PterisInspectItem: one line of the content of a program, with a name and a value. Immutable. */
#define PTERIS_TYPE_INSPECT_ITEM (pteris_inspect_item_get_type ())
G_DECLARE_FINAL_TYPE (PterisInspectItem, pteris_inspect_item, PTERIS, INSPECT_ITEM, GObject)

/** @value: may be NULL. */
PterisInspectItem *pteris_inspect_item_new (PterisInspectItemKind kind, const char *name,
                                            const char *value);

PterisInspectItemKind pteris_inspect_item_get_kind (PterisInspectItem *self);
const char *pteris_inspect_item_get_name (PterisInspectItem *self);
const char *pteris_inspect_item_get_value (PterisInspectItem *self);

/** The content of @report, as a GPtrArray of PterisInspectItem. May take a while for large
 * programs; any thread.
 */
GPtrArray *pteris_inspect_items_read (const PtInspectReport *report);

/** The items whose texts contain @text, and the headings above them; all when @text is empty. */
GPtrArray *pteris_inspect_items_search (GPtrArray *items, const char *text);

/** @items as lines for a report. Free with g_free(). */
char *pteris_inspect_items_write (GPtrArray *items);

G_END_DECLS
