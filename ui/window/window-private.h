/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/aloud/reader-bar.h"
#include "ui/chat/chat-page.h"
#include "ui/discover/discover-page.h"
#include "ui/parts/error-card.h"
#include "ui/machine/gpu-page.h"
#include "ui/pictures/pictures-page.h"
#include "ui/run/inspect-page.h"
#include "ui/meaning/meaning.h"
#include "ui/models/model-button.h"
#include "ui/models/models-page.h"
#include "ui/window/sidebar.h"
#include "ui/models/starter.h"
#include "ui/window/status-bar.h"
#include "ui/speech/transcribe-page.h"
#include "ui/sharing/server-page.h"
#include "ui/window/update-bar.h"
#include "ui/window/window.h"

G_BEGIN_DECLS

struct _PterisWindow {
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  GtkWidget *drop_highlight;
  GtkLabel *drop_label;
  GCancellable *drop_hover; /* files are hovering over the window */
  GSList *drop_files;       /* these files (GFile), once known */
  PterisModelButton *model_button;
  AdwFlap *flap;
  PterisSidebar *sidebar;
  GtkStack *pages;
  GtkRevealer *load_error; /* shown over the page of the error: */
  const char *error_page;  /* name of that page; "" for all pages; NULL: there is no error */
  PterisErrorCard *load_error_card;
  PterisChatPage *chat_page;
  AdwBin *transcribe_bin;
  AdwBin *pictures_bin;
  AdwBin *models_bin;
  AdwBin *discover_bin;
  AdwBin *inspect_bin;
  AdwBin *gpu_bin;
  AdwBin *server_bin;
  PterisTranscribePage
      *transcribe_page; /* this and the next: made by _pteris_window_make_pages() */
  PterisPicturesPage *pictures_page;
  PterisModelsPage *models_page;
  PterisDiscoverPage *discover_page;
  PterisInspectPage *inspect_page;
  PterisGpuPage *gpu_page;
  PterisServerPage *server_page; /* NULL: there is no server */
  PterisReaderBar *reader_bar;
  PterisUpdateBar *update_bar;
  PterisStatusBar *status_bar;

  PterisSharing *sharing;
  PterisUpdates *updates;
  PterisEngines *engines;
  PterisMachine *machine;
  PterisActivity *activity;
  PterisLibrary *library;
  PterisStarter *starter;
  GListModel *catalogue;
  PterisDownloads *downloads; /* made with the pages */
  PterisChatHistory *history;
  PterisPresets *presets;
  PterisChatSession *session;
  PterisMeaning *meaning;
  PterisTranscriptQueue *queue;
  PterisReader *reader;
  GtkWidget *worked_on;    /* has the focus, or had it before a menu; weak */
  PterisMessage *aloud;    /* the answer that is read aloud, or NULL */
  AdwToast *said;          /* the latest toast of pteris_window_say(); weak */
  GtkWidget *trust_dialog; /* the open dialog for consent, or NULL; weak */
  char **crashed;   /* paths of the models that were in use when the last run ended, until the user
                       is told; or NULL */
  char *reload;     /* path of the loaded model, another variant of which was chosen; or NULL */
  gint64 asked;     /* time of the question whose answer is in progress */
  GPtrArray *undos; /* window-undo.c */
  gboolean holds;   /* the queue of transcripts is held for an answer (window-engines.c) */
  guint
      chats_settling;  /* the list of chats in the task bar is written soon; a timeout's id, or 0 */
  gint64 wanted_chat;  /* to be opened once the history has been read; or 0 */
  PterisModel *picked; /* the model whose loading error is shown by the window */
};

/** window-actions.c: add all "win." actions. */
void _pteris_window_add_actions (PterisWindow *self);

/** window-aloud.c: make the reader, and add the "win." actions that read aloud. */
void _pteris_window_add_aloud (PterisWindow *self);

/** window-chats.c: add the "win." actions on conversations. */
void _pteris_window_add_chat_actions (PterisWindow *self);

