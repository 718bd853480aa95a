/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/chat/chat-private.h"

#include <string.h>

#include "engine/base/json.h"
#include "engine/base/set-error.h"
#include "engine/base/system-usage.h"
#include "engine/tasks/chat/call-schema.h"
#include "engine/text/chat-media.h"
#include "engine/text/loop.h"
#include "engine/text/sampling-settings.h"
#include "engine/text/stop-text.h"
#include "engine/text/thinking.h"
#include "engine/text/tool-calls.h"

/* The most conversations whose KV cache is kept, and the most answers whose ids are kept. */
#define MAX_CONVERSATIONS 8
#define MAX_ANSWERS 256
/* The memory of the process is measured once in this many tokens. */
#define MEMORY_INTERVAL 16

static void
place_clear (gpointer data)
{
  g_free (((PtChatPlace *) data)->path);
}

static void
answer_free (gpointer data)
{
  PtChatAnswer *answer = data;

  g_free (answer->text);
  g_array_unref (answer->ids);
  g_free (answer);
}

static void
add_end_ids (PtChat *self, PtModule *module, const char *name)
{
  guint n;
  g_autofree gint64 *ids = pt_module_constant_ints (module, name, &n);

  for (guint i = 0; ids != NULL && i < n; i++) {
    gint32 id = (gint32) ids[i];

    if (ids[i] >= 0 && ids[i] < (gint64) pt_llm_width (self->llm))
      g_array_append_val (self->end_ids, id);
  }
}

static guint
kind_of_file (gpointer user_data, const char *path, GError **error)
{
  PtChat *self = user_data;

  return pt_media_kind (self->media, path, error);
}

static gboolean
append_file (gpointer user_data, const char *path, GArray *ids, GError **error)
{
  PtChat *self = user_data;
  PtChatPlace place = { .first = ids->len };

  if (!pt_media_append (self->media, path, ids, self->cancellable, error))
    return FALSE;
  place.n = ids->len - place.first;
  place.path = g_strdup (path);
  g_array_append_val (self->places, place);
  return TRUE;
}

/* The ids of Gemma 4's placeholders for embeddings, if its tokenizer has no names for them. */
#define GEMMA4_IMAGE 258880
#define GEMMA4_AUDIO 258881

/* Sets the token that stands for embeddings of @kind, for models that read ids as well. */
static void
name_places (PtChat *self, PtModelInput kind, gint32 usual)
{
  gint32 token = pt_tokenizer_find (self->tokenizer, pt_chat_mark (self->tokenizer, kind)->place);

  if (token < 0)
    token = usual;
  if ((gsize) token < pt_llm_width (self->llm))
    pt_media_set_token (self->media, kind, token);
}

/* Opens the encoders of a model that takes more than text. */
static gboolean
open_media (PtChat *self, PtModule *module, GError **error)
{
  PtChatMedia media = { 0, kind_of_file, append_file, self };

  if (pt_llm_embedding_width (self->llm) == 0)
    return TRUE;
  self->media =
      pt_media_new (module, pt_llm_embedding_width (self->llm), pt_llm_context (self->llm), error);
  if (self->media == NULL)
    return FALSE;
  name_places (self, PT_MODEL_IMAGES, GEMMA4_IMAGE);
  name_places (self, PT_MODEL_AUDIO, GEMMA4_AUDIO);
  media.takes = pt_media_takes (self->media);
  media.bare = pt_media_is_bare (self->media);
  return media.takes == 0 || pt_chat_template_set_media (self->chat_template, &media, error);
}

/* Reads the settings that the model's files recommend. */
static gboolean
read_usual (PtChat *self, const char *folder, GError **error)
{
  const PtSampling ours = pt_sampling_usual ();

  if (!pt_sampling_load (folder, &self->usual, &self->usual_length, error))
    return FALSE;
  pt_sampling_fill (&self->usual, &ours);
  return TRUE;
}

