// SPDX-License-Identifier: BSD-3-Clause
// What the shaders that choose a token share (vk-sampling.c): numbers of 64 bits, weights, and the
// search for a token by its mass.
//
// The token is chosen as engine/text/sampler.c does it. The weight of a token is
// exp ((logit - most) / temperature), its mass the weight in units of 2^-40: sums of integers do
// not depend on their order. Nothing is sorted: the weight at which a mass is reached, from the
// largest weight down, is found by ten of its bits at a time; each step adds up the masses of the
// tokens whose upper bits are known. Steps:
//   COUNT  the least weight that top-k keeps: counts instead of masses
//   KEEP   the last token that top-p keeps
//   DRAW   the token at a random mass; its first step is that of KEEP
// All groups work out the result of the step before for themselves, so that no step has to wait for
// one group that does.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : enable

#define GROUP 256
#define GROUPS 64
#define STEPS 9
#define BITS 10
#define BINS 1024
#define DIGITS 3 // 30 bits hold all floats up to 1
#define STRIDE (2 * (BINS + 1))
// The kind of a step: one of these, plus the number of the digit.
#define NOTHING 0
#define COUNT 3
#define KEEP 6
#define DRAW 9
#define ALL 0xffffffffu

layout (local_size_x = GROUP) in;

struct Step
{
  uint prefix;     // known upper bits of the weight
  uint least;      // of the weights that top-k keeps
  uint rank;       // of the token among those of equal weight
  uint keeps_all;  // top-p leaves out nothing
  uvec2 above;     // mass of larger weights
  uvec2 goal;      // the mass to find
};

layout (set = 0, binding = 0) readonly buffer X { uint logits[]; };
layout (set = 0, binding = 1) buffer S
{
  Step steps[STEPS];
  uvec2 best[GROUPS];  // order and number of the largest logit of each group
  uvec2 sums[GROUPS];
  uint bins[];         // of each step: BINS masses, and the mass that top-k keeps
};
layout (set = 0, binding = 2) writeonly buffer I { int chosen; };
layout (push_constant) uniform P
{
  uint first, n;                // of the logits
  float inverse, inverse_rest;  // 1 / temperature as two floats; 0: the largest logit
  uint coin;                    // in units of 2^-32
  uint top_k, top_p;            // top_p in units of 2^-32, ALL: none
  float min_p;
  uint step, kind, previous;    // kinds of this step and the one before it
};

// ---- Numbers of 64 bits: x is the low half ----

uvec2 add (uvec2 a, uvec2 b)
{
  uint carry, low = uaddCarry (a.x, b.x, carry);

  return uvec2 (low, a.y + b.y + carry);
}

uvec2 subtract (uvec2 a, uvec2 b)
{
  uint borrow, low = usubBorrow (a.x, b.x, borrow);

  return uvec2 (low, a.y - b.y - borrow);
}

bool is_more (uvec2 a, uvec2 b)
{
  return a.y > b.y || (a.y == b.y && a.x > b.x);
}

// The product with a number; only its low 64 bits.
uvec2 times (uvec2 a, uint factor)
{
  uint high, low;

  umulExtended (a.x, factor, high, low);
  return uvec2 (low, high + a.y * factor);
}

// The product with a fraction in units of 2^-32, rounded down.
uvec2 part_of (uvec2 a, uint fraction)
{
  uint high[2], low[2];

  umulExtended (a.x, fraction, high[0], low[0]);
  umulExtended (a.y, fraction, high[1], low[1]);
  return add (uvec2 (high[0], 0), uvec2 (low[1], high[1]));
}

// a / b, if that is below limit.
uint quotient (uvec2 a, uvec2 b, uint limit)
{
  uint q = 0;

  for (int bit = findMSB (limit); bit >= 0; bit--)
    if (!is_more (times (b, q | 1u << bit), a))
      q |= 1u << bit;
  return q;
}

// ---- Sums of a group ----

shared uvec2 scan[GROUP];

// The sum over the invocations before this one, and of all.
uvec2 sum_before (uvec2 mine, out uvec2 total)
{
  uint i = gl_LocalInvocationIndex;
  uvec2 sum = mine;

  for (uint distance = 1; distance <= GROUP; distance *= 2) {
    barrier ();
    scan[i] = sum;
    barrier ();
    if (distance < GROUP && i >= distance)
      sum = add (sum, scan[i - distance]);
  }
  total = scan[GROUP - 1];
  return subtract (sum, mine);
}

// ---- The largest logit ----

