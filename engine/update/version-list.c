/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/update/version-list.h"

#include <string.h>

#include "engine/base/clean.h"
#include "engine/base/json.h"
#include "engine/base/set-error.h"

#define FIRST_LINE "pteris-versions 1\n"
#define HEX_DIGITS (4 * PT_SIGNATURE_NUMBER)
#define HEAD_BYTES (sizeof FIRST_LINE - 1 + HEX_DIGITS + 1)

#define MAX_VERSIONS 100
#define MAX_FILES 40
#define MAX_NAME 120
#define MAX_PAGE 1000
#define MAX_DIGITS 6
/* No file is larger: 1 TB. */
#define MAX_FILE_BYTES (G_GINT64_CONSTANT (1) << 40)

void
pt_update_free (PtUpdate *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_files; i++) {
    g_free (self->files[i].name);
    g_free (self->files[i].sha256);
  }
  g_free (self->files);
  g_free (self->current);
  g_free (self->newest);
  g_free (self->date);
  g_free (self->page);
  g_free (self);
}

/* ---- versions ---- */

/* Reads a number without zeros before it, and moves @text behind it. */
static gboolean
take_number (const char **text, guint *number)
{
  gsize digits = strspn (*text, "0123456789");

  *number = 0;
  if (digits == 0 || digits > MAX_DIGITS || (digits > 1 && (*text)[0] == '0'))
    return FALSE;
  for (gsize i = 0; i < digits; i++)
    *number = *number * 10 + (guint) ((*text)[i] - '0');
  *text += digits;
  return TRUE;
}

static gboolean
take_version (const char *text, guint numbers[3])
{
  for (guint i = 0; i < 3; i++)
    if ((i > 0 && *text++ != '.') || !take_number (&text, &numbers[i]))
      return FALSE;
  return *text == '\0';
}

gboolean
pt_version_is_valid (const char *text)
{
  guint numbers[3];

  return take_version (text, numbers);
}

int
pt_version_compare (const char *a, const char *b)
{
  guint x[3] = { 0 }, y[3] = { 0 };

  take_version (a, x);
  take_version (b, y);
  for (guint i = 0; i < 3; i++)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* ---- parts ---- */

G_GNUC_PRINTF (2, 3)
static gboolean
refuse (GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list arguments;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return pt_fail (error, PT_ERROR_FORMAT,
                  "The list of versions is signed but not right: %s. Whoever publishes Pteris "
                  "should know; look at its page instead.",
                  what);
}

static gboolean
has_control (const char *text)
{
  g_autofree char *clean = pt_clean_text (text, NULL, '\0');

  return strcmp (clean, text) != 0;
}

/* "2027-01-15" */
static gboolean
is_date (const char *text)
{
  GDate date;
  g_autofree char *again = NULL;
  guint year, month, day;

  if (strlen (text) != 10 || strspn (text, "0123456789-") != 10 || text[4] != '-' || text[7] != '-')
    return FALSE;
  year = (guint) g_ascii_strtoull (text, NULL, 10);
  month = (guint) g_ascii_strtoull (text + 5, NULL, 10);
  day = (guint) g_ascii_strtoull (text + 8, NULL, 10);
  if (month > 12 || day > 31 ||
      !g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year))
    return FALSE;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, (GDateDay) day, (GDateMonth) month, (GDateYear) year);
  again = g_strdup_printf ("%04u-%02u-%02u", year, month, day);
  return g_date_valid (&date) && strcmp (again, text) == 0;
}

/* An address that a browser may be told to open. */
static gboolean
is_page (const char *text)
{
  g_autoptr (GUri) uri = NULL;

  if (strlen (text) > MAX_PAGE || has_control (text) || strpbrk (text, " \\") != NULL)
    return FALSE;
  uri = g_uri_parse (text, G_URI_FLAGS_NONE, NULL);
  return uri != NULL && strcmp (g_uri_get_scheme (uri), "https") == 0 &&
         g_uri_get_userinfo (uri) == NULL && g_uri_get_host (uri) != NULL &&
         *g_uri_get_host (uri) != '\0';
}

static gboolean
is_file_name (const char *text)
{
  return *text != '\0' && *text != '.' && strlen (text) <= MAX_NAME &&
         strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~-") ==
             strlen (text);
}

static gboolean
read_file (const json_t *json, PtUpdateFile *file, GError **error)
{
  const char *name = pt_json_string (json, "name");
  const char *sha256 = pt_json_string (json, "sha256");
  gint64 bytes = pt_json_int (json, "bytes", -1);

  if (name == NULL || !is_file_name (name))
    return refuse (error, "a file has no name that a file may have");
  if (bytes <= 0 || bytes > MAX_FILE_BYTES)
    return refuse (error, "“%s” has no size that a file may have", name);
  if (sha256 == NULL || strlen (sha256) != 64 || strspn (sha256, "0123456789abcdef") != 64)
    return refuse (error, "“%s” has no SHA-256", name);
  file->name = g_strdup (name);
  file->bytes = (guint64) bytes;
  file->sha256 = g_strdup (sha256);
  return TRUE;
}

