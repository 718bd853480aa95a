/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Downloads of published models from a hub that speaks the HTTP interface of huggingface.co.
 *
 *     g_autoptr (PtHubRepo) repo = pt_hub_look ("owner/name", NULL, NULL, NULL, &error);
 *     const PtHubVariant *variant = repo != NULL ? pt_hub_choose (repo, NULL, &error) : NULL;
 *     g_autofree char *folder =
 *         variant != NULL ? pt_hub_get (repo, variant, NULL, on_progress, NULL, stop, &error) :
 * NULL;
 *
 * A repository holds one or more variants: a program (some have several) with what belongs to it.
 * A variant is downloaded into pt_library_default_folder()/OWNER--NAME, in the folders of the
 * repository. It appears there when all of it has arrived and is verified, and never before.
 *
 * Until then what has arrived lies in a hidden folder beside it. pt_hub_get() goes on with that, in
 * this process or in a later one: to pause is to cancel and to call it again.
 *
 * All functions that ask a hub or read the disk block; call them in a thread of their own. Nothing
 * is sent but what the address says, "pteris/VERSION" and the token, and the token to the hub's
 * host only. Texts are UTF-8; texts of a hub hold no control characters. Sizes are in bytes.
 *
 * Errors are PT_ERROR_NETWORK (the hub cannot be reached, or has a problem), PT_ERROR_DENIED (it
 * wants a token, or terms to be accepted), PT_ERROR_NOT_FOUND, PT_ERROR_FORMAT (an answer that no
 * hub gives, or names that no file may have), PT_ERROR_DATA (a file that did not arrive as it was
 * published), PT_ERROR_FILE (the disk), PT_ERROR_BUSY (the same model is being downloaded) and
 * PT_ERROR_CANCELLED.
 */

/** How to reach a hub; NULL, or NULL in a member, is what each says. */
typedef struct {
  const char *endpoint; /* "https://…"; NULL: PTERIS_HUB, else HF_ENDPOINT, else huggingface.co */
  const char *token;    /* "hf_…", ""  for none; NULL: HF_TOKEN, else none */
} PtHubAccess;

/** A file of a variant. */
typedef struct {
  char *path;    /* in the repository and below the model's folder, with slashes */
  guint64 bytes; /* its size */
  char *sha256;  /* 64 hex digits, or NULL */
  char *sha1;    /* where there is no SHA-256: of the Git blob, 40 hex digits */
  char *id;      /* repository that it is from (pt_hub_borrow()); NULL: its own */
  char *commit;  /* commit of that repository; NULL: that of its own */
} PtHubFile;

/** A variant: files that are downloaded together. */
typedef struct {
  char *name;      /* what is chosen by: "8da4w", "1b-bf16"; one of its repository */
  char *program;   /* path of the program, of the first one where it has several */
  char *backend;   /* "xnnpack", "cuda", "cuda-windows"; "" where nothing says */
  char *precision; /* "8da4w", "bf16", …; "" where nothing says */
  guint64 bytes;   /* of all files */
  gboolean best;   /* what pt_hub_choose() takes if nothing is named; one of its repository */
  guint n_programs;
  guint n_files;
  PtHubFile *files; /* its programs first */
} PtHubVariant;

/** A repository of a hub at one commit, and its variants. */
typedef struct {
  char *id;           /* "owner/name", as the hub spells it */
  char *endpoint;     /* "https://huggingface.co" */
  char *revision;     /* as it was asked for: "main", a tag, a commit */
  char *commit;       /* what that is now, 40 hex digits; all files are of it */
  char *license;      /* "apache-2.0", a name; NULL: nothing says */
  char *license_link; /* where its text is; or NULL */
  char *task;         /* "text-generation", …; or NULL */
  gboolean gated;     /* its terms have to be accepted on its page, and a token is needed */
  char *left_out; /* "coreml, mlx": what its other programs are for, not these computers; NULL */
  guint n_variants;
  PtHubVariant *variants; /* the best one first */
} PtHubRepo;

/** Free @repo and everything in it. NULL: does nothing. Any thread. */
PT_API void pt_hub_repo_free (PtHubRepo *repo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubRepo, pt_hub_repo_free)

/**
 * Parse @text: "owner/name", "owner/name:VARIANT", or the address of a repository, of one of its
 * revisions or programs. @id, @variant and @revision (each may be NULL) are set to its parts, or to
 * NULL; free with g_free(). FALSE with PT_ERROR_ARGUMENT. Any thread.
 */
PT_API gboolean pt_hub_parse (const char *text, char **id, char **variant, char **revision,
                              GError **error);

/**
 * Ask the hub for the repository @id at @revision (a branch, a tag or a commit; NULL: main). It has
 * at least one variant, else the error is PT_ERROR_NOT_FOUND and lists its other files. @access: or
 * NULL. Free with pt_hub_repo_free(). Blocking; any thread.
 */
PT_API PtHubRepo *pt_hub_look (const char *id, const char *revision, const PtHubAccess *access,
                               GCancellable *cancellable, GError **error);

/**
 * The same for any repository, also one without a program, to borrow files from it
 * (pt_hub_borrow()), such as a tokenizer. It has one variant, of all its files. NULL with an error
 * as of pt_hub_look().
 */
PT_API PtHubRepo *pt_hub_look_files (const char *id, const char *revision,
                                     const PtHubAccess *access, GCancellable *cancellable,
                                     GError **error);

