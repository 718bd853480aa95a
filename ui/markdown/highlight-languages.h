/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

/*
 * The tables of the lexer for each language. Words are separated by spaces, so that a lookup is a
 * search for " word ".
 */

typedef enum {
  LEX_HASH_DIRECTIVES = 1 << 0, /* lines that begin with "#" are preprocessor directives */
  LEX_TRIPLE_STRINGS = 1 << 1,  /* """ and ''' */
  LEX_DECORATORS = 1 << 2,      /* @word */
  LEX_DOLLARS = 1 << 3,         /* $word, ${word} */
  LEX_LIFETIMES = 1 << 4,       /* 'a is no string */
  LEX_ANY_CASE = 1 << 5,        /* keywords in capitals too */
  LEX_KEYS = 1 << 6,            /* a string before ":" is a name */
  LEX_LONG_STRINGS = 1 << 7,    /* strings may have several lines */
  LEX_CAPITALS = 1 << 8,        /* words that begin with a capital are types */
} LexFlags;

typedef struct {
  const char *names; /* language names of a fence */
  const char *keywords, *types;
  const char *comments; /* beginnings of a line comment: " // # " */
  const char *begin_comment, *end_comment;
  const char *quotes; /* quotes of strings */
  LexFlags flags;
} LexLanguage;

#define C_KEYWORDS                                                                            \
  " auto break case const continue default do else enum extern for goto if inline register "  \
  "restrict return sizeof static struct switch typedef union volatile while alignas alignof " \
  "static_assert thread_local _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert "
#define C_TYPES                                                                                   \
  " bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t "         \
  "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t wchar_t " \
  "FILE NULL true false "
#define JS_KEYWORDS                                                                             \
  " async await break case catch class const continue debugger default delete do else export "  \
  "extends finally for from function get if import in instanceof let new of return set static " \
  "super switch this throw try typeof var void while with yield "
#define JS_TYPES " true false null undefined NaN Infinity "

static const LexLanguage LANGUAGES[] = {
  { " c h objc ", C_KEYWORDS, C_TYPES, " // ", "/*", "*/", "\"'", LEX_HASH_DIRECTIVES },
  { " cpp c++ cc cxx hpp hh cuda cu ",
    C_KEYWORDS "and and_eq bitand bitor catch class co_await co_return co_yield compl concept "
               "consteval constexpr constinit const_cast decltype delete dynamic_cast explicit "
               "export final friend mutable namespace new noexcept not operator or override "
               "private protected public reinterpret_cast requires static_cast template this "
               "throw try typeid typename using virtual xor ",
    C_TYPES "nullptr string vector map set char8_t char16_t char32_t ", " // ", "/*", "*/", "\"'",
    LEX_HASH_DIRECTIVES },
  { " python py python3 py3 pycon ",
    " and as assert async await break case class continue def del elif else except finally for "
    "from global if import in is lambda match nonlocal not or pass raise return try while with "
    "yield ",
    " True False None self cls int float str bool bytes list dict set tuple object type print "
    "range len ",
    " # ", NULL, NULL, "\"'", LEX_TRIPLE_STRINGS | LEX_DECORATORS },
  { " javascript js jsx node mjs ", JS_KEYWORDS, JS_TYPES, " // ", "/*", "*/", "\"'`",
    LEX_DECORATORS | LEX_CAPITALS },
  { " typescript ts tsx ",
    JS_KEYWORDS "abstract as declare enum implements interface is keyof module namespace private "
                "protected public readonly satisfies type ",
    JS_TYPES "any boolean never number object string symbol unknown bigint ", " // ", "/*", "*/",
    "\"'`", LEX_DECORATORS | LEX_CAPITALS },
  { " json json5 jsonc ", " ", " true false null ", " // ", "/*", "*/", "\"", LEX_KEYS },
  { " bash sh shell zsh console shellsession ",
    " if then else elif fi for while until do done case esac in function select time return break "
    "continue exit export local readonly declare unset shift trap eval exec source alias set ",
    " echo printf cd ls cp mv rm mkdir cat grep sed awk find sudo apt apt-get git curl tar chmod "
    "chown test true false read pip npm make docker ",
    " # ", NULL, NULL, "\"'", LEX_DOLLARS | LEX_LONG_STRINGS },
  { " rust rs ",
    " as async await break const continue crate dyn else enum extern fn for if impl in let loop "
    "match mod move mut pub ref return self static struct super trait type union unsafe use where "
    "while ",
    " bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize true false ",
    " // ", "/*", "*/", "\"'", LEX_LIFETIMES | LEX_LONG_STRINGS | LEX_CAPITALS },
  { " go golang ",
    " break case chan const continue default defer else fallthrough for func go goto if import "
    "interface map package range return select struct switch type var ",
    " any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune "
    "string uint uint8 uint16 uint32 uint64 uintptr true false nil iota append cap len make new "
    "panic ",
    " // ", "/*", "*/", "\"'`", 0 },
  { " java kotlin kt csharp cs scala ",
    " abstract assert break case catch class continue default do else enum extends final finally "
    "for fun goto if implements import in instanceof interface internal is namespace native new "
    "object override package private protected public return sealed static strictfp super switch "
    "synchronized this throw throws transient try using val var virtual volatile when while yield "
    "record ",
    " boolean bool byte char double float int long short void string true false null ", " // ",
    "/*", "*/", "\"'", LEX_DECORATORS | LEX_CAPITALS },
  { " sql mysql postgresql postgres sqlite plsql ",
    " add all alter and as asc begin between by case check column commit constraint create cross "
    "database default delete desc distinct drop else end exists explain foreign from full group "
    "having if in index inner insert into is join key left like limit not null offset on or order "
    "outer primary references replace returning right rollback select set table then transaction "
    "trigger union unique update using values view when where with ",
    " bigint blob boolean char date decimal double float int integer numeric real serial smallint "
    "text time timestamp varchar count sum avg min max coalesce true false ",
    " -- ", "/*", "*/", "'\"", LEX_ANY_CASE },
};
