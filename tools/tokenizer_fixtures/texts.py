# SPDX-License-Identifier: BSD-3-Clause
"""Text to train small tokenizers on, and texts at random to try them with."""

import random

SENTENCES = """
All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience.
Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison.
Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt.
Todos los seres humanos nacen libres e iguales en dignidad y derechos, dotados como están de razón.
Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.
Все люди рождаются свободными и равными в своём достоинстве и правах.
Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.
يولد جميع الناس أحرارًا متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميرًا.
सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।
人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心。
すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。
모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.
ทุกคนเกิดมามีอิสระและเสมอภาคกันในศักดิ์ศรีและสิทธิ
for (int i = 0; i < 10; ++i) { printf ("%d\\n", i); }   /* 3.14159, 0xFF, 1e-5 */
def f(x):    return [y ** 2 for y in range(x) if y % 2 == 0]  # 42, 1,000,000
The model reads the tokens one by one, and the tokenizer's job is to make them; it's what it's for.
I'm sure you've seen that we'll need more than one, don't you think? He'd say so. They're here!
Naïve café, façade, coöperation, Ångström, œuvre, straße, “quoted” — and so on… 50 % of €100.
👍🏽 👨‍👩‍👧‍👦 🇫🇷 ❤️ ☃ ✓ → ∞ ½ ² ﬁ Ⅷ ① ㍿ ｆｕｌｌ ｗｉｄｔｈ ﾊﾝｶｸ
""".strip().splitlines()

# Ranges of random characters.
RANGES = [
    (0x20, 0x7E), (0x20, 0x7E), (0x61, 0x7A), (0x30, 0x39), (0x00, 0x1F), (0x7F, 0x9F), (0xA0, 0xFF),
    (0x100, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F),
    (0xE00, 0xE7F), (0x1100, 0x11FF), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x20CF),
    (0x2100, 0x23FF), (0x2460, 0x24FF), (0x2580, 0x259F), (0x2600, 0x27BF), (0x3000, 0x30FF),
    (0x3200, 0x33FF), (0x4E00, 0x4EFF), (0xAC00, 0xACFF), (0xD7B0, 0xD7FB), (0xE000, 0xE010),
    (0xF900, 0xFAFF), (0xFB00, 0xFB4F), (0xFE00, 0xFE0F), (0xFF00, 0xFFEF), (0xFFF0, 0xFFFF),
    (0x1D400, 0x1D4FF), (0x1F1E6, 0x1F1FF), (0x1F300, 0x1F64F), (0x1F900, 0x1F9FF), (0x20000, 0x200FF),
    (0x10FFF0, 0x10FFFF),
]
SPACES = [' ', '  ', '    ', '\n', '\n\n', '\t', '\r\n', '\r', '\v', '\f', '\x85', '\xa0', '\u1680', '\u180e',
          '\u2003', '\u200b', '\u2028', '\u2029', '\u202f', '\u3000', '\ufeff', '\u2581', '\ufffd']


def text(rand, words):
    """A few pieces of everything."""
    out = []
    for _ in range(rand.choice((1, 2, 3, 5, 8, 13, 30))):
        kind = rand.randrange(10)
        if kind < 4:
            out.append(rand.choice(words))
        elif kind < 6:
            out.append(rand.choice(SPACES) * rand.choice((1, 1, 1, 2, 3, 9)))
        elif kind < 7:
            out.append(rand.choice(("'s", "'LL", "'\u017f", '123', '4567', '0.5', '...', '\u2047', '</', '<0x0A>')))
        else:
            low, high = rand.choice(RANGES)
            out.append(''.join(chr(rand.randint(low, high)) for _ in range(rand.choice((1, 2, 4)))))
        if rand.randrange(3):
            out.append(' ')
    return ''.join(out)


def texts(seed, count, extra=()):
    """The same texts for the same seed. @extra: names of special tokens and such."""
    rand = random.Random(seed)
    words = sorted({w for s in SENTENCES for w in s.split(' ')}) + list(extra) * 5
    return [text(rand, words) for _ in range(count)]


def damaged(seed, count):
    """Bytes that are not all UTF-8."""
    rand = random.Random(seed)
    out = []
    for good in texts(seed, count):
        data = bytearray(good.encode())
        for _ in range(rand.choice((1, 1, 2, 5))):
            data.insert(rand.randint(0, len(data)), rand.choice((0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF0, 0xF4, 0xFF)))
        out.append(bytes(data))
    return out
