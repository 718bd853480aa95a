/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/program/program-private.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/sha256.h"
#include "engine/program/file.h"
#include "engine/program/schema.h"

/* Alignment of the file in memory, which constants and payloads rely on. */
#define FILE_ALIGNMENT 16
#define COPY_ALIGNMENT 64

const char *
pt_value_kind_name (PtValueKind kind)
{
  static const char *const names[] = {
    [PT_VALUE_NONE] = "None",
    [PT_VALUE_INT] = "Int",
    [PT_VALUE_BOOL] = "Bool",
    [PT_VALUE_DOUBLE] = "Double",
    [PT_VALUE_TENSOR] = "Tensor",
    [PT_VALUE_STRING] = "String",
    [PT_VALUE_INT_LIST] = "IntList",
    [PT_VALUE_DOUBLE_LIST] = "DoubleList",
    [PT_VALUE_BOOL_LIST] = "BoolList",
    [PT_VALUE_TENSOR_LIST] = "TensorList",
    [PT_VALUE_OPTIONAL_TENSOR_LIST] = "OptionalTensorList",
  };

  return (guint) kind < G_N_ELEMENTS (names) ? names[kind] : "unknown";
}

/* ---- Shared helpers ---- */

static gboolean
fail_with (const PtResolver *r, GError **error, PtError code, const char *verdict, const char *next,
           const char *format, va_list args)
{
  g_autofree char *what = g_strdup_vprintf (format, args);
  gboolean in_method = r->method != NULL;

  return pt_fail (error, code, "%s %s: %s%s%s%s. %s", r->name, verdict,
                  in_method ? "in method " : "", in_method ? r->method : "", in_method ? ", " : "",
                  what, next);
}

gboolean
pt_resolver_fail (const PtResolver *r, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fail_with (r, error, PT_ERROR_PROGRAM, "is damaged",
             "Download or export it again. (ExecuTorch error 0x23)", format, args);
  va_end (args);
  return FALSE;
}

gboolean
pt_resolver_refuse (const PtResolver *r, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  fail_with (r, error, PT_ERROR_UNSUPPORTED, "cannot be run",
             "Export it again without that. (ExecuTorch error 0x10)", format, args);
  va_end (args);
  return FALSE;
}

gboolean
pt_resolver_charge (PtResolver *r, gsize count, gsize size, GError **error)
{
  return pt_store_charge (&r->program->store, count, size) ||
         pt_resolver_fail (r, error, "its tables describe more than a file of this size can hold");
}

gpointer
pt_resolver_alloc (PtResolver *r, gsize count, gsize size, GError **error)
{
  gpointer memory = pt_store_alloc (&r->program->store, count, size);

  if (memory == NULL && r->program->store.is_refused)
    pt_fail (error, PT_ERROR_MEMORY,
             "There is not enough memory for the tables of %s (ExecuTorch error 0x21).", r->name);
  else if (memory == NULL)
    pt_resolver_fail (r, error, "its tables describe more than a file of this size can hold");
  return memory;
}

const char *
pt_resolver_text (PtResolver *r, const char *text, gsize length, const char *what, GError **error)
{
  if (!pt_resolver_charge (r, length, 1, error))
    return NULL;
  if (text != NULL && length > 0 && g_utf8_validate_len (text, length, NULL))
    return text;
  pt_resolver_fail (r, error, "%s is missing or not text", what);
  return NULL;
}

/* ---- Opening ---- */

/*
 * Resolve names before plans: a file that lists one plan many times is then refused before the
 * repeated plan costs time.
 */
static gboolean
resolve_names (PtResolver *r, PtFbVec tables, GError **error)
{
  PtProgram *program = r->program;
  const PtKey *twice;

  if (tables.count == 0)
    return pt_resolver_fail (r, error, "it has no methods");
  program->plans = pt_resolver_new (r, PtPlan, tables.count, error);
  if (program->plans == NULL)
    return FALSE;
  program->plan_keys = pt_resolver_new (r, PtKey, tables.count, error);
  if (program->plan_keys == NULL)
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    gsize length;
    const char *name = pt_fb_string (pt_fb_vec_table (tables, i), SLOT_PLAN_NAME, &length);

    name = pt_resolver_text (r, name, length, "the name of a method", error);
    if (name == NULL)
      return FALSE;
    program->plans[i].name = name;
    program->plan_keys[i] = (PtKey){ name, length, &program->plans[i] };
  }
  program->n_plans = tables.count;
  twice = pt_keys_sort (program->plan_keys, program->n_plans);
  return twice == NULL || pt_resolver_fail (r, error, "it has two methods %s", twice->key);
}

