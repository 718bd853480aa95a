/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Where OpenVINO's C library is. Nothing is loaded here: the window asks, too.
 *
 * The first of these places that has one is taken (docs/formats/openvino.md, section 3.1):
 * PTERIS_OPENVINO, OPENVINO_LIB_PATH, INTEL_OPENVINO_DIR, the folder "openvino" in the user's data
 * of Pteris, the folders that the system's loader searches, VIRTUAL_ENV, Python's packages of the
 * user and of the system, folders of Intel's installers.
 */

typedef struct {
  char *path;    /* of the library */
  char *version; /* "2025.4.1", by the name of the file; NULL: the name does not say */
} PtOpenvinoPlace;

void pt_openvino_place_free (PtOpenvinoPlace *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtOpenvinoPlace, pt_openvino_place_free)

/**
 * Find the library. NULL with PT_ERROR_NOT_FOUND, whose message says how to get @version
 * ("2025.4.1"; NULL: the usual one). What was found is remembered. Any thread; blocking for some
 * milliseconds.
 */
PtOpenvinoPlace *pt_openvino_find (const char *version, GError **error);

/** The sentence that says how to install OpenVINO @version. Free with g_free(). */
char *pt_openvino_advice (const char *version);

/**
 * The folders that a process must be able to read to load the library, or NULL: there is none. Free
 * with g_strfreev().
 */
char **pt_openvino_folders (void);

/** The version of programs that name none: the one that exports of ExecuTorch 1.2 to 1.5 use. */
#define PT_OPENVINO_USUAL "2025.4.1"

G_END_DECLS
