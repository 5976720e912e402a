// SPDX-License-Identifier: Apache-2.0
#include "rematch/cli/program.h"

int main(int argc, char** argv) {
  return rematch::run_program(argc, argv, rematch::standard_console());
}
