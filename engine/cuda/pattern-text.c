/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/pattern-text.h"

#include <string.h>

/* Addresses that Triton adds behind all others. */
#define N_ADDED 2

static gboolean
is_single (guint64 bits)
{
  return bits != 0 && (bits & (bits - 1)) == 0;
}

static gboolean
is_alone_in_an_address (const PtPtxAddresses *addresses, guint64 pointers, guint i)
{
  for (guint k = 0; k < addresses->n_accesses; k++)
    if ((addresses->accesses[k].parameters & pointers) == G_GUINT64_CONSTANT (1) << i)
      return TRUE;
  return FALSE;
}

gboolean
pt_pattern_tensors (const PtPtxAddresses *addresses, PtPatternTensors *tensors, gboolean *length)
{
  guint64 all;

  memset (tensors, 0, sizeof *tensors);
  if (!addresses->is_known)
    return FALSE;
  while (tensors->n < addresses->n_parameters && addresses->sizes[tensors->n] == 8)
    tensors->n++;
  if (tensors->n == 0 || tensors->n == addresses->n_parameters)
    return FALSE;
  all = (G_GUINT64_CONSTANT (1) << tensors->n) - 1;
  *length = !is_alone_in_an_address (addresses, all, tensors->n - 1);
  if (*length)
    all >>= 1, tensors->n--;
  for (guint i = 0; i < addresses->n_accesses; i++) {
    guint64 tensor = addresses->accesses[i].parameters & all;

    if (!is_single (tensor))
      return FALSE;
    *(addresses->accesses[i].is_write ? &tensors->written : &tensors->read) |= tensor;
    if (addresses->accesses[i].is_indirect)
      tensors->indirect |= tensor;
  }
  return (tensors->read | tensors->written) == all;
}

guint
pt_pattern_count_numbers (const PtPtxAddresses *addresses, guint first)
{
  guint n = first;

  while (n < addresses->n_parameters && addresses->sizes[n] == 4)
    n++;
  if (n + N_ADDED != addresses->n_parameters || addresses->sizes[n] != 8 ||
      addresses->sizes[n + 1] != 8)
    return 0;
  return n - first;
}

/* The last statement before @end whose result is @name; NULL: there is none. */
static const char *
find_definition (const char *text, const char *end, const char *name)
{
  gsize n = strlen (name);
  const char *found = NULL;

  while (text < end) {
    const char *line_end = memchr (text, '\n', (gsize) (end - text));
    const char *p = text;

    while (p < end && g_ascii_isspace (*p) && *p != '\n')
      p++;
    p += strcspn (p, " \t\n");
    p += strspn (p, " \t");
    if (p < end && strncmp (p, name, n) == 0 && p[n] == ',')
      found = text;
    if (line_end == NULL)
      break;
    text = line_end + 1;
  }
  return found;
}

/* "0f" and 8 digits in front of the semicolon of the statement. */
static gboolean
read_last_number (const char *statement, double *value)
{
  const char *end = strchr (statement, ';');
  guint32 bits;
  float number;

  if (end == NULL || end - statement < 10 || memcmp (end - 10, "0f", 2) != 0)
    return FALSE;
  for (guint i = 1; i <= 8; i++)
    if (!g_ascii_isxdigit (end[-(gint) i]))
      return FALSE;
  bits = (guint32) g_ascii_strtoull (end - 8, NULL, 16);
  memcpy (&number, &bits, sizeof number);
  *value = (double) number;
  return TRUE;
}

gboolean
pt_pattern_epsilon (const char *text, double *epsilon)
{
  const char *root = strstr (text, "rsqrt.approx"), *operand, *definition;
  g_autofree char *name = NULL;

  operand = root != NULL ? strchr (root, ',') : NULL;
  if (operand == NULL || strcspn (root, ";") < (gsize) (operand - root))
    return FALSE;
  operand += 1 + strspn (operand + 1, " \t");
  name = g_strndup (operand, strcspn (operand, "; \t\n"));
  definition = *name != '\0' ? find_definition (text, root, name) : NULL;
  return definition != NULL && read_last_number (definition, epsilon);
}

PtCuPointer
pt_pattern_pointer (void *const *arguments, guint i)
{
  PtCuPointer value;

  memcpy (&value, arguments[i], sizeof value);
  return value;
}

gint64
pt_pattern_number (void *const *arguments, guint i)
{
  gint32 value;

  memcpy (&value, arguments[i], sizeof value);
  return value;
}
