/* SPDX-License-Identifier: BSD-3-Clause */

/* Ollama's /api/tags, /api/show, /api/ps, /api/version, and what it says at its root. */

#include <string.h>

#include "engine/base/json.h"
#include "server/json-fields.h"
#include "server/ollama.h"

/* The version whose interface this is: programs compare it with what they need. */
#define INTERFACE_VERSION "0.12.0"

char *
pteris_ollama_time (gint64 seconds)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (seconds);

  return time != NULL ? g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ") : g_strdup ("");
}

char *
pteris_ollama_now (void)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  return g_date_time_format (now, "%Y-%m-%dT%H:%M:%S.%fZ");
}

/* ---- lists ---- */

/* A request that waits for the list of models. */
typedef struct {
  PterisExchange *exchange;
  char *name; /* of /api/show */
} Wanted;

static void
wanted_free (Wanted *self)
{
  pteris_exchange_unref (self->exchange);
  g_free (self->name);
  g_free (self);
}

static json_t *
details_json (const PtModelInfo *info)
{
  return json_pack ("{s:s, s:s, s:s?, s:[s*], s:s, s:s}", "parent_model", "", "format", "pte",
                    "family", info->family, "families", info->family, "parameter_size", "",
                    "quantization_level", "");
}

static json_t *
tag_json (const PtModelInfo *info)
{
  g_autofree char *changed = pteris_ollama_time (pteris_model_changed (info));

  return json_pack ("{s:s, s:s, s:s, s:I, s:o}", "name", info->name, "model", info->name,
                    "modified_at", changed, "size", (json_int_t) info->bytes, "details",
                    details_json (info));
}

static void
answer_tags (PterisServedModels *models, gpointer data)
{
  Wanted *self = data;
  const GPtrArray *list = pteris_served_models_list (models);
  json_t *tags = json_array ();

  for (guint i = 0; i < list->len; i++)
    json_array_append_new (tags, tag_json (list->pdata[i]));
  pteris_exchange_answer (self->exchange, 200, json_pack ("{s:o}", "models", tags));
  wanted_free (self);
}

void
pteris_ollama_tags (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  Wanted *self = g_new0 (Wanted, 1);

  self->exchange = pteris_exchange_ref (exchange);
  pteris_served_models_ask (serving->models, answer_tags, self);
}

/* ---- one model ---- */

static json_t *
abilities_json (const PtModelInfo *info)
{
  static const struct {
    const char *task, *ability;
  } abilities[] = {
    { "chat", "completion" },
    { "embed", "embedding" },
    { "transcribe", "transcription" },
    { "speak", "speech" },
  };
  json_t *list = json_array ();

  for (guint i = 0; i < G_N_ELEMENTS (abilities); i++)
    if (strcmp (abilities[i].task, info->task) == 0)
      json_array_append_new (list, json_string (abilities[i].ability));
  if (strcmp (info->task, "chat") == 0)
    json_array_append_new (list, json_string ("tools"));
  if ((info->takes & PT_MODEL_IMAGES) != 0)
    json_array_append_new (list, json_string ("vision"));
  return list;
}

/* A description that lacks what only the program's tables say. */
typedef struct {
  PterisExchange *exchange;
  json_t *answer;
  char *family, *path; /* of the model */
  char **data;
} Showing;

static void
showing_free (gpointer data)
{
  Showing *self = data;

  pteris_exchange_unref (self->exchange);
  json_decref (self->answer);
  g_free (self->family);
  g_free (self->path);
  g_strfreev (self->data);
  g_free (self);
}

/* In another thread: tables of large programs take a while. */
static void
examine (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Showing *self = data;
  g_autoptr (GError) error = NULL;
  PtModelDetails *details =
      pt_library_examine (self->path, (const char *const *) self->data, &error);

  if (details == NULL)
    g_task_return_error (task, g_steal_pointer (&error));
  else
    g_task_return_pointer (task, details, (GDestroyNotify) pt_model_details_free);
}

