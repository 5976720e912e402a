// SPDX-License-Identifier: Apache-2.0
// rematch generate: synthetic graphs of any size.
#include <memory>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/validators.h"
#include "rematch/graph/synthetic/synthetic.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_json.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch generate chain --length 8 --training
      the chain of the Checkmate paper: 17 ops of cost 1 and 1 byte
  rematch generate transformer --ops 5000 --training -o transformer.json
  rematch generate random --ops 500 --seed 7 | rematch inspect -)";

struct Options {
  std::string family;
  std::string numbers;
  std::string output = "-";
  SyntheticOptions graph;
};

Result<ExitCode> run(const Options& options) {
  SyntheticOptions wanted = options.graph;
  wanted.family = *family_from_name(options.family);
  if (options.numbers == "unit") wanted.numbers = Numbers::kUnit;
  if (options.numbers == "realistic") wanted.numbers = Numbers::kRealistic;
  const auto graph = synthetic_graph(wanted);
  if (!graph) return graph.error();
  const auto written = write_text(options.output, graph_to_json(*graph));
  if (!written) return written.error();
  return ExitCode::kAnswered;
}

}  // namespace

void add_generate_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("generate", "Make a synthetic graph of any size");
  command.footer(kExamples);
  command.add_option("FAMILY", options->family, "what to make")
      .required()
      .check(one_of({"chain", "residual", "unet", "transformer", "random"}))
      .type_name("");
  command
      .add_option("--ops", options->graph.ops,
                  "about this many ops in all, backward included")
      .check(positive_integer())
      .type_name("N");
  command
      .add_option("--length", options->graph.length,
                  "chain and random: forward ops; residual: blocks; unet: "
                  "levels; transformer: layers")
      .check(positive_integer())
      .type_name("N");
  command.add_flag("--training", options->graph.training,
                   "add the loss and the backward");
  command
      .add_option("--numbers", options->numbers,
                  "costs and sizes (default: unit for a chain, else realistic)")
      .check(one_of({"unit", "realistic"}))
      .type_name("KIND");
  command.add_option("--seed", options->graph.seed, "of random graphs")
      .check(seed_number())
      .type_name("N")
      .show_default();
  command.add_option("-o,--output", options->output, "file, - for stdout")
      .type_name("FILE")
      .show_default();
  command.callback([options, &session] {
    session.action = [options] { return run(*options); };
  });
}

}  // namespace rematch
