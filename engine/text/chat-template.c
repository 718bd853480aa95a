/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-template.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/text/chat-config.h"
#include "engine/text/chat-families.h"
#include "engine/text/chat-media.h"
#include "engine/text/jinja/jinja.h"

#define MAX_TOKENS 64
#define N_KINDS 2

/* Kinds of files, and their names in templates. */
static const struct {
  PtModelInput kind;
  const char *type, *sample, *token;
} kinds[N_KINDS] = { { PT_MODEL_IMAGES, "image", "?.png", "image_token" },
                     { PT_MODEL_AUDIO, "audio", "?.wav", "audio_token" } };

struct _PtChatTemplate {
  const PtTokenizer *tokenizer;
  PtJinjaTree *tree;
  GHashTable *tokens; /* "bos_token" and such: their texts */
  gboolean parts;     /* the template expects content as a list of parts */
  gboolean lists;     /* the template expects files in a list of parts */
  gboolean is_own;    /* it came with the model */
  json_t *tools;      /* a list, or NULL */
  PtChatMedia media;
  const PtChatMark *marks[N_KINDS]; /* marks of the kinds of files that the model takes */
  PtChatMark named[N_KINDS];        /* marks that tokenizer_config.json names */
  GMutex lock;                      /* of what follows */
  GDateTime *now;
};

/* ---- finding the template ---- */

gboolean
pt_chat_folder_thinks (const char *folder)
{
  g_autoptr (json_t) config = NULL;
  g_autofree char *text = NULL;

  return pt_chat_config_load (folder, "tokenizer_config.json", &config, NULL) &&
         pt_chat_config_template (folder, config, &text, NULL) && text != NULL &&
         strstr (text, "enable_thinking") != NULL;
}

/* If no file names the BOS token: the token that the tokenizer adds before a text. */
static gint32
bos_of (const PtTokenizer *tokenizer)
{
  gint32 bos = pt_tokenizer_bos (tokenizer);
  const gint32 *prefix;
  guint n;

  if (bos >= 0)
    return bos;
  prefix = pt_tokenizer_prefix (tokenizer, &n);
  return n > 0 ? prefix[0] : -1;
}

static void
add_tokens (GHashTable *tokens, const json_t *config)
{
  const char *key;
  json_t *value;

  json_object_foreach ((json_t *) config, key, value)
    if (g_str_has_suffix (key, "_token") && g_hash_table_size (tokens) < MAX_TOKENS &&
        pt_chat_config_token (config, key) != NULL)
      g_hash_table_insert (tokens, g_strdup (key), g_strdup (pt_chat_config_token (config, key)));
}

/** Global variables of the template: "bos_token" and such. */
static GHashTable *
find_tokens (const json_t *config, const PtTokenizer *tokenizer)
{
  GHashTable *tokens = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const struct {
    const char *name;
    gint32 id;
  } own[] = { { "bos_token", bos_of (tokenizer) }, { "eos_token", pt_tokenizer_eos (tokenizer) } };

  for (gsize i = 0; i < G_N_ELEMENTS (own); i++) {
    gsize length;
    const char *bytes = own[i].id >= 0 ? pt_tokenizer_bytes (tokenizer, own[i].id, &length) : NULL;

    if (bytes != NULL)
      g_hash_table_insert (tokens, g_strdup (own[i].name), g_strndup (bytes, length));
  }
  add_tokens (tokens, json_object_get (config, "extra_special_tokens"));
  add_tokens (tokens, config);
  return tokens;
}

/* ---- rendering ---- */

/** The time for strftime_now(): today's date at the time of the first call, so that the prompt does
 * not change with every answer. */
static GDateTime *
day_of (PtChatTemplate *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  GDateTime *day;

  g_mutex_lock (&self->lock);
  if (self->now == NULL ||
      g_date_time_get_day_of_year (self->now) != g_date_time_get_day_of_year (now)) {
    g_clear_pointer (&self->now, g_date_time_unref);
    self->now = g_date_time_ref (now);
  }
  day = g_date_time_ref (self->now);
  g_mutex_unlock (&self->lock);
  return day;
}

/** Roles become parts of special tokens, so only known roles are trusted. */
static gboolean
is_known_role (const char *role)
{
  static const char *const roles[] = { "system", "user", "assistant", "tool" };

  for (gsize i = 0; i < G_N_ELEMENTS (roles); i++)
    if (strcmp (role, roles[i]) == 0)
      return TRUE;
  return FALSE;
}

