/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/conformance/tasks.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/tasks/chat/chat-task.h"
#include "engine/tasks/llm/media.h"
#include "engine/text/sampler.h"

/* Models that see and hear: the question with its picture or recording through a conversation, and
 * the same embeddings between the case's own ids, with the logits behind them. */

#define BMP_HEADER 54

typedef struct {
  TaskCase *c;
  const json_t *generate;
  char *path;      /* of the picture or the recording */
  char *temporary; /* the same, when it was made for this */
} Multimodal;

static const gint32 *
ids_of (const GArray *ids)
{
  return (const gint32 *) (gconstpointer) ids->data;
}

/* ---- the file ---- */

static void
put (GByteArray *bytes, guint32 value, guint n)
{
  for (guint i = 0; i < n; i++) {
    guint8 byte = (guint8) (value >> (8 * i));

    g_byte_array_append (bytes, &byte, 1);
  }
}

/* The pixels as a file that any program reads, without loss. */
static GByteArray *
bmp_of (const guint8 *rgb, guint width, guint height)
{
  GByteArray *bytes = g_byte_array_new ();
  guint stride = (3 * width + 3) / 4 * 4;

  g_byte_array_append (bytes, (const guint8 *) "BM", 2);
  put (bytes, BMP_HEADER + stride * height, 4);
  put (bytes, 0, 4);
  put (bytes, BMP_HEADER, 4);
  put (bytes, 40, 4);
  put (bytes, width, 4);
  put (bytes, height, 4);
  put (bytes, 1, 2);
  put (bytes, 24, 2);
  for (guint i = 0; i < 6; i++)
    put (bytes, 0, 4);
  for (guint y = height; y > 0; y--) {
    const guint8 *row = rgb + (gsize) (y - 1) * width * 3;

    for (guint x = 0; x < width; x++) {
      const guint8 pixel[3] = { row[3 * x + 2], row[3 * x + 1], row[3 * x] };

      g_byte_array_append (bytes, pixel, 3);
    }
    put (bytes, 0, stride - 3 * width);
  }
  return bytes;
}

static gboolean
write_picture (Multimodal *m, const json_t *tensor)
{
  g_autofree char *from = task_path (m->c, json_object_get (tensor, "file")), *rgb = NULL;
  const json_t *shape = json_object_get (tensor, "shape");
  guint height = (guint) json_integer_value (json_array_get (shape, 0));
  guint width = (guint) json_integer_value (json_array_get (shape, 1));
  g_autoptr (GByteArray) bmp = NULL;
  gsize length;
  int file;

  if (from == NULL || !g_file_get_contents (from, &rgb, &length, NULL) || height == 0 ||
      width == 0 || length != (gsize) 3 * width * height)
    return task_fail (m->c, "the picture cannot be read");
  bmp = bmp_of ((const guint8 *) rgb, width, height);
  file = g_file_open_tmp ("pteris-case-XXXXXX.bmp", &m->temporary, NULL);
  if (file < 0)
    return task_fail (m->c, "the picture cannot be written");
  g_close (file, NULL);
  if (!g_file_set_contents (m->temporary, (const char *) bmp->data, (gssize) bmp->len, NULL))
    return task_fail (m->c, "the picture cannot be written");
  m->path = g_strdup (m->temporary);
  return TRUE;
}

static gboolean
find_file (Multimodal *m)
{
  const json_t *image = json_object_get (m->c->root, "image");

  if (json_is_object (image))
    return write_picture (m, json_object_get (image, "rgb_u8"));
  m->path = task_path (m->c, image != NULL ? image : json_object_get (m->c->root, "audio"));
  return m->path != NULL || task_fail (m->c, "the case names no picture and no recording");
}

/* ---- through a conversation ---- */

static guint
count_prompt (const Multimodal *m)
{
  return (guint) (json_array_size (json_object_get (m->generate, "ids_before")) +
                  json_array_size (json_object_get (m->generate, "ids_after"))) +
         (guint) json_integer_value (json_object_get (m->generate, "encoder_tokens"));
}

static gboolean
ask (Multimodal *m)
{
  const json_t *want = json_object_get (m->generate, "generated_ids");
  const char *files[] = { m->path, NULL };
  const PtMessage message = { "user", json_string_value (json_object_get (m->generate, "question")),
                              files };
  const PtChatOptions request = { .messages = &message,
                                  .n_messages = 1,
                                  .max_new_tokens = (int) json_array_size (want),
                                  .sampling = PT_SAMPLING_GREEDY,
                                  .seed = 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtChat) chat = pt_chat_new (m->c->module, m->c->tokenizer, m->c->set->folder, &error);
  PtReason reason;
  PtStats stats;

  if (chat == NULL || message.text == NULL)
    return task_fail (m->c, "%s", error != NULL ? error->message : "there is no question");
  reason = pt_chat_answer (chat, &request, NULL, NULL, NULL, &stats, &error);
  if (reason == PT_REASON_NONE)
    return task_fail (m->c, "%s", error->message);
  if (stats.prompt_tokens != count_prompt (m))
    task_fail (m->c, "prompt: %u tokens and not %u", stats.prompt_tokens, count_prompt (m));
  /* The end token is not part of the answer. */
  if (reason == PT_REASON_STOP &&
      pt_chat_last_ids (chat)->len + 1 == (guint) json_array_size (want))
    return m->c->why->len == 0;
  return task_same_ids (m->c, "answer", pt_chat_last_ids (chat), want);
}

