// SPDX-License-Identifier: BSD-3-Clause

// A library with a symbol of which the loader makes one for all libraries of a process.

template <int n> struct Counter {
  static int value;
};
template <int n> int Counter<n>::value = n;

extern "C" __attribute__ ((visibility ("default"))) int *
unique_address ()
{
  return &Counter<7>::value;
}
