/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/text-model.h"

#include "engine/base/set-error.h"
#include "engine/tasks/models/backend-choice.h"

#define TELL_INTERVAL_US (G_USEC_PER_SEC / 8)

gboolean
pt_text_model_open (PtTextModel *self, PtModelSet *set, const PtJob *job, GError **error)
{
  PtMethodOptions options = { .device = job->model.device,
                              .trust = job->model.trust,
                              .exact = job->model.exact };
  gint64 begin = g_get_monotonic_time ();

  *self = (PtTextModel){ 0 };
  self->module = pt_model_set_open (set, &options, error);
  if (self->module == NULL ||
      !pt_backend_choice_check (job->model.backend, pt_module_program (self->module), error) ||
      !pt_module_choose_method (self->module, job->model.method, error) ||
      !pt_text_method_init (&self->method, self->module, error)) {
    pt_text_model_clear (self);
    return FALSE;
  }
  self->tokenizer = pt_tokenizer_open (set->tokenizer, error);
  if (self->tokenizer == NULL) {
    pt_text_model_clear (self);
    return FALSE;
  }
  pt_model_set_close_files (set);
  self->name = g_strdup (set->name);
  self->device = g_strdup (
      pt_backend_choice_device_name (pt_module_program (self->module), job->model.device));
  self->load_s = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  return TRUE;
}

void
pt_text_model_clear (PtTextModel *self)
{
  pt_text_method_clear (&self->method);
  g_clear_pointer (&self->tokenizer, pt_tokenizer_free);
  g_clear_pointer (&self->module, pt_module_free);
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->device, g_free);
}

void
pt_text_model_tell (PtStepFunc progress, gpointer user_data, guint number, guint count,
                    gint64 *last)
{
  gint64 now = g_get_monotonic_time ();

  if (progress == NULL || now - *last < TELL_INTERVAL_US)
    return;
  *last = now;
  progress (PT_STEP_READING, number, count, user_data);
}

gboolean
pt_text_model_count (const char *const *texts, guint *n, GError **error)
{
  *n = texts != NULL ? g_strv_length ((char **) texts) : 0;
  if (*n == 0)
    return pt_fail (error, PT_ERROR_ARGUMENT, "No text was given.");
  if (*n > PT_EMBED_MAX_TEXTS)
    return pt_fail (error, PT_ERROR_ARGUMENT, "%u texts are too many: a job takes %d at most.", *n,
                    PT_EMBED_MAX_TEXTS);
  return TRUE;
}
