/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register the backend "OpenvinoBackend". Called by pt_init(). */
void pt_openvino_register (void);

G_END_DECLS
