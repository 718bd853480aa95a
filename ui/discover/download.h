/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/hub.h>

G_BEGIN_DECLS

typedef enum {
  PTERIS_DOWNLOAD_PAUSED,
  PTERIS_DOWNLOAD_RUNNING,
  PTERIS_DOWNLOAD_DONE,
  PTERIS_DOWNLOAD_FAILED, /* pteris_download_get_error() */
} PterisDownloadState;

/** The variant to download. Texts may be NULL where it says so. */
typedef struct {
  const char *title;       /* for people */
  const char *id;          /* "owner/name" */
  const char *revision;    /* or NULL */
  const char *variant;     /* its name */
  const char *const *also; /* as pteris_offer_get_also() */
  guint64 bytes_there;     /* from an earlier time */
  guint64 bytes;           /* of all its files; 0: unknown */
} PterisDownloadSpec;

/**
 * PterisDownload: the download of one variant of a repository into the library. UI thread only; it
 * downloads in a thread of its own. The downloaded part stays when the download is paused or fails,
 * and when the program is closed.
 *
 * Signals:
 *   changed (): state or progress
 */
#define PTERIS_TYPE_DOWNLOAD (pteris_download_get_type ())
G_DECLARE_FINAL_TYPE (PterisDownload, pteris_download, PTERIS, DOWNLOAD, GObject)

/** Paused. @spec is copied. */
PterisDownload *pteris_download_new (const PterisDownloadSpec *spec);

void pteris_download_start (PterisDownload *self);
void pteris_download_pause (PterisDownload *self);

/** Delete the files of this paused or failed download, in the background. */
void pteris_download_discard (PterisDownload *self);

PterisDownloadState pteris_download_get_state (PterisDownload *self);
const char *pteris_download_get_title (PterisDownload *self);
const char *pteris_download_get_id (PterisDownload *self);
const char *pteris_download_get_variant (PterisDownload *self);

/** 0 to 1; -1: unknown. */
double pteris_download_get_fraction (PterisDownload *self);

/** "12 MB of 470 MB · 3.1 MB/s · 2 min left", or its state in words. Free with g_free(). */
char *pteris_download_describe (PterisDownload *self);

/** A sentence; NULL unless it failed. */
const char *pteris_download_get_error (PterisDownload *self);

/** The folder of the model, once it is done. */
const char *pteris_download_get_folder (PterisDownload *self);

G_END_DECLS