PtChat *
pt_chat_new (PtModule *module, const PtTokenizer *tokenizer, const char *folder, GError **error)
{
  g_autoptr (PtChat) self = g_new0 (PtChat, 1);

  self->tokenizer = tokenizer;
  self->end_ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->answers = g_ptr_array_new_with_free_func (answer_free);
  self->places = g_array_new (FALSE, FALSE, sizeof (PtChatPlace));
  g_array_set_clear_func (self->places, place_clear);
  self->chat_template = pt_chat_template_open (folder, tokenizer, error);
  if (self->chat_template == NULL)
    return NULL;
  self->llm = pt_llm_new (module, error);
  if (self->llm == NULL || !open_media (self, module, error))
    return NULL;
  self->program = pt_module_program (module);
  self->vocabulary = pt_llm_vocabulary (self->llm);
  pt_llm_keep_conversations (self->llm, MAX_CONVERSATIONS);
  self->sampler = pt_sampler_new (pt_llm_width (self->llm), error);
  if (self->sampler == NULL)
    return NULL;
  /* Metadata may be wrong or incomplete, so all known end tokens end an answer. */
  add_end_ids (self, module, "get_eos_ids");
  add_end_ids (self, module, "get_eos_id");
  if (!pt_chat_end_tokens (folder, tokenizer, self->end_ids, error) ||
      !read_usual (self, folder, error))
    return NULL;
  return g_steal_pointer (&self);
}

gboolean
pt_chat_use_settings (PtChat *self, const char *folder, GError **error)
{
  return pt_chat_end_tokens (folder, self->tokenizer, self->end_ids, error) &&
         read_usual (self, folder, error);
}

void
pt_chat_free (PtChat *self)
{
  if (self == NULL)
    return;
  pt_chat_template_free (self->chat_template);
  pt_media_free (self->media);
  pt_llm_free (self->llm);
  pt_chat_forget_schemas (self);
  pt_sampler_free (self->sampler);
  g_array_unref (self->end_ids);
  g_ptr_array_unref (self->answers);
  g_array_unref (self->places);
  g_free (self);
}

gboolean
pt_chat_use_preprocessor (PtChat *self, PtModule *preprocessor, GError **error)
{
  return self->media == NULL || pt_media_use_preprocessor (self->media, preprocessor, error);
}

void
pt_chat_set_tokens_func (PtChat *self, PtChosenTokensFunc func, gpointer user_data)
{
  self->tokens_func = func;
  self->tokens_data = user_data;
}

guint
pt_chat_context (const PtChat *self)
{
  return pt_llm_context (self->llm);
}

/* ---- the prompt ---- */

static gboolean
is_new_conversation (const PtChatOptions *request)
{
  for (guint i = 0; i < request->n_messages && !request->raw; i++)
    if (strcmp (request->messages[i].role, "assistant") == 0)
      return FALSE;
  return TRUE;
}

static gboolean
ends_answer (const PtChat *self, gint32 id)
{
  for (guint i = 0; i < self->end_ids->len; i++)
    if (g_array_index (self->end_ids, gint32, i) == id)
      return TRUE;
  return FALSE;
}

/* Records @id for the penalties, except end tokens: a penalty for these would prevent the end. */
static void
accept_said (PtChat *self, gint32 id)
{
  if (!ends_answer (self, id))
    pt_sampler_accept (self->sampler, id);
}

/** Configures the sampler. It is seeded once for each conversation, so that answers differ, and a
 * seed gives the same ones again; or for each answer if the request says so. */
static void
prepare_sampler (PtChat *self, const PtChatOptions *request, const GArray *prompt)
{
  PtSampling how = request->sampling;

  /* JSON repeats its marks and the values of the question by nature. */
  if (pt_chat_is_bound (request) && !pt_sampling_is_set (how.repetition_penalty))
    how.repetition_penalty = 1;
  pt_sampling_fill (&how, &self->usual);
  if (!self->seeded || self->seed != request->seed || request->reseed ||
      is_new_conversation (request))
    pt_sampler_seed (self->sampler, request->seed);
  self->seeded = TRUE;
  self->seed = request->seed;
  pt_sampler_configure (self->sampler, &how);
  pt_sampler_set_bias (self->sampler, request->logit_bias, request->n_logit_bias);
  pt_llm_set_keeps_logits (self->llm, request->logprobs);
  for (guint i = 0; i < prompt->len; i++)
    accept_said (self, g_array_index (prompt, gint32, i));
  pt_llm_set_temperature (self->llm, how.temperature);
}