/* ---- between the case's ids ---- */

static gboolean
read_list (Multimodal *m, PtLlm *llm, const char *key)
{
  g_autoptr (GArray) ids = task_ids (json_object_get (m->generate, key));
  g_autoptr (GError) error = NULL;

  return pt_llm_read (llm, ids_of (ids), ids->len, NULL, &error) ||
         task_fail (m->c, "%s: %s", key, error->message);
}

/* The encoder's output in upstream's runtime: the first step of the case. */
static const json_t *
encoded (const Multimodal *m)
{
  const json_t *step = json_array_get (json_object_get (m->c->root, "steps"), 0);

  return json_array_get (json_object_get (step, "outputs"), 0);
}

/* Ours are like upstream's. Its own go on, as a quantised model makes much of a last bit. */
static gboolean
read_file (Multimodal *m, PtLlm *llm, PtMedia *media)
{
  g_autofree char *path = task_path (m->c, json_object_get (encoded (m), "file")), *rows = NULL;
  g_autoptr (GError) error = NULL;
  PtLlmEmbeddings embeddings;

  if (!pt_media_embed (media, m->path, &embeddings, NULL, &error))
    return task_fail (m->c, "%s", error->message);
  if (!task_same_numbers (m->c, "embeddings", embeddings.rows, embeddings.dtype,
                          embeddings.n * embeddings.width, encoded (m)) ||
      !g_file_get_contents (path, &rows, NULL, NULL))
    return FALSE;
  embeddings.rows = rows;
  return pt_llm_read_embeddings (llm, &embeddings, NULL, &error) ||
         task_fail (m->c, "%s", error->message);
}

static gboolean
continue_greedily (Multimodal *m, PtLlm *llm)
{
  const json_t *want = json_object_get (m->generate, "generated_ids");
  const json_t *logits = json_object_get (m->generate, "last_logits");
  g_autoptr (GArray) got = g_array_new (FALSE, FALSE, sizeof (gint32));
  gsize n = json_array_size (want), width = pt_llm_width (llm);
  PtSampler *sampler = pt_sampler_new (width, NULL);
  g_autoptr (GError) error = NULL;
  gconstpointer row;
  PtDType dtype;
  gint32 id;

  while (got->len < n && pt_llm_sample (llm, sampler, width, &id, &error)) {
    g_array_append_val (got, id);
    if (got->len < n && !pt_llm_read (llm, &id, 1, NULL, &error))
      break;
  }
  pt_sampler_free (sampler);
  if (error != NULL)
    return task_fail (m->c, "%s", error->message);
  if (!task_same_ids (m->c, "ids", got, want) || logits == NULL)
    return m->c->why->len == 0;
  row = pt_llm_logits (llm, &dtype, &error);
  return row != NULL ? task_same_numbers (m->c, "last logits", row, dtype, width, logits)
                     : task_fail (m->c, "%s", error->message);
}

static gboolean
compute (Multimodal *m)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtLlm) llm = pt_llm_new (m->c->module, &error);
  g_autoptr (PtMedia) media = NULL;

  if (llm != NULL)
    media = pt_media_new (m->c->module, pt_llm_embedding_width (llm), pt_llm_context (llm), &error);
  if (media == NULL)
    return task_fail (m->c, "%s", error->message);
  return read_list (m, llm, "ids_before") && read_file (m, llm, media) &&
         read_list (m, llm, "ids_after") && continue_greedily (m, llm);
}

/* Opens the tokenizer, also if the case does not name it. */
static gboolean
open_tokenizer (TaskCase *c)
{
  g_autoptr (GError) error = NULL;

  if (c->tokenizer == NULL && c->set->tokenizer != NULL)
    c->tokenizer = pt_tokenizer_open (c->set->tokenizer, &error);
  return c->tokenizer != NULL ||
         task_fail (c, "%s", error != NULL ? error->message : "there is no tokenizer");
}

gboolean
task_multimodal (TaskCase *c)
{
  Multimodal m = { .c = c, .generate = json_object_get (c->root, "generate") };
  gboolean ok = open_tokenizer (c) && find_file (&m) && ask (&m) && task_reopen (c);

  if (ok && json_object_get (m.generate, "last_logits") != NULL)
    ok = compute (&m);
  if (m.temporary != NULL)
    g_remove (m.temporary);
  g_free (m.temporary);
  g_free (m.path);
  return ok;
}