static void
add_details (Showing *self, const PtModelDetails *details)
{
  g_autofree char *bits = g_strdup_printf ("%u-bit", details->weight_bits);
  g_autofree char *context = g_strconcat (self->family, ".context_length", NULL);

  if (details->weight_bits > 0)
    json_object_set_new (json_object_get (self->answer, "details"), "quantization_level",
                         json_string (bits));
  if (details->context > 0)
    json_object_set_new (json_object_get (self->answer, "model_info"), context,
                         json_integer (details->context));
  if (details->thinks)
    json_array_append_new (json_object_get (self->answer, "capabilities"),
                           json_string ("thinking"));
}

/* A program that cannot be examined is described by what is known. */
static void
on_examined (GObject *source, GAsyncResult *result, gpointer data)
{
  Showing *self = g_task_get_task_data (G_TASK (result));
  PtModelDetails *details = g_task_propagate_pointer (G_TASK (result), NULL);

  if (details != NULL)
    add_details (self, details);
  pt_model_details_free (details);
  pteris_exchange_answer (self->exchange, 200, json_incref (self->answer));
}

static json_t *
show_json (const PtModelInfo *info)
{
  g_autofree char *changed = pteris_ollama_time (pteris_model_changed (info));

  return json_pack ("{s:s?, s:s, s:s, s:s, s:o, s:{s:s?, s:s}, s:o, s:s}", "license", info->license,
                    "modelfile", "", "parameters", "", "template", "", "details",
                    details_json (info), "model_info", "general.architecture", info->family,
                    "general.basename", info->title, "capabilities", abilities_json (info),
                    "modified_at", changed);
}

static void
answer_show (PterisServedModels *models, gpointer data)
{
  Wanted *self = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GTask) task = NULL;
  const PtModelInfo *info = pteris_served_models_find (models, self->name, "model", &error);
  Showing *showing;

  if (info == NULL) {
    pteris_exchange_fail (self->exchange, error);
  } else {
    showing = g_new0 (Showing, 1);
    showing->exchange = pteris_exchange_ref (self->exchange);
    showing->answer = show_json (info);
    showing->family = g_strdup (info->family);
    showing->path = g_strdup (info->path);
    showing->data = g_strdupv (info->data);
    task = g_task_new (NULL, NULL, on_examined, NULL);
    g_task_set_task_data (task, showing, showing_free);
    g_task_run_in_thread (task, examine);
  }
  wanted_free (self);
}

void
pteris_ollama_show (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  g_autoptr (GError) error = NULL;
  PterisFields fields;
  const char *name;
  Wanted *self;

  pteris_fields_begin (&fields, body->json, NULL, &error);
  name = pteris_fields_text (&fields, "model");
  /* Its older name. */
  if (name == NULL)
    name = pteris_fields_text (&fields, "name");
  else
    pteris_fields_skip (&fields, "name");
  pteris_fields_skip (&fields, "verbose");
  if (name == NULL)
    pteris_fields_need (&fields, "model");
  if (!pteris_fields_end (&fields)) {
    pteris_exchange_fail (exchange, error);
    return;
  }
  self = g_new0 (Wanted, 1);
  self->exchange = pteris_exchange_ref (exchange);
  self->name = g_strdup (name);
  pteris_served_models_ask (serving->models, answer_show, self);
}

void
pteris_ollama_ps (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  g_autoptr (GArray) models = pteris_model_pool_list (serving->pool);
  json_t *list = json_array ();

  for (guint i = 0; i < models->len; i++) {
    const PterisPoolModel *model = &g_array_index (models, PterisPoolModel, i);

    json_array_append_new (list, json_pack ("{s:s, s:s, s:i, s:{}}", "name", model->name, "model",
                                            model->name, "context_length",
                                            (int) model->context_size, "details"));
  }
  pteris_exchange_answer (exchange, 200, json_pack ("{s:o}", "models", list));
}

void
pteris_ollama_version (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  pteris_exchange_answer (
      exchange, 200,
      json_pack ("{s:s, s:s}", "version", INTERFACE_VERSION, "pteris", serving->version));
}

void
pteris_ollama_root (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  const char *text = "Pteris is running\n";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  pteris_exchange_answer_bytes (exchange, "text/plain; charset=utf-8", bytes);
}
