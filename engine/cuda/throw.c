/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * aoti_torch_check (docs/formats/cuda.md, section 8.8). The caller relies on the condition after
 * the call, so the function must not return when it is false. A library catches exceptions at its
 * entry points and turns them into errors. Therefore this file throws an exception from C. This
 * function and the forwarder, which the exception passes, are compiled with -fexceptions and have
 * nothing to clean up.
 */

#include <gmodule.h>
#include <stdlib.h>

#include "engine/cuda/shims-private.h"

#ifndef G_OS_WIN32
#include <dlfcn.h>

typedef void (*Throw) (const char *message);

/*
 * The address of std::__throw_runtime_error (char const*), in the library that contains the code
 * @caller or in the libraries it is linked with. Some libraries have a C++ library of their own
 * inside.
 */
static Throw
find_throw (const void *caller)
{
  void *library = NULL, *address = NULL;
#ifdef __GLIBC__
  Dl_info info;

  if (dladdr1 (caller, &info, &library, RTLD_DL_LINKMAP) != 0 && library != NULL)
    address = dlsym (library, "_ZSt21__throw_runtime_errorPKc");
  if (address != NULL)
    return (Throw) address;
#endif
  library = dlopen ("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
  if (library != NULL) {
    address = dlsym (library, "_ZSt21__throw_runtime_errorPKc");
    dlclose (library);
  }
  return (Throw) address;
}

static void
throw_exception (const void *caller, const char *message)
{
  Throw function = find_throw (caller);

  if (function != NULL)
    function (message);
}
#else
#include <unwind.h>

/* "PTERIS" and a number: the class of an exception of no known language. */
#define EXCEPTION_CLASS 0x5054455249530001ull

static void
forget_exception (_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
  g_free (exception);
}

/*
 * On Windows every library contains its own C++ library without exported functions, so none of its
 * exceptions can be made. A foreign exception passes the same destructors and reaches the handlers
 * that catch everything.
 */
static void
throw_exception (const void *caller, const char *message)
{
  struct _Unwind_Exception *exception = g_new0 (struct _Unwind_Exception, 1);

  exception->exception_class = EXCEPTION_CLASS;
  exception->exception_cleanup = forget_exception;
  _Unwind_RaiseException (exception); /* returns only when nothing catches it */
  g_free (exception);
}
#endif

void
pt_aoti_torch_check (bool condition, const char *function, const char *file, uint32_t line,
                     const char *message)
{
  if (G_LIKELY (condition))
    return;
  pt_shim_note (PT_ERROR_ARGUMENT, "The model reported an error: %s",
                message != NULL ? message : "no reason given");
  throw_exception (__builtin_return_address (0), message != NULL ? message : "");
  g_critical ("A model library reported a fatal error: %s (%s:%u)", message, file, line);
  abort ();
}
