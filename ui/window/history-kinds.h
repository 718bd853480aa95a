/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/history/history-list.h"

G_BEGIN_DECLS

/** Conversations (PterisConversation) of a PterisChatHistory. */
extern const PterisHistoryKind pteris_history_chats;

/** Transcripts (PterisTranscript) of a PterisTranscriptQueue. */
extern const PterisHistoryKind pteris_history_transcripts;

G_END_DECLS
