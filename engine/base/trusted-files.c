/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/trusted-files.h"

#include "engine/base/set-error.h"

#include <string.h>
#include <pteris/trust.h>

#include <glib/gstdio.h>

#ifdef G_OS_UNIX
#include <unistd.h>
#endif

#include "engine/base/lock.h"

#define DIGEST_LENGTH 64

/* Room for some thousand entries. Pteris never writes a longer file. */
#define MAX_FILE_BYTES (1u << 20)

static char *
trust_file (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "trusted", NULL);
}

/* Whether only the user may write to the file; else anybody could have added consent to it. */
static gboolean
is_private (const char *path)
{
#ifdef G_OS_UNIX
  GStatBuf status;

  return g_lstat (path, &status) == 0 && S_ISREG (status.st_mode) && status.st_uid == geteuid () &&
         (status.st_mode & 0022) == 0 && status.st_size <= MAX_FILE_BYTES;
#else
  GStatBuf status;

  return g_stat (path, &status) == 0 && status.st_size <= MAX_FILE_BYTES;
#endif
}

/*
 * Returns the lines of the file, or none when other users may write to it. Free with g_strfreev().
 */
static char **
read_lines (const char *path)
{
  g_autofree char *text = NULL;

  if (!is_private (path) || !g_file_get_contents (path, &text, NULL, NULL))
    return g_new0 (char *, 1);
  return g_strsplit (text, "\n", -1);
}

static gboolean
is_digest (const char *text)
{
  return strspn (text, "0123456789abcdef") == DIGEST_LENGTH;
}

/* "DIGEST" or "DIGEST  NAME" */
static gboolean
is_line (const char *line)
{
  return is_digest (line) && (line[DIGEST_LENGTH] == '\0' || line[DIGEST_LENGTH] == ' ');
}

static gboolean
line_has (const char *line, const char *digest)
{
  return is_line (line) && strncmp (line, digest, DIGEST_LENGTH) == 0;
}

static gboolean
write_lines (const char *path, const GString *text, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (g_file_set_contents_full (path, text->str, (gssize) text->len,
                                G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
                                &cause))
    return TRUE;
  return pt_fail (error, PT_ERROR_FILE, "“%s” cannot be written: %s.", path, cause->message);
}

/*
 * Returns the entries without the one of @digest, and without the oldest ones when the file becomes
 * too long.
 */
static GString *
other_lines (const char *path, const char *digest)
{
  g_auto (GStrv) lines = read_lines (path);
  GString *text = g_string_new (NULL);
  gsize size = 0;
  guint i = g_strv_length (lines);

  while (i > 0 && size + strlen (lines[i - 1]) + 1 <= MAX_FILE_BYTES / 2)
    size += strlen (lines[--i]) + 1;
  for (; lines[i] != NULL; i++)
    if (is_line (lines[i]) && !line_has (lines[i], digest))
      g_string_append_printf (text, "%s\n", lines[i]);
  return text;
}

/* Appends the path as one line of at most 1024 bytes, without control characters. */
static void
append_name (GString *text, const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *name = g_filename_display_name (absolute);

  for (const char *at = name; *at != '\0' && at - name < 1024; at++)
    g_string_append_c (text, g_ascii_iscntrl (*at) ? ' ' : *at);
}

gboolean
pt_trust_is_remembered (const char *digest)
{
  g_autofree char *path = trust_file ();
  g_auto (GStrv) lines = read_lines (path);

  for (guint i = 0; is_digest (digest) && lines[i] != NULL; i++)
    if (line_has (lines[i], digest))
      return TRUE;
  return FALSE;
}

/* Acquires the lock that is needed to read, change and rewrite the file. */
static PtLock *
lock_file (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_strconcat (path, ".lock", NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0) {
    pt_fail (error, PT_ERROR_FILE, "“%s” cannot be written: there is no such folder.", path);
    return NULL;
  }
  return pt_lock_take (name, TRUE, error);
}

gboolean
pt_trust_remember (const char *digest, const char *path, GError **error)
{
  g_autofree char *file = trust_file ();
  g_autoptr (PtLock) lock = NULL;
  g_autoptr (GString) text = NULL;

  if (!is_digest (digest))
    return pt_fail (error, PT_ERROR_ARGUMENT, "“%.80s” is not a SHA-256.", digest);
  lock = lock_file (file, error);
  if (lock == NULL)
    return FALSE;
  text = other_lines (file, digest);
  g_string_append_printf (text, "%s  ", digest);
  append_name (text, path);
  g_string_append_c (text, '\n');
  return write_lines (file, text, error);
}

void
pt_trusted_file_free (PtTrustedFile *file)
{
  g_free (file->digest);
  g_free (file->name);
  g_free (file);
}

GPtrArray *
pt_trusted_list (void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_trusted_file_free);
  g_autofree char *path = trust_file ();
  g_auto (GStrv) lines = read_lines (path);

  for (guint i = 0; lines[i] != NULL; i++) {
    PtTrustedFile *file;

    if (!is_line (lines[i]))
      continue;
    file = g_new (PtTrustedFile, 1);
    file->digest = g_strndup (lines[i], DIGEST_LENGTH);
    file->name = g_utf8_make_valid (g_strchug (lines[i] + DIGEST_LENGTH), -1);
    g_ptr_array_add (files, file);
  }
  return files;
}

gboolean
pt_trusted_forget (const char *digest, GError **error)
{
  g_autofree char *file = trust_file ();
  g_autoptr (PtLock) lock = lock_file (file, error);
  g_autoptr (GString) text = NULL;

  if (lock == NULL)
    return FALSE;
  if (!pt_trust_is_remembered (digest))
    return TRUE;
  text = other_lines (file, digest);
  return write_lines (file, text, error);
}

static gboolean
ask (const char *name, const char *digest, const char *why, gboolean changed, GError **error)
{
  if (changed)
    pt_fail (error, PT_ERROR_UNTRUSTED,
             "“%s” has been replaced since you allowed its native code to run. Run it only if you "
             "trust its source. The SHA-256 of the file is now %s.",
             name, digest);
  else
    pt_fail (error, PT_ERROR_UNTRUSTED,
             "“%s” %s. Run it only if you trust its source. The SHA-256 of the file is %s.", name,
             why, digest);
  if (error != NULL)
    pt_error_set_digest (*error, digest);
  return FALSE;
}

gboolean
pt_trust_check (const char *digest, const char *path, const char *why, const char *given,
                GError **error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autoptr (GError) cause = NULL;

  if (pt_trust_is_remembered (digest))
    return TRUE;
  if (given == NULL)
    return ask (name, digest, why, FALSE, error);
  /* @given is the consent to another program of the same job: this file needs its own. */
  if (!g_str_equal (given, PT_TRUST_AS_READ) && !g_str_equal (given, digest))
    return ask (name, digest, why, !pt_trust_is_remembered (given), error);
  /* When this fails, the user is asked again the next time. */
  if (!pt_trust_remember (digest, path, &cause))
    g_message ("The permission to run “%s” could not be saved. %s", name, cause->message);
  return TRUE;
}
