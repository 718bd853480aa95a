/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/discover/catalogue.h"
#include "ui/discover/download.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisDownloads: what is being downloaded, or was begun in an earlier run, a GListModel of
 * PterisDownload; and which published models the library has. UI thread only.
 *
 * Signals:
 *   changed (): a state or a progress changed
 *   refreshed (): what is installed was read
 *   installed (PterisDownload): its model is in the library's folder now
 */
#define PTERIS_TYPE_DOWNLOADS (pteris_downloads_get_type ())
G_DECLARE_FINAL_TYPE (PterisDownloads, pteris_downloads, PTERIS, DOWNLOADS, PterisListObject)

/** @catalogue: for titles. */
PterisDownloads *pteris_downloads_new (GListModel *catalogue);

/** Read again, in the background, what is installed and what was begun. */
void pteris_downloads_refresh (PterisDownloads *self);

/** Download a variant; goes on with it where it was begun. Not a new reference. */
PterisDownload *pteris_downloads_start (PterisDownloads *self, const PterisDownloadSpec *spec);

/** Take a download off the list; what has arrived of it is deleted, a finished model stays. */
void pteris_downloads_remove (PterisDownloads *self, PterisDownload *download);

/** Whether a variant of the repository @id is installed. */
gboolean pteris_downloads_has (PterisDownloads *self, const char *id);

/** Whether something is being downloaded. */
gboolean pteris_downloads_is_busy (PterisDownloads *self);

/** The offer of the catalogue for the repository @id at @revision, else for that at another one, or
 * NULL. @revision: or NULL. Not a new reference. */
PterisOffer *pteris_downloads_find_offer (PterisDownloads *self, const char *id,
                                          const char *revision);

G_END_DECLS
