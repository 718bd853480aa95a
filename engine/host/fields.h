/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/host/wire.h"

G_BEGIN_DECLS

/*
 * Structs of the public headers as tables of their members. Writing, reading and copying a struct
 * follow the same table, so that they cannot differ. The test test-host-fields checks that the
 * tables leave out no member.
 */

/** The type of a member. */
typedef enum {
  PT_FIELD_PLAIN,   /* numbers, or an array of numbers in the struct */
  PT_FIELD_BOOL,    /* a gboolean */
  PT_FIELD_ENUM,    /* one of the first @limit values of an enumeration */
  PT_FIELD_TEXT,    /* a text, or NULL */
  PT_FIELD_NAME,    /* a text, never NULL */
  PT_FIELD_PATH,    /* a path, which need not be UTF-8, or NULL */
  PT_FIELD_TEXTS,   /* a list of texts that ends with NULL; or NULL */
  PT_FIELD_PATHS,   /* the same for paths */
  PT_FIELD_SPARSE,  /* @counter texts, each of which may be NULL, and a NULL at the end; or NULL */
  PT_FIELD_ROWS,    /* pointer to an array of structs, whose number is the member at @count */
  PT_FIELD_NUMBERS, /* pointer to an array of numbers of @unit bytes, as many as the member at
                       @count says, or @counter */
  PT_FIELD_ONE,     /* pointer to a struct, or NULL */
  PT_FIELD_INSIDE,  /* a struct in the struct */
  PT_FIELD_OWNER,   /* the PtHeap that owns the struct */
} PtFieldKind;

typedef struct _PtStructInfo PtStructInfo;

/** PtField: a member of a struct. */
typedef struct {
  PtFieldKind kind;
  gsize offset, size; /* of the member */
  gsize count,
      count_size; /* of the member with the number of items; @count_size 0: there is none */
  guint64 (*counter) (gconstpointer self, gconstpointer parent); /* else */
  guint limit;
  gsize unit;
  const PtStructInfo *of; /* ROWS, ONE, INSIDE */
} PtField;

/** PtStructInfo: a struct and its members, in the order in which they are written. */
struct _PtStructInfo {
  const char *name;
  gsize size;
  const PtField *fields;
  guint n_fields;
  /* Returns the fault of a struct that was read, a static text, or NULL. @parent: the struct that
   * has it as a row, or NULL. May be NULL. */
  const char *(*check) (gconstpointer self, gconstpointer parent);
};

#define PT_MEMBER_(field, type, member) \
  .kind = (field), .offset = G_STRUCT_OFFSET (type, member), .size = sizeof (((type *) 0)->member)
#define PT_COUNT_(type, member) \
  .count = G_STRUCT_OFFSET (type, member), .count_size = sizeof (((type *) 0)->member)

#define PT_PLAIN(type, member)                 \
  {                                            \
    PT_MEMBER_ (PT_FIELD_PLAIN, type, member), \
  }
#define PT_BOOL(type, member)                 \
  {                                           \
    PT_MEMBER_ (PT_FIELD_BOOL, type, member), \
  }
#define PT_ENUM(type, member, n_values)                            \
  {                                                                \
    PT_MEMBER_ (PT_FIELD_ENUM, type, member), .limit = (n_values), \
  }
#define PT_TEXT(type, member)                 \
  {                                           \
    PT_MEMBER_ (PT_FIELD_TEXT, type, member), \
  }
#define PT_NAME(type, member)                 \
  {                                           \
    PT_MEMBER_ (PT_FIELD_NAME, type, member), \
  }
#define PT_PATH(type, member)                 \
  {                                           \
    PT_MEMBER_ (PT_FIELD_PATH, type, member), \
  }
#define PT_TEXTS(type, member)                 \
  {                                            \
    PT_MEMBER_ (PT_FIELD_TEXTS, type, member), \
  }
#define PT_PATHS(type, member)                 \
  {                                            \
    PT_MEMBER_ (PT_FIELD_PATHS, type, member), \
  }
#define PT_SPARSE(type, member, function)                              \
  {                                                                    \
    PT_MEMBER_ (PT_FIELD_SPARSE, type, member), .counter = (function), \
  }
#define PT_ROWS(type, member, count_member, info)                                           \
  {                                                                                         \
    PT_MEMBER_ (PT_FIELD_ROWS, type, member), PT_COUNT_ (type, count_member), .of = (info), \
  }
#define PT_NUMBERS(type, member, count_member)                                   \
  {                                                                              \
    PT_MEMBER_ (PT_FIELD_NUMBERS, type, member), PT_COUNT_ (type, count_member), \
        .unit = sizeof (*((type *) 0)->member),                                  \
  }
#define PT_COUNTED(type, member, function)                                               \
  {                                                                                      \
    PT_MEMBER_ (PT_FIELD_NUMBERS, type, member), .counter = (function),                  \
                                                 .unit = sizeof (*((type *) 0)->member), \
  }
#define PT_ONE(type, member, info)                         \
  {                                                        \
    PT_MEMBER_ (PT_FIELD_ONE, type, member), .of = (info), \
  }
#define PT_INSIDE(type, member, info)                         \
  {                                                           \
    PT_MEMBER_ (PT_FIELD_INSIDE, type, member), .of = (info), \
  }
#define PT_OWNER(type)                        \
  {                                           \
    PT_MEMBER_ (PT_FIELD_OWNER, type, owner), \
  }

/** Defines the PtStructInfo INFO of TYPE over the array FIELDS. */
#define PT_STRUCT(info, type, table, check_function) \
  const PtStructInfo info = { #type, sizeof (type), table, G_N_ELEMENTS (table), check_function }

/** Writes @self, a struct of @info. */
void pt_fields_write (PtWriter *writer, const PtStructInfo *info, gconstpointer self);

/**
 * Reads a struct of @info into @self. Its arrays belong to the heap of @reader; texts and numbers
 * stay in its buffer. FALSE with a fault in @reader; then @self is not to be used.
 */
gboolean pt_fields_read (PtReader *reader, const PtStructInfo *info, gpointer self);

/** A deep copy of @self in @copy, which @heap owns. Nothing is checked. */
void pt_fields_copy (const PtStructInfo *info, gconstpointer self, gpointer copy, PtHeap *heap);

/** Calls @func with each path in @self. */
void pt_fields_each_path (const PtStructInfo *info, gconstpointer self,
                          void (*func) (const char *path, gpointer user_data), gpointer user_data);

/** A number that differs when members of @info or of structs in it differ. */
guint32 pt_fields_print (const PtStructInfo *info);

G_END_DECLS
