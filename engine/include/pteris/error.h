/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <pteris/export.h>

G_BEGIN_DECLS

/*
 * Errors: their domain, their codes, and what belongs to one.
 */

/**
 * PT_ERROR: the one error domain of libpteris.
 *
 *     if (g_error_matches (error, PT_ERROR, PT_ERROR_MISSING_FILE))
 *       …
 *
 * A message is an English sentence for a person: what is wrong, with which file, and what to do
 * next. It is one line of valid UTF-8 without control characters. Where ExecuTorch has a number
 * for the same failure, the message ends in it, e.g. "(ExecuTorch error 0x23)", for searching.
 */
#define PT_ERROR (pt_error_quark ())

/** Codes of PT_ERROR, each with the number of ExecuTorch that it belongs to. */
typedef enum {
  PT_ERROR_FILE,             /* cannot be opened, read or written */
  PT_ERROR_FORMAT,           /* not the kind of file it claims to be */
  PT_ERROR_PROGRAM,          /* a damaged or inconsistent program (0x23) */
  PT_ERROR_DATA,             /* a damaged or wrong data file (0x24) */
  PT_ERROR_MISSING_FILE,     /* a companion file is needed and missing */
  PT_ERROR_MISSING_OPERATOR, /* operators that this build lacks (0x14) */
  PT_ERROR_MISSING_BACKEND,  /* delegates that this build or machine lacks (0x20) */
  PT_ERROR_NOT_FOUND,        /* a method, key or model name does not exist (0x20) */
  PT_ERROR_UNSUPPORTED,      /* valid, but not supported (0x10) */
  PT_ERROR_ARGUMENT,         /* an input does not fit the method or the job (0x12) */
  PT_ERROR_TYPE,             /* a value of the wrong kind at run time (0x13) */
  PT_ERROR_MEMORY,           /* not enough memory (0x21) */
  PT_ERROR_STATE,            /* called out of order (0x02) */
  PT_ERROR_DELEGATE,         /* a delegate refused its payload (0x30) */
  PT_ERROR_CONTEXT_FULL,     /* the conversation no longer fits the model */
  PT_ERROR_TOKENIZER,        /* a damaged or unsupported tokenizer */
  PT_ERROR_AUDIO,            /* a damaged or unsupported recording */
  PT_ERROR_UNTRUSTED,        /* native code that the user has not agreed to run */
  PT_ERROR_CANCELLED,        /* stopped by the user */
  PT_ERROR_BUSY,             /* the engine cannot take this job now */
  PT_ERROR_INTERNAL,         /* our own mistake (0x01) */
  PT_ERROR_NETWORK,          /* a server cannot be reached, or has a problem */
  PT_ERROR_DENIED,           /* a server wants a token, or terms to be accepted */
  PT_ERROR_HOST,             /* the process that ran the model has ended (PtHostExit) */
  PT_ERROR_GPU,              /* the GPU or its driver failed, or does not answer (0x30) */
  PT_N_ERRORS                /* how many there are */
} PtError;

/** The domain, for PT_ERROR. Any thread. */
PT_API GQuark pt_error_quark (void);

/** A short stable name of @code ("missing-operator"), for JSON and logs. Static; any thread. */
PT_API const char *pt_error_name (PtError code);

/** With PT_ERROR_UNTRUSTED: the SHA-256 that the user must agree to, of the program's file as 64
 * hex digits; "" when there is none. Owned by the error. */
PT_API const char *pt_error_get_digest (const GError *error);

G_END_DECLS
