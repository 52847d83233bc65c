// log_repair.cpp: leat log repair: takes damage out of logs that no broker has open, and opens each once as leatd does
// when it starts, so that what it serves afterwards is whole. What is taken out is kept beside the log.
#include <fmt/format.h>

#include <iterator>
#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/log_progress.h"
#include "cli/segment_files.h"
#include "core/log/folder_repair.h"
#include "core/log/side_file.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

struct RepairOptions {
  std::vector<std::string> paths;
  bool dry_run = false;
};

struct RepairTally {
  int64_t folders = 0;
  int64_t worked_on = 0;  // or to be
  int64_t removed_bytes = 0;
  int64_t failed = 0;
  int64_t with_rest = 0;  // something is left that nothing can be done about
};

std::string_view status_of(const RepairReport& report, RepairMode mode) noexcept {
  if (!report.has_work()) return report.left.empty() ? "good" : "left as it is";
  return mode == RepairMode::kDryRun ? "to be repaired" : "repaired";
}

void print_json(Session& session, const LogFolder& folder, const RepairReport& report, RepairMode mode) {
  std::vector<JsonValue> taken_out;
  for (const DamagedRange& range : report.taken_out) {
    const std::string side_file = side_file_path(range.path, range.begin);
    taken_out.emplace_back(JsonObject({{"path", std::string_view(range.path)},
                                       {"position", range.begin.v},
                                       {"size", range.size_bytes},
                                       {"torn_tail", range.kind == DamageKind::kTornTail},
                                       {"what", std::string_view(range.what)},
                                       {"kept_in", std::string_view(side_file)}})
                               .raw());
  }
  session.out(json_line({{"path", std::string_view(folder.path)},
                         {"dry_run", mode == RepairMode::kDryRun},
                         {"status", status_of(report, mode)},
                         {"removed_bytes", report.removed_bytes},
                         {"taken_out", json_array(taken_out)},
                         {"made_anew", json_texts(report.made_anew)},
                         {"lost", json_texts(report.lost)},
                         {"left", json_texts(report.left)},
                         {"notes", json_texts(report.notes)}}));
}

void print_text(Session& session, const LogFolder& folder, const RepairReport& report, RepairMode mode) {
  if (session.options.quiet && !report.has_work() && report.left.empty()) return;
  session.out(fmt::format("{}: {}\n", folder.path, status_of(report, mode)));
  const auto print = [&session](std::string_view what, const std::string& line) {
    session.out(fmt::format("  {} {}\n", what, line));
  };
  for (const DamagedRange& range : report.taken_out) {
    print("taken out, kept in", fmt::format("{}: {}", side_file_path(range.path, range.begin), to_string(range)));
  }
  for (const std::string& line : report.made_anew) print("made anew:", line);
  for (const std::string& line : report.lost) print("lost; a batch without records will stand for", line);
  for (const std::string& line : report.left) print("left as it is:", line);
  if (session.options.quiet || !report.has_work()) return;
  for (const std::string& line : report.notes) print("note:", line);
}

int conclude(Session& session, const RepairTally& tally, RepairMode mode) {
  if (tally.worked_on == 0 && tally.failed == 0 && tally.with_rest == 0) {
    session.say(fmt::format("{} partitions: nothing to repair.", tally.folders));
  } else if (mode == RepairMode::kDryRun) {
    session.say(fmt::format("{} of {} partitions to be repaired, {} bytes to be taken out. Nothing was changed.",
                            tally.worked_on, tally.folders, tally.removed_bytes));
  } else {
    session.say(fmt::format("{} of {} partitions repaired, {} bytes taken out.", tally.worked_on, tally.folders,
                            tally.removed_bytes));
  }
  return tally.failed == 0 && tally.with_rest == 0 ? kExitOk : kExitFailed;
}

// What no repair can bring back is told.
Result<std::vector<LostLog>> find_lost(FileSystem& files, OpenDirectories& directories, const RepairOptions& options) {
  std::vector<LostLog> all;
  for (const std::string& path : options.paths) {
    TRY(lost, lost_logs_in(files, directories, path));
    all.insert(all.end(), std::make_move_iterator(lost.begin()), std::make_move_iterator(lost.end()));
  }
  return all;
}

void tell_lost(Session& session, const LostLog& lost, RepairMode mode) {
  RepairReport report;
  report.left.push_back(
      fmt::format("{}: {}; put it back from a copy, else leatd makes it anew when it starts, and goes on behind",
                  lost.path, lost.what));
  const LogFolder folder{.path = lost.path, .name = {}, .data_directory = {}};
  if (session.options.json) {
    print_json(session, folder, report, mode);
  } else {
    print_text(session, folder, report, mode);
  }
}

// Every data directory is locked before anything is changed.
Result<int> repair(Session& session, const RepairOptions& options) {
  PosixFileSystem disk;
  LogProgress progress(session, disk);
  FileSystem& files = progress.files();
  const RepairMode mode = options.dry_run ? RepairMode::kDryRun : RepairMode::kRepair;
  TRY(folders, find_log_folders(files, options.paths));
  OpenDirectories directories(files, options.dry_run ? OfflineDirectory::Use::kLook : OfflineDirectory::Use::kChange);
  for (const LogFolder& folder : folders) TRY(directories.directory_of(folder));
  TRY(all_lost, find_lost(files, directories, options));
  progress.expect(folders.size());
  RepairTally tally;
  tally.with_rest = static_cast<int64_t>(all_lost.size());
  for (const LostLog& lost : all_lost) tell_lost(session, lost, mode);
  for (const LogFolder& folder : folders) {
    progress.begin(folder.path);
    TRY(directory, directories.directory_of(folder));
    ++tally.folders;
    const Result<RepairReport> report = repair_folder(*directory, folder.path, mode, session.clock.wall_ms());
    if (!report) {  // the others can be helped nevertheless
      ++tally.failed;
      session.tell({report.error().code, fmt::format("{}: {}", folder.path, report.error().context)});
      continue;
    }
    if (report->has_work()) ++tally.worked_on;
    if (!report->left.empty()) ++tally.with_rest;
    tally.removed_bytes += report->removed_bytes;
    if (session.options.json) {
      print_json(session, folder, *report, mode);
    } else {
      print_text(session, folder, *report, mode);
    }
  }
  return conclude(session, tally, mode);
}

}  // namespace

Action declare_log_repair(Flags& flags) {
  const auto options = std::make_shared<RepairOptions>();
  flags.words("path", options->paths, Need::kRequired,
              "A partition folder, a data directory, or a .log file, for the folder that it is in");
  flags.on_off("--dry-run", options->dry_run, "Show what would be done, and change nothing");
  return [options](Session& session) { return repair(session, *options); };
}

}  // namespace leat::cli
