/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/hub-api.h"

#include <string.h>

#include "engine/base/clean.h"
#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/hub/repo-names.h"
#include "engine/hub/secret.h"

/* A page has 1000 files or 100 repositories, and 300 bytes for each are usual. */
#define MAX_INFO (16u << 20)
#define MAX_PAGE (8u << 20)
#define MAX_JSON_FILE (1u << 20)
#define MAX_PAGES 100
/* Of all pages of a list of files. */
#define MAX_LIST (48u << 20)
#define MAX_FILES 50000
/* The limit of a file's size: no published file is larger. */
#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (1) << 42)
#define MAX_TEXT 500

/* ---- opening ---- */

PtHub *
pt_hub_open (const PtHubAccess *access, PtHttpTimes times, GCancellable *cancellable,
             GError **error)
{
  g_autoptr (PtHub) self = g_new0 (PtHub, 1);
  const char *token =
      access != NULL && access->token != NULL ? access->token : g_getenv ("HF_TOKEN");

  self->has_token = token != NULL && *token != '\0';
  if (self->has_token && strlen (token) > PT_MAX_TOKEN) {
    pt_fail (error, PT_ERROR_ARGUMENT,
             "The token is too long to be one. Copy it again from the "
             "settings of the hub.");
    return NULL;
  }
  self->endpoint = pt_hub_endpoint_new (access != NULL ? access->endpoint : NULL, error);
  if (self->endpoint == NULL)
    return NULL;
  self->http =
      pt_http_new (self->endpoint, self->has_token ? token : NULL, times, cancellable, error);
  return self->http != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_hub_close (PtHub *self)
{
  if (self == NULL)
    return;
  pt_http_free (self->http);
  pt_hub_endpoint_free (self->endpoint);
  g_free (self);
}

/* ---- refusals ---- */

static gboolean
is_code (const PtHttpAnswer *answer, const char *code)
{
  return g_strcmp0 (answer->error_code, code) == 0;
}

static const char *
name_of (const PtHubTopic *topic)
{
  return topic->id != NULL ? topic->id : topic->hub->endpoint->base;
}

static void
refuse_gated (const PtHubTopic *topic, GError **error)
{
  const char *base = topic->hub->endpoint->base;

  if (topic->hub->has_token)
    pt_fail (error, PT_ERROR_DENIED,
             "“%s” is given only to those who accepted its terms, and the account of the token did "
             "not, or waits for an answer. Open %s/%s in a browser, accept them, and try again.",
             name_of (topic), base, name_of (topic));
  else
    pt_fail (
        error, PT_ERROR_DENIED,
        "“%s” is given only to those who accept its terms. Open %s/%s in a browser, sign in "
        "and accept them, make an access token at %s/settings/tokens, and enter it (HF_TOKEN).",
        name_of (topic), base, name_of (topic), base);
}

static void
refuse_repo (const PtHubTopic *topic, GError **error)
{
  if (topic->hub->has_token)
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "%s has no repository “%s” that this token may see. Check the name, and whether the "
             "token is still valid.",
             topic->hub->endpoint->host, name_of (topic));
  else
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "%s has no repository “%s”, or it is private. Check the name; a private one needs an "
             "access token (HF_TOKEN).",
             topic->hub->endpoint->host, name_of (topic));
}

/* Too many requests, or a server in trouble. */
static void
refuse_for_now (const PtHttpAnswer *answer, const char *host, GError **error)
{
  if (answer->status == 429 && answer->wait_s != G_MAXUINT64)
    pt_fail (error, PT_ERROR_NETWORK,
             "%s has been asked too often from here. Try again in %" G_GUINT64_FORMAT
             " seconds; what has arrived is kept.",
             host, answer->wait_s);
  else if (answer->status == 429)
    pt_fail (
        error, PT_ERROR_NETWORK,
        "%s has been asked too often from here. Try again in some minutes; what has arrived is "
        "kept.",
        host);
  else
    pt_fail (error, PT_ERROR_NETWORK,
             "%s has a problem (status %u). Try again later; what has arrived is kept.", host,
             answer->status);
}

/* Of what the hub says itself, a line. */
static char *
words_of (const PtHttpAnswer *answer)
{
  g_autofree char *text = NULL;

  if (answer->error_message == NULL || *answer->error_message == '\0')
    return g_strdup ("");
  text = pt_clean_text (answer->error_message, NULL, ' ');
  return g_utf8_strlen (text, -1) <= MAX_TEXT ? g_strdup_printf (" It says: %s", text)
                                              : g_strdup ("");
}

