/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/chat/chat-session.h"
#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/** PterisWindow: the main window: header, sidebar, pages, status bar. It owns the engine. */
#define PTERIS_TYPE_WINDOW (pteris_window_get_type ())
/* A page with a search installs the widget action "page.find", which Ctrl+F activates. */
G_DECLARE_FINAL_TYPE (PterisWindow, pteris_window, PTERIS, WINDOW, AdwApplicationWindow)

PterisWindow *pteris_window_new (GtkApplication *application);

/** Open @files (of GFile): models are added to the library, recordings are transcribed. */
void pteris_window_open_files (PterisWindow *self, GSList *files);

/** @page: the name of a GtkStackPage in window.ui, e.g. "chat"; unknown names are ignored. */
void pteris_window_show_page (PterisWindow *self, const char *page);

/** Open the chat with @id, at once or when the history has been read; without one, nothing. */
void pteris_window_open_chat (PterisWindow *self, gint64 id);

/** Load @model and show its page. */
void pteris_window_pick_model (PterisWindow *self, PterisModel *model);

/** Show a toast over the page. */
void pteris_window_say (PterisWindow *self, const char *text);

PterisLibrary *pteris_window_get_library (PterisWindow *self);
PterisChatSession *pteris_window_get_session (PterisWindow *self);
PterisTranscriptQueue *pteris_window_get_queue (PterisWindow *self);

G_END_DECLS