static gboolean
read_files (const json_t *files, PtUpdate *self, GError **error)
{
  gsize n = json_array_size (files);

  if (!json_is_array (files) || n > MAX_FILES)
    return refuse (error, "“files” is no list of at most %d files", MAX_FILES);
  self->files = g_new0 (PtUpdateFile, MAX (n, 1));
  for (gsize i = 0; i < n; i++) {
    self->n_files++;
    if (!read_file (json_array_get (files, i), &self->files[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Checks a version of the list, all but its files. */
static gboolean
check_version (const json_t *json, GError **error)
{
  const char *version = pt_json_string (json, "version");
  const char *date = pt_json_string (json, "date");
  const char *page = pt_json_string (json, "page");

  if (version == NULL || !pt_version_is_valid (version))
    return refuse (error, "“%.40s” is no version such as 1.2.3", version != NULL ? version : "");
  if (date == NULL || !is_date (date))
    return refuse (error, "version %s has no date such as 2027-01-15", version);
  if (page == NULL || !is_page (page))
    return refuse (error, "the page of version %s is no https address", version);
  return TRUE;
}

/* ---- the list ---- */

/* "2027-01-15T10:00:00Z" */
static gboolean
read_time (const char *text, gint64 *seconds)
{
  g_autoptr (GDateTime) time = NULL;

  if (text == NULL || strlen (text) != 20 || text[10] != 'T' || text[19] != 'Z')
    return FALSE;
  time = g_date_time_new_from_iso8601 (text, NULL);
  if (time == NULL)
    return FALSE;
  *seconds = g_date_time_to_unix (time);
  return *seconds > 0;
}

static const json_t *
newest_of (const json_t *versions, GError **error)
{
  const json_t *newest = NULL;
  gsize n = json_array_size (versions);

  if (!json_is_array (versions) || n == 0 || n > MAX_VERSIONS) {
    refuse (error, "“versions” is no list of 1 to %d versions", MAX_VERSIONS);
    return NULL;
  }
  for (gsize i = 0; i < n; i++) {
    const json_t *version = json_array_get (versions, i);

    if (!check_version (version, error))
      return NULL;
    if (newest == NULL || pt_version_compare (pt_json_string (version, "version"),
                                              pt_json_string (newest, "version")) > 0)
      newest = version;
  }
  return newest;
}

static PtUpdate *
read_list (const json_t *list, const char *current, GError **error)
{
  g_autoptr (PtUpdate) self = g_new0 (PtUpdate, 1);
  const json_t *newest;

  /* A signature under something else is none under this. */
  if (g_strcmp0 (pt_json_string (list, "program"), "pteris") != 0) {
    refuse (error, "it is of another program");
    return NULL;
  }
  if (!read_time (pt_json_string (list, "issued"), &self->issued)) {
    refuse (error, "“issued” is no time such as 2027-01-15T10:00:00Z");
    return NULL;
  }
  newest = newest_of (json_object_get (list, "versions"), error);
  if (newest == NULL || !read_files (json_object_get (newest, "files"), self, error))
    return NULL;
  self->current = g_strdup (current);
  self->newest = g_strdup (pt_json_string (newest, "version"));
  self->date = g_strdup (pt_json_string (newest, "date"));
  self->page = g_strdup (pt_json_string (newest, "page"));
  self->is_newer = pt_version_compare (self->newest, current) > 0;
  return g_steal_pointer (&self);
}

static gboolean
read_head (const char *text, gsize length, PtSignature *signature, GError **error)
{
  if (length > PT_VERSION_LIST_MAX)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "The list of versions is longer than %u KB, and none is. Check the address.",
                    PT_VERSION_LIST_MAX / 1024);
  if (length < HEAD_BYTES || memcmp (text, FIRST_LINE, sizeof FIRST_LINE - 1) != 0 ||
      text[HEAD_BYTES - 1] != '\n' ||
      !pt_signature_read (text + sizeof FIRST_LINE - 1, HEX_DIGITS, signature))
    return pt_fail (error, PT_ERROR_FORMAT,
                    "The answer is no list of versions. Check the address; some networks answer "
                    "with a page of their own until one has signed in.");
  return TRUE;
}

PtUpdate *
pt_version_list_read (const char *text, gsize length, const PtPublicKey *key, const char *current,
                      GError **error)
{
  PtSignature signature;
  g_autoptr (json_t) list = NULL;

  if (!read_head (text, length, &signature, error) ||
      !pt_signature_verify (key, &signature, text + HEAD_BYTES, length - HEAD_BYTES, error))
    return NULL;
  list = pt_json_parse ("versions", text + HEAD_BYTES, length - HEAD_BYTES, error);
  return list != NULL ? read_list (list, current, error) : NULL;
}
