// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Is the version in the headers that of the package?

#include "AllHeaders.h"

#include <cstring>

int main(int argc, char **argv) {
  return argc == 2 && std::strcmp(argv[1], REPRISE_VERSION) == 0 ? 0 : 1;
}
