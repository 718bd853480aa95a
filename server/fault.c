/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/fault.h"

#include "engine/base/clean.h"

typedef struct {
  char *code, *field;
} PterisFaultPrivate;

static void
pteris_fault_private_init (PterisFaultPrivate *self)
{
}

static void
pteris_fault_private_copy (const PterisFaultPrivate *self, PterisFaultPrivate *copy)
{
  copy->code = g_strdup (self->code);
  copy->field = g_strdup (self->field);
}

static void
pteris_fault_private_clear (PterisFaultPrivate *self)
{
  g_free (self->code);
  g_free (self->field);
}

G_DEFINE_EXTENDED_ERROR (PterisFault, pteris_fault)

static GError *
make_fault (guint status, const char *code, const char *field, const char *text)
{
  g_autofree char *message = pt_clean_text (text, NULL, ' ');
  GError *error = g_error_new_literal (PTERIS_FAULT, (int) status, message);
  PterisFaultPrivate *self = pteris_fault_get_private (error);

  self->code = g_strdup (code);
  self->field = g_strdup (field);
  return error;
}

gboolean
pteris_fault_set (GError **error, guint status, const char *code, const char *field,
                  const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (error == NULL || *error != NULL)
    return FALSE;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  *error = make_fault (status, code, field, text);
  return FALSE;
}

const char *
pteris_fault_get_field (const GError *error)
{
  return error->domain == PTERIS_FAULT ? pteris_fault_get_private (error)->field : NULL;
}

const char *
pteris_fault_get_code (const GError *error)
{
  return error->domain == PTERIS_FAULT ? pteris_fault_get_private (error)->code : NULL;
}

/* What went wrong in the request is 4xx, what went wrong here is 5xx. */
static guint
status_of (PtError code)
{
  switch (code) {
  case PT_ERROR_CONTEXT_FULL:
  case PT_ERROR_ARGUMENT:
  case PT_ERROR_AUDIO:
  case PT_ERROR_FORMAT:
  case PT_ERROR_UNSUPPORTED: return 400;
  case PT_ERROR_UNTRUSTED: return 403;
  case PT_ERROR_NOT_FOUND: return 404;
  case PT_ERROR_MEMORY:
  case PT_ERROR_BUSY: return 503;
  default: return 500;
  }
}

GError *
pteris_fault_of_event (const PtEvent *event)
{
  const char *code = event->code == PT_ERROR_CONTEXT_FULL ? "context_length_exceeded"
                                                          : pt_error_name (event->code);

  return make_fault (status_of (event->code), code, NULL, event->text);
}

guint
pteris_fault_status (const GError *error)
{
  return error->domain == PTERIS_FAULT ? (guint) error->code : 500;
}