static void
refuse_missing (const PtHttpAnswer *answer, const PtHubTopic *topic, GError **error)
{
  const char *revision = topic->revision != NULL ? topic->revision : "main";

  if (topic->path != NULL && !is_code (answer, "RevisionNotFound"))
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "“%s” has no file “%s” any more. Look at the list again, then try again.",
             name_of (topic), topic->path);
  else
    pt_fail (
        error, PT_ERROR_NOT_FOUND,
        "“%s” has no revision “%s”. Its page lists branches and tags; without a revision it is "
        "main.",
        name_of (topic), revision);
}

void
pt_hub_refuse (const PtHttpAnswer *answer, gpointer user_data, GError **error)
{
  const PtHubTopic *topic = user_data;
  g_autofree char *host = pt_hub_host_of (answer->address);
  g_autofree char *words = words_of (answer);

  if (pt_http_is_passing_status (answer->status))
    refuse_for_now (answer, host, error);
  else if (is_code (answer, "GatedRepo"))
    refuse_gated (topic, error);
  else if (topic->id != NULL &&
           (is_code (answer, "RepoNotFound") ||
            (answer->is_own && answer->status == 401 && answer->error_code == NULL)))
    refuse_repo (topic, error);
  else if (is_code (answer, "RevisionNotFound") || is_code (answer, "EntryNotFound"))
    refuse_missing (answer, topic, error);
  else if (answer->is_own && answer->status == 404 && topic->id != NULL)
    refuse_repo (topic, error);
  else if (answer->status == 407)
    pt_fail (error, PT_ERROR_NETWORK,
             "The proxy of this network wants a name and a password. Put "
             "them into https_proxy.");
  else if (answer->is_own && (answer->status == 401 || answer->status == 403))
    pt_fail (error, PT_ERROR_DENIED,
             "%s does not give “%s” (status %u).%s Check its page in a browser%s.", host,
             name_of (topic), answer->status, words,
             topic->hub->has_token ? ", and whether the token is still valid" : "");
  else
    pt_fail (error, PT_ERROR_NETWORK, "%s refuses “%s” (status %u).%s Try again later.", host,
             name_of (topic), answer->status, words);
}

/* ---- answers ---- */

/* A text of the hub for people: one line of limited length. NULL stays NULL. */
static char *
clean (const char *text)
{
  g_autofree char *plain = text != NULL ? pt_clean_text (text, NULL, ' ') : NULL;

  if (plain == NULL || *plain == '\0')
    return NULL;
  return g_utf8_substring (plain, 0, MIN (MAX_TEXT, g_utf8_strlen (plain, -1)));
}

/* @left: bytes that may still be read, less those that were; or NULL. */
static json_t *
read_json (PtHub *self, const char *address, gsize max_bytes, gsize *left, char **next,
           PtHubTopic *topic, GCancellable *cancellable, GError **error)
{
  g_autoptr (GBytes) bytes =
      pt_http_read (self->http, address, max_bytes, next, pt_hub_refuse, topic, cancellable, error);
  g_autoptr (GError) problem = NULL;
  gconstpointer data;
  gsize size = 0;
  json_t *json;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &size);
  if (left != NULL)
    *left -= MIN (*left, size);
  json = pt_json_parse (address, data != NULL ? data : "", size, &problem);
  if (json == NULL)
    pt_fail (error, PT_ERROR_FORMAT,
             "What %s answers is not what a hub answers: it is no JSON. Check the address of the "
             "hub, and whether the network asks you to sign in first.",
             self->endpoint->host);
  return json;
}

static gboolean
fail_answer (const PtHub *self, const char *what, GError **error)
{
  return pt_fail (error, PT_ERROR_FORMAT,
                  "What %s answers is not what a hub answers: %s. Check the address of the hub.",
                  self->endpoint->host, what);
}

static gboolean
is_hex (const char *text, gsize length)
{
  return text != NULL && strlen (text) == length && strspn (text, "0123456789abcdef") == length;
}

/* "gated" is false, "auto" or "manual". */
static gboolean
is_gated (const json_t *json)
{
  const json_t *gated = json_object_get (json, "gated");

  return json_is_string (gated) || json_is_true (gated);
}

static void
take_license (PtHubRepo *repo, const json_t *json)
{
  const json_t *card = json_object_get (json, "cardData");
  const char *license = pt_json_string (card, "license");
  const char *name = pt_json_string (card, "license_name");
  const json_t *tags = json_object_get (json, "tags");
  json_t *tag;
  gsize i;

  if (name != NULL && (license == NULL || strcmp (license, "other") == 0))
    license = name;
  json_array_foreach (tags, i, tag) {
    const char *text = json_string_value (tag);

    if (license == NULL && text != NULL && g_str_has_prefix (text, "license:"))
      license = text + strlen ("license:");
  }
  repo->license = clean (license);
  repo->license_link = clean (pt_json_string (card, "license_link"));
}

