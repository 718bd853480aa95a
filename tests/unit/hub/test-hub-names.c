/* SPDX-License-Identifier: BSD-3-Clause */
#include <pteris/hub.h>

#include "engine/hub/http-answer.h"
#include "engine/hub/hub-address.h"
#include "engine/base/program-labels.h"
#include "engine/hub/program-words.h"
#include "engine/hub/rate-meter.h"
#include "engine/hub/repo-names.h"
#include "engine/hub/staging.h"
#include "engine/hub/system-proxy.h"

/* ---- what users write ---- */

static void
check_parse (const char *text, const char *id, const char *variant, const char *revision)
{
  g_autofree char *own_id = NULL, *own_variant = NULL, *own_revision = NULL;
  g_autoptr (GError) error = NULL;
  gboolean fine = pt_hub_parse (text, &own_id, &own_variant, &own_revision, &error);

  g_assert_cmpint (fine, ==, id != NULL);
  g_assert_cmpstr (own_id, ==, id);
  g_assert_cmpstr (own_variant, ==, variant);
  g_assert_cmpstr (own_revision, ==, revision);
  if (!fine)
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

static void
test_parse (void)
{
  static const char *const WRONG[] = { "",
                                       "x",
                                       "/",
                                       "a/",
                                       "/b",
                                       "a/b/c",
                                       "a/b:",
                                       "../b",
                                       "a/..",
                                       "a/.b",
                                       "a--b/c",
                                       "a/b--c",
                                       "a/b..c",
                                       "a/b.",
                                       "a b/c",
                                       "a/b\n",
                                       "a/\xff",
                                       "https://",
                                       "https://h/",
                                       "a/b/tree",
                                       "ä/b",
                                       "-a/b",
                                       "a/b-",
                                       "a\\b/c",
                                       "https://huggingface.co/a",
                                       "https://huggingface.co/a/b/nonsense/main" };

  check_parse ("owner/name", "owner/name", NULL, NULL);
  check_parse ("owner/name:1b-8da4w", "owner/name", "1b-8da4w", NULL);
  check_parse ("owner/na.me_1:x/y.pte", "owner/na.me_1", "x/y.pte", NULL);
  check_parse ("https://huggingface.co/owner/name", "owner/name", NULL, NULL);
  check_parse ("https://huggingface.co/owner/name/", "owner/name", NULL, NULL);
  check_parse ("hf.co/owner/name?x=1#y", "owner/name", NULL, NULL);
  check_parse ("https://h/owner/name/tree/v0.9.0", "owner/name", NULL, "v0.9.0");
  check_parse ("https://h/owner/name/blob/refs%2Fpr%2F1/a/b.pte", "owner/name", "a/b.pte",
               "refs/pr/1");
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG); i++)
    check_parse (WRONG[i], NULL, NULL, NULL);
}

/* ---- names of files ---- */

