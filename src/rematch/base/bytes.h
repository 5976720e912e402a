// SPDX-License-Identifier: Apache-2.0
// Memory sizes: the type, how people write them, how we show them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rematch/base/result.h"

namespace rematch {

using Bytes = std::int64_t;

// No size, and no sum of the sizes of one graph, may exceed this (4 EiB), so
// that adding two of them never overflows.
inline constexpr Bytes kMaxBytes = Bytes{1} << 62;

// Reads a size such as "8GiB", "1.5 GB", "512" (bytes). Units are B, KB, MB,
// GB, TB, PB (powers of 1000) and KiB, MiB, GiB, TiB, PiB (powers of 1024), in
// any case; K, M, G, T and P alone are refused as ambiguous. A fraction of a
// byte is rounded down. Fails with kInvalidArgument, or with kOutOfRange on a
// number that is too large.
Result<Bytes> parse_bytes(std::string_view text);

// "15.57 GiB", "512 B": four significant digits, powers of 1024.
std::string format_bytes(Bytes bytes);

// "16,717,054,976": every digit, in groups of three.
std::string format_exact(std::int64_t value);

}  // namespace rematch
