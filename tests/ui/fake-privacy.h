/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/embed.h>

/** What the scripted privacy filter finds in @texts: each "Alice" and "fellow" is a private_person,
 * each "hunter2" a secret. A text with "unreadable" has an error. It lives as long as the program.
 */
const PtPrivacyReport *fake_privacy_report (const char *const *texts);
