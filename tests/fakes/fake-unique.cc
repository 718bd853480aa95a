// SPDX-License-Identifier: BSD-3-Clause

// A library with a symbol of which the loader makes one for all libraries of a process, and with a
// variable of each thread that has a destructor. Either keeps a library from being unloaded.

template <int n> struct Counter {
  static int value;
};
template <int n> int Counter<n>::value = n;

namespace
{
struct Guard {
  int *n_destroyed = nullptr;
  ~Guard ()
  {
    if (n_destroyed != nullptr)
      ++*n_destroyed;
  }
};
thread_local Guard guard;
Guard of_library; // as every model library has some
} // namespace

extern "C" __attribute__ ((visibility ("default"))) int *
unique_address ()
{
  return &Counter<7>::value;
}

extern "C" __attribute__ ((visibility ("default"))) void
count_destroyed (int *n)
{
  guard.n_destroyed = n;
}
