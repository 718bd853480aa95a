/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the XnnpackBackend. Called by pt_init(). */
void pt_xnnpack_register (void);

G_END_DECLS
