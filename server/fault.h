/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/job.h>

G_BEGIN_DECLS

/*
 * Why a request is refused. The code of a PTERIS_FAULT is the status of the HTTP response; its
 * message is a sentence for the person who wrote the request. It may name a field of the request
 * and a code, both of which become members of the response's body. Any thread.
 */

#define PTERIS_FAULT (pteris_fault_quark ())

GQuark pteris_fault_quark (void);

/** Codes of faults, for programs; OpenAI's names where it has them. */
#define PTERIS_FAULT_UNKNOWN "unknown_parameter"
#define PTERIS_FAULT_UNSUPPORTED "unsupported_parameter"
#define PTERIS_FAULT_MISSING "missing_required_parameter"
#define PTERIS_FAULT_TYPE "invalid_type"
#define PTERIS_FAULT_VALUE "invalid_value"

/**
 * Set @error and return FALSE. @field: the path of the member, "messages[0].content"; NULL: the
 * fault is in none. @code: as above; NULL: none. Both are copied.
 */
gboolean pteris_fault_set (GError **error, guint status, const char *code, const char *field,
                           const char *format, ...) G_GNUC_PRINTF (5, 6);

/** Parts of a PTERIS_FAULT; NULL: it has none, or @error is of another domain. */
const char *pteris_fault_get_field (const GError *error);
const char *pteris_fault_get_code (const GError *error);

/** The fault that @event, a FAILED, stands for. Free with g_error_free(). */
GError *pteris_fault_of_event (const PtEvent *event);

/** The HTTP status of @error, which may be of another domain. */
guint pteris_fault_status (const GError *error);

G_END_DECLS
