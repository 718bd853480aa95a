/* SPDX-License-Identifier: BSD-3-Clause */

/* The page Server, over the server itself and a small model: turned on and off, its address and
 * key, pages that may use it, who asked, and what went wrong. */

#include <string.h>

#include <atspi/atspi-constants.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"
#include "tests/unit/server/http-talk.h"

#define SERVE "check:Let Other Programs Use the Models"
#define WITH_KEY "check:Ask for a Key"
#define PAGES "field:Web Pages That May Use It*"
#define FROM_PAGE "Origin: https://example.org\r\n"
#define APPLY "button:GtkImage"
#define ADDRESS "label:http://127.0.0.1:*"
#define MODEL "qwen3_xnnpack_8da4w"

/* The port in the address that is shown. */
static guint
shown_port (void)
{
  g_autoptr (HandsNode) address = hands_see (ADDRESS);

  return (guint) g_ascii_strtoull (strrchr (address->name, ':') + 1, NULL, 10);
}

static guint
open_page (void)
{
  g_autofree char *models = g_build_filename (g_getenv ("HANDS_DATA"), "data", "chat", NULL);
  guint port;

  hands_start_with (models);
  hands_skip_welcome ();
  hands_key ("ctrl+8");
  hands_expect ("label:The server is off.");
  hands_picture ("off");
  hands_click (SERVE);
  port = shown_port ();
  hands_expect_state (SERVE, ATSPI_STATE_CHECKED, TRUE);
  hands_picture ("on");
  return port;
}

static guint
ask (guint port, const char *headers, const char *more, HttpReply *reply)
{
  g_autofree char *all = g_strconcat ("User-Agent: hands/1.0\r\n", headers, NULL);
  g_autofree char *body = g_strdup_printf ("{\"model\": \"" MODEL "\", \"max_tokens\": 2, "
                                           "\"messages\": [{\"role\": \"user\", \"content\": "
                                           "\"Hello\"}]%s}",
                                           more);

  http_reply_clear (reply);
  http_talk (port, "POST", "/v1/chat/completions", all, body, reply);
  return reply->status;
}

/* What programs did is on the page. */
static void
test_activity (void)
{
  guint port = open_page ();
  g_auto (HttpReply) reply = { 0 };

  hands_assert (ask (port, NULL, "", &reply) == 200);
  hands_expect ("label:hands/1.0");
  hands_expect ("label:1 request");
  hands_expect ("label:1 within the last minute; 0 running, 0 waiting");
  hands_expect ("label:* tokens/s");
  hands_picture ("asked");
  hands_assert (ask (port, NULL, ", \"n\": 2", &reply) == 400);
  hands_expect ("label:2 requests");
  hands_scroll ("label:2 requests", 30);
  hands_expect ("label:*“n”*");
  hands_picture ("error");
}

/* GTK tells neither that the row has the keyboard, nor its text. */
static gboolean
paste (gpointer data)
{
  g_autoptr (HandsNode) apply = hands_peek (APPLY);

  if (apply != NULL)
    return TRUE;
  hands_key ("ctrl+v");
  return FALSE;
}

/* With the keyboard's own copy and paste: the address of the interface is on the clipboard. */
static void
test_address_and_pages (void)
{
  guint port = open_page ();
  g_auto (HttpReply) reply = { 0 };

  hands_assert (ask (port, FROM_PAGE, "", &reply) == 403);
  hands_expect ("label:1 within the last minute*");
  hands_click ("button:Copy Address");
  hands_click (PAGES);
  hands_wait_for (paste, NULL, "the address is pasted");
  hands_picture ("pasted");
  hands_key ("Return");
  hands_expect ("label:“http://127.0.0.1:*/v1” is not the address of a web site*");
  hands_picture ("no-page");
  hands_key ("ctrl+a");
  hands_type ("https://example.org");
  hands_expect_gone ("label:*is not the address of a web site*");
  hands_key ("Return");
  /* The server begins again. */
  hands_expect ("label:0 within the last minute*");
  port = shown_port ();
  hands_picture ("page");
  hands_assert (ask (port, FROM_PAGE, "", &reply) == 200);
  hands_assert (strstr (reply.headers, "https://example.org") != NULL);
  hands_assert (ask (port, "Origin: https://example.com\r\n", "", &reply) == 403);
}

/* Every request needs the key that is shown; off means that nobody answers. */
static void
test_key_and_off (void)
{
  guint port = open_page ();
  g_autoptr (HandsNode) key = NULL;
  g_autofree char *header = NULL;
  g_auto (HttpReply) reply = { 0 };
  gsize length;

  hands_click (WITH_KEY);
  key = hands_see ("label:pteris-*");
  port = shown_port ();
  hands_picture ("key");
  length = strcspn (key->name, "\n");
  header = g_strdup_printf ("Authorization: Bearer %.*s\r\n", (int) length, key->name);
  hands_assert (ask (port, NULL, "", &reply) == 401);
  hands_assert (ask (port, header, "", &reply) == 200);
  hands_click (SERVE);
  hands_expect ("label:The server is off.");
  hands_expect_state ("button:Copy Address", ATSPI_STATE_SENSITIVE, FALSE);
  hands_picture ("off-again");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/server/activity", test_activity);
  hands_add ("/server/address-and-pages", test_address_and_pages);
  hands_add ("/server/key-and-off", test_key_and_off);
  return g_test_run ();
}
