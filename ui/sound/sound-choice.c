/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/sound-choice.h"

#include <string.h>

#include "ui/i18n.h"
#include "ui/settings.h"

/* How the settings begin; indices: PterisSoundKind. */
static const char *const KINDS[PTERIS_SOUND_N_KINDS] = { "microphone:", "computer:", "output:" };

/* Indices: PterisSoundUse. */
static const struct {
  const char *setting, *name;
  PterisSoundKind first, last; /* kinds that can be chosen */
} USES[] = {
  { PTERIS_SETTING_RECORD_FROM, PTERIS_SETTING_RECORD_FROM_NAME, PTERIS_SOUND_MICROPHONE,
    PTERIS_SOUND_COMPUTER },
  { PTERIS_SETTING_PLAY_ON, PTERIS_SETTING_PLAY_ON_NAME, PTERIS_SOUND_OUTPUT, PTERIS_SOUND_OUTPUT },
};

PterisSoundDevice *
pteris_sound_choice_get (PterisSoundUse use)
{
  g_autofree char *setting = pteris_settings_get_string (USES[use].setting);
  g_autofree char *name = pteris_settings_get_string (USES[use].name);

  for (PterisSoundKind kind = USES[use].first; setting != NULL && kind <= USES[use].last; kind++)
    if (g_str_has_prefix (setting, KINDS[kind])) {
      const char *id = setting + strlen (KINDS[kind]);

      return *id != '\0' ? pteris_sound_device_new (kind, id, name, FALSE, NULL)
                         : pteris_sound_device_new (kind, NULL, NULL, TRUE, NULL);
    }
  return pteris_sound_device_new (USES[use].first, NULL, NULL, TRUE, NULL);
}

void
pteris_sound_choice_set (PterisSoundUse use, const PterisSoundDevice *device)
{
  g_autofree char *setting = pteris_sound_choice_to_string (device);

  /* The name first: who watches the choice reads both. */
  pteris_settings_set_string (USES[use].name, device->id != NULL ? device->name : NULL);
  pteris_settings_set_string (USES[use].setting, setting);
}

void
pteris_sound_choice_watch (PterisSoundUse use, void (*func) (gpointer object), gpointer object)
{
  pteris_settings_watch (USES[use].setting, func, object);
}

char *
pteris_sound_choice_to_string (const PterisSoundDevice *device)
{
  return g_strconcat (KINDS[device->kind], device->id != NULL ? device->id : "", NULL);
}

char *
pteris_sound_choice_note (const PterisSoundDevice *device)
{
  if (device->instead_of == NULL)
    return NULL;
  switch (device->kind) {
  case PTERIS_SOUND_MICROPHONE:
    /* Translators: %s is the name of a microphone. */
    return g_strdup_printf (_ ("“%s” is not connected. The default microphone is used."),
                            device->instead_of);
  case PTERIS_SOUND_COMPUTER:
    /* Translators: %s is the name of loudspeakers or headphones. */
    return g_strdup_printf (_ ("“%s” is not connected. What the default output plays is recorded."),
                            device->instead_of);
  case PTERIS_SOUND_OUTPUT: break;
  }
  /* Translators: %s is the name of loudspeakers or headphones. */
  return g_strdup_printf (_ ("“%s” is not connected. The default output is used."),
                          device->instead_of);
}