static gboolean
check_room (const PtChat *self, guint n, GError **error)
{
  guint context = pt_llm_context (self->llm);

  if (n < context)
    return TRUE;
  return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "The conversation has %u tokens; with an answer, the model's context holds %u. "
                  "That is %u too many: shorten it, or start a new chat.",
                  n, context, n - (context - 1));
}

/* ---- the answer ---- */

static double
seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
}

static guint64
resident_bytes (void)
{
  guint64 resident = 0, peak;

  return pt_process_memory (&resident, &peak) ? resident : 0;
}

static void
update_stats (PtChatTurn *turn)
{
  PtStats *stats = turn->stats;

  stats->context_used = pt_llm_position (turn->chat->llm);
  stats->elapsed_s = seconds_since (turn->begin);
  if (turn->decode_begin != 0)
    stats->decode_s = seconds_since (turn->decode_begin);
  if (stats->new_tokens % MEMORY_INTERVAL == 1)
    stats->resident_bytes = resident_bytes ();
}

/** Removes zero bytes, which would end the text in C strings. */
static void
drop_zeros (GString *text)
{
  gsize length = 0;

  for (gsize i = 0; i < text->len; i++)
    if (text->str[i] != '\0')
      text->str[length++] = text->str[i];
  g_string_truncate (text, length);
}

/** Passes the new text to the caller. */
static void
emit (PtChatTurn *turn, PtAnswerPart part)
{
  turn->emitted = TRUE;
  g_string_append_len (turn->text, turn->piece->str, (gssize) turn->piece->len);
  update_stats (turn);
  if (turn->chosen != NULL)
    pt_chosen_tokens_give (turn->chosen, turn->text->len, turn->chat->tokens_func,
                           turn->chat->tokens_data);
  if (turn->func != NULL)
    turn->func (turn->piece->str, part, turn->stats, turn->user_data);
  g_string_truncate (turn->piece, 0);
}

/** The next id, or -1 with an error. */
static gint32
sample (const PtChat *self, GError **error)
{
  gsize width = MIN (pt_llm_width (self->llm), pt_tokenizer_n_ids (self->tokenizer));
  gint32 id;

  if (!pt_llm_sample (self->llm, self->sampler, width, &id, error))
    return -1;
  if (id < 0)
    pt_fail (error, PT_ERROR_INTERNAL,
             "The model's output contains invalid numbers (NaN): its files are damaged. Download "
             "or export it again.");
  return id;
}

/* The next piece of the text. Of the answer, what may be the beginning of a stop text is held back.
 */
static void
take_part (const char *text, gsize n, PtAnswerPart part, gpointer user_data)
{
  PtChatTurn *turn = user_data;

  if (turn->cut || (part == PT_ANSWER_TEXT && !pt_chat_begin_bound (turn, text, n)))
    return;
  g_string_append_len (turn->piece, text, (gssize) n);
  if (part == PT_ANSWER_TEXT)
    turn->cut = pt_stop_text_push (&turn->stop, turn->piece);
  emit (turn, part);
}

/* Takes the text of the latest token, or of the end. */
static void
take_text (PtChatTurn *turn, const GString *text)
{
  turn->decoded += text->len;
  if (turn->chosen != NULL)
    pt_chosen_tokens_set_end (turn->chosen, turn->decoded);
  pt_thinking_stream_push (&turn->thinking, text->str, text->len, take_part, turn);
}

