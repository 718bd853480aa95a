/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/sentencepiece-model.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/text/protobuf.h"
#include "engine/text/tokenizer-private.h"

/* The largest known models have 5 MB and 262,144 pieces; bounds the memory for hostile ones. */
#define MAX_FILE (16 * 1024 * 1024)
#define MAX_PIECES (1 << 19)

/* Field numbers. */
enum { MODEL_PIECE = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum {
  TRAINER_KIND = 3,
  TRAINER_SPACES_BEHIND = 24,
  TRAINER_BYTE_FALLBACK = 35,
  TRAINER_UNKNOWN_SURFACE = 44,
  TRAINER_BOS = 46,
  TRAINER_EOS = 47,
};
enum {
  NORMALIZER_MAP = 2,
  NORMALIZER_DUMMY_PREFIX = 3,
  NORMALIZER_REMOVE_SPACES = 4,
  NORMALIZER_ESCAPE_SPACES = 5,
};

typedef struct {
  const char *bytes;
  gsize length;
} Text;

/* State of reading a file. */
typedef struct {
  PtSpModel *model;
  Text unknown_surface, bos, eos, map;
  GString *bytes;
  guint id;
} Reader;

static gboolean
damaged (GError **error)
{
  return pt_fail (error, PT_ERROR_TOKENIZER, "It is damaged or incomplete.");
}

gboolean
pt_sp_is_space (const char *text, gsize length)
{
  return length >= 3 && memcmp (text, PT_SP_SPACE, 3) == 0;
}

/* ---- pieces ---- */

/** Whether a user-defined piece is a control token, such as marks between turns or around images:
 * then it is special (docs/formats/tokenizers.md, section 7.1). */
static gboolean
is_mark (Text text)
{
  static const char *const names[] = {
    "<start_of_turn>",
    "<end_of_turn>",
    "<start_of_image>",
    "<end_of_image>",
    "<image_soft_token>",
    "<bos>",
    "<eos>",
    "<pad>",
    "[INST]",
    "[/INST]",
  };

  if (text.length > 3 && text.bytes[0] == '<' && text.bytes[text.length - 1] == '>' &&
      (text.bytes[1] == '|' || text.bytes[text.length - 2] == '|'))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (text.length == strlen (names[i]) && memcmp (text.bytes, names[i], text.length) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
read_piece_fields (const PtProtoField *message, Text *text, float *score, gint32 *type)
{
  PtProto proto = pt_proto (message->bytes, message->length);
  PtProtoField field;
  PtProtoStep step;
  gboolean ok = TRUE;

  while (ok && (step = pt_proto_next (&proto, &field)) != PT_PROTO_END) {
    if (step == PT_PROTO_DAMAGED)
      return FALSE;
    switch (field.number) {
    case PIECE_TEXT: ok = pt_proto_bytes (&field, &text->bytes, &text->length); break;
    case PIECE_SCORE: ok = pt_proto_float (&field, score); break;
    case PIECE_TYPE: ok = pt_proto_int (&field, type); break;
    default: break;
    }
  }
  return ok;
}

/** Sets the bytes of a piece: its name with U+2581 replaced by spaces. */
static void
set_text_bytes (Reader *reader, gint32 id, Text text)
{
  g_string_truncate (reader->bytes, 0);
  for (gsize i = 0; i < text.length;) {
    gboolean space = pt_sp_is_space (text.bytes + i, text.length - i);

    g_string_append_c (reader->bytes, space ? ' ' : text.bytes[i]);
    i += space ? 3 : 1;
  }
  pt_vocabulary_set_bytes (reader->model->vocabulary, id, reader->bytes->str, reader->bytes->len);
}

static gboolean
add_piece (Reader *reader, Text text, PtPieceType type, GError **error)
{
  PtSpModel *model = reader->model;
  gboolean is_text = type == PT_PIECE_NORMAL || type == PT_PIECE_DEFINED || type == PT_PIECE_UNUSED;
  PtNames names = is_text ? PT_NAMES_TEXT : PT_NAMES_RESERVED;
  gint32 id = (gint32) reader->id;

  /* A zero byte always has its byte token, as in the reference. */
  if (is_text && model->byte_fallback && text.length == 1 && text.bytes[0] == '\0')
    names = PT_NAMES_NONE;
  if (!pt_vocabulary_add_to (model->vocabulary, names, id, text.bytes, text.length, error))
    return FALSE;
  if (is_text || type == PT_PIECE_MARK)
    set_text_bytes (reader, id, text);
  if (type == PT_PIECE_CONTROL || type == PT_PIECE_MARK)
    pt_vocabulary_set_flags (model->vocabulary, id, PT_TOKEN_SPECIAL);
  if (type == PT_PIECE_UNKNOWN) {
    if (model->unknown >= 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "It has two pieces for what is unknown.");
    model->unknown = id;
    pt_vocabulary_set_flags (model->vocabulary, id, PT_TOKEN_UNKNOWN);
  }
  if (type == PT_PIECE_BYTE) {
    int value = pt_byte_of_name (text.bytes, text.length);
    char byte = (char) value;

    if (value < 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "Piece %d of it is not a byte.", id);
    model->byte_ids[value] = id;
    pt_vocabulary_set_flags (model->vocabulary, id, PT_TOKEN_BYTE);
    pt_vocabulary_set_bytes (model->vocabulary, id, &byte, 1);
  }
  return TRUE;
}

static gboolean
read_piece (Reader *reader, const PtProtoField *message, GError **error)
{
  Text text = { NULL, 0 };
  float score = 0;
  gint32 type = PT_PIECE_NORMAL;

  if (!read_piece_fields (message, &text, &score, &type))
    return damaged (error);
  if (text.length == 0 || pt_utf8_length (text.bytes, text.length) < text.length)
    return pt_fail (error, PT_ERROR_TOKENIZER, "Piece %u of it is not a text.", reader->id);
  if (!isfinite (score))
    return pt_fail (error, PT_ERROR_TOKENIZER, "The score of its piece %u is not a number.",
                    reader->id);
  if (type < PT_PIECE_NORMAL || type > PT_PIECE_BYTE)
    return pt_fail (error, PT_ERROR_TOKENIZER, "Piece %u of it is of an unknown type.", reader->id);
  if (type == PT_PIECE_DEFINED && is_mark (text))
    type = PT_PIECE_MARK;
  reader->model->types[reader->id] = (guint8) type;
  reader->model->scores[reader->id] = score;
  if (!add_piece (reader, text, (PtPieceType) type, error))
    return FALSE;
  reader->id++;
  return TRUE;
}

/* ---- the rest of the file ---- */

static gboolean
read_trainer (Reader *reader, const PtProtoField *message)
{
  PtSpModel *model = reader->model;
  PtProto proto = pt_proto (message->bytes, message->length);
  PtProtoField field;
  PtProtoStep step;
  gboolean ok = TRUE;
  gint32 kind;

  while (ok && (step = pt_proto_next (&proto, &field)) != PT_PROTO_END) {
    if (step == PT_PROTO_DAMAGED)
      return FALSE;
    switch (field.number) {
    case TRAINER_KIND:
      ok = pt_proto_int (&field, &kind) && kind >= PT_SP_UNIGRAM && kind <= PT_SP_CHAR;
      model->kind = ok ? (PtSpKind) kind : model->kind;
      break;
    case TRAINER_SPACES_BEHIND: ok = pt_proto_bool (&field, &model->spaces_behind); break;
    case TRAINER_BYTE_FALLBACK: ok = pt_proto_bool (&field, &model->byte_fallback); break;
    case TRAINER_UNKNOWN_SURFACE:
      ok = pt_proto_bytes (&field, &reader->unknown_surface.bytes, &reader->unknown_surface.length);
      break;
    case TRAINER_BOS: ok = pt_proto_bytes (&field, &reader->bos.bytes, &reader->bos.length); break;
    case TRAINER_EOS: ok = pt_proto_bytes (&field, &reader->eos.bytes, &reader->eos.length); break;
    default: break;
    }
  }
  return ok;
}

static gboolean
read_normalizer (Reader *reader, const PtProtoField *message)
{
  PtSpModel *model = reader->model;
  PtProto proto = pt_proto (message->bytes, message->length);
  PtProtoField field;
  PtProtoStep step;
  gboolean ok = TRUE;

  while (ok && (step = pt_proto_next (&proto, &field)) != PT_PROTO_END) {
    if (step == PT_PROTO_DAMAGED)
      return FALSE;
    switch (field.number) {
    case NORMALIZER_MAP:
      ok = pt_proto_bytes (&field, &reader->map.bytes, &reader->map.length);
      break;
    case NORMALIZER_DUMMY_PREFIX: ok = pt_proto_bool (&field, &model->dummy_prefix); break;
    case NORMALIZER_REMOVE_SPACES: ok = pt_proto_bool (&field, &model->remove_spaces); break;
    case NORMALIZER_ESCAPE_SPACES: ok = pt_proto_bool (&field, &model->escape_spaces); break;
    default: break;
    }
  }
  return ok;
}

/**
 * Reads everything but the pieces, which it counts. The self-test and the denormaliser are skipped;
 * no known model uses them.
 */
static gboolean
read_settings (Reader *reader, PtProto proto, GError **error)
{
  PtProtoField field;
  PtProtoStep step;
  guint n = 0;

  while ((step = pt_proto_next (&proto, &field)) != PT_PROTO_END) {
    gboolean ok = step == PT_PROTO_FIELD && (field.number > MODEL_NORMALIZER || field.wire == 2);

    if (ok && field.number == MODEL_PIECE)
      n++;
    else if (ok && field.number == MODEL_TRAINER)
      ok = read_trainer (reader, &field);
    else if (ok && field.number == MODEL_NORMALIZER)
      ok = read_normalizer (reader, &field);
    if (!ok)
      return damaged (error);
  }
  if (n == 0 || n > MAX_PIECES)
    return pt_fail (error, PT_ERROR_TOKENIZER, "It has %u pieces.", n);
  reader->model->n = n;
  return TRUE;
}

static gboolean
read_pieces (Reader *reader, PtProto proto, GError **error)
{
  PtProtoField field;

  while (pt_proto_next (&proto, &field) == PT_PROTO_FIELD)
    if (field.number == MODEL_PIECE && !read_piece (reader, &field, error))
      return FALSE;
  return TRUE;
}

/* ---- afterwards ---- */

static gint32
find_control (const PtSpModel *model, Text name, const char *fallback)
{
  gint32 id;

  if (name.length == 0)
    name = (Text){ fallback, strlen (fallback) };
  id = pt_vocabulary_find_in (model->vocabulary, PT_NAMES_RESERVED, name.bytes, name.length);
  return id >= 0 && model->types[id] == PT_PIECE_CONTROL ? id : -1;
}

static gboolean
check_bytes (const PtSpModel *model, GError **error)
{
  for (guint byte = 0; byte < 256; byte++) {
    if (model->byte_fallback && model->byte_ids[byte] < 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "It has no piece for the byte %02X.", byte);
    if (!model->byte_fallback && model->byte_ids[byte] >= 0)
      return pt_fail (error, PT_ERROR_TOKENIZER, "It has pieces for bytes that it does not use.");
  }
  return TRUE;
}

/** Whether "▁" follows another character in a piece. */
static gboolean
has_inner_space (const PtToken *token)
{
  for (guint32 i = 1; i + 3 <= token->name_length; i++)
    if (pt_sp_is_space (token->name + i, token->name_length - i) &&
        (i < 3 || !pt_sp_is_space (token->name + i - 3, 3)))
      return TRUE;
  return FALSE;
}

static void
look_at_pieces (PtSpModel *model)
{
  model->words_apart = model->escape_spaces;
  for (guint id = 0; id < model->n; id++) {
    const PtToken *token = pt_vocabulary_token (model->vocabulary, (gint32) id);

    if (token->names != PT_NAMES_TEXT)
      continue;
    model->has_unused = model->has_unused || model->types[id] == PT_PIECE_UNUSED;
    model->words_apart = model->words_apart && !has_inner_space (token);
  }
}

static gboolean
read_model (Reader *reader, const char *data, gsize size, GError **error)
{
  PtSpModel *model = reader->model;
  Text surface;

  if (size > MAX_FILE)
    return pt_fail (error, PT_ERROR_TOKENIZER, "It is too large.");
  if (!read_settings (reader, pt_proto (data, size), error))
    return FALSE;
  model->vocabulary = pt_vocabulary_new (model->n, error);
  model->types = model->vocabulary != NULL ? pt_allocate (model->n, 1, error) : NULL;
  model->scores = model->types != NULL ? pt_allocate (model->n, sizeof (float), error) : NULL;
  if (model->scores == NULL || !read_pieces (reader, pt_proto (data, size), error))
    return FALSE;
  if (model->unknown < 0)
    return pt_fail (error, PT_ERROR_TOKENIZER, "It has no piece for what is unknown.");
  if (!check_bytes (model, error))
    return FALSE;
  surface = reader->unknown_surface;
  if (surface.bytes == NULL)
    surface = (Text){ " \xE2\x81\x87 ", 5 };
  pt_vocabulary_set_bytes (model->vocabulary, model->unknown, surface.bytes, surface.length);
  if (reader->map.length > 0) {
    model->map = pt_chars_map_new (reader->map.bytes, reader->map.length, error);
    if (model->map == NULL)
      return FALSE;
  }
  model->bos = find_control (model, reader->bos, "<s>");
  model->eos = find_control (model, reader->eos, "</s>");
  look_at_pieces (model);
  return TRUE;
}

PtSpModel *
pt_sp_model_new (const char *data, gsize size, GError **error)
{
  g_autoptr (PtSpModel) model = g_new0 (PtSpModel, 1);
  Reader reader = { .model = model, .bytes = g_string_new (NULL) };
  gboolean ok;

  model->kind = PT_SP_UNIGRAM;
  model->unknown = -1;
  model->dummy_prefix = model->remove_spaces = model->escape_spaces = TRUE;
  memset (model->byte_ids, 0xFF, sizeof model->byte_ids);
  ok = read_model (&reader, data, size, error);
  g_string_free (reader.bytes, TRUE);
  return ok ? g_steal_pointer (&model) : NULL;
}

void
pt_sp_model_free (PtSpModel *model)
{
  if (model == NULL)
    return;
  pt_vocabulary_free (model->vocabulary);
  pt_chars_map_free (model->map);
  g_free (model->types);
  g_free (model->scores);
  g_free (model);
}

gboolean
pt_sentencepiece_sniff (const char *data, gsize size)
{
  PtProto proto = pt_proto (data, size);
  PtProtoField field;
  Text text = { NULL, 0 };
  float score;
  gint32 type;

  return size > 0 && data[0] == 0x0A && pt_proto_next (&proto, &field) == PT_PROTO_FIELD &&
         read_piece_fields (&field, &text, &score, &type) && text.length > 0;
}
