/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/chat.h>

G_BEGIN_DECLS

/** Settings of the answers of a conversation. */
typedef struct {
  char *system;        /* the system prompt; NULL: the model's own */
  PtSampling sampling; /* unset: the model's */
  char *stop;          /* stop text; NULL: none */
  int max_new_tokens;  /* 0: the model's default, or the rest of the context */
  guint64 seed;        /* 0: a new one for each conversation */
  PtThinking thinking; /* for models that can */
  gint64 start;        /* id of the first message that the model reads; 0: it reads all */
} PterisChatSettings;

#define PTERIS_CHAT_SETTINGS_INIT \
  {                               \
    .sampling = PT_SAMPLING_INIT  \
  }

/** Free the members of @settings. */
void pteris_chat_settings_clear (PterisChatSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PterisChatSettings, pteris_chat_settings_clear)

/** Copy @other to @settings. They may be the same. */
void pteris_chat_settings_assign (PterisChatSettings *settings, const PterisChatSettings *other);

/**
 * PterisConversation: an entry of the chat history; its messages are read when it is opened.
 *
 * Properties: "title" (for people, never empty), "updated" (microseconds since 1970).
 */
#define PTERIS_TYPE_CONVERSATION (pteris_conversation_get_type ())
G_DECLARE_FINAL_TYPE (PterisConversation, pteris_conversation, PTERIS, CONVERSATION, GObject)

PterisConversation *pteris_conversation_new (gint64 id, const char *title, gint64 updated);

gint64 pteris_conversation_get_id (PterisConversation *self);
const char *pteris_conversation_get_title (PterisConversation *self);
gint64 pteris_conversation_get_updated (PterisConversation *self);
void pteris_conversation_set_title (PterisConversation *self, const char *title);
void pteris_conversation_set_updated (PterisConversation *self, gint64 updated);

/** The id of the last shown message; 0: none. */
gint64 pteris_conversation_get_leaf (PterisConversation *self);
void pteris_conversation_set_leaf (PterisConversation *self, gint64 leaf);

/** Whether the user has set the title, so that it is not made from the first message. */
gboolean pteris_conversation_is_named (PterisConversation *self);
void pteris_conversation_set_named (PterisConversation *self, gboolean named);

/** Valid until the next change. */
const PterisChatSettings *pteris_conversation_get_settings (PterisConversation *self);
void pteris_conversation_set_settings (PterisConversation *self,
                                       const PterisChatSettings *settings);

G_END_DECLS