PtHubRepo *
pt_hub_read_info (PtHub *self, const char *id, const char *revision, GCancellable *cancellable,
                  GError **error)
{
  PtHubTopic topic = { self, id, revision, NULL };
  g_autofree char *escaped = pt_hub_escape (revision != NULL ? revision : "main", FALSE);
  g_autofree char *address =
      g_strdup_printf ("%s/api/models/%s/revision/%s", self->endpoint->base, id, escaped);
  g_autoptr (json_t) json =
      read_json (self, address, MAX_INFO, NULL, NULL, &topic, cancellable, error);
  g_autoptr (PtHubRepo) repo = g_new0 (PtHubRepo, 1);
  const char *own_id = pt_json_string (json, "id"), *commit = pt_json_string (json, "sha");

  if (json == NULL)
    return NULL;
  if (!is_hex (commit, 40)) {
    fail_answer (self, "it names no commit", error);
    return NULL;
  }
  if (pt_json_bool (json, "disabled", FALSE)) {
    pt_fail (error, PT_ERROR_DENIED, "“%s” has been disabled by %s. Choose another model.", id,
             self->endpoint->host);
    return NULL;
  }
  repo->id = g_strdup (own_id != NULL && pt_hub_is_id (own_id) ? own_id : id);
  repo->endpoint = g_strdup (self->endpoint->base);
  repo->revision = g_strdup (revision != NULL ? revision : "main");
  repo->commit = g_strdup (commit);
  repo->task = clean (pt_json_string (json, "pipeline_tag"));
  repo->gated = is_gated (json);
  take_license (repo, json);
  return g_steal_pointer (&repo);
}

/* ---- files ---- */

void
pt_hub_entry_free (gpointer data)
{
  PtHubEntry *self = data;

  g_free (self->path);
  g_free (self->sha256);
  g_free (self->sha1);
  g_free (self);
}

static gboolean
add_entry (const PtHub *self, GPtrArray *entries, const json_t *json, GError **error)
{
  const char *type = pt_json_string (json, "type"), *path = pt_json_string (json, "path");
  const json_t *lfs = json_object_get (json, "lfs");
  gint64 bytes = pt_json_int (json_is_object (lfs) ? lfs : json, "size", -1);
  const char *sha256 = pt_json_string (lfs, "oid"), *sha1 = pt_json_string (json, "oid");
  const char *lie;
  PtHubEntry *entry;

  if (g_strcmp0 (type, "file") != 0)
    return TRUE;
  if (path == NULL || bytes < 0 || (guint64) bytes > MAX_FILE_BYTES)
    return fail_answer (self, "a file of its list has no name or no size", error);
  lie = pt_hub_path_lie (path);
  if (lie != NULL)
    return pt_fail (
        error, PT_ERROR_FORMAT,
        "%s lists a file “%.100s”, which no honest repository has: %s. Nothing of it is "
        "downloaded.",
        self->endpoint->host, path, lie);
  if (!is_hex (sha256, 64) && !is_hex (sha1, 40))
    return fail_answer (self, "a file of its list has no checksum", error);
  entry = g_new0 (PtHubEntry, 1);
  entry->path = g_strdup (path);
  entry->bytes = (guint64) bytes;
  if (is_hex (sha256, 64))
    entry->sha256 = g_strdup (sha256);
  else
    entry->sha1 = g_strdup (sha1);
  g_ptr_array_add (entries, entry);
  return entries->len <= MAX_FILES ||
         pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "The repository has more than %u files, which is no model. Choose another one.",
                  MAX_FILES);
}

static gboolean
add_page (PtHub *self, GPtrArray *entries, char **address, gsize *left, PtHubTopic *topic,
          GCancellable *cancellable, GError **error)
{
  g_autofree char *next = NULL, *following = NULL;
  g_autoptr (json_t) page =
      read_json (self, *address, MAX_PAGE, left, &next, topic, cancellable, error);
  json_t *json;
  gsize i;

  if (page == NULL)
    return FALSE;
  if (!json_is_array (page))
    return fail_answer (self, "its list of files is no list", error);
  json_array_foreach (page, i, json) {
    if (!add_entry (self, entries, json, error))
      return FALSE;
  }
  if (next != NULL) {
    following = pt_hub_follow (self->endpoint, *address, next, error);
    if (following == NULL)
      return FALSE;
    if (!pt_hub_is_own (self->endpoint, following))
      return fail_answer (self, "its list of files goes on elsewhere", error);
  }
  g_free (*address);
  *address = g_steal_pointer (&following);
  return TRUE;
}

