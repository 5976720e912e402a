// SPDX-License-Identifier: Apache-2.0
// The smallest program that uses the library as someone else's project would.
#include <iostream>

#include "rematch/base/version.h"

int main() { std::cout << rematch::kVersion << '\n'; }
