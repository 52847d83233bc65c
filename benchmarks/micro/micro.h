// micro.h: the micro suites: what each step of a produce or a fetch costs by itself, to know where a macro row's time
// goes. No broker and no socket; log rows write to TMPDIR.
#pragma once

#include <benchmark/benchmark.h>

#include <string>

#include "benchmarks/report/row_report.h"

namespace leat::bench {

void register_codec_rows();
void register_record_rows();
void register_log_rows();
void register_loop_rows();
void register_client_rows();

template <class Body>
benchmark::internal::Benchmark* add_micro(const std::string& name, Body body) {
  return benchmark::RegisterBenchmark(name.c_str(), std::move(body))->Repetitions(repetitions())->UseRealTime();
}

inline void set_bytes(benchmark::State& state, size_t bytes_an_iteration) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes_an_iteration));
}

}  // namespace leat::bench