// Larger numbers have larger orders; 0: not a number.
uint order_of (uint bits)
{
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0;
  if (bits << 1 == 0)
    bits = 0;
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

uint bits_of_order (uint order)
{
  return order >> 31 != 0 ? order & 0x7fffffffu : ~order;
}

shared uvec2 candidates[GROUP];

// The largest order of the group, and of equal ones the least number.
uvec2 best_of_group (uvec2 mine)
{
  uint most = subgroupMax (mine.x), number = subgroupMin (mine.x == most ? mine.y : ALL);

  barrier ();
  if (subgroupElect ())
    candidates[gl_SubgroupID] = uvec2 (most, number);
  barrier ();
  mine = candidates[0];
  for (uint i = 1; i < gl_NumSubgroups; i++) {
    uvec2 other = candidates[i];

    if (other.x > mine.x || (other.x == mine.x && other.y < mine.y))
      mine = other;
  }
  return mine;
}

uvec2 best_of_all ()
{
  uint i = gl_LocalInvocationIndex;

  return best_of_group (i < GROUPS ? best[i] : uvec2 (0, ALL));
}

// Whether the largest logit is chosen whatever the others are.
bool is_final (uvec2 most)
{
  return most.x == 0 || (bits_of_order (most.x) & 0x7fffffffu) == 0x7f800000u || inverse == 0.0;
}

// ---- Weights ----

// a * b and what rounding took from it; both far from the largest float.
float product (float a, float b, out float rest)
{
  precise float ca = 4097.0 * a, cb = 4097.0 * b;
  precise float ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
  precise float p = a * b, e = ((ah * bh - p) + ah * bl + al * bh) + al * bl;

  rest = e;
  return p;
}

// exp ((logit - most) / temperature) to about one unit in the last place.
float weight_of (uint bits, float most)
{
  float logit = uintBitsToFloat (bits), rest;

  if ((bits & 0x7fffffffu) > 0x7f800000u || bits == 0xff800000u)
    return 0.0;
  precise float d = logit - most, back = logit - d;
  precise float d_rest = (logit - (d + back)) + (back - most);

  if (d < -1e30 || d * inverse < -60.0)
    return 0.0;
  float x = product (d, inverse, rest);
  precise float k = roundEven (x * 1.44269504);
  precise float r = ((x - k * 0.693145752) - k * 1.42860677e-6)
                    + (rest + d * inverse_rest + d_rest * inverse);
  precise float tail = 1.0 / 720.0 + r * (1.0 / 5040.0);

  tail = 1.0 / 24.0 + r * (1.0 / 120.0 + r * tail);
  tail = 0.5 + r * (1.0 / 6.0 + r * tail);
  precise float y = 1.0 + (r + r * r * tail);

  return y * uintBitsToFloat (uint (127 + int (k)) << 23);
}

uvec2 mass_of (uint weight)
{
  uint m = (weight & 0x7fffffu) | 0x800000u;
  int shift = int (weight >> 23) - 110;

  if (shift > 0)
    return uvec2 (m << shift, m >> (32 - shift));
  return uvec2 (shift > -24 ? m >> -shift : 0, 0);
}

// ---- Steps ----

uint bins_of (uint step) { return step * STRIDE; }

uvec2 bin_at (uint bins_at, uint bin) { return uvec2 (bins[bins_at + 2 * bin], bins[bins_at + 2 * bin + 1]); }

shared uint found_bin;
shared uvec2 found_above, found_mass;

// Appends to the prefix the bin in which the goal is, from the largest one down; returns its mass.
uvec2 find_bin (inout Step s, uint bins_at)
{
  const uint each = BINS / GROUP;
  uint top = BINS - 1 - gl_LocalInvocationIndex * each;
  uvec2 masses[each], sum = uvec2 (0), total;

  [[unroll]] for (uint i = 0; i < each; i++) {
    masses[i] = bin_at (bins_at, top - i);
    sum = add (sum, masses[i]);
  }
  uvec2 at = add (s.above, sum_before (sum, total));

  [[unroll]] for (uint i = 0; i < each; i++) {
    uvec2 next = add (at, masses[i]);

    if (!is_more (at, s.goal) && is_more (next, s.goal)) {
      found_bin = top - i;
      found_above = at;
      found_mass = masses[i];
    }
    at = next;
  }
  barrier ();
  s.above = found_above;
  s.prefix = s.prefix << BITS | found_bin;
  return found_mass;
}

// Draws a random mass below the total; the masses of the first digit are known already.
void begin_draw (inout Step s, uvec2 total, uint bins_at)
{
  s.goal = part_of (total, coin);
  s.above = uvec2 (0);
  s.prefix = 0;
  find_bin (s, bins_at);
}

// After the first step of KEEP: whether top-p leaves out anything of what min-p keeps.
void begin_keep (inout Step s, uint bins_at)
{
  uvec2 sum = uvec2 (0), total, goal = part_of (bin_at (bins_at, BINS), top_p);

  for (uint i = gl_LocalInvocationIndex; i < BINS; i += GROUP)
    sum = add (sum, bin_at (bins_at, i));
  sum_before (sum, total);
  if (top_p == ALL || !is_more (total, goal)) {
    s.keeps_all = 1;
    begin_draw (s, total, bins_at);
  } else {
    s.goal = goal;
    find_bin (s, bins_at);
  }
}

// What is known before this step.
Step resolve ()
{
  Step s = Step (0, 0, 0, 0, uvec2 (0), uvec2 (0));
  uint bins_at = bins_of (step - 1);

  if (previous == NOTHING) {
    s.goal.x = kind == COUNT ? top_k - 1 : 0;
    return s;
  }
  s = steps[step - 1];
  if (previous == KEEP) {
    begin_keep (s, bins_at);
    return s;
  }
  if (s.keeps_all != 0 && previous < DRAW)
    return s;
  find_bin (s, bins_at);
  if (previous % DIGITS < DIGITS - 1)
    return s;
  if (previous < KEEP) {
    s.least = s.prefix;
    s.above = uvec2 (0);
    s.prefix = 0;
    return s;
  }
  uvec2 each = mass_of (s.prefix);

  s.rank = quotient (subtract (s.goal, s.above), each, n);
  if (previous < DRAW)
    begin_draw (s, add (s.above, times (each, s.rank + 1)), bins_of (step - DIGITS));
  return s;
}

// ---- Tokens in their order, by parts for the groups ----

uint part_size () { return (n + GROUPS - 1) / GROUPS; }

// The mass of token i, or whether it has the weight that was found.
uvec2 share_of (const Step s, uint i, float most)
{
  uint weight = floatBitsToUint (weight_of (logits[first + i], most));

  if (previous == NOTHING)
    return mass_of (weight);
  return uvec2 (weight == s.prefix ? 1 : 0, 0);
}
