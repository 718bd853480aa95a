/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>
#include <pteris/inspect.h>

G_BEGIN_DECLS

typedef enum {
  PTERIS_FACT_SECTION, /* a heading; the facts behind it are its own, its value is their number if
                          they are many */
  PTERIS_FACT_PLAIN,
  PTERIS_FACT_MISSING, /* something that is not here */
} PterisFactKind;

/** More than these in a section are many. */
#define PTERIS_FACTS_FEW 12

/** PterisFact: one line of what is in a program. Immutable. */
#define PTERIS_TYPE_FACT (pteris_fact_get_type ())
G_DECLARE_FINAL_TYPE (PterisFact, pteris_fact, PTERIS, FACT, GObject)

/** @value: may be NULL. */
PterisFact *pteris_fact_new (PterisFactKind kind, const char *name, const char *value);

PterisFactKind pteris_fact_get_kind (PterisFact *self);
const char *pteris_fact_get_name (PterisFact *self);
const char *pteris_fact_get_value (PterisFact *self);

/** The content of @report, as a GPtrArray of PterisFact. May take a while for large programs; any
 * thread.
 */
GPtrArray *pteris_facts_read (const PtInspectReport *report);

/** Those of @facts that have @text in them, and the headings above them; all when @text is empty.
 */
GPtrArray *pteris_facts_search (GPtrArray *facts, const char *text);

/** @facts as lines for a report. Free with g_free(). */
char *pteris_facts_write (GPtrArray *facts);

G_END_DECLS