/** Records how likely token @id was. */
static gboolean
rank_token (PtChatTurn *turn, gint32 id, GError **error)
{
  const PtChat *self = turn->chat;
  gconstpointer logits;
  PtDType dtype;

  if (turn->chosen == NULL)
    return TRUE;
  logits = pt_llm_logits (self->llm, &dtype, error);
  if (logits == NULL)
    return FALSE;
  pt_chosen_tokens_add (turn->chosen, id, logits, dtype,
                        MIN (pt_llm_width (self->llm), pt_tokenizer_n_ids (self->tokenizer)));
  return TRUE;
}

/** Takes a token that does not end the answer into the list, the penalties and the constraint. */
static gboolean
accept_token (PtChatTurn *turn, gint32 id, GError **error)
{
  PtChat *self = turn->chat;

  if (!rank_token (turn, id, error) || !pt_chat_check_token (turn, id, error))
    return FALSE;
  g_array_append_val (turn->ids, id);
  accept_said (self, id);
  turn->stats->new_tokens++;
  if (pt_thinking_stream_thinks (&turn->thinking))
    turn->stats->thought_tokens++;
  return TRUE;
}

/** Appends the text of the chosen token. Returns the reason if the answer ends with it, else
 * PT_REASON_NONE. */
static PtReason
take_piece (PtChatTurn *turn, gint32 id)
{
  const gint32 *ids = (const gint32 *) (gconstpointer) turn->ids->data;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean loops;

  turn->emitted = FALSE;
  pt_chat_decode_token (turn, id, text);
  drop_zeros (text);
  loops = pt_loop_watch_push (&turn->loop, ids, turn->ids->len, text->str);
  take_text (turn, text);
  /* Also a token without text makes figures. */
  if (!turn->emitted)
    emit (turn, PT_ANSWER_TEXT);
  if (turn->cut)
    return PT_REASON_STOP;
  if (turn->constraint != NULL && !turn->strict && turn->thinking.place >= PT_STREAM_ANSWERS &&
      pt_constraint_must_end (turn->constraint))
    return PT_REASON_STOP;
  if (loops)
    return PT_REASON_LOOP;
  if (turn->max_new_tokens > 0 && turn->stats->new_tokens >= (guint) turn->max_new_tokens)
    return PT_REASON_LENGTH;
  return pt_llm_position (turn->chat->llm) >= pt_llm_context (turn->chat->llm) ? PT_REASON_CONTEXT
                                                                               : PT_REASON_NONE;
}

/** Generates the answer from the logits of the prompt. Returns the reason of its end. */
static PtReason
generate (PtChatTurn *turn, GError **error)
{
  PtChat *self = turn->chat;

  for (;;) {
    gint32 id = pt_chat_constrain (turn, error) ? sample (self, error) : -1;
    PtReason reason;

    if (id < 0)
      return PT_REASON_NONE;
    if (turn->decode_begin == 0) {
      turn->decode_begin = g_get_monotonic_time ();
      turn->stats->first_token_s = seconds_since (turn->begin);
    }
    if (ends_answer (self, id))
      return PT_REASON_STOP;
    if (!accept_token (turn, id, error))
      return PT_REASON_NONE;
    reason = take_piece (turn, id);
    if (reason != PT_REASON_NONE)
      return reason;
    if (!pt_llm_read (self->llm, &id, 1, turn->cancellable, error))
      return PT_REASON_NONE;
  }
}

/* Prefills the embeddings of a file from position @at of the prompt. */
static gboolean
read_place (PtChatTurn *turn, const PtChatPlace *place, guint at, GError **error)
{
  PtChat *self = turn->chat;
  PtLlmEmbeddings all, rest;
  guint skip = at - place->first;
  gsize row;

  if (!pt_media_embed (self->media, place->path, &all, turn->cancellable, error))
    return FALSE;
  if (all.n != place->n) {
    g_autofree char *name = g_filename_display_basename (place->path);

    return pt_fail (error, PT_ERROR_STATE, "“%s” has just changed. Try again.", name);
  }
  rest = all;
  row = all.width * pt_dtype_size (all.dtype);
  rest.rows = (const guint8 *) all.rows + skip * row;
  rest.names += skip;
  rest.n -= skip;
  return pt_llm_read_embeddings (self->llm, &rest, turn->cancellable, error);
}

