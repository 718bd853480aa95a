/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * @count items of @size bytes, all zero: for memory whose size comes from a file or a model, where
 * g_new() would end the process when there is none. NULL with PT_ERROR_MEMORY; never NULL
 * otherwise, also for no items. Free with g_free(). Any thread.
 */
gpointer pt_allocate (gsize count, gsize size, GError **error);

G_END_DECLS
