/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/vision.h>

G_BEGIN_DECLS

/**
 * PterisFinding: one thing that a model found in a picture, in words: a row of the list beside the
 * picture. It never changes.
 */
#define PTERIS_TYPE_FINDING (pteris_finding_get_type ())
G_DECLARE_FINAL_TYPE (PterisFinding, pteris_finding, PTERIS, FINDING, GObject)

/** "dog", a line of text, ...; of one line. */
const char *pteris_finding_get_name (PterisFinding *self);
/** "87.1 %". */
const char *pteris_finding_get_value (PterisFinding *self);
/** "12 of 17 points"; NULL: there is nothing more to say. */
const char *pteris_finding_get_detail (PterisFinding *self);
/** Of the bar, 0 to 1; < 0: there is no bar, because the row has a place in the picture. */
double pteris_finding_get_share (PterisFinding *self);
/** 0xRRGGBB of its drawing; -1: it is not drawn. */
gint64 pteris_finding_get_colour (PterisFinding *self);

/** How many findings of @picture have at least this score; all of them if they have none. */
guint pteris_findings_count (const PtLookPicture *picture, PtLookKind kind, double least);

/** Finding @i of @picture. */
PterisFinding *pteris_finding_new (const PtLookPicture *picture, PtLookKind kind, guint i);

/** The first @n findings of @picture (PterisFinding), in its order. Free with g_object_unref(). */
GListStore *pteris_findings_new (const PtLookPicture *picture, PtLookKind kind, guint n);

/** The lines of text of @picture, one for each line. Free with g_free(). */
char *pteris_findings_get_text (const PtLookPicture *picture);

/** "3 found · 41 ms", "Nothing was found.": a sentence on the first @n findings. Free with
 * g_free().
 */
char *pteris_findings_describe (const PtLookPicture *picture, PtLookKind kind, guint n);

G_END_DECLS
