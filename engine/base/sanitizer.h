/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Defined in builds with AddressSanitizer. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PT_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PT_ADDRESS_SANITIZER 1
#endif