GPtrArray *
pt_hub_read_tree (PtHub *self, const PtHubRepo *repo, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (pt_hub_entry_free);
  PtHubTopic topic = { self, repo->id, repo->commit, NULL };
  gsize left = MAX_LIST;
  g_autofree char *address =
      g_strdup_printf ("%s/api/models/%s/tree/%s?recursive=true&expand=false", self->endpoint->base,
                       repo->id, repo->commit);

  for (guint n = 0; address != NULL; n++) {
    if (n >= MAX_PAGES || left == 0) {
      fail_answer (self, "its list of files has no end", error);
      return NULL;
    }
    if (!add_page (self, entries, &address, &left, &topic, cancellable, error))
      return NULL;
  }
  return g_steal_pointer (&entries);
}

char *
pt_hub_file_address (const PtHub *self, const char *id, const char *commit, const char *path)
{
  g_autofree char *escaped = pt_hub_escape (path, TRUE);

  return g_strdup_printf ("%s/%s/resolve/%s/%s", self->endpoint->base, id, commit, escaped);
}

json_t *
pt_hub_read_json (PtHub *self, const PtHubRepo *repo, const char *path, GCancellable *cancellable,
                  GError **error)
{
  g_autofree char *address = pt_hub_file_address (self, repo->id, repo->commit, path);
  PtHubTopic topic = { self, repo->id, repo->commit, path };

  return read_json (self, address, MAX_JSON_FILE, NULL, NULL, &topic, cancellable, error);
}

/* ---- search ---- */

static void
add_parameter (GString *address, const char *name, const char *value)
{
  g_autofree char *escaped = NULL;

  if (value == NULL || *value == '\0')
    return;
  escaped = pt_hub_escape (value, FALSE);
  g_string_append_printf (address, "&%s=%s", name, escaped);
}

static char *
search_address (const PtHub *self, const PtHubQuery *query)
{
  g_autoptr (GString) address = g_string_new (self->endpoint->base);

  g_string_append_printf (address, "/api/models?filter=executorch&sort=downloads&limit=%u",
                          query->limit == 0 ? 30 : MIN (query->limit, 100));
  add_parameter (address, "search", query->text);
  add_parameter (address, "author", query->author);
  add_parameter (address, "pipeline_tag", query->task);
  return g_string_free (g_steal_pointer (&address), FALSE);
}

static void
take_hit (PtHubHits *hits, const json_t *json)
{
  const char *id = pt_json_string (json, "id");
  PtHubHit *hit = &hits->hits[hits->n_hits];

  if (id == NULL || !pt_hub_is_id (id))
    return;
  hit->id = g_strdup (id);
  hit->task = clean (pt_json_string (json, "pipeline_tag"));
  hit->modified = clean (pt_json_string (json, "lastModified"));
  hit->downloads = (guint64) MAX (pt_json_int (json, "downloads", 0), 0);
  hit->likes = (guint64) MAX (pt_json_int (json, "likes", 0), 0);
  hit->gated = is_gated (json);
  hits->n_hits++;
}

void
pt_hub_hits_free (PtHubHits *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_hits; i++) {
    g_free (self->hits[i].id);
    g_free (self->hits[i].task);
    g_free (self->hits[i].modified);
  }
  g_free (self->hits);
  g_free (self->next);
  g_free (self);
}

PtHubHits *
pt_hub_search (const PtHubQuery *query, const PtHubAccess *access, GCancellable *cancellable,
               GError **error)
{
  g_autoptr (PtHub) self = pt_hub_open (access, PT_HTTP_TIMES, cancellable, error);
  PtHubTopic topic = { self, NULL, NULL, NULL };
  g_autofree char *address = NULL, *next = NULL;
  g_autoptr (json_t) json = NULL;
  g_autoptr (PtHubHits) hits = NULL;
  json_t *one;
  gsize i;

  if (self == NULL)
    return NULL;
  address = query->page != NULL
                ? pt_hub_follow (self->endpoint, self->endpoint->base, query->page, error)
                : search_address (self, query);
  if (address == NULL)
    return NULL;
  json = read_json (self, address, MAX_PAGE, NULL, &next, &topic, cancellable, error);
  if (json == NULL)
    return NULL;
  if (!json_is_array (json)) {
    fail_answer (self, "its list of models is no list", error);
    return NULL;
  }
  hits = g_new0 (PtHubHits, 1);
  hits->hits = g_new0 (PtHubHit, json_array_size (json) + 1);
  json_array_foreach (json, i, one) {
    take_hit (hits, one);
  }
  if (next != NULL) {
    hits->next = pt_hub_follow (self->endpoint, address, next, NULL);
    if (hits->next != NULL && !pt_hub_is_own (self->endpoint, hits->next))
      g_clear_pointer (&hits->next, g_free);
  }
  return g_steal_pointer (&hits);
}
