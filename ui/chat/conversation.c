/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/conversation.h"

#include "ui/i18n.h"

struct _PterisConversation {
  GObject parent_instance;

  gint64 id, updated, leaf;
  char *title;
  gboolean named;
  PterisChatSettings settings;
};

G_DEFINE_FINAL_TYPE (PterisConversation, pteris_conversation, G_TYPE_OBJECT)

enum { PROP_0, PROP_TITLE, PROP_UPDATED, N_PROPS };
static GParamSpec *properties[N_PROPS];

gint64
pteris_conversation_get_id (PterisConversation *self)
{
  return self->id;
}

const char *
pteris_conversation_get_title (PterisConversation *self)
{
  return self->title != NULL && self->title[0] != '\0' ? self->title : _ ("New chat");
}

gint64
pteris_conversation_get_updated (PterisConversation *self)
{
  return self->updated;
}

gint64
pteris_conversation_get_leaf (PterisConversation *self)
{
  return self->leaf;
}

gboolean
pteris_conversation_is_named (PterisConversation *self)
{
  return self->named;
}

const PterisChatSettings *
pteris_conversation_get_settings (PterisConversation *self)
{
  return &self->settings;
}

void
pteris_conversation_set_title (PterisConversation *self, const char *title)
{
  char *copy = g_strdup (title);

  g_free (self->title);
  self->title = copy;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
}

void
pteris_conversation_set_updated (PterisConversation *self, gint64 updated)
{
  self->updated = updated;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_UPDATED]);
}

void
pteris_conversation_set_leaf (PterisConversation *self, gint64 leaf)
{
  self->leaf = leaf;
}

void
pteris_conversation_set_named (PterisConversation *self, gboolean named)
{
  self->named = named;
}

void
pteris_chat_settings_clear (PterisChatSettings *settings)
{
  g_clear_pointer (&settings->system, g_free);
  g_clear_pointer (&settings->stop, g_free);
}

void
pteris_chat_settings_assign (PterisChatSettings *settings, const PterisChatSettings *other)
{
  char *system = g_strdup (other->system), *stop = g_strdup (other->stop);

  pteris_chat_settings_clear (settings);
  *settings = *other;
  settings->system = system;
  settings->stop = stop;
}

void
pteris_conversation_set_settings (PterisConversation *self, const PterisChatSettings *settings)
{
  pteris_chat_settings_assign (&self->settings, settings);
}

static void
pteris_conversation_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  PterisConversation *self = PTERIS_CONVERSATION (object);

  switch (id) {
  case PROP_TITLE: g_value_set_string (value, pteris_conversation_get_title (self)); break;
  case PROP_UPDATED: g_value_set_int64 (value, self->updated); break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
pteris_conversation_finalize (GObject *object)
{
  PterisConversation *self = PTERIS_CONVERSATION (object);

  g_free (self->title);
  pteris_chat_settings_clear (&self->settings);
  G_OBJECT_CLASS (pteris_conversation_parent_class)->finalize (object);
}

static void
pteris_conversation_class_init (PterisConversationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = pteris_conversation_finalize;
  object_class->get_property = pteris_conversation_get_property;

  properties[PROP_TITLE] =
      g_param_spec_string ("title", NULL, NULL, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_UPDATED] = g_param_spec_int64 ("updated", NULL, NULL, 0, G_MAXINT64, 0,
                                                 G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
pteris_conversation_init (PterisConversation *self)
{
  self->settings = (PterisChatSettings) PTERIS_CHAT_SETTINGS_INIT;
}

PterisConversation *
pteris_conversation_new (gint64 id, const char *title, gint64 updated)
{
  PterisConversation *self = g_object_new (PTERIS_TYPE_CONVERSATION, NULL);

  self->id = id;
  self->title = g_strdup (title);
  self->updated = updated;
  return self;
}