/** window-models.c: add the "win." actions on models, and report a crash of the last run. */
void _pteris_window_add_model_actions (PterisWindow *self);
/** window-engines.c: add the actions on engines, and show which engine waits for memory. */
void _pteris_window_add_engines (PterisWindow *self);
/** window-engines.c: the engine of the shown page. Not a new reference. */
PterisEngineClient *_pteris_window_get_shown_client (PterisWindow *self);
/** window-engines.c: the engine whose model could not be loaded, that of @self->picked first. Not a
 * new reference; NULL: there is none. */
PterisEngineClient *_pteris_window_get_failed_client (PterisWindow *self);

/** window-privacy.c: add the "win." actions that replace names and secrets. */
void _pteris_window_add_privacy_actions (PterisWindow *self);

/** window-transcripts.c: add the "win." actions on transcripts. */
void _pteris_window_add_transcript_actions (PterisWindow *self);

/** window-transcripts.c: transcribe the recordings in @files and their folders, and add the models.
 * */
void _pteris_window_find_recordings (PterisWindow *self, GSList *files);

/** window-chats.c: show that @messages, a question and its answer, were deleted. */
void _pteris_window_on_deleted (PterisWindow *self, GPtrArray *messages);

/** Restores the deleted @what. FALSE: not possible now. */
typedef gboolean (*PterisWindowRestore) (PterisWindow *self, gpointer what);

/** window.c: show an error in load_error_card, on the current page or on @every_page; and hide it.
 */
void _pteris_window_show_error (PterisWindow *self, gboolean every_page);
void _pteris_window_hide_error (PterisWindow *self);

/** window-undo.c: show a toast with @text about a deletion and an Undo button; Ctrl+Z works as
 * well. @what: taken, freed with @free. */
void _pteris_window_offer_undo (PterisWindow *self, const char *text, PterisWindowRestore restore,
                                gpointer what, GDestroyNotify free);
/** window-undo.c: add the undo action. */
void _pteris_window_add_undo (PterisWindow *self);

/** window.c: make a toast with @text that wraps in a narrow window. */
AdwToast *_pteris_window_make_toast (const char *text);

/** window.c: show @toast (taken) on the current page, above the composer. */
void _pteris_window_add_toast (PterisWindow *self, AdwToast *toast);

/** window.c: dismiss @toast, even during its animation. */
void _pteris_window_dismiss_toast (AdwToast *toast);

/** window.c: make the pages behind the first one, unless they exist: after the first frame, or when
 * one is needed. */
void _pteris_window_make_pages (PterisWindow *self);

/** window-actions.c: enable and disable actions. */
void _pteris_window_update_actions (PterisWindow *self);

/** window-trust.c: ask for consent to the native code of the model that was not loaded because of
 * it. */
void _pteris_window_ask_for_trust (PterisWindow *self, PterisEngineClient *client);

/** window-notifications.c: notify of the end of long tasks. */
void _pteris_window_add_notifications (PterisWindow *self);

/** window-taskbar.c: show the window's work and the recent chats in the task bar; and the
 * downloads, once there are any. */
void _pteris_window_add_taskbar (PterisWindow *self);
void _pteris_window_add_taskbar_downloads (PterisWindow *self);

/** window.c: whether the current page uses @file itself. */
gboolean _pteris_window_page_takes (PterisWindow *self, GFile *file);

/** window.c: whether @file is a picture, which the Pictures page opens if the current one does not
 * take it. */
gboolean _pteris_window_shows_picture (PterisWindow *self, GFile *file);

/** window-dnd.c: add the drop target of the window. */
void _pteris_window_add_drop_target (PterisWindow *self);

/** window.c: add @file to the library; @load: also load it. */
void _pteris_window_add_model (PterisWindow *self, GFile *file, gboolean load);

/** window.c: close the sidebar after a choice if it covers the page. */
void _pteris_window_fold (PterisWindow *self);

G_END_DECLS
