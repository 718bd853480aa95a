/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/chat-session.h"

G_BEGIN_DECLS

/**
 * PterisContextMeter: shows how much of the model's context the conversation uses, with a warning
 * before it is full and actions to free context.
 */
#define PTERIS_TYPE_CONTEXT_METER (pteris_context_meter_get_type ())
G_DECLARE_FINAL_TYPE (PterisContextMeter, pteris_context_meter, PTERIS, CONTEXT_METER, GtkWidget)

void pteris_context_meter_bind (PterisContextMeter *self, PterisChatSession *session);

G_END_DECLS
