// rows.h: the rows of leat_bench_client: Leat's client and librdkafka at the same work, on the same broker, in turn
// within each repetition, each in a process of its own. broker.h names the environment. Thread: main.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/client/table.h"
#include "benchmarks/report/row_report.h"

namespace leat::bench {

struct Contender {
  std::string name;  // in the table, and before each figure in the CSV: "leat_thread_records_s"
  std::string program;
  std::string style;  // of the order
};

// Those whose programs stand in `folder`: librdkafka's is built only where that library was found.
std::vector<Contender> contenders_in(const std::string& folder);

// What the CSV has of each row.
std::vector<Figure> figures_of(const std::vector<Contender>& contenders);

// Both parameters outlive the run.
void register_client_rows(const std::vector<Contender>& contenders, ContenderTable& table);

}  // namespace leat::bench