static void
test_paths (void)
{
  static const char *const LIES[] = { "",     "/a",    "..",   "../a",  "a/../b",  "a//b",
                                      "./a",  "a/.",   "a/",   "C:a",   "c:/a",    "a\\b",
                                      "a\nb", "a\x7f", "\xff", "\x1b[", "a\u202eb" };
  static const char *const PROBLEMS[] = { "AUX",
                                          "aux.pte",
                                          "a/Con.txt",
                                          "COM1",
                                          "lpt9.x",
                                          "nul .x",
                                          "a:b/c:d",
                                          "a?",
                                          "a|b",
                                          "a.",
                                          "a /b",
                                          "a\"b",
                                          "<",
                                          "x/*",
                                          "conin$",
                                          "COM\u00b9",
                                          "a/lpt\u00b3.txt",
                                          "com\u00b2 .x",
                                          "nul. .",
                                          "com0" };
  static const char *const FINE[] = { "a.pte",   "a/b c/d.pte", "com.pte",    "auxiliary",
                                      "com10",   "com\u2074",   "com\u00b91", "ünïcode",
                                      ".hidden", "a..b",        "null" };
  g_autofree char *longest = g_strnfill (201, 'a');

  for (gsize i = 0; i < G_N_ELEMENTS (LIES); i++)
    g_assert_nonnull (pt_hub_path_lie (LIES[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (PROBLEMS); i++)
    g_assert_nonnull (pt_hub_path_problem (PROBLEMS[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (FINE); i++) {
    g_assert_null (pt_hub_path_lie (FINE[i]));
    g_assert_null (pt_hub_path_problem (FINE[i]));
  }
  g_assert_nonnull (pt_hub_path_problem (longest));
}

static void
test_keys (void)
{
  g_autofree char *composed = pt_hub_path_key ("A/\u00c9");
  g_autofree char *decomposed = pt_hub_path_key ("a/e\u0301");
  g_autofree char *other = pt_hub_path_key ("a/e");

  g_assert_cmpstr (composed, ==, decomposed);
  g_assert_cmpstr (composed, !=, other);
}

static void
test_staging (void)
{
  g_autoptr (PtHubPlaces) places = pt_hub_places_new ("owner/na.me", "a/b.pte");
  g_autofree char *name = g_path_get_basename (places->staging);

  g_assert_cmpstr (places->name, ==, "owner--na.me");
  g_assert_true (pt_hub_is_staging (name, NULL));
  g_assert_true (pt_hub_is_staging (name, "owner--na.me"));
  g_assert_false (pt_hub_is_staging (name, "owner--na"));
  g_assert_false (pt_hub_is_staging (name, ""));
  g_assert_false (pt_hub_is_staging ("owner--name", NULL));
  g_assert_false (pt_hub_is_staging (".part", NULL));
  g_assert_false (pt_hub_is_staging (".12345678.part", NULL));
  g_assert_false (pt_hub_is_library_name (name));
}

/* ---- addresses ---- */

static void
test_endpoints (void)
{
  static const char *const FINE[] = { "https://huggingface.co", "https://hub.example:8443/prefix/",
                                      "http://127.0.0.1:80", "http://[::1]:8000",
                                      "http://localhost:1" };
  static const char *const WRONG[] = { "http://huggingface.co", "http://127.0.0.1.example",
                                       "http://1270.0.0.1",     "ftp://localhost",
                                       "file:///etc",           "https://a:b@huggingface.co",
                                       "huggingface.co/?a",     "https://x/?q",
                                       "https://x/#f",          "https://" };

  for (gsize i = 0; i < G_N_ELEMENTS (FINE); i++) {
    g_autoptr (PtHubEndpoint) endpoint = pt_hub_endpoint_new (FINE[i], NULL);

    g_assert_nonnull (endpoint);
    g_assert_false (g_str_has_suffix (endpoint->base, "/"));
  }
  for (gsize i = 0; i < G_N_ELEMENTS (WRONG); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (pt_hub_endpoint_new (WRONG[i], &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
  }
}

static void
check_follow (const PtHubEndpoint *endpoint, const char *location, const char *expected)
{
  g_autofree char *address = pt_hub_follow (endpoint, "https://hub.example/a/b?c", location, NULL);

  g_assert_cmpstr (address, ==, expected);
}

static void
test_follow (void)
{
  g_autoptr (PtHubEndpoint) hub = pt_hub_endpoint_new ("https://hub.example", NULL);
  g_autoptr (PtHubEndpoint) local = pt_hub_endpoint_new ("http://127.0.0.1:1", NULL);

  check_follow (hub, "/x/y", "https://hub.example/x/y");
  check_follow (hub, "https://cdn.example/x?sig=1", "https://cdn.example/x?sig=1");
  check_follow (hub, "//cdn.example/x", "https://cdn.example/x");
  check_follow (hub, "http://hub.example/x", NULL);
  check_follow (hub, "http://127.0.0.1/x", NULL);
  check_follow (hub, "file:///etc/passwd", NULL);
  check_follow (hub, "javascript:1", NULL);
  check_follow (hub, "https://user:word@hub.example/", NULL);
  check_follow (local, "http://127.0.0.1:2/x", "http://127.0.0.1:2/x");
  check_follow (local, "http://169.254.169.254/", NULL);
}

static void
test_own (void)
{
  g_autoptr (PtHubEndpoint) hub = pt_hub_endpoint_new ("https://hub.example", NULL);

  g_assert_true (pt_hub_is_own (hub, "https://hub.example/x"));
  g_assert_true (pt_hub_is_own (hub, "https://HUB.example:443/x"));
  g_assert_false (pt_hub_is_own (hub, "https://hub.example:444/x"));
  g_assert_false (pt_hub_is_own (hub, "http://hub.example/x"));
  g_assert_false (pt_hub_is_own (hub, "https://hub.example.org/x"));
  g_assert_false (pt_hub_is_own (hub, "https://cdn.hub.example/x"));
}

/* ---- proxies of Windows ---- */

static void
check_proxy (const char *proxies, const char *bypass, const char *expected)
{
  g_autofree char *found = pt_hub_proxy_in_list (proxies, bypass, "hub.example");

  g_assert_cmpstr (found, ==, expected);
}

static void
test_proxies (void)
{
  check_proxy (NULL, NULL, NULL);
  check_proxy ("", "", NULL);
  check_proxy ("proxy:8080", NULL, "http://proxy:8080");
  check_proxy ("http=a:1;https=b:2;ftp=c:3", "*.local;<local>", "http://b:2");
  check_proxy ("http=a:1", NULL, NULL);
  check_proxy ("https=", NULL, NULL);
  check_proxy ("https=socks5://p:1", NULL, "socks5://p:1");
  check_proxy ("proxy:8080", "x;*.example", NULL);
  check_proxy ("proxy:8080", "hub.example", NULL);
  check_proxy ("proxy:8080", "<local>", "http://proxy:8080");
}

/* ---- heads of answers ---- */

static void
take (PtHttpAnswer *answer, const char *line)
{
  char *location = NULL;

  pt_http_answer_line (answer, line, strlen (line), &location);
  g_free (location);
}

static void
test_answers (void)
{
  PtHttpAnswer answer;

  pt_http_answer_init (&answer);
  pt_http_answer_begin (&answer, TRUE);
  take (&answer, "X-Repo-Commit: abc\r\n");
  take (&answer, "x-linked-etag: W/\"123\"\r\n");
  take (&answer, "X-Linked-Size: 42\r\n");
  take (&answer, "Link: <https://h/1>; rel=\"prev\", <https://h/2>; rel=\"next\"\r\n");
  take (&answer, "RateLimit: \"api\";r=0;t=55\r\n");
  g_assert_cmpstr (answer.commit, ==, "abc");
  g_assert_cmpstr (answer.etag, ==, "123");
  g_assert_cmpuint (answer.linked_size, ==, 42);
  g_assert_cmpstr (answer.next, ==, "https://h/2");
  g_assert_cmpuint (answer.wait_s, ==, 55);
  /* The response that a redirection leads to does not change the commit. */
  pt_http_answer_begin (&answer, FALSE);
  take (&answer, "X-Repo-Commit: other\r\n");
  take (&answer, "Content-Range: bytes 7-41/42\r\n");
  take (&answer, "Content-Length: 35\r\n");
  g_assert_cmpstr (answer.commit, ==, "abc");
  g_assert_cmpuint (answer.start, ==, 7);
  g_assert_cmpuint (answer.whole, ==, 42);
  g_assert_null (answer.next);
  g_assert_cmpuint (answer.wait_s, ==, G_MAXUINT64);
  pt_http_answer_clear (&answer);
}

static void
test_strange_answers (void)
{
  static const char *const LINES[] = { "",
                                       "nonsense",
                                       ": x",
                                       "Link: <",
                                       "Link: >",
                                       "Link: <a",
                                       "RateLimit: ;r=0;;t=",
                                       "RateLimit: r=5;t=9",
                                       "Retry-After: -1",
                                       "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT",
                                       "Content-Range: bytes */9",
                                       "Content-Range: bytes 99999999999999999999-1/2",
                                       "Content-Length: 1e9",
                                       "X-Linked-Size: -5",
                                       "X-Linked-Etag: W/" };
  PtHttpAnswer answer;

  pt_http_answer_init (&answer);
  pt_http_answer_begin (&answer, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (LINES); i++)
    take (&answer, LINES[i]);
  g_assert_cmpuint (answer.wait_s, ==, G_MAXUINT64);
  g_assert_cmpuint (answer.start, ==, G_MAXUINT64);
  g_assert_cmpuint (answer.linked_size, ==, G_MAXUINT64);
  g_assert_null (answer.next);
  pt_http_answer_clear (&answer);
}

/* ---- rate ---- */

static void
test_meter (void)
{
  PtHubMeter meter = { 0 };

  g_assert_cmpfloat (pt_hub_meter_rate (&meter), ==, 0);
  for (guint i = 0; i <= 100; i++)
    pt_hub_meter_add (&meter, i * G_USEC_PER_SEC / 10, i * 1000);
  g_assert_cmpfloat_with_epsilon (pt_hub_meter_rate (&meter), 10000, 1);
  /* It stands still. */
  for (guint i = 101; i <= 200; i++)
    pt_hub_meter_add (&meter, i * G_USEC_PER_SEC / 10, 100000);
  g_assert_cmpfloat (pt_hub_meter_rate (&meter), ==, 0);
}

/* ---- what names of programs say ---- */

static void
check_words (const char *path, const char *backend, const char *precision)
{
  g_auto (GStrv) words = pt_hub_words (path);
  g_autofree char *found = pt_hub_precision ((const char *const *) words);

  g_assert_cmpstr (pt_hub_backend ((const char *const *) words), ==, backend);
  g_assert_cmpstr (found, ==, precision);
}

static void
test_words (void)
{
  check_words ("llama_3_2_1b_xnnpack_spinquant", "xnnpack", "spinquant");
  check_words ("qwen_3_0_6b_xnnpack_8da4w", "xnnpack", "8da4w");
  check_words ("Qwen3-4B-INT8-INT4", "", "int8-int4");
  check_words ("model-metal-int4", "metal", "int4");
  check_words ("cuda-windows/model", "cuda-windows", NULL);
  check_words ("model", "", NULL);
  check_words ("efficientnet_v2_s_coreml_fp16", "coreml", "fp16");
  g_assert_true (pt_hub_is_for_here ("xnnpack"));
  g_assert_false (pt_hub_is_for_here ("coreml"));
  g_assert_cmpuint (pt_label_precision_rank ("int8-int4", FALSE), ==,
                    pt_label_precision_rank ("int4", FALSE));
  /* In parts of words there is no label. */
  check_words ("sm80/fp32x", "", NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hub/parse", test_parse);
  g_test_add_func ("/hub/paths", test_paths);
  g_test_add_func ("/hub/keys", test_keys);
  g_test_add_func ("/hub/staging", test_staging);
  g_test_add_func ("/hub/endpoints", test_endpoints);
  g_test_add_func ("/hub/follow", test_follow);
  g_test_add_func ("/hub/own", test_own);
  g_test_add_func ("/hub/proxies", test_proxies);
  g_test_add_func ("/hub/answers", test_answers);
  g_test_add_func ("/hub/strange-answers", test_strange_answers);
  g_test_add_func ("/hub/meter", test_meter);
  g_test_add_func ("/hub/words", test_words);
  return g_test_run ();
}
