/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Append to @report what the system says about GPUs without their driver's help: files of the
 * driver, devices, time limits. One line each. */
void pt_diagnose_add_system (GString *report);

/** Replace the user's folder and name in all paths of @report, with either separator. @home and
 * @user: or empty. */
void pt_diagnose_hide_user (GString *report, const char *home, const char *user);

G_END_DECLS
