/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu-arm.h"

#include <string.h>

/* Bits of the kernel's asm/hwcap.h. */
#define HWCAP_ASIMDDP (G_GUINT64_CONSTANT (1) << 20)
#define HWCAP2_I8MM (G_GUINT64_CONSTANT (1) << 13)

/* Kinds of cores in one processor that a name may have. */
#define MAX_KINDS 4

typedef struct {
  guint implementer, part;
  const char *name;
} Core;

/* The registers MIDR_EL1 of cores that people own. */
static const Core cores[] = {
  { 0x41, 0xd03, "Cortex-A53" },    { 0x41, 0xd04, "Cortex-A35" },
  { 0x41, 0xd05, "Cortex-A55" },    { 0x41, 0xd07, "Cortex-A57" },
  { 0x41, 0xd08, "Cortex-A72" },    { 0x41, 0xd09, "Cortex-A73" },
  { 0x41, 0xd0a, "Cortex-A75" },    { 0x41, 0xd0b, "Cortex-A76" },
  { 0x41, 0xd0c, "Neoverse N1" },   { 0x41, 0xd0d, "Cortex-A77" },
  { 0x41, 0xd40, "Neoverse V1" },   { 0x41, 0xd41, "Cortex-A78" },
  { 0x41, 0xd42, "Cortex-A78AE" },  { 0x41, 0xd44, "Cortex-X1" },
  { 0x41, 0xd46, "Cortex-A510" },   { 0x41, 0xd47, "Cortex-A710" },
  { 0x41, 0xd48, "Cortex-X2" },     { 0x41, 0xd49, "Neoverse N2" },
  { 0x41, 0xd4b, "Cortex-A78C" },   { 0x41, 0xd4c, "Cortex-X1C" },
  { 0x41, 0xd4d, "Cortex-A715" },   { 0x41, 0xd4e, "Cortex-X3" },
  { 0x41, 0xd4f, "Neoverse V2" },   { 0x41, 0xd80, "Cortex-A520" },
  { 0x41, 0xd81, "Cortex-A720" },   { 0x41, 0xd82, "Cortex-X4" },
  { 0x41, 0xd84, "Neoverse V3" },   { 0x41, 0xd85, "Cortex-X925" },
  { 0x41, 0xd87, "Cortex-A725" },   { 0x41, 0xd8e, "Neoverse N3" },
  { 0x42, 0x516, "ThunderX2" },     { 0x43, 0x0af, "ThunderX2" },
  { 0x46, 0x001, "Fujitsu A64FX" }, { 0x48, 0xd01, "Kunpeng 920" },
  { 0x4e, 0x004, "Carmel" },        { 0x51, 0x001, "Oryon" },
  { 0x61, 0x022, "Apple M1" },      { 0x61, 0x023, "Apple M1" },
  { 0x61, 0x024, "Apple M1 Pro" },  { 0x61, 0x025, "Apple M1 Pro" },
  { 0x61, 0x028, "Apple M1 Max" },  { 0x61, 0x029, "Apple M1 Max" },
  { 0x61, 0x032, "Apple M2" },      { 0x61, 0x033, "Apple M2" },
  { 0xc0, 0xac3, "Ampere-1" },      { 0xc0, 0xac4, "Ampere-1A" },
};

PtCpuLevel
pt_cpu_arm_level (guint64 hwcap, guint64 hwcap2)
{
  if ((hwcap & HWCAP_ASIMDDP) == 0)
    return PT_CPU_NEON;
  return (hwcap2 & HWCAP2_I8MM) != 0 ? PT_CPU_I8MM : PT_CPU_DOTPROD;
}

/* The number behind the colon of @line if it begins with @key. */
static gboolean
read_number (const char *line, const char *key, guint *number)
{
  const char *colon;
  guint64 value;
  char *end;

  if (!g_str_has_prefix (line, key) || (colon = strchr (line, ':')) == NULL)
    return FALSE;
  value = g_ascii_strtoull (colon + 1, &end, 0);
  if (end == colon + 1 || value > 0xfff)
    return FALSE;
  *number = (guint) value;
  return TRUE;
}

/* The name of a core, owned by the caller. */
static char *
name_of_core (guint implementer, guint part)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cores); i++)
    if (cores[i].implementer == implementer && cores[i].part == part)
      return g_strdup (cores[i].name);
  return g_strdup_printf ("ARM core 0x%02x:0x%03x", implementer, part);
}

/* Adds @name at the front, unless it is there. */
static void
add_kind (GPtrArray *kinds, char *name)
{
  if (kinds->len >= MAX_KINDS ||
      g_ptr_array_find_with_equal_func (kinds, name, g_str_equal, NULL)) {
    g_free (name);
    return;
  }
  g_ptr_array_insert (kinds, 0, name);
}

char *
pt_cpu_arm_name (const char *cpuinfo, const char *model)
{
  g_autoptr (GPtrArray) kinds = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) lines = g_strsplit (cpuinfo, "\n", -1);
  guint implementer = 0, part;
  g_autofree char *names = NULL;
  gboolean has_model = model != NULL && *model != '\0' && g_utf8_validate (model, -1, NULL);

  for (gsize i = 0; lines[i] != NULL; i++)
    if (read_number (lines[i], "CPU part", &part))
      add_kind (kinds, name_of_core (implementer, part));
    else
      read_number (lines[i], "CPU implementer", &implementer);
  if (kinds->len == 0)
    return has_model ? g_strdup (model) : NULL;
  g_ptr_array_add (kinds, NULL);
  names = g_strjoinv (" + ", (char **) kinds->pdata);
  return has_model ? g_strdup_printf ("%s (%s)", names, model) : g_steal_pointer (&names);
}
