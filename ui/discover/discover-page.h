/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/discover/downloads.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/**
 * PterisDiscoverPage: published models to download: the catalogue with a search and filters, any
 * other repository by its name or address, and what is being downloaded.
 */
#define PTERIS_TYPE_DISCOVER_PAGE (pteris_discover_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisDiscoverPage, pteris_discover_page, PTERIS, DISCOVER_PAGE, GtkWidget)

void pteris_discover_page_bind (PterisDiscoverPage *self, GListModel *catalogue,
                                PterisDownloads *downloads, PterisMachine *machine);

/** Move the focus to the search field. */
void pteris_discover_page_focus (PterisDiscoverPage *self);

/** Show models of @task only: "chat", "transcribe", …. */
void pteris_discover_page_show_task (PterisDiscoverPage *self, const char *task);

/** Show the models of all tasks that the words of @text find. */
void pteris_discover_page_show_found (PterisDiscoverPage *self, const char *text);

/** Ask about the largest chat model that runs well here and has at most @most bytes, and download
 * it. */
void pteris_discover_page_get_chat (PterisDiscoverPage *self, guint64 most);

G_END_DECLS