/** Prefills @prompt from @at on: its tokens and the files between them. */
static gboolean
read_from (PtChatTurn *turn, const GArray *prompt, guint at, GError **error)
{
  PtChat *self = turn->chat;
  const gint32 *ids = (const gint32 *) (gconstpointer) prompt->data;

  for (guint i = 0; i < self->places->len; i++) {
    const PtChatPlace *place = &g_array_index (self->places, PtChatPlace, i);

    if (at >= place->first + place->n)
      continue;
    if (at < place->first &&
        !pt_llm_read (self->llm, ids + at, place->first - at, turn->cancellable, error))
      return FALSE;
    if (!read_place (turn, place, MAX (at, place->first), error))
      return FALSE;
    at = place->first + place->n;
  }
  return at == prompt->len ||
         pt_llm_read (self->llm, ids + at, prompt->len - at, turn->cancellable, error);
}

static gboolean
read_prompt (PtChatTurn *turn, const GArray *prompt, GError **error)
{
  PtChat *self = turn->chat;
  const gint32 *ids = (const gint32 *) (gconstpointer) prompt->data;
  gint64 begin = g_get_monotonic_time ();
  guint kept;

  turn->stats->prompt_tokens = prompt->len;
  turn->stats->context_size = pt_llm_context (self->llm);
  if (!check_room (self, prompt->len, error) ||
      !pt_llm_rewind (self->llm, ids, prompt->len, &kept, error))
    return FALSE;
  /* The last token of an answer is not read. */
  if (turn->max_new_tokens > 0)
    pt_llm_set_end (self->llm, prompt->len + (guint) turn->max_new_tokens - 1);
  turn->stats->reused_tokens = kept;
  if (!read_from (turn, prompt, kept, error) || !pt_llm_wait (self->llm, error))
    return FALSE;
  turn->stats->prefill_s = seconds_since (begin);
  return TRUE;
}

/* Removes an earlier answer with the same text, so that the latest is used. */
static void
forget_answer (GPtrArray *answers, const char *text)
{
  for (guint i = 0; i < answers->len; i++)
    if (strcmp (((const PtChatAnswer *) answers->pdata[i])->text, text) == 0) {
      g_ptr_array_remove_index (answers, i);
      return;
    }
}

/** Prepends the continued beginning to the new ids. FALSE: this chat did not write the beginning.
 * */
static gboolean
prepend_beginning (PtChatTurn *turn)
{
  const char *beginning = pt_chat_continued_text (turn->request);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));

  if (beginning == NULL)
    return TRUE;
  if (!pt_chat_known_answer (beginning, ids, turn->chat))
    return FALSE;
  g_array_prepend_vals (turn->ids, ids->data, ids->len);
  g_string_prepend (turn->text, beginning);
  return TRUE;
}

/** Records the ids of an answer, even if it was cancelled, but not if a stop text ended it: then
 * the ids contain more than the text. */
static void
keep_answer (PtChatTurn *turn)
{
  g_autoptr (GString) text = g_string_new (NULL);
  PtChatAnswer *answer;

  if (turn->cut)
    return;
  pt_stream_decoder_finish (&turn->decoder, text);
  take_text (turn, text);
  pt_thinking_stream_finish (&turn->thinking, take_part, turn);
  if (!turn->cut)
    pt_stop_text_finish (&turn->stop, turn->piece);
  if (turn->piece->len > 0)
    emit (turn, PT_ANSWER_TEXT);
  if (turn->cut || turn->ids->len == 0 || turn->request->raw || !prepend_beginning (turn))
    return;
  answer = g_new (PtChatAnswer, 1);
  answer->text = g_strdup (turn->text->str);
  answer->ids = g_array_ref (turn->ids);
  forget_answer (turn->chat->answers, turn->text->str);
  if (turn->chat->answers->len == MAX_ANSWERS)
    g_ptr_array_remove_index (turn->chat->answers, 0);
  g_ptr_array_add (turn->chat->answers, answer);
}

