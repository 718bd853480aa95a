/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/discover/downloads.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** The download that PterisGetDialog asks about. */
typedef struct {
  const char *id;       /* "owner/name" */
  const char *revision; /* or NULL */
  const char *variant;  /* the one to suggest: its name or program; or NULL */
} PterisGetRequest;

/**
 * Ask the hub what a repository has, and show it: variants with their sizes, license, memory. The
 * download begins when the user agrees. A repository that wants a token asks for it.
 */
void pteris_get_dialog_present (GtkWindow *parent, PterisDownloads *downloads,
                                PterisMachine *machine, const PterisGetRequest *request);

G_END_DECLS
