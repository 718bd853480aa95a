/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sharing/sharing.h"
#include "ui/window/window.h"

/** A server that two programs use, for pteris_sharing_use(). */
extern const PterisServerFunctions scenes_server;

void show_server (PterisWindow *window);
