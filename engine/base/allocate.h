/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * Allocate @count items of @size bytes, all zero. Use it where a file or a model determines the
 * size: when the memory is not there, it returns NULL with PT_ERROR_MEMORY, where g_new() would end
 * the process. For 0 items the result is also not NULL. Free with g_free(). Any thread.
 */
gpointer pt_allocate (gsize count, gsize size, GError **error);

G_END_DECLS
