/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include <pteris/host.h>

#include "ui/i18n.h"

/*
 * Native code of a model runs only after the user has agreed, once for each file. The engine's
 * sentence names the file and its SHA-256; the consent applies only to that file.
 */

#define RESPONSE_RUN "run"
#define RESPONSE_CPU "cpu"

static void
on_response (AdwMessageDialog *dialog, const char *response, PterisWindow *self)
{
  PterisModel *model = g_object_get_data (G_OBJECT (dialog), "model");

  if (g_str_equal (response, RESPONSE_RUN))
    pteris_engine_client_load_trusted (pteris_engines_get_for (self->engines, model), model,
                                       g_object_get_data (G_OBJECT (dialog), "digest"));
  else if (g_str_equal (response, RESPONSE_CPU))
    gtk_widget_activate_action (GTK_WIDGET (self), "win.use-alternative", NULL);
}

/* The actions that a process of its own denies the model here, in plain words. */
static const char *
describe_stops (void)
{
  const guint stops = pt_host_stops ();

  if ((stops & PT_HOST_STOPS_READING) != 0 && (stops & PT_HOST_STOPS_NETWORK) != 0)
    return _ ("In a process of its own, this code cannot use the network, start programs or change "
              "your files, and reads only models, files of the system and what you give to the "
              "model. It may still misuse the GPU's driver, and answer what it likes.");
  if ((stops & PT_HOST_STOPS_NETWORK) != 0)
    return _ ("In a process of its own, this code cannot use the network or start programs. It can "
              "read and change all your files, because this system's kernel lacks Landlock.");
  if ((stops & PT_HOST_STOPS_READING) != 0)
    return _ ("In a process of its own, this code cannot read or change your files. It can use the "
              "network and start programs, because this system's kernel lacks seccomp.");
  if ((stops & PT_HOST_STOPS_WRITING) != 0)
    return _ ("In a process of its own, this code cannot start programs or change your files. It "
              "can read all your files and use the network, because Windows does not restrict "
              "that.");
  return _ ("On this system nothing restricts the code: it can read and change all your files and "
            "use the network. A process of its own only keeps its crashes from Pteris.");
}

void
_pteris_window_ask_for_trust (PterisWindow *self, PterisEngineClient *client)
{
  PterisModel *model = pteris_engine_client_get_model (client);
  g_autofree char *heading = NULL, *body = NULL;
  GtkWidget *dialog;

  if (self->trust_dialog != NULL || model == NULL ||
      pteris_engine_client_get_state (client) != PTERIS_MODEL_FAILED ||
      pteris_engine_client_get_error_code (client) != PT_ERROR_UNTRUSTED)
    return;
  heading = g_strdup_printf (_ ("Run Native Code of “%s”?"), pteris_model_get_info (model)->title);
  body = g_strconcat (pteris_engine_client_get_error (client), "\n\n", describe_stops (), NULL);
  dialog = adw_message_dialog_new (GTK_WINDOW (self), heading, body);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("_Cancel"));
  if (pteris_engine_client_get_alternative (client) != NULL)
    adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), RESPONSE_CPU,
                                     _ ("_Use CPU Version"));
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), RESPONSE_RUN, _ ("_Run"));
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), RESPONSE_RUN,
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "model", g_object_ref (model), g_object_unref);
  g_object_set_data_full (G_OBJECT (dialog), "digest",
                          g_strdup (pteris_engine_client_get_digest (client)), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, 0);
  g_set_weak_pointer (&self->trust_dialog, dialog);
  gtk_window_present (GTK_WINDOW (dialog));
}
