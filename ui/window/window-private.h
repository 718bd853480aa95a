/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/chat-page.h"
#include "ui/parts/error-card.h"
#include "ui/machine/gpu-page.h"
#include "ui/run/inspect-page.h"
#include "ui/models/model-button.h"
#include "ui/models/models-page.h"
#include "ui/window/sidebar.h"
#include "ui/models/starter.h"
#include "ui/window/status-bar.h"
#include "ui/speech/transcribe-page.h"
#include "ui/window/window.h"

G_BEGIN_DECLS

struct _PterisWindow {
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  GtkWidget *drop_highlight;
  GtkLabel *drop_label;
  GCancellable *drop_hover; /* while files are over the window */
  GSList *drop_files;       /* these, of GFile, once they are known */
  PterisModelButton *model_button;
  AdwFlap *flap;
  PterisSidebar *sidebar;
  GtkStack *pages;
  GtkRevealer *load_error; /* over the page where it happened, */
  const char *error_page;  /* which is this one, or "" for all; NULL: there is no error */
  PterisErrorCard *load_error_card;
  PterisChatPage *chat_page;
  AdwBin *transcribe_bin;
  AdwBin *models_bin;
  AdwBin *inspect_bin;
  AdwBin *gpu_bin;
  PterisTranscribePage *transcribe_page; /* this and the next: see _pteris_window_make_pages() */
  PterisModelsPage *models_page;
  PterisInspectPage *inspect_page;
  PterisGpuPage *gpu_page;
  PterisStatusBar *status_bar;

  PterisEngineClient *client;
  PterisMachine *machine;
  PterisActivity *activity;
  PterisLibrary *library;
  PterisStarter *starter;
  PterisChatHistory *history;
  PterisPresets *presets;
  PterisChatSession *session;
  PterisTranscriptQueue *queue;
  AdwToast *said;          /* the last message of pteris_window_say(); weak */
  GtkWidget *trust_dialog; /* the question that is open, or NULL; weak */
  char *crashed;           /* path of the model in whose use the last run ended, till it is told */
  gint64 asked;            /* when the answer that is being written was asked for */
  GPtrArray *undos;        /* window-undo.c */
  PterisModel *picked;     /* the model whose failure to load has no other place to be shown */
};

/** window-actions.c: every "win." action. */
void _pteris_window_add_actions (PterisWindow *self);

/** window-chats.c: the "win." actions on conversations. */
void _pteris_window_add_chat_actions (PterisWindow *self);

/** window-models.c: the "win." actions on models, and what is left of a crash. */
void _pteris_window_add_model_actions (PterisWindow *self);
/** window-transcripts.c: the "win." actions on transcripts. */
void _pteris_window_add_transcript_actions (PterisWindow *self);

/** window-transcripts.c: transcribe the recordings among @files and in their folders, and add the
 * models. */
void _pteris_window_find_recordings (PterisWindow *self, GSList *files);

/** window-chats.c: say that @messages, a question and its answer, were deleted. */
void _pteris_window_on_deleted (PterisWindow *self, GPtrArray *messages);

/** Brings @what back. FALSE: not now. */
typedef gboolean (*PterisWindowRestore) (PterisWindow *self, gpointer what);

/** window.c: show the failure in load_error_card, on the page that is shown now, or on @every_page
 * since it belongs to none; and that there is none any more. */
void _pteris_window_show_error (PterisWindow *self, gboolean every_page);
void _pteris_window_hide_error (PterisWindow *self);

/** window-undo.c: say @text, of something that was deleted, and offer to have it back, there and
 * with Ctrl+Z. @what: taken, freed with @free. */
void _pteris_window_offer_undo (PterisWindow *self, const char *text, PterisWindowRestore restore,
                                gpointer what, GDestroyNotify free);
/** window-undo.c: its action. */
void _pteris_window_add_undo (PterisWindow *self);

/** window.c: a toast that says @text, however narrow the window. */
AdwToast *_pteris_window_make_toast (const char *text);

/** window.c: show @toast (taken) on the page that is shown, and not over the composer. */
void _pteris_window_add_toast (PterisWindow *self, AdwToast *toast);

/** window.c: take @toast away, also while it comes up. */
void _pteris_window_dismiss_toast (AdwToast *toast);

/** window.c: make the pages behind the first one, unless they are there: after the first frame, or
 * when one is wanted. */
void _pteris_window_make_pages (PterisWindow *self);

/** window-actions.c: say which actions make sense now. */
void _pteris_window_update_actions (PterisWindow *self);

/** window-trust.c: ask whether to run the native code of the model that was not loaded for it. */
void _pteris_window_ask_for_trust (PterisWindow *self);

/** window-news.c: notify of the end of long work. */
void _pteris_window_tell_news (PterisWindow *self);

/** window.c: does the page that is shown take @file for itself? */
gboolean _pteris_window_page_takes (PterisWindow *self, GFile *file);

/** window-dnd.c: files dropped anywhere. */
void _pteris_window_add_drop_target (PterisWindow *self);

/** window.c: add @file to the library; @load: and use it. */
void _pteris_window_add_model (PterisWindow *self, GFile *file, gboolean load);

/** window.c: fold the sidebar away after a choice, where it lies over the page. */
void _pteris_window_fold (PterisWindow *self);

G_END_DECLS
