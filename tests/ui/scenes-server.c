/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/scenes-server.h"

#include "tests/ui/fake-hub.h"
#include "ui/settings.h"

static PterisServer *
start_server (const PterisServerOptions *options, GError **error)
{
  static const PterisServerEntry entries[] = {
    { .method = "POST", .route = "/v1/chat/completions", .program = "OpenAI/Python 2.8.1" },
    { .method = "POST",
      .route = "/v1/chat/completions",
      .program = "continue/1.3",
      .fault = "“n” must be 1: one answer is given to each request." },
  };

  for (guint i = 0; i < 12; i++)
    options->func (&entries[i == 3 ? 1 : 0], options->user_data);
  return (PterisServer *) &scenes_server;
}

static void
stop_server (PterisServer *self)
{
}

static const char *
get_address (PterisServer *self)
{
  return "http://127.0.0.1:11435";
}

static void
get_status (PterisServer *self, PterisServerStatus *status)
{
  *status = (PterisServerStatus){
    .connections = 2, .requests_per_minute = 12, .running = 1, .tokens_per_second = 87.5
  };
}

const PterisServerFunctions scenes_server = { start_server, stop_server, get_address, get_status };

void
show_server (PterisWindow *window)
{
  fake_hub.has_store = TRUE;
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE_WITH_KEY, TRUE);
  pteris_settings_set_boolean (PTERIS_SETTING_SERVE, TRUE);
  pteris_window_show_page (window, "server");
}