/**
 * The variant of @repo that @name means: its name, the path of its program, or words of them
 * ("bf16"); NULL: the best one for this computer. It belongs to @repo. NULL with
 * PT_ERROR_NOT_FOUND, which lists what there is. Any thread.
 */
PT_API const PtHubVariant *pt_hub_choose (const PtHubRepo *repo, const char *name, GError **error);

/**
 * Add the files @paths (NULL-terminated) of @other to the variant @number of @repo, where @repo
 * lacks them: some programs are published without their tokenizer. They keep their paths, and must
 * be files of a variant of @other (pt_hub_look_files() has them all). A path that the variant has
 * already is left as it is. PT_ERROR_NOT_FOUND. Any thread.
 */
PT_API gboolean pt_hub_borrow (PtHubRepo *repo, guint number, const PtHubRepo *other,
                               const char *const *paths, GError **error);

/** The phase of pt_hub_get(). */
typedef enum {
  PT_HUB_CHECKING,    /* files that are there are read and compared */
  PT_HUB_DOWNLOADING, /* files are on their way */
  PT_HUB_WAITING,     /* the hub asked to wait, or the connection broke: it is tried again */
  PT_HUB_INSTALLING,  /* all is there */
} PtHubPhase;

/** The progress of pt_hub_get(). */
typedef struct {
  PtHubPhase phase;      /* what it is doing */
  const char *file;      /* path of one that is on its way; NULL: none */
  guint64 bytes;         /* that are there, also from earlier times */
  guint64 total;         /* of the variant */
  double rate;           /* bytes a second over the last seconds; 0: not known */
  double seconds_left;   /* at that rate; -1: not known */
  guint n_done, n_files; /* files that are there, of all */
} PtHubProgress;

/** Called in the thread of pt_hub_get(), at most some ten times a second, and at the end. @progress
 * is valid during the call. */
typedef void (*PtHubProgressFunc) (const PtHubProgress *progress, gpointer user_data);

/**
 * Download @variant of @repo, as pt_hub_look() returned them. Files that are installed already are
 * compared, and not downloaded again. Returns the model's folder; free with g_free(). @func may be
 * NULL. It ends within a third of a second when @cancellable is cancelled. Blocking; any thread.
 */
PT_API char *pt_hub_get (const PtHubRepo *repo, const PtHubVariant *variant,
                         const PtHubAccess *access, PtHubProgressFunc func, gpointer user_data,
                         GCancellable *cancellable, GError **error);

/** A downloaded model of the library, or a variant of one that is downloaded in part. */
typedef struct {
  char *name;     /* of its folder: "owner--name" */
  char *folder;   /* its path; of a part: where it will be */
  char *id;       /* "owner/name" */
  char *endpoint; /* where it is from */
  char *revision, *commit;
  char *license;       /* or NULL */
  char **variants;     /* names of those that are there; of a part: its name */
  char **programs;     /* their paths in @folder */
  guint64 bytes;       /* of its files */
  gboolean is_part;    /* it is there in part: pt_hub_get() goes on with it */
  guint64 bytes_there; /* of them */
} PtHubModel;

/** Free @model and everything in it. NULL: does nothing. Any thread. */
PT_API void pt_hub_model_free (PtHubModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubModel, pt_hub_model_free)

/** All downloaded models and all partial downloads: a GPtrArray of PtHubModel, which belong to it,
 * by name; the parts of a model follow it. Never NULL. Free with g_ptr_array_unref(). Blocking; any
 * thread. */
PT_API GPtrArray *pt_hub_installed (void);

/**
 * Delete the model @name (a folder or a program of pt_library_default_folder()) with everything in
 * it, and all its parts. Nothing outside that folder is touched. PT_ERROR_NOT_FOUND, PT_ERROR_BUSY
 * or PT_ERROR_FILE. Blocking; any thread.
 */
PT_API gboolean pt_hub_remove (const char *name, GError **error);

/** Delete the partial download @part, and no file of an installed model. PT_ERROR_BUSY or
 * PT_ERROR_FILE. Blocking; any thread. */
PT_API gboolean pt_hub_discard (const PtHubModel *part, GError **error);

/** Conditions of a search; NULL in a member: anything. */
typedef struct {
  const char *text;   /* words of the name */
  const char *author; /* "software-mansion" */
  const char *task;   /* "text-generation" */
  guint limit;        /* how many at once, at most 100; 0: 30 */
  const char *page;   /* PtHubHits.next of the answer before this; NULL: from the start */
} PtHubQuery;

/** A repository that was found. */
typedef struct {
  char *id;
  char *task;               /* or NULL */
  char *modified;           /* ISO 8601; or NULL */
  guint64 downloads, likes; /* as the hub counts them */
  gboolean gated;
} PtHubHit;

/** One page of what was found. */
typedef struct {
  guint n_hits;
  PtHubHit *hits; /* in the hub's order */
  char *next;     /* for PtHubQuery.page; NULL: these were the last */
} PtHubHits;

/** Free @hits and everything in it. NULL: does nothing. Any thread. */
PT_API void pt_hub_hits_free (PtHubHits *hits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHubHits, pt_hub_hits_free)

/** Repositories with ExecuTorch programs, those with most downloads first. Free with
 * pt_hub_hits_free(). Blocking; any thread. */
PT_API PtHubHits *pt_hub_search (const PtHubQuery *query, const PtHubAccess *access,
                                 GCancellable *cancellable, GError **error);

G_END_DECLS
