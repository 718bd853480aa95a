/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Whether there is a newer version of Pteris. One request for a signed list of versions, at an
 * address that whoever built the program chose (Meson's options update-url and update-key) or that
 * PTERIS_UPDATE_URL and PTERIS_UPDATE_KEY name, the latter the file of a public key. Nothing else
 * is sent than "User-Agent: pteris". Nothing is downloaded but the list, and nothing is installed.
 *
 * What was seen last is kept in pteris/versions in the user's data folder, so that an older list
 * is not taken for a newer one. The format is described in docs/release.md.
 *
 * Errors are PT_ERROR_UNSUPPORTED (this build looks for no versions, or cannot verify signatures),
 * PT_ERROR_NETWORK (no list came), PT_ERROR_DATA (its signature is not right, or it is older than
 * one that was seen), PT_ERROR_FORMAT (signed, but no list of versions), PT_ERROR_ARGUMENT (a wrong
 * address or key), PT_ERROR_FILE (the disk) and PT_ERROR_CANCELLED. All functions may be called in
 * any thread; texts are UTF-8 without control characters.
 */

/** A file of a version. */
typedef struct {
  char *name;    /* "Pteris-0.3.0-x64-setup.exe", without a folder */
  guint64 bytes; /* its size */
  char *sha256;  /* 64 hex digits in lower case */
} PtUpdateFile;

/** The newest version of the list. */
typedef struct {
  char *current;     /* version of this program: "0.2.0" */
  char *newest;      /* "0.3.0" */
  char *date;        /* of the newest: "2027-01-15" */
  char *page;        /* where it is downloaded from: "https://…" */
  gint64 issued;     /* when the list was signed; seconds since 1970 */
  gboolean is_newer; /* @newest is newer than @current */
  guint n_files;
  PtUpdateFile *files; /* of the newest; may be none */
} PtUpdate;

/** Free @update and everything in it. NULL: does nothing. */
PT_API void pt_update_free (PtUpdate *update);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtUpdate, pt_update_free)

/** Whether this build, or the environment, names a list and a key. Distributions do not. */
PT_API gboolean pt_update_is_possible (void);

/** The host that is asked, for people; free with g_free(). NULL: it is not possible. */
PT_API char *pt_update_host (void);

/** The last request, seconds since 1970; 0: there was none. Reads a small file. */
PT_API gint64 pt_update_last_time (void);

/** Whether the last request is a day ago. Reads a small file. */
PT_API gboolean pt_update_is_due (void);

/** What the last list said, verified again. NULL without an error: there was none. Reads a small
 * file. */
PT_API PtUpdate *pt_update_known (GError **error);

/** Ask for the list now, however long ago the last request is. Free with pt_update_free().
 * Blocking, up to a minute. */
PT_API PtUpdate *pt_update_look (GCancellable *cancellable, GError **error);

G_END_DECLS