static gboolean
resolve (PtResolver *r, const PtProgramHeader *header, GError **error)
{
  PtFbVec tables = pt_fb_vec (r->root, SLOT_PROGRAM_PLANS);

  if (!pt_resolve_segments (r, header, error) || !pt_resolve_constants (r, error) ||
      !pt_resolve_named_data (r, error) || !resolve_names (r, tables, error))
    return FALSE;
  for (guint i = 0; i < tables.count; i++) {
    PtPlan *plan = &r->program->plans[i];

    r->method = plan->name;
    if (!pt_resolve_plan (r, pt_fb_vec_table (tables, i), plan, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
load (PtProgram *program, const char *name, GError **error)
{
  PtProgramHeader header;
  gsize size;
  const guint8 *data = g_bytes_get_data (program->bytes, &size);
  PtResolver r = { .program = program, .name = name };

  if (!pt_program_header_read (data, size, name, &header, error) ||
      !pt_fb_verify (data, header.tables_size, &pt_schema_program, name, error))
    return FALSE;
  program->tables_size = header.tables_size;
  pt_store_init (&program->store, header.tables_size);
  r.root = pt_fb_root (data);
  return resolve (&r, &header, error);
}

/* NULL: no memory. */
static GBytes *
align_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  guint8 *block, *copy;

  if (size == 0 || GPOINTER_TO_SIZE (data) % FILE_ALIGNMENT == 0)
    return g_bytes_ref (bytes);
  block = pt_allocate (size + COPY_ALIGNMENT, 1, error);
  if (block == NULL)
    return NULL;
  copy = block + (COPY_ALIGNMENT - GPOINTER_TO_SIZE (block) % COPY_ALIGNMENT) % COPY_ALIGNMENT;
  memcpy (copy, data, size);
  return g_bytes_new_with_free_func (copy, size, g_free, block);
}

PtProgram *
pt_program_new (GBytes *bytes, const char *name, GError **error)
{
  g_autofree char *display = g_filename_display_name (name);
  g_autoptr (PtProgram) program = g_new0 (PtProgram, 1);

  g_atomic_ref_count_init (&program->refs);
  program->path = g_strdup (name);
  program->bytes = align_bytes (bytes, error);
  if (program->bytes == NULL ||
      !pt_file_settle (load (program, display, error), bytes, name, error))
    return NULL;
  return g_steal_pointer (&program);
}

PtProgram *
pt_program_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = pt_file_map (path, error);

  return bytes != NULL ? pt_program_new (bytes, path, error) : NULL;
}

PtProgram *
pt_program_ref (PtProgram *program)
{
  g_atomic_ref_count_inc (&program->refs);
  return program;
}

void
pt_program_unref (PtProgram *program)
{
  if (!g_atomic_ref_count_dec (&program->refs))
    return;
  pt_store_clear (&program->store);
  g_bytes_unref (program->bytes);
  g_free (program->path);
  g_free (program->digest);
  g_free (program);
}

/* ---- Access ---- */

gboolean
pt_program_check_intact (const PtProgram *program, GError **error)
{
  return pt_file_check_intact (program->bytes, program->path, error);
}

const char *
pt_program_path (const PtProgram *program)
{
  return program->path;
}

const char *
pt_program_digest (const PtProgram *program)
{
  char **digest = &((PtProgram *) program)->digest;

  if (g_once_init_enter (digest))
    g_once_init_leave (digest, pt_sha256 (g_bytes_get_data (program->bytes, NULL),
                                          g_bytes_get_size (program->bytes)));
  return *digest;
}

gsize
pt_program_size (const PtProgram *program)
{
  return g_bytes_get_size (program->bytes);
}

const guint8 *
pt_program_tables (const PtProgram *program, gsize *size)
{
  *size = program->tables_size;
  return g_bytes_get_data (program->bytes, NULL);
}

guint
pt_program_n_plans (const PtProgram *program)
{
  return program->n_plans;
}

const PtPlan *
pt_program_plan (const PtProgram *program, guint i)
{
  g_return_val_if_fail (i < program->n_plans, NULL);
  return &program->plans[i];
}

const PtPlan *
pt_program_find_plan (const PtProgram *program, const char *name)
{
  return pt_keys_find (program->plan_keys, program->n_plans, name, strlen (name));
}

guint
pt_program_n_named_data (const PtProgram *program)
{
  return program->n_named;
}

const PtNamedData *
pt_program_named_data (const PtProgram *program, guint i)
{
  g_return_val_if_fail (i < program->n_named, NULL);
  return &program->named[i];
}

const PtNamedData *
pt_program_find_named_data (const PtProgram *program, const char *key, gsize key_length)
{
  return pt_keys_find (program->named_keys, program->n_named, key, key_length);
}

gboolean
pt_program_needs_data (const PtProgram *program)
{
  return program->needs_data;
}
