/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/hub.h>

G_BEGIN_DECLS

/* Names of repositories, revisions and files. All of them come from outside. */

/** Whether @id is "owner/name" of letters, digits, "-", "_" and "." as the hub allows them. */
gboolean pt_hub_is_id (const char *id);

/** "owner--name", the name of the folder of the repository @id. Free with g_free(). */
char *pt_hub_folder_name (const char *id);

/** Whether @name can be the name of a folder or file of the library: not hidden, no path. */
gboolean pt_hub_is_library_name (const char *name);

/**
 * Why no hub lists @path unless it means harm ("it leads out of its folder"): absolute, "..",
 * control characters, not UTF-8. NULL: it is an honest name.
 */
const char *pt_hub_path_lie (const char *path);

/** Why an honest @path cannot be the name of a file on every system ("“AUX” is reserved on
 * Windows"). NULL: it can. */
const char *pt_hub_path_problem (const char *path);

/** @path in a form that is equal for names that some file systems take for the same one. Free
 * with g_free(). */
char *pt_hub_path_key (const char *path);

/** @text percent-encoded as one segment of an address; with @slashes, "/" stays. Free with
 * g_free(). */
char *pt_hub_escape (const char *text, gboolean slashes);

G_END_DECLS
