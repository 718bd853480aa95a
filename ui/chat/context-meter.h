/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/chat-session.h"

G_BEGIN_DECLS

/**
 * PterisContextMeter: how much of what the model can keep in mind the conversation fills, with a
 * warning before it is full, and what can be done then.
 */
#define PTERIS_TYPE_CONTEXT_METER (pteris_context_meter_get_type ())
G_DECLARE_FINAL_TYPE (PterisContextMeter, pteris_context_meter, PTERIS, CONTEXT_METER, GtkWidget)

void pteris_context_meter_bind (PterisContextMeter *self, PterisChatSession *session);

G_END_DECLS
