/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A US keyboard for tests under Wine: GTK asks the layout's DLL, which the registry names, for the
 * names of keys. Wine has none, so that text arrives and shortcuts do not. Only what GTK reads is
 * filled in. packaging/windows/wine builds it; it is never shipped, since Windows has its own.
 */

#include <windows.h>

enum { HAS_CAPITAL = 1 };

typedef struct {
  BYTE key, bit;
} Modifier;

typedef struct {
  const Modifier *modifiers;
  WORD most;
  BYTE columns[4]; /* of a combination of bits */
} Modifiers;

typedef struct {
  BYTE key, attributes;
  WCHAR text[2]; /* plain, with Shift */
} Key;

typedef struct {
  const Key *keys;
  BYTE n_columns, size;
} KeyTable;

typedef struct {
  BYTE code;
  USHORT key;
} ScanCode;

typedef struct {
  const Modifiers *modifiers;
  const KeyTable *tables;
  const void *dead_keys, *names, *extended_names, *dead_names;
  const USHORT *keys_of_codes;
  BYTE most_codes;
  const ScanCode *e0, *e1;
  DWORD flags;
  BYTE n_ligatures, ligature_size;
  const void *ligatures;
} Layout;

static const Modifier modifier_keys[] = {
  { VK_SHIFT, 1 }, { VK_CONTROL, 2 }, { VK_MENU, 4 }, { 0, 0 }
};
static const Modifiers modifiers = { modifier_keys, 1, { 0, 1 } };

#define LETTER(c)   \
  {                 \
    c, HAS_CAPITAL, \
    {               \
      (c) + 32, c   \
    }               \
  }
#define DIGIT(c, other) \
  {                     \
    c, 0,               \
    {                   \
      c, other          \
    }                   \
  }
#define PAD(n)             \
  {                        \
    VK_NUMPAD0 + (n), 0,   \
    {                      \
      '0' + (n), '0' + (n) \
    }                      \
  }
#define SIGN(key, c, other) \
  {                         \
    key, 0,                 \
    {                       \
      c, other              \
    }                       \
  }
static const Key keys[] = { LETTER ('A'),
                            LETTER ('B'),
                            LETTER ('C'),
                            LETTER ('D'),
                            LETTER ('E'),
                            LETTER ('F'),
                            LETTER ('G'),
                            LETTER ('H'),
                            LETTER ('I'),
                            LETTER ('J'),
                            LETTER ('K'),
                            LETTER ('L'),
                            LETTER ('M'),
                            LETTER ('N'),
                            LETTER ('O'),
                            LETTER ('P'),
                            LETTER ('Q'),
                            LETTER ('R'),
                            LETTER ('S'),
                            LETTER ('T'),
                            LETTER ('U'),
                            LETTER ('V'),
                            LETTER ('W'),
                            LETTER ('X'),
                            LETTER ('Y'),
                            LETTER ('Z'),
                            DIGIT ('0', ')'),
                            DIGIT ('1', '!'),
                            DIGIT ('2', '@'),
                            DIGIT ('3', '#'),
                            DIGIT ('4', '$'),
                            DIGIT ('5', '%'),
                            DIGIT ('6', '^'),
                            DIGIT ('7', '&'),
                            DIGIT ('8', '*'),
                            DIGIT ('9', '('),
                            PAD (0),
                            PAD (1),
                            PAD (2),
                            PAD (3),
                            PAD (4),
                            PAD (5),
                            PAD (6),
                            PAD (7),
                            PAD (8),
                            PAD (9),
                            SIGN (VK_SPACE, ' ', ' '),
                            SIGN (VK_OEM_1, ';', ':'),
                            SIGN (VK_OEM_PLUS, '=', '+'),
                            SIGN (VK_OEM_COMMA, ',', '<'),
                            SIGN (VK_OEM_MINUS, '-', '_'),
                            SIGN (VK_OEM_PERIOD, '.', '>'),
                            SIGN (VK_OEM_2, '/', '?'),
                            SIGN (VK_OEM_3, '`', '~'),
                            SIGN (VK_OEM_4, '[', '{'),
                            SIGN (VK_OEM_5, '\\', '|'),
                            SIGN (VK_OEM_6, ']', '}'),
                            SIGN (VK_OEM_7, '\'', '"'),
                            SIGN (VK_OEM_102, '\\', '|'),
                            SIGN (VK_ADD, '+', '+'),
                            SIGN (VK_DIVIDE, '/', '/'),
                            SIGN (VK_MULTIPLY, '*', '*'),
                            SIGN (VK_SUBTRACT, '-', '-'),
                            SIGN (VK_DECIMAL, '.', '.'),
                            { 0, 0, { 0, 0 } } };
static const KeyTable tables[] = { { keys, 2, sizeof keys[0] }, { NULL, 0, 0 } };
static const USHORT no_keys[1];
static const ScanCode no_codes[1];
static const Layout layout = { .modifiers = &modifiers,
                               .tables = tables,
                               .keys_of_codes = no_keys,
                               .e0 = no_codes,
                               .e1 = no_codes };

__declspec(dllexport) const Layout *KbdLayerDescriptor (void);

const Layout *
KbdLayerDescriptor (void)
{
  return &layout;
}
