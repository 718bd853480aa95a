/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/pictures/picture-canvas.h"
#include "ui/pictures/pictures-page.h"
#include "ui/pictures/pictures-panel.h"

/* State and functions that pictures-page.c and pictures-look.c share. */

G_BEGIN_DECLS

struct _PterisPicturesPage {
  GtkWidget parent_instance;

  GtkStack *stack;
  AdwStatusPage *no_model;
  GtkWidget *open_first; /* of the empty page */
  GtkWidget *open;
  GtkWidget *again;
  GtkWidget *strip_box;
  GtkListView *strip;
  PterisPictureCanvas *canvas;
  PterisPicturesPanel *panel;

  PterisEngineClient *client;
  PterisLibrary *library;
  GListStore *pictures;
  GtkSingleSelection *selection;
  PterisPicture *shown;
  char *model;       /* path of the chosen one; NULL: none was chosen */
  double least;      /* score that the user chose; 0: the model's usual one */
  guint waiting;     /* timeout before the model looks again */
  gboolean wants;    /* the shown picture is looked at as soon as it is decoded */
  guint64 job;       /* 0: nothing runs */
  char *asked;       /* SHA-256 of the file whose native code the shown error asks about, or NULL */
  char *trust;       /* of what the user agreed to run; or NULL */
  char *alternative; /* path of the program for the CPU after a failure, or NULL */
  char *folder;      /* of pasted pictures; NULL: none was pasted */
};

/* Show what has changed (pictures-page.c). */
void _pteris_pictures_page_update (PterisPicturesPage *self);

/* Look at the shown picture now, or when it is decoded (pictures-look.c). */
void _pteris_pictures_page_look (PterisPicturesPage *self);
/* Stop looking. */
void _pteris_pictures_page_cancel (PterisPicturesPage *self);
/* Show an error in the panel, with a button for the next step. */
void _pteris_pictures_page_fail (PterisPicturesPage *self, PtError code, const char *sentence);
void _pteris_pictures_page_clear_error (PterisPicturesPage *self);
/* Whether @model, which may be NULL, compares a picture with texts. */
gboolean _pteris_pictures_page_compares_texts (PterisModel *model);

G_END_DECLS
