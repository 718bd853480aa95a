/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/given-files.h"
#include "engine/base/set-error.h"
#include "engine/program/mapping.h"

#ifdef G_OS_WIN32
#define OPEN_FLAGS (O_RDONLY | O_BINARY)
#else
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC)
#endif

/*
 * No file system holds larger files. A header with a larger size is damaged; the file is not
 * truncated.
 */
#define LARGEST_FILE ((guint64) 1 << 56)

GBytes *
pt_file_map_any (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GError) cause = NULL;
  GMappedFile *file;
  int fd;

  /* Checked before opening, because opening a pipe would wait for a writer. */
  if (!g_file_test (path, G_FILE_TEST_EXISTS)) {
    pt_fail (error, PT_ERROR_FILE, "There is no file %s. Check the path.", name);
    return NULL;
  }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    pt_fail (error, PT_ERROR_FILE, "%s is not a file. Choose a file.", name);
    return NULL;
  }
  fd = pt_input_open (path, OPEN_FLAGS);
  if (fd < 0) {
    pt_fail (error, PT_ERROR_FILE,
             "%s cannot be opened: %s. Check that you have permission to read it.", name,
             g_strerror (errno));
    return NULL;
  }
  file = g_mapped_file_new_from_fd (fd, FALSE, &cause);
  if (file == NULL) {
    g_close (fd, NULL);
    pt_fail (error, pt_file_error_code (cause),
             "%s cannot be mapped into memory: %s. Close other programs, or copy the file to a "
             "disk of this computer.",
             name, cause->message);
    return NULL;
  }
  return pt_mapping_bytes (file, fd);
}

GBytes *
pt_file_map (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GBytes) bytes = pt_file_map_any (path, error);

  if (bytes != NULL && g_bytes_get_size (bytes) == 0) {
    pt_fail (error, PT_ERROR_FORMAT, "%s is empty. Download or export it again.", name);
    return NULL;
  }
  return g_steal_pointer (&bytes);
}

gboolean
pt_file_check_intact (GBytes *bytes, const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);

  return pt_mapping_is_intact (bytes) ||
         pt_fail (error, PT_ERROR_FILE,
                  "%s was shortened, or could not be read any more, while it was in use. Load the "
                  "model again.",
                  name);
}

gboolean
pt_file_settle (gboolean ok, GBytes *bytes, const char *path, GError **error)
{
  if (pt_mapping_is_intact (bytes))
    return ok;
  g_clear_error (error);
  return pt_file_check_intact (bytes, path, error);
}

static gboolean
has_bytes (const guint8 *data, gsize size, gsize at, const char *text)
{
  gsize length = strlen (text);

  return size >= at + length && memcmp (data + at, text, length) == 0;
}

PtFileKind
pt_file_kind (const guint8 *data, gsize size)
{
  static const struct {
    gsize at;
    const char *bytes;
    PtFileKind kind;
  } marks[] = {
    { 4, "ET12", PT_FILE_PROGRAM }, { 4, "FT01", PT_FILE_DATA }, { 4, "BP08", PT_FILE_BUNDLE },
    { 8, "ED00", PT_FILE_ETDUMP },  { 0, "GGUF", PT_FILE_GGUF }, { 0, "PK\x03\x04", PT_FILE_ZIP },
  };

  for (guint i = 0; i < G_N_ELEMENTS (marks); i++)
    if (has_bytes (data, size, marks[i].at, marks[i].bytes))
      return marks[i].kind;
  if (size < 8 || !g_ascii_isdigit (data[6]) || !g_ascii_isdigit (data[7]))
    return PT_FILE_UNKNOWN;
  if (has_bytes (data, size, 4, "ET"))
    return PT_FILE_PROGRAM_VERSION;
  if (has_bytes (data, size, 4, "FT"))
    return PT_FILE_DATA_VERSION;
  if (has_bytes (data, size, 4, "BP"))
    return PT_FILE_BUNDLE_VERSION;
  return PT_FILE_UNKNOWN;
}

static const char *
describe_kind (PtFileKind kind)
{
  switch (kind) {
  case PT_FILE_PROGRAM: return "an ExecuTorch program, which is opened as the model";
  case PT_FILE_DATA: return "an ExecuTorch data file, which goes with a program (.pte)";
  case PT_FILE_BUNDLE: return "an ExecuTorch program bundled with test cases";
  case PT_FILE_ETDUMP: return "an ExecuTorch profile (ETDump)";
  case PT_FILE_ZIP: return "a zip archive, perhaps a PyTorch checkpoint that was not exported yet";
  case PT_FILE_GGUF: return "a GGUF model, made for another runtime";
  case PT_FILE_UNKNOWN:
  default: return NULL;
  }
}

gboolean
pt_file_expect (const guint8 *data, gsize size, PtFileKind wanted, const char *name, GError **error)
{
  static const struct {
    const char *what, *mark, *next;
    PtFileKind other_version;
  } wants[PT_N_WANTED_FILES] = {
    [PT_FILE_PROGRAM] = { "an ExecuTorch program", "ET12",
                          "Choose a .pte file written by ExecuTorch's exporter.",
                          PT_FILE_PROGRAM_VERSION },
    [PT_FILE_DATA] = { "an ExecuTorch data file", "FT01",
                       "Choose the .ptd file that was exported with the program.",
                       PT_FILE_DATA_VERSION },
    [PT_FILE_BUNDLE] = { "a bundled ExecuTorch program", "BP08",
                         "Choose a .bpte file written by ExecuTorch's exporter.",
                         PT_FILE_BUNDLE_VERSION },
  };
  PtFileKind kind = pt_file_kind (data, size);
  const char *is = describe_kind (kind);

  if (kind == wanted)
    return TRUE;
  if (kind == wants[wanted].other_version)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "%s is %s of the format %.4s, and only %s can be read. Export it with "
                    "ExecuTorch 1.2 or later. (ExecuTorch error 0x23)",
                    name, wants[wanted].what, (const char *) data + 4, wants[wanted].mark);
  if (is == NULL)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "%s is not %s (it does not carry the identifier %s). %s", name,
                    wants[wanted].what, wants[wanted].mark, wants[wanted].next);
  return pt_fail (error, PT_ERROR_FORMAT, "%s is not %s but %s. %s", name, wants[wanted].what, is,
                  wants[wanted].next);
}

gboolean
pt_file_check_length (guint64 size, guint64 needed, PtError code, const char *name, GError **error)
{
  const char *number = code == PT_ERROR_DATA ? "0x24" : "0x23";

  if (needed <= size)
    return TRUE;
  if (needed > LARGEST_FILE)
    return pt_fail (error, code,
                    "%s is damaged: its header has invalid sizes. Download or export it again. "
                    "(ExecuTorch error %s)",
                    name, number);
  return pt_fail (error, code,
                  "%s is cut short: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                  " bytes are missing. Download or export it again. (ExecuTorch error %s)",
                  name, needed - size, needed, number);
}
