/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/embed.h>

G_BEGIN_DECLS

/**
 * PterisFoundName: one name or secret that was found in texts, wherever it stands there.
 *
 * Properties:
 *   active (boolean): it is to be replaced; TRUE at first
 */
#define PTERIS_TYPE_FOUND_NAME (pteris_found_name_get_type ())
G_DECLARE_FINAL_TYPE (PterisFoundName, pteris_found_name, PTERIS, FOUND_NAME, GObject)

/** Its text. */
const char *pteris_found_name_get_text (PterisFoundName *self);
/** "Person · 3 times". Free with g_free(). */
char *pteris_found_name_describe (PterisFoundName *self);

/** The findings of @report, a GListModel of PterisFoundName in the order of the first place of
 * each. Texts that differ only in case and white space are one finding. */
GListModel *pteris_found_names_new (const PtPrivacyReport *report);

/** The texts of @report with "[label]" in place of every active finding, NULL-terminated. Free with
 * g_strfreev(). */
char **pteris_found_names_replace (GListModel *findings, const PtPrivacyReport *report);

G_END_DECLS
