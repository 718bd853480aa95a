/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the primitive operators (docs/formats/operators.md, section 22). For pt_init(). */
void pt_prims_register (void);

G_END_DECLS
