/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register all CPU operators of this folder. Called by pt_init(). */
void pt_operators_register_all (void);

G_END_DECLS
