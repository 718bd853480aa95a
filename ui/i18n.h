/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib/gi18n.h>
