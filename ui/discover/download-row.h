/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/discover/downloads.h"

G_BEGIN_DECLS

/** PterisDownloadRow: a download with its progress, and buttons to pause it, to go on and to
 * remove it. */
#define PTERIS_TYPE_DOWNLOAD_ROW (pteris_download_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisDownloadRow, pteris_download_row, PTERIS, DOWNLOAD_ROW, GtkListBoxRow)

GtkWidget *pteris_download_row_new (PterisDownloads *downloads, PterisDownload *download);

G_END_DECLS