static void
turn_clear (PtChatTurn *turn)
{
  pt_stop_text_clear (&turn->stop);
  pt_thinking_stream_clear (&turn->thinking);
  pt_call_watch_clear (&turn->calls);
  g_free (turn->mask);
}

PtReason
pt_chat_answer (PtChat *self, const PtChatOptions *request, PtChatFunc func, gpointer user_data,
                GCancellable *cancellable, PtStats *stats, GError **error)
{
  g_autoptr (GArray) prompt = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  g_autoptr (GString) piece = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (PtChosenTokens) chosen = NULL;
  PtChatTurn turn = { .chat = self,
                      .request = request,
                      .func = func,
                      .user_data = user_data,
                      .cancellable = cancellable,
                      .stats = stats,
                      .begin = g_get_monotonic_time (),
                      .mark = -1,
                      .max_new_tokens = request->max_new_tokens < 0 ? self->usual_length
                                                                    : request->max_new_tokens,
                      .piece = piece,
                      .text = text,
                      .ids = ids };
  PtReason reason = PT_REASON_NONE;

  memset (stats, 0, sizeof *stats);
  if (!pt_chat_check (self, request, error))
    return PT_REASON_NONE;
  if (request->logprobs && self->tokens_func != NULL) {
    turn.chosen = chosen = pt_chosen_tokens_new (self->tokenizer, pt_llm_width (self->llm),
                                                 request->top_logprobs, error);
    if (chosen == NULL)
      return PT_REASON_NONE;
  }
  if (!pt_chat_write_prompt (self, request, prompt, cancellable, error))
    return PT_REASON_NONE;
  pt_chat_begin_thinking (&turn, prompt);
  if ((pt_chat_is_bound (request) && !pt_chat_begin_constraint (&turn, error)) ||
      (pt_chat_is_strict (request) && !pt_chat_begin_strict_calls (&turn, error))) {
    turn_clear (&turn);
    return PT_REASON_NONE;
  }
  prepare_sampler (self, request, prompt);
  pt_llm_set_guessing (self->llm, request->lookup);
  pt_stop_text_init (&turn.stop, request->stop);
  pt_loop_watch_init (&turn.loop);
  pt_stream_decoder_init (&turn.decoder, self->tokenizer, TRUE);
  /* A space at the start belongs to the answer if it continues a text. */
  turn.decoder.started = request->raw || pt_chat_continued_text (request) != NULL;
  if (read_prompt (&turn, prompt, error)) {
    reason = generate (&turn, error);
    /* After a failure another program may go on behind what was given out, so that nothing follows
     * that is held back. */
    if (reason != PT_REASON_NONE || g_cancellable_is_cancelled (cancellable))
      keep_answer (&turn);
  }
  turn_clear (&turn);
  update_stats (&turn);
  stats->resident_bytes = resident_bytes ();
  return reason;
}

const GArray *
pt_chat_last_ids (const PtChat *self)
{
  const PtChatAnswer *latest;

  if (self->answers->len == 0)
    return NULL;
  latest = self->answers->pdata[self->answers->len - 1];
  return latest->ids;
}

char *
pt_chat_tool_calls (const PtChat *self, const PtChatOptions *request)
{
  const GArray *ids = pt_chat_last_ids (self);
  g_autoptr (GString) text = NULL;
  g_autoptr (json_t) calls = NULL;

  if (ids == NULL)
    return NULL;
  /* Special tokens mark calls. */
  text = pt_tokenizer_decode (self->tokenizer, (const gint32 *) (gconstpointer) ids->data, ids->len,
                              FALSE);
  drop_zeros (text);
  calls = pt_tool_calls_json (text->str);
  /* JSON that was asked for may look like a call. */
  for (gsize i = json_array_size (calls); i > 0 && pt_chat_is_bound (request); i--)
    if (!pt_tools_have (request->tools, json_string_value (json_object_get (
                                            json_array_get (calls, i - 1), "name"))))
      json_array_remove (calls, i - 1);
  return json_array_size (calls) > 0 ? pt_json_steal_text (g_steal_pointer (&calls)) : NULL;
}
