/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/confine/confine.h"

#include <windows.h>
#include <sddl.h>

#include "engine/base/set-error.h"

/*
 * Windows cannot limit which files a process reads, except in an AppContainer, in which CUDA's
 * driver does not start. These are used: low integrity (nothing of the user's can be written), a
 * job object of one process, no child processes, no privileges. A process that writes to folders of
 * the user keeps its integrity: labels of the folders would let every other process of low
 * integrity in, for good.
 */

/* Not in the headers of older compilers. */
#define CHILD_PROCESS_POLICY 13
#define NO_CHILD_PROCESS_CREATION 1u

typedef BOOL (WINAPI *SetPolicyFunc) (int policy, PVOID data, SIZE_T size);

static gboolean
fail (const char *what, GError **error)
{
  g_autofree char *reason = g_win32_error_message ((int) GetLastError ());

  return pt_fail (error, PT_ERROR_UNSUPPORTED, "%s (%s).", what, reason);
}

/* The job lives as long as the process, which is in it. */
static gboolean
enter_job (GError **error)
{
  HANDLE job = CreateJobObjectW (NULL, NULL);
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };
  JOBOBJECT_BASIC_UI_RESTRICTIONS ui = {
    .UIRestrictionsClass = JOB_OBJECT_UILIMIT_DESKTOP | JOB_OBJECT_UILIMIT_DISPLAYSETTINGS |
                           JOB_OBJECT_UILIMIT_EXITWINDOWS | JOB_OBJECT_UILIMIT_GLOBALATOMS |
                           JOB_OBJECT_UILIMIT_HANDLES | JOB_OBJECT_UILIMIT_READCLIPBOARD |
                           JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | JOB_OBJECT_UILIMIT_WRITECLIPBOARD,
  };
  gboolean good;

  limits.BasicLimitInformation.ActiveProcessLimit = 1;
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_ACTIVE_PROCESS | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  good = job != NULL &&
         SetInformationJobObject (job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
         SetInformationJobObject (job, JobObjectBasicUIRestrictions, &ui, sizeof ui) &&
         AssignProcessToJobObject (job, GetCurrentProcess ());
  if (!good)
    fail ("The process cannot enter a job object", error);
  if (job != NULL)
    CloseHandle (job);
  return good;
}

static FARPROC
find_set_policy (void)
{
  HMODULE kernel = GetModuleHandleW (L"kernel32.dll");

  return kernel != NULL ? GetProcAddress (kernel, "SetProcessMitigationPolicy") : NULL;
}

/* FALSE: this Windows lacks the policy. */
static gboolean
forbid_children (void)
{
  FARPROC found = find_set_policy ();
  SetPolicyFunc set_policy;
  DWORD flags = NO_CHILD_PROCESS_CREATION;

  if (found == NULL)
    return FALSE;
  memcpy (&set_policy, &found, sizeof set_policy);
  return set_policy (CHILD_PROCESS_POLICY, &flags, sizeof flags);
}

/* Removes all privileges but the one that walking through folders needs. */
static gboolean
drop_privileges (HANDLE token, GError **error)
{
  DWORD size = 0;
  g_autofree TOKEN_PRIVILEGES *held = NULL;
  LUID keep;

  GetTokenInformation (token, TokenPrivileges, NULL, 0, &size);
  held = g_malloc0 (MAX (size, sizeof *held));
  if (!LookupPrivilegeValueW (NULL, L"SeChangeNotifyPrivilege", &keep) ||
      !GetTokenInformation (token, TokenPrivileges, held, size, &size))
    return fail ("The privileges of the process are unknown", error);
  for (DWORD i = 0; i < held->PrivilegeCount; i++)
    if (held->Privileges[i].Luid.LowPart != keep.LowPart ||
        held->Privileges[i].Luid.HighPart != keep.HighPart)
      held->Privileges[i].Attributes = SE_PRIVILEGE_REMOVED;
  if (!AdjustTokenPrivileges (token, FALSE, held, 0, NULL, NULL))
    return fail ("The process cannot give up its privileges", error);
  return TRUE;
}

static gboolean
lower_integrity (HANDLE token, GError **error)
{
  TOKEN_MANDATORY_LABEL label = { .Label.Attributes = SE_GROUP_INTEGRITY };
  PSID low = NULL;
  gboolean good;

  if (!ConvertStringSidToSidW (L"S-1-16-4096", &low))
    return fail ("Low integrity is unknown", error);
  label.Label.Sid = low;
  good =
      SetTokenInformation (token, TokenIntegrityLevel, &label, sizeof label + GetLengthSid (low));
  if (!good)
    fail ("The process cannot go to low integrity", error);
  LocalFree (low);
  return good;
}

static gboolean
restrict_token (gboolean writes, PtConfined *done, GError **error)
{
  HANDLE token = NULL;
  gboolean good;

  if (!OpenProcessToken (GetCurrentProcess (),
                         TOKEN_QUERY | TOKEN_ADJUST_PRIVILEGES | TOKEN_ADJUST_DEFAULT, &token))
    return fail ("The rights of the process are unknown", error);
  good = (writes || lower_integrity (token, error)) && drop_privileges (token, error);
  if (good)
    *done |= PT_CONFINED_RIGHTS | (writes ? 0 : PT_CONFINED_WRITING);
  CloseHandle (token);
  return good;
}

PtConfined
pt_confine_means (void)
{
  return PT_CONFINED_LIMITS | PT_CONFINED_RIGHTS | PT_CONFINED_WRITING |
         (find_set_policy () != NULL ? PT_CONFINED_CALLS : 0);
}

gboolean
pt_confine (const PtConfinement *allowed, PtConfined *done, GError **error)
{
  *done = 0;
  if (!enter_job (error))
    return FALSE;
  *done |= PT_CONFINED_LIMITS;
  if (forbid_children ())
    *done |= PT_CONFINED_CALLS;
  return restrict_token (allowed->writable != NULL && allowed->writable[0] != NULL, done, error);
}
