/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/history/history-list.h"

G_BEGIN_DECLS

/** PterisConversation in a PterisChatHistory. */
extern const PterisHistoryKind pteris_history_chats;

/** PterisTranscript in a PterisTranscriptQueue. */
extern const PterisHistoryKind pteris_history_transcripts;

G_END_DECLS
