/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The meaning of @label of a privacy filter, in the user's language when it is known: "Person" for
 * "private_person". Free with g_free(). */
char *pteris_label_name (const char *label);

G_END_DECLS
