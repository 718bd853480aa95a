/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/repo-names.h"

#include <string.h>

#include "engine/base/clean.h"
#include "engine/base/set-error.h"

#define MAX_ID_PART 96
#define MAX_PATH 400
#define MAX_SEGMENT 200

/* ---- repositories ---- */

static gboolean
is_id_part (const char *part, gsize length)
{
  if (length == 0 || length > MAX_ID_PART || !g_ascii_isalnum (part[0]) ||
      part[length - 1] == '.' || part[length - 1] == '-')
    return FALSE;
  for (gsize i = 0; i < length; i++) {
    char c = part[i];

    if (!g_ascii_isalnum (c) && c != '-' && c != '_' && c != '.')
      return FALSE;
    /* The hub has no such names, and the folder's name would not tell the owner. */
    if (i > 0 && c == part[i - 1] && (c == '-' || c == '.'))
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_hub_is_id (const char *id)
{
  const char *slash = strchr (id, '/');

  return slash != NULL && is_id_part (id, (gsize) (slash - id)) &&
         is_id_part (slash + 1, strlen (slash + 1));
}

char *
pt_hub_folder_name (const char *id)
{
  const char *slash = strchr (id, '/');

  return g_strdup_printf ("%.*s--%s", (int) (slash - id), id, slash + 1);
}

gboolean
pt_hub_is_library_name (const char *name)
{
  return *name != '\0' && *name != '.' && strchr (name, '/') == NULL &&
         strchr (name, G_DIR_SEPARATOR) == NULL && strchr (name, ':') == NULL;
}

/* ---- what users write ---- */

/* "owner/name/tree/REVISION/…", as the path of an address has it. */
static gboolean
parse_path (const char *path, char **id, char **variant, char **revision)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", 5);
  guint n = g_strv_length (parts);
  gboolean known;

  if (n < 2)
    return FALSE;
  *id = g_strdup_printf ("%s/%s", parts[0], parts[1]);
  if (n == 2 || (n == 3 && *parts[2] == '\0'))
    return TRUE;
  known = strcmp (parts[2], "tree") == 0 || strcmp (parts[2], "blob") == 0 ||
          strcmp (parts[2], "resolve") == 0;
  if (!known || n == 3)
    return n == 3;
  *revision = g_uri_unescape_string (parts[3], "");
  if (n == 5 && *parts[4] != '\0')
    *variant = g_uri_unescape_string (parts[4], "");
  return *revision != NULL;
}

/* Without the scheme and the host of an address; NULL: it is none. */
static const char *
path_of_address (const char *text)
{
  static const char *const HOSTS[] = { "huggingface.co/", "www.huggingface.co/", "hf.co/" };
  const char *scheme = strstr (text, "://");

  if (scheme != NULL) {
    const char *slash = strchr (scheme + 3, '/');

    return slash != NULL ? slash + 1 : "";
  }
  for (gsize i = 0; i < G_N_ELEMENTS (HOSTS); i++)
    if (g_str_has_prefix (text, HOSTS[i]))
      return text + strlen (HOSTS[i]);
  return NULL;
}

static gboolean
parse (const char *text, char **id, char **variant, char **revision)
{
  const char *path = path_of_address (text), *colon = strchr (text, ':');

  if (path != NULL) {
    g_autofree char *plain = g_strndup (path, strcspn (path, "?#"));

    return parse_path (plain, id, variant, revision);
  }
  *id = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  if (colon != NULL)
    *variant = g_strdup (colon + 1);
  return colon == NULL || colon[1] != '\0';
}

static void
hand_over (char **to, char **from)
{
  if (to != NULL)
    *to = g_steal_pointer (from);
}

gboolean
pt_hub_parse (const char *text, char **id, char **variant, char **revision, GError **error)
{
  g_autofree char *own_id = NULL, *own_variant = NULL, *own_revision = NULL;

  if (!g_utf8_validate (text, -1, NULL) || !parse (text, &own_id, &own_variant, &own_revision) ||
      !pt_hub_is_id (own_id))
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "“%s” names no repository. Give “owner/name”, “owner/name:VARIANT”, or the "
                    "address of its page.",
                    text);
  hand_over (id, &own_id);
  hand_over (variant, &own_variant);
  hand_over (revision, &own_revision);
  return TRUE;
}

/* ---- files ---- */

static gboolean
has_control (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (pt_is_control (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

const char *
pt_hub_path_lie (const char *path)
{
  g_auto (GStrv) parts = NULL;

  if (!g_utf8_validate (path, -1, NULL))
    return "it is not UTF-8";
  if (*path == '\0')
    return "it is empty";
  if (has_control (path))
    return "it holds control characters";
  if (*path == '/' || (g_ascii_isalpha (path[0]) && path[1] == ':'))
    return "it leads out of its folder";
  if (strchr (path, '\\') != NULL)
    return "it holds a backslash";
  parts = g_strsplit (path, "/", -1);
  for (guint i = 0; parts[i] != NULL; i++) {
    if (strcmp (parts[i], "..") == 0)
      return "it leads out of its folder";
    if (*parts[i] == '\0' || strcmp (parts[i], ".") == 0)
      return "it names no file";
  }
  return NULL;
}

/* A digit of COM1 or LPT1; Windows takes superscript ones for the same. */
static gboolean
is_port (const char *digit, gsize length)
{
  static const char *const SUPERSCRIPTS[] = { "\u00b9", "\u00b2", "\u00b3" };

  if (length == 1)
    return g_ascii_isdigit (*digit);
  for (gsize i = 0; i < G_N_ELEMENTS (SUPERSCRIPTS); i++)
    if (length == strlen (SUPERSCRIPTS[i]) && strncmp (digit, SUPERSCRIPTS[i], length) == 0)
      return TRUE;
  return FALSE;
}

/* With any extension, and whatever the case. */
static gboolean
is_reserved (const char *segment)
{
  static const char *const NAMES[] = { "con", "prn", "aux", "nul", "conin$", "conout$" };
  gsize length = strcspn (segment, ".");

  while (length > 0 && segment[length - 1] == ' ')
    length--;
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (length == strlen (NAMES[i]) && g_ascii_strncasecmp (segment, NAMES[i], length) == 0)
      return TRUE;
  return length > 3 && is_port (segment + 3, length - 3) &&
         (g_ascii_strncasecmp (segment, "com", 3) == 0 ||
          g_ascii_strncasecmp (segment, "lpt", 3) == 0);
}

static const char *
segment_problem (const char *segment)
{
  gsize length = strlen (segment);

  if (length > MAX_SEGMENT)
    return "it is too long";
  if (strpbrk (segment, "<>:\"|?*") != NULL)
    return "it holds a character that Windows does not allow";
  if (segment[length - 1] == '.' || segment[length - 1] == ' ')
    return "it ends in a dot or a space";
  if (is_reserved (segment))
    return "it is the name of a device on Windows";
  return NULL;
}

const char *
pt_hub_path_problem (const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);

  if (strlen (path) > MAX_PATH)
    return "it is too long";
  for (guint i = 0; parts[i] != NULL; i++) {
    const char *problem = segment_problem (parts[i]);

    if (problem != NULL)
      return problem;
  }
  return NULL;
}

char *
pt_hub_path_key (const char *path)
{
  g_autofree char *normal = g_utf8_normalize (path, -1, G_NORMALIZE_NFC);

  return g_utf8_casefold (normal != NULL ? normal : path, -1);
}

char *
pt_hub_escape (const char *text, gboolean slashes)
{
  return g_uri_escape_string (text, slashes ? "/" : NULL, FALSE);
}
