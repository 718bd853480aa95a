/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/base/clean.h"

/* Data of a PT_ERROR in addition to code and message. */
typedef struct {
  char *digest;
} PtErrorPrivate;

static void
pt_error_private_init (PtErrorPrivate *self)
{
}

static void
pt_error_private_copy (const PtErrorPrivate *self, PtErrorPrivate *copy)
{
  copy->digest = g_strdup (self->digest);
}

static void
pt_error_private_clear (PtErrorPrivate *self)
{
  g_free (self->digest);
}

G_DEFINE_EXTENDED_ERROR (PtError, pt_error)

void
pt_error_set_digest (GError *error, const char *digest)
{
  PtErrorPrivate *self = pt_error_get_private (error);

  g_free (self->digest);
  self->digest = g_strdup (digest);
}

const char *
pt_error_get_digest (const GError *error)
{
  const PtErrorPrivate *self = error->domain == PT_ERROR ? pt_error_get_private (error) : NULL;

  return self != NULL && self->digest != NULL ? self->digest : "";
}

const char *
pt_error_name (PtError code)
{
  static const char *const names[] = {
    [PT_ERROR_FILE] = "file",
    [PT_ERROR_FORMAT] = "format",
    [PT_ERROR_PROGRAM] = "program",
    [PT_ERROR_DATA] = "data",
    [PT_ERROR_MISSING_FILE] = "missing-file",
    [PT_ERROR_MISSING_OPERATOR] = "missing-operator",
    [PT_ERROR_MISSING_BACKEND] = "missing-backend",
    [PT_ERROR_NOT_FOUND] = "not-found",
    [PT_ERROR_UNSUPPORTED] = "unsupported",
    [PT_ERROR_ARGUMENT] = "argument",
    [PT_ERROR_TYPE] = "type",
    [PT_ERROR_MEMORY] = "memory",
    [PT_ERROR_STATE] = "state",
    [PT_ERROR_DELEGATE] = "delegate",
    [PT_ERROR_CONTEXT_FULL] = "context-full",
    [PT_ERROR_TOKENIZER] = "tokenizer",
    [PT_ERROR_AUDIO] = "audio",
    [PT_ERROR_UNTRUSTED] = "untrusted",
    [PT_ERROR_CANCELLED] = "cancelled",
    [PT_ERROR_BUSY] = "busy",
    [PT_ERROR_INTERNAL] = "internal",
    [PT_ERROR_NETWORK] = "network",
    [PT_ERROR_DENIED] = "denied",
    [PT_ERROR_HOST] = "host",
    [PT_ERROR_GPU] = "gpu",
  };
  G_STATIC_ASSERT (G_N_ELEMENTS (names) == PT_N_ERRORS);

  if ((guint) code >= G_N_ELEMENTS (names))
    return "unknown";
  return names[code];
}

gboolean
pt_fail (GError **error, PtError code, const char *format, ...)
{
  g_autofree char *text = NULL, *message = NULL;
  va_list args;

  if (error == NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  message = pt_clean_text (text, NULL, ' ');
  g_propagate_error (error, g_error_new_literal (PT_ERROR, (int) code, message));
  return FALSE;
}

void
pt_prefix_error (GError **error, const char *format, ...)
{
  g_autofree char *prefix = NULL, *text = NULL;
  va_list args;

  if (error == NULL || *error == NULL)
    return;
  va_start (args, format);
  prefix = g_strdup_vprintf (format, args);
  va_end (args);
  text = g_strconcat (prefix, (*error)->message, NULL);
  g_free ((*error)->message);
  (*error)->message = pt_clean_text (text, NULL, ' ');
}

PtError
pt_file_error_code (const GError *cause)
{
  return g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOMEM) ? PT_ERROR_MEMORY
                                                                   : PT_ERROR_FILE;
}