static guint
kind_of (const PtChatTemplate *self, const char *path, guint *kind, GError **error)
{
  guint found = 0;

  if (self->media.kind != NULL)
    found = self->media.kind (self->media.user_data, path, error);
  else
    pt_fail (error, PT_ERROR_UNSUPPORTED, "The model supports text only, not “%s”.", path);
  for (*kind = 0; *kind < N_KINDS; (*kind)++)
    if (kinds[*kind].kind == found)
      return found;
  return 0;
}

static void
append_part (PtJinjaRender *render, PtJinjaList *list, const char *type, PtJinjaValue *text)
{
  PtJinjaValue part = pt_jinja_new_dict (render, PT_JINJA_DICT);

  pt_jinja_put_name (render, part.dict, "type",
                     pt_jinja_new_text (render, type, -1, PT_JINJA_TEMPLATE));
  if (text != NULL)
    pt_jinja_put_name (render, part.dict, "text", *text);
  pt_jinja_append (render, list, part);
}

/* Writes a message's content: files before the text, as a list of parts or as the marks that a
   template would write. */
static gboolean
content_value (const PtChatTemplate *self, PtJinjaRender *render, const PtMessage *message,
               guint32 source, PtJinjaValue *content, GError **error)
{
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  PtJinjaValue text = pt_jinja_new_text (render, message->text, -1, source);
  guint n = message->files != NULL ? g_strv_length ((char **) message->files) : 0;
  PtJinjaBuilder builder;
  guint kind;

  pt_jinja_builder_init (&builder, render);
  for (guint i = 0; i < n; i++) {
    if (kind_of (self, message->files[i], &kind, error) == 0) {
      pt_jinja_builder_clear (&builder);
      return FALSE;
    }
    if (self->lists)
      append_part (render, list.list, kinds[kind].type, NULL);
    else
      pt_jinja_build_own (&builder, self->marks[kind]->place);
  }
  if (text.kind == PT_JINJA_TEXT)
    pt_jinja_build_slice (&builder, text.text, 0, text.text->length);
  text = pt_jinja_built (&builder);
  if (*message->text != '\0' || list.list->n == 0)
    append_part (render, list.list, "text", &text);
  *content = self->parts || (self->lists && n > 0) ? list : text;
  return TRUE;
}

static gboolean
message_value (const PtChatTemplate *self, PtJinjaRender *render, const PtMessage *message,
               guint32 source, PtJinjaValue *value, GError **error)
{
  guint32 trust = is_known_role (message->role) ? PT_JINJA_TEMPLATE : PT_JINJA_DATA;
  PtJinjaValue content;

  if (!content_value (self, render, message, source, &content, error))
    return FALSE;
  *value = pt_jinja_new_dict (render, PT_JINJA_DICT);
  pt_jinja_put_name (render, value->dict, "role",
                     pt_jinja_new_text (render, message->role, -1, trust));
  pt_jinja_put_name (render, value->dict, "content", content);
  return TRUE;
}

/** Renders the conversation. The bytes of message i have the source i + 1. */
static const PtJinjaText *
render_messages (const PtChatTemplate *self, PtJinjaRender *render, const PtMessage *messages,
                 guint n, PtThinking thinking, GError **error)
{
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST), message;
  GHashTableIter iter;
  gpointer name, token;

  for (guint i = 0; i < n; i++) {
    if (!message_value (self, render, &messages[i], i + 1, &message, error))
      return NULL;
    pt_jinja_append (render, list.list, message);
  }
  pt_jinja_set (render, "messages", list);
  pt_jinja_set (render, "add_generation_prompt", pt_jinja_bool (TRUE));
  pt_jinja_set (render, "tools", pt_jinja_from_json (render, self->tools, PT_JINJA_DATA));
  pt_jinja_set (render, "documents", PT_JINJA_NULL);
  if (thinking != PT_THINKING_DEFAULT)
    pt_jinja_set (render, "enable_thinking", pt_jinja_bool (thinking == PT_THINKING_ON));
  g_hash_table_iter_init (&iter, self->tokens);
  while (g_hash_table_iter_next (&iter, &name, &token))
    pt_jinja_set (render, name, pt_jinja_new_text (render, token, -1, PT_JINJA_TEMPLATE));
  return pt_jinja_run (render, self->tree, error);
}

