// main.cpp: leat_bench_client: the asynchronous client beside librdkafka. See rows.h for what it measures, broker.h for
// the environment, row_report.h for the flags.
#include <cstdio>
#include <string>
#include <vector>

#include "benchmarks/client/program.h"
#include "benchmarks/client/rows.h"

int main(int argc, char** argv) {
  using namespace leat::bench;
  const std::vector<Contender> contenders = contenders_in(folder_of(argv[0]));
  std::vector<std::string> names;
  for (const Contender& contender : contenders) names.push_back(contender.name);
  if (names.front() != kPeer) {
    std::fprintf(stderr, "librdkafka was not found when this was built (./dev bench client installs it): %s\n",
                 "only Leat's client is measured, without ratios");
  }
  ContenderTable table(names);
  register_client_rows(contenders, table);
  const int status = run_rows(argc, argv, figures_of(contenders));
  std::printf("\n%s", table.to_text().c_str());
  return status;
}
