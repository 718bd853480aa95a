/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * The proxy for @address that the settings of the system name ("http://host:port"), where no
 * variable of the environment does; NULL: none, or as the environment says. Free with g_free().
 * Takes a moment where the settings are a script.
 */
char *pt_hub_system_proxy (const char *address, GCancellable *cancellable);

/**
 * The proxy for https to @host in Windows' settings: @proxies is "host:port", or
 * "http=host:port;https=host:port", @bypass a list such as "*.example;<local>" of hosts that need
 * none; each may be NULL. Free with g_free(); NULL: none.
 */
char *pt_hub_proxy_in_list (const char *proxies, const char *bypass, const char *host);

G_END_DECLS