static PtTextPart
part_of (const PtJinjaText *text, guint i)
{
  gsize begin = i > 0 ? text->spans[i - 1].end : 0;

  return (PtTextPart){ text->bytes + begin, (gssize) (text->spans[i].end - begin),
                       text->spans[i].source == PT_JINJA_TEMPLATE };
}

/* ---- opening ---- */

/** Renders a question and checks that the result contains it. */
static gboolean
shows_question (PtChatTemplate *self, GError **error)
{
  static const PtMessage question = { "user", "?" };
  g_autoptr (GDateTime) now = day_of (self);
  g_autoptr (PtJinjaRender) render = pt_jinja_render_new (now);
  const PtJinjaText *text =
      render_messages (self, render, &question, 1, PT_THINKING_DEFAULT, error);

  for (guint i = 0; text != NULL && i < text->n_spans; i++)
    if (text->spans[i].source == 1)
      return TRUE;
  if (text != NULL)
    pt_fail (error, PT_ERROR_UNSUPPORTED, "The chat template leaves out what is asked.");
  return FALSE;
}

static gboolean
use_template (PtChatTemplate *self, const char *text, GError **error)
{
  g_autoptr (GError) first = NULL;

  g_clear_pointer (&self->tree, pt_jinja_free);
  self->tree = pt_jinja_new (text, strlen (text), error);
  if (self->tree == NULL)
    return FALSE;
  self->parts = FALSE;
  if (shows_question (self, &first))
    return TRUE;
  self->parts = TRUE;
  if (first->code != PT_ERROR_MEMORY && shows_question (self, NULL))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

/* ---- with files ---- */

static guint
kind_of_sample (gpointer user_data, const char *path, GError **error)
{
  for (guint i = 0; i < N_KINDS; i++)
    if (strcmp (path, kinds[i].sample) == 0)
      return kinds[i].kind;
  return 0;
}

/* Counts how often the template itself writes @mark into @text. */
static guint
count_marks (const PtJinjaText *text, const PtChatMark *mark)
{
  guint n = 0;

  for (guint i = 0; i < text->n_spans; i++) {
    PtTextPart part = part_of (text, i);
    gssize at;

    while (part.special && (at = pt_chat_mark_find (mark, part.text, (gsize) part.length)) >= 0) {
      part.text += at + (gssize) strlen (mark->place);
      part.length -= at + (gssize) strlen (mark->place);
      n++;
    }
  }
  return n;
}

/** Renders a question with a file of each kind and checks that the result marks each file once. */
static gboolean
shows_files (PtChatTemplate *self, GError **error)
{
  const char *files[N_KINDS + 1] = { NULL };
  PtMessage question = { "user", "?", files };
  g_autoptr (GDateTime) now = day_of (self);
  g_autoptr (PtJinjaRender) render = pt_jinja_render_new (now);
  gboolean all = shows_question (self, error);
  const PtJinjaText *text;
  guint n = 0;

  for (guint i = 0; i < N_KINDS; i++)
    if (self->media.takes & kinds[i].kind)
      files[n++] = kinds[i].sample;
  text = all ? render_messages (self, render, &question, 1, PT_THINKING_DEFAULT, error) : NULL;
  if (text == NULL)
    return FALSE;
  for (guint i = 0; i < N_KINDS; i++)
    if (self->media.takes & kinds[i].kind)
      all = all && count_marks (text, self->marks[i]) == 1;
  return all || pt_fail (error, PT_ERROR_UNSUPPORTED, "The chat template leaves out files.");
}

/* Tries files as a list of parts first, else as marks in the text. */
static gboolean
find_place_of_files (PtChatTemplate *self, GError **error)
{
  self->lists = TRUE;
  if (shows_files (self, NULL))
    return TRUE;
  self->lists = FALSE;
  return shows_files (self, error);
}

gboolean
pt_chat_template_set_tools (PtChatTemplate *self, const char *tools, GError **error)
{
  g_autoptr (json_t) list = NULL;
  g_autoptr (GError) reason = NULL;

  g_clear_pointer (&self->tools, json_decref);
  if (tools == NULL)
    return TRUE;
  list = pt_json_parse ("tools", tools, strlen (tools), &reason);
  for (gsize i = 0; i < json_array_size (list); i++)
    if (!json_is_object (json_array_get (list, i)))
      g_clear_pointer (&list, json_decref);
  if (!json_is_array (list))
    return pt_fail (error, PT_ERROR_ARGUMENT, "The tools must be a JSON list of objects%s%s",
                    reason != NULL ? ": " : ".", reason != NULL ? reason->message : "");
  self->tools = json_array_size (list) > 0 ? g_steal_pointer (&list) : NULL;
  return TRUE;
}

/* Uses the marks that tokenizer_config.json names, where it does, with nothing around them; else
 * those of the family, which has the same with @bare. */
static void
use_named_marks (PtChatTemplate *self, gboolean bare)
{
  for (guint i = 0; i < N_KINDS; i++) {
    const char *token = g_hash_table_lookup (self->tokens, kinds[i].token);
    const PtChatMark *usual = pt_chat_mark (self->tokenizer, kinds[i].kind);
    gboolean is_named = token != NULL && *token != '\0';

    self->named[i] = (PtChatMark){ kinds[i].kind, is_named ? token : usual->place, "", "" };
    self->marks[i] = is_named || bare ? &self->named[i] : usual;
  }
}

static void
use_usual_marks (PtChatTemplate *self)
{
  for (guint i = 0; i < N_KINDS; i++)
    self->marks[i] = pt_chat_mark (self->tokenizer, kinds[i].kind);
}

/* Finds out how the model's own template places files, and by which marks. */
static gboolean
find_marks (PtChatTemplate *self, gboolean bare)
{
  if (bare)
    use_named_marks (self, TRUE);
  else
    use_usual_marks (self);
  if (find_place_of_files (self, NULL))
    return TRUE;
  if (bare)
    use_usual_marks (self);
  else
    use_named_marks (self, FALSE);
  return find_place_of_files (self, NULL);
}

gboolean
pt_chat_template_set_media (PtChatTemplate *self, const PtChatMedia *media, GError **error)
{
  self->media = (PtChatMedia){ .takes = media->takes, .kind = kind_of_sample };
  if (!self->is_own || !find_marks (self, media->bare)) {
    use_usual_marks (self);
    self->lists = FALSE;
    if (!use_template (self, pt_chat_family_template (self->tokenizer, media->takes), error) ||
        !find_place_of_files (self, error))
      return FALSE;
  }
  self->media = *media;
  return TRUE;
}

/** Opens the model's own template, else that of its family. */
static PtChatTemplate *
new_template (const char *text, const json_t *config, const PtTokenizer *tokenizer, GError **error)
{
  g_autoptr (PtChatTemplate) self = g_new0 (PtChatTemplate, 1);

  g_mutex_init (&self->lock);
  self->tokenizer = tokenizer;
  self->tokens = find_tokens (config, tokenizer);
  if (text != NULL) {
    g_autoptr (GError) own = NULL;

    self->is_own = use_template (self, text, &own);
    if (self->is_own)
      return g_steal_pointer (&self);
    if (own->code == PT_ERROR_MEMORY) {
      g_propagate_error (error, g_steal_pointer (&own));
      return NULL;
    }
    g_debug ("%s", own->message);
  }
  if (!use_template (self, pt_chat_family_template (tokenizer, 0), error))
    return NULL;
  return g_steal_pointer (&self);
}

PtChatTemplate *
pt_chat_template_open (const char *folder, const PtTokenizer *tokenizer, GError **error)
{
  g_autoptr (json_t) config = NULL;
  g_autofree char *text = NULL;

  if (!pt_chat_config_load (folder, "tokenizer_config.json", &config, error) ||
      !pt_chat_config_template (folder, config, &text, error))
    return NULL;
  return new_template (text, config, tokenizer, error);
}

PtChatTemplate *
pt_chat_template_new (const char *text, const char *bos, const PtTokenizer *tokenizer,
                      GError **error)
{
  g_autoptr (json_t) config = json_object ();

  if (bos != NULL)
    json_object_set_new (config, "bos_token", pt_json_text (bos));
  return new_template (text, config, tokenizer, error);
}

void
pt_chat_template_free (PtChatTemplate *self)
{
  if (self == NULL)
    return;
  pt_jinja_free (self->tree);
  json_decref (self->tools);
  g_hash_table_unref (self->tokens);
  g_clear_pointer (&self->now, g_date_time_unref);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* ---- conversations ---- */

/** The rendered text as parts for the tokenizer, with the ids of answers that the model wrote. */
typedef struct {
  const PtChatTemplate *self;
  const PtJinjaText *text;
  const PtMessage *messages;
  guint n_messages;
  PtAnswerFunc known;
  gpointer user_data;
  GArray *parts; /* PtTextPart, not yet encoded */
  GArray *ids;
  GPtrArray *files[N_KINDS]; /* files of all messages that have not been placed yet */
} Encoding;

static gboolean
flush (Encoding *e, GError **error)
{
  if (e->parts->len > 0 && !pt_tokenizer_encode_parts (
                               e->self->tokenizer, (const PtTextPart *) (gpointer) e->parts->data,
                               e->parts->len, PT_ENCODE_PLAIN, e->ids, error))
    return FALSE;
  g_array_set_size (e->parts, 0);
  return TRUE;
}

/**
 * TRUE if span @i begins with a special token, so that the tokenizer encodes the text before it
 * separately.
 */
static gboolean
begins_anew (const Encoding *e, guint i)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  PtTextPart part;

  if (i >= e->text->n_spans || e->text->spans[i].source != PT_JINJA_TEMPLATE)
    return FALSE;
  part = part_of (e->text, i);
  return pt_tokenizer_encode_parts (e->self->tokenizer, &part, 1, PT_ENCODE_PLAIN, ids, NULL) &&
         ids->len > 0 &&
         pt_tokenizer_is_special (e->self->tokenizer, g_array_index (ids, gint32, 0));
}

/** If span @i is a whole answer of the model, appends the ids that the model wrote. */
static gboolean
encode_known (Encoding *e, guint i, GArray *ids)
{
  const PtJinjaSpan *span = &e->text->spans[i];
  const PtMessage *message;
  PtTextPart part = part_of (e->text, i);

  if (e->known == NULL || span->source == PT_JINJA_TEMPLATE || span->source == PT_JINJA_DATA)
    return FALSE;
  message = &e->messages[span->source - 1];
  if (strcmp (message->role, "assistant") != 0 || span->offset != 0 ||
      strlen (message->text) != (gsize) part.length ||
      memcmp (message->text, part.text, (gsize) part.length) != 0)
    return FALSE;
  return begins_anew (e, i + 1) && e->known (message->text, ids, e->user_data);
}

/* Finds the nearest mark of a file that has not been placed yet. */
static const PtChatMark *
find_mark (const Encoding *e, const PtTextPart *part, guint *kind, gsize *at)
{
  const PtChatMark *nearest = NULL;

  for (guint i = 0; part->special && i < N_KINDS; i++) {
    gssize found = e->files[i]->len > 0
                       ? pt_chat_mark_find (e->self->marks[i], part->text, (gsize) part->length)
                       : -1;

    if (found >= 0 && (nearest == NULL || (gsize) found < *at)) {
      nearest = e->self->marks[i];
      *kind = i;
      *at = (gsize) found;
    }
  }
  return nearest;
}

/* Appends the text before a file, and @before unless the template has written it there. */
static void
append_before (Encoding *e, const PtTextPart *part, gsize at, const char *before)
{
  PtTextPart left = { part->text, (gssize) at, TRUE }, own = { before, -1, TRUE };
  gsize length = strlen (before);

  g_array_append_val (e->parts, left);
  if (length > at || memcmp (part->text + at - length, before, length) != 0)
    g_array_append_val (e->parts, own);
}

static void
append_after (Encoding *e, const PtTextPart *rest, const char *after)
{
  PtTextPart own = { after, -1, TRUE };
  gsize length = strlen (after);

  if (length > (gsize) rest->length || memcmp (rest->text, after, length) != 0)
    g_array_append_val (e->parts, own);
}

/** Appends the rendered text and the files at their marks. */
static gboolean
encode_part (Encoding *e, PtTextPart part, GError **error)
{
  const PtChatMedia *media = &e->self->media;
  const PtChatMark *mark;
  guint kind = 0;
  gsize at = 0;

  while ((mark = find_mark (e, &part, &kind, &at)) != NULL) {
    g_autofree char *path = g_ptr_array_steal_index (e->files[kind], 0);
    gsize end = at + strlen (mark->place);

    append_before (e, &part, at, mark->before);
    part.text += end;
    part.length -= (gssize) end;
    if (!flush (e, error) || !media->append (media->user_data, path, e->ids, error))
      return FALSE;
    append_after (e, &part, mark->after);
  }
  g_array_append_val (e->parts, part);
  return TRUE;
}

static gboolean
find_files (Encoding *e, GError **error)
{
  for (guint i = 0; i < e->n_messages; i++) {
    const char *const *files = e->messages[i].files;
    guint kind;

    for (guint k = 0; files != NULL && files[k] != NULL; k++) {
      if (kind_of (e->self, files[k], &kind, error) == 0)
        return FALSE;
      g_ptr_array_add (e->files[kind], g_strdup (files[k]));
    }
  }
  return TRUE;
}

static gboolean
check_files (const Encoding *e, GError **error)
{
  for (guint i = 0; i < N_KINDS; i++)
    if (e->files[i]->len > 0)
      return pt_fail (error, PT_ERROR_UNSUPPORTED,
                      "The chat template of the model leaves out “%s”.",
                      (const char *) e->files[i]->pdata[0]);
  return TRUE;
}

static gboolean
encode_text (Encoding *e, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  if (!find_files (e, error))
    return FALSE;
  for (guint i = 0; i < e->text->n_spans; i++) {
    PtTextPart part = part_of (e->text, i);

    if (!encode_known (e, i, ids)) {
      if (!encode_part (e, part, error))
        return FALSE;
      continue;
    }
    if (!flush (e, error))
      return FALSE;
    g_array_append_vals (e->ids, ids->data, ids->len);
    g_array_set_size (ids, 0);
  }
  return check_files (e, error);
}

/** Appends the answer to continue, after the prompt that it answers. */
static gboolean
encode_open (Encoding *e, const char *text, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  PtTextPart part = { text, -1, FALSE };

  if (e->known != NULL && e->known (text, ids, e->user_data)) {
    if (!flush (e, error))
      return FALSE;
    g_array_append_vals (e->ids, ids->data, ids->len);
    return TRUE;
  }
  g_array_append_val (e->parts, part);
  return flush (e, error);
}

/** Copies the messages with the system prompt moved into the first question; NULL: not possible. */
static PtMessage *
fold_system (const PtMessage *messages, guint n, char **folded)
{
  PtMessage *copy;

  if (n < 2 || strcmp (messages[0].role, "system") != 0 || strcmp (messages[1].role, "user") != 0)
    return NULL;
  copy = g_memdup2 (messages + 1, (n - 1) * sizeof *messages);
  *folded = g_strconcat (messages[0].text, "\n\n", messages[1].text, NULL);
  copy[0].text = *folded;
  return copy;
}

gboolean
pt_chat_template_encode (PtChatTemplate *self, const PtMessage *messages, guint n_messages,
                         PtThinking thinking, PtAnswerFunc known, gpointer user_data, GArray *ids,
                         GError **error)
{
  g_autoptr (GDateTime) now = day_of (self);
  g_autoptr (PtJinjaRender) render = pt_jinja_render_new (now), again = NULL;
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (PtTextPart));
  g_autoptr (GPtrArray) images = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) sounds = g_ptr_array_new_with_free_func (g_free);
  gboolean open = n_messages > 0 && strcmp (messages[n_messages - 1].role, "assistant") == 0;
  guint n = n_messages - (open ? 1 : 0);
  g_autofree PtMessage *folded = NULL;
  g_autofree char *first = NULL;
  g_autoptr (GError) refused = NULL;
  Encoding e = { self, NULL, messages, n, known, user_data, parts, ids, { images, sounds } };

  e.text = render_messages (self, render, messages, n, thinking, &refused);
  /* Some models were trained without a system role. */
  if (e.text == NULL && refused->code != PT_ERROR_MEMORY &&
      (folded = fold_system (messages, n, &first)) != NULL) {
    again = pt_jinja_render_new (now);
    e.messages = folded;
    e.n_messages = n - 1;
    e.text = render_messages (self, again, folded, n - 1, thinking, NULL);
  }
  if (e.text == NULL) {
    g_propagate_error (error, g_steal_pointer (&refused));
    return FALSE;
  }
  if (!encode_text (&e, error))
    return FALSE;
  return open ? encode_open (&e, messages[n_messages - 1].text, error) : flush (&e, error);
}
