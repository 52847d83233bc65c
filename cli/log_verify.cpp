// log_verify.cpp: leat log verify: are the files of a log what was written? Changes nothing. Exit code 1 when there is
// damage.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/segment_check.h"
#include "cli/segment_files.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
};

std::vector<JsonValue> as_values(const std::vector<std::string>& texts) {
  std::vector<JsonValue> values;
  for (const std::string& text : texts) values.emplace_back(std::string_view(text));
  return values;
}

void print(Session& session, const SegmentReport& report) {
  if (session.options.json) {
    session.out(json_line({{"path", report.path},
                           {"ok", report.problem_count == 0},
                           {"size", report.size_bytes},
                           {"batches", report.batch_count},
                           {"records", report.record_count},
                           {"first_offset", report.first_offset.v},
                           {"next_offset", report.next_offset.v},
                           {"index_entries", report.index_entry_count},
                           {"problem_count", report.problem_count},
                           {"problems", json_array(as_values(report.problems))},
                           {"notes", json_array(as_values(report.notes))}}));
    return;
  }
  if (session.options.quiet && report.problem_count == 0) return;
  const std::string range = report.batch_count == 0
                                ? std::string("empty")
                                : fmt::format("offsets {} to {}", report.first_offset, report.next_offset - 1);
  session.out(fmt::format("{} {}: {}, {} batches, {} records, {} bytes, {} index entries\n",
                          report.problem_count == 0 ? "ok     " : "DAMAGED", report.path, range, report.batch_count,
                          report.record_count, report.size_bytes, report.index_entry_count));
  for (const std::string& text : report.problems) session.out("          " + text + "\n");
  const int64_t hidden = report.problem_count - static_cast<int64_t>(report.problems.size());
  if (hidden > 0) session.out(fmt::format("          and {} more\n", hidden));
  for (const std::string& text : report.notes) session.out("          (" + text + ")\n");
}

Result<int> verify(Session& session, const VerifyOptions& options) {
  PosixFileSystem files;
  TRY(paths, find_segment_files(files, options.paths));
  int64_t damaged_count = 0;
  std::string last_folder;
  Offset last_end = kNoOffset;
  for (size_t i = 0; i < paths.size(); ++i) {
    TRY(report, check_segment(files, paths[i]));
    const std::string folder(parent_directory(paths[i]));
    if (folder == last_folder && report.batch_count > 0 && report.first_offset < last_end) {
      ++report.problem_count;
      report.problems.push_back(
          fmt::format("begins with offset {}, but the segment before ends with {}", report.first_offset, last_end - 1));
    }
    // The indexes of the segment that is being written are in memory, and may not be in files yet.
    const bool is_last = i + 1 == paths.size() || parent_directory(paths[i + 1]) != folder;
    if (is_last) report.notes.clear();
    print(session, report);
    damaged_count += report.problem_count > 0 ? 1 : 0;
    last_folder = folder;
    last_end = report.next_offset;
  }
  session.say(damaged_count == 0 ? fmt::format("All {} segments are good.", paths.size())
                                 : fmt::format("{} of {} segments are damaged.", damaged_count, paths.size()));
  return damaged_count == 0 ? kExitOk : kExitFailed;
}

}  // namespace

Action declare_log_verify(Flags& flags) {
  const auto options = std::make_shared<VerifyOptions>();
  flags.words("path", options->paths, Need::kRequired, "A .log file, a partition folder, or a whole data directory");
  return [options](Session& session) { return verify(session, *options); };
}

}  // namespace leat::cli
