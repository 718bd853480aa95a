/* SPDX-License-Identifier: BSD-3-Clause */

/* Looking at the picture of the Pictures page with its model. */

#include "ui/pictures/pictures-page-private.h"

#include "ui/i18n.h"
#include "ui/parts/format.h"
#include "ui/settings.h"

gboolean
_pteris_pictures_page_compares_texts (PterisModel *model)
{
  return model != NULL && g_strcmp0 (pteris_model_get_info (model)->family, "image-embedding") == 0;
}

/* ---- errors ---- */

void
_pteris_pictures_page_clear_error (PterisPicturesPage *self)
{
  pteris_pictures_panel_set_error (self->panel, PT_ERROR_INTERNAL, NULL, NULL, NULL);
}

void
_pteris_pictures_page_fail (PterisPicturesPage *self, PtError code, const char *sentence)
{
  PterisModel *model = pteris_pictures_page_get_model (self);
  const char *subject = model != NULL ? pteris_model_get_info (model)->path : NULL;

  pteris_pictures_panel_set_error (self->panel, code, sentence, "pictures.look", subject);
  if (code == PT_ERROR_UNTRUSTED)
    pteris_pictures_panel_set_step (self->panel, _ ("_Run"), "pictures.trust");
  else if (self->alternative != NULL)
    pteris_pictures_panel_set_step (self->panel, _ ("_Use CPU Version"),
                                    "pictures.use-alternative");
  else if (code == PT_ERROR_FILE)
    pteris_pictures_panel_set_step (self->panel, _ ("_Open Another Picture…"), "pictures.open");
  else
    pteris_pictures_panel_set_step (self->panel, _ ("_All Models"), "win.models");
}

/* ---- looking ---- */

static void
take_report (PterisPicturesPage *self, const PtLookResult *result)
{
  if (self->shown == NULL || result->n_pictures == 0)
    return;
  if (result->pictures[0].error != NULL)
    _pteris_pictures_page_fail (self, PT_ERROR_FILE, result->pictures[0].error);
  else
    pteris_picture_set_result (self->shown, result);
}

static void
take_failure (PterisPicturesPage *self, const PtEvent *event)
{
  g_free (self->asked);
  self->asked = g_strdup (event->digest);
  g_free (self->alternative);
  self->alternative = g_strdup (event->alternative);
  _pteris_pictures_page_fail (self, event->code, event->text);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  PterisPicturesPage *self = user_data;
  g_autofree char *step = NULL;

  if (event->job != self->job || self->client == NULL)
    return;
  switch (event->kind) {
  case PT_EVENT_PROGRESS:
    step = pteris_format_step (event);
    pteris_pictures_panel_set_doing (self->panel, step);
    return;
  case PT_EVENT_REPORT: take_report (self, event->look); return;
  case PT_EVENT_FAILED: take_failure (self, event); break;
  case PT_EVENT_DONE:
  case PT_EVENT_STOPPED: break;
  default: return;
  }
  self->job = 0;
  pteris_pictures_panel_set_doing (self->panel, NULL);
  _pteris_pictures_page_update (self);
}

void
_pteris_pictures_page_cancel (PterisPicturesPage *self)
{
  guint64 job = self->job;

  g_clear_handle_id (&self->waiting, g_source_remove);
  self->wants = FALSE;
  self->job = 0;
  if (job == 0 || self->client == NULL)
    return;
  pteris_engine_client_cancel (self->client, job);
  pteris_pictures_panel_set_doing (self->panel, NULL);
}

static void
submit (PterisPicturesPage *self, PterisModel *model)
{
  const char *images[] = { pteris_picture_get_path (self->shown), NULL };
  g_auto (GStrv) texts = pteris_pictures_panel_get_texts (self->panel);
  PtJob job = PT_JOB_INIT (PT_JOB_LOOK);

  job.model.trust = self->trust;
  job.vision.images = images;
  job.vision.threshold = self->least;
  if (_pteris_pictures_page_compares_texts (model) && texts[0] != NULL)
    job.vision.texts = (const char *const *) texts;
  pteris_settings_set_string (PTERIS_SETTING_LAST_PICTURES, pteris_model_get_info (model)->path);
  pteris_pictures_panel_set_doing (self->panel, _ ("Waiting"));
  self->job = pteris_engine_client_submit (self->client, model, &job, on_event, g_object_ref (self),
                                           g_object_unref);
}

void
_pteris_pictures_page_look (PterisPicturesPage *self)
{
  PterisModel *model = pteris_pictures_page_get_model (self);

  _pteris_pictures_page_cancel (self);
  _pteris_pictures_page_clear_error (self);
  g_clear_pointer (&self->alternative, g_free);
  self->wants = self->shown != NULL && model != NULL;
  if (self->wants && pteris_picture_get_texture (self->shown) != NULL) {
    self->wants = FALSE;
    submit (self, model);
  } else if (self->wants) {
    pteris_picture_open (self->shown);
  }
  _pteris_pictures_page_update (self);
}
