/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/openai-usage.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BIASES 1024

json_t *
pteris_openai_usage (const PtStats *stats)
{
  return json_pack ("{s:i, s:i, s:i, s:{s:i}, s:{s:i}}", "prompt_tokens",
                    (int) stats->prompt_tokens, "completion_tokens", (int) stats->new_tokens,
                    "total_tokens", (int) (stats->prompt_tokens + stats->new_tokens),
                    "prompt_tokens_details", "cached_tokens", (int) stats->reused_tokens,
                    "completion_tokens_details", "reasoning_tokens", (int) stats->thought_tokens);
}

/* Adds the bias of the token called @name; FALSE: that is no number of a token. */
static gboolean
add_bias (GArray *biases, const char *name, const json_t *value)
{
  PtLogitBias bias;
  guint64 id;

  if (!g_ascii_string_to_unsigned (name, 10, 0, G_MAXINT32, &id, NULL) || !json_is_number (value))
    return FALSE;
  bias.id = (gint32) id;
  bias.bias = json_number_value (value);
  if (!(bias.bias >= -100 && bias.bias <= 100))
    return FALSE;
  /* “7” and “07” are one token. */
  for (guint i = 0; i < biases->len; i++)
    if (g_array_index (biases, PtLogitBias, i).id == bias.id)
      return FALSE;
  g_array_append_val (biases, bias);
  return TRUE;
}

static void
read_bias (PterisQuestion *question, PterisFields *fields)
{
  const json_t *object = pteris_fields_object (fields, "logit_bias");
  g_autoptr (GArray) biases = g_array_new (FALSE, FALSE, sizeof (PtLogitBias));
  json_t *value;
  const char *name;

  if (json_object_size (object) > MOST_BIASES)
    pteris_fields_fail (fields, "logit_bias", PTERIS_FAULT_VALUE, "may have at most %d tokens.",
                        MOST_BIASES);
  json_object_foreach ((json_t *) object, name, value) {
    if (pteris_fields_failed (fields))
      return;
    if (!add_bias (biases, name, value))
      pteris_fields_fail (fields, "logit_bias", PTERIS_FAULT_VALUE,
                          "must have numbers of tokens as names, each with a number from -100 to "
                          "100.");
  }
  if (biases->len == 0 || pteris_fields_failed (fields))
    return;
  question->chat.n_logit_bias = biases->len;
  question->chat.logit_bias = g_memdup2 (biases->data, biases->len * sizeof (PtLogitBias));
}

void
pteris_openai_read_sampling (PterisQuestion *question, PterisFields *fields)
{
  static const struct {
    const char *name, *setting;
  } names[] = {
    { "temperature", "temperature" },
    { "top_p", "top_p" },
    { "presence_penalty", "presence_penalty" },
    { "frequency_penalty", "frequency_penalty" },
    /* vLLM's and llama.cpp's. */
    { "top_k", "top_k" },
    { "min_p", "min_p" },
    { "repetition_penalty", "repetition_penalty" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    pteris_question_read_sampling (question, fields, names[i].name, names[i].setting);
  read_bias (question, fields);
  /* The same request gives the same answer. */
  question->chat.reseed = TRUE;
}
