/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/models/model-list.h"

G_BEGIN_DECLS

/**
 * PterisPrivacyDialog: looks for names and secrets in texts, shows what was found, each of which
 * can be left out, and the texts with labels in their places. Without a privacy filter in the
 * library it leads to those that are published ("win.show-privacy-filters").
 */
#define PTERIS_TYPE_PRIVACY_DIALOG (pteris_privacy_dialog_get_type ())
G_DECLARE_FINAL_TYPE (PterisPrivacyDialog, pteris_privacy_dialog, PTERIS, PRIVACY_DIALOG,
                      AdwMessageDialog)

/** Called when the user agrees, with the replaced texts, as many as were given; valid during the
 * call. */
typedef void (*PterisPrivacyFunc) (const char *const *texts, gpointer user_data);

typedef struct {
  const char *const *texts; /* copied */
  const char *accept;       /* the button: "_Export…" */
  PterisPrivacyFunc func;
  gpointer user_data;
  GDestroyNotify destroy; /* of @user_data; or NULL */
} PterisPrivacyRequest;

void pteris_privacy_dialog_present (GtkWindow *parent, PterisLibrary *library,
                                    const PterisPrivacyRequest *request);

G_END_DECLS
