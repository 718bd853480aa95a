/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Register StubAddBackend and a device whose memory is the host's, for the device_* cases. */
void stub_backend_register (void);

G_END_DECLS
