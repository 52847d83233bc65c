// log_verify.cpp: leat log verify: are the files of a log what was written? Changes nothing. A torn tail, which a crash
// leaves and the next start cuts off, is told apart from damage, by its own words and exit code.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/json_text.h"
#include "cli/log_progress.h"
#include "cli/segment_files.h"
#include "core/log/folder_check.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

constexpr size_t kProblemsShown = 20;

struct VerifyOptions {
  std::vector<std::string> paths;
};

enum class Verdict : uint8_t { kGood, kTorn, kDamaged };

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kTorn:
      return "torn";
    case Verdict::kDamaged:
      break;
  }
  return "damaged";
}

// `others`: what is wrong with the segment's place in its log.
Verdict verdict_of(const SegmentCheck& check, const std::vector<std::string>& others) noexcept {
  if (check.is_corrupt() || !check.indexes.empty() || !check.oddities.empty() || !others.empty()) {
    return Verdict::kDamaged;
  }
  return check.damaged.empty() ? Verdict::kGood : Verdict::kTorn;
}

std::vector<std::string> texts_behind(const std::vector<MissingRecords>& all, size_t segment) {
  std::vector<std::string> texts;
  for (const MissingRecords& missing : all) {
    if (missing.segment == segment) texts.push_back(missing.what);
  }
  return texts;
}

class Verification {
 public:
  Verification(Session& session, FileSystem& files)
      : session_(session),
        progress_(session, files),
        files_(progress_.files()),
        directories_(files_, OfflineDirectory::Use::kLook) {}
  Result<void> look_at(const std::string& path);
  int conclude();

 private:
  Result<void> look_at_file(const std::string& path);
  Result<void> look_at_folder(const LogFolder& folder);
  void tell_lost(const LostLog& log);
  void tell(const SegmentCheck& check, SegmentPlace place, std::vector<std::string> others);
  void print_text(const SegmentCheck& check, Verdict verdict);
  void print_json(const SegmentCheck& check, Verdict verdict);

  Session& session_;
  LogProgress progress_;
  FileSystem& files_;
  OpenDirectories directories_;
  std::vector<std::string> problems_;  // of the segment that is told of: the first of them,
  int64_t problem_count_ = 0;          // and how many there are
  std::vector<std::string> doubts_;    // what may be wrong with its place in the log, and nobody can tell
  std::vector<std::string> notes_;
  int64_t segment_count_ = 0;
  int64_t torn_count_ = 0;
  int64_t damaged_count_ = 0;
  int64_t lost_count_ = 0;  // of partitions
};

Result<void> Verification::look_at(const std::string& path) {
  TRY(info, files_.stat(path));
  if (!info.is_directory) return look_at_file(path);
  TRY(lost, lost_logs_in(files_, directories_, path));
  const Result<std::vector<LogFolder>> folders = find_log_folders(files_, {path});
  const bool is_told = !folders && folders.error().code == Errc::kNotFound && !lost.empty();
  if (!folders && !is_told) return fail(folders.error());
  if (folders) {
    progress_.expect(folders->size());
    for (const LogFolder& folder : *folders) TRY(look_at_folder(folder));
  }
  for (const LostLog& log : lost) tell_lost(log);
  return {};
}

void Verification::tell_lost(const LostLog& log) {
  ++lost_count_;
  if (!session_.options.json) return session_.out(fmt::format("DAMAGED {}: {}\n", log.path, log.what));
  SegmentCheck check;
  check.path = log.path;
  problems_ = {log.what};
  problem_count_ = 1;
  notes_.clear();
  print_json(check, Verdict::kDamaged);
}

Result<void> Verification::look_at_file(const std::string& path) {
  progress_.expect(1);
  progress_.begin(path);
  const LogFolder folder = folder_of_file(path);
  TRY(directory, directories_.directory_of(folder));
  TRY(options, check_options_of(files_, path, directory->hints_for(folder.name)));
  TRY(check, check_segment(files_, path, options));
  tell(check, options.place, {});
  return {};
}

Result<void> Verification::look_at_folder(const LogFolder& folder) {
  progress_.begin(folder.path);
  TRY(directory, directories_.directory_of(folder));
  TRY(check, check_folder(files_, folder.path, directory->hints_for(folder.name)));
  for (size_t i = 0; i < check.segments.size(); ++i) {
    const SegmentCheck& segment = check.segments[i];
    const bool is_last = i + 1 == check.segments.size();
    std::vector<std::string> others = texts_behind(check.missing, i);
    for (const Overlap& overlap : check.overlaps) {
      if (overlap.path == segment.path) others.push_back(overlap.what);
    }
    if (is_last && check.lost) {
      others.push_back(fmt::format("the records of offsets {} to {} are lost", check.lost->begin, check.lost->end - 1));
    }
    if (is_last) others.insert(others.end(), check.checkpoint_faults.begin(), check.checkpoint_faults.end());
    doubts_ = texts_behind(check.doubtful, i);
    tell(segment, is_last ? SegmentPlace::kLast : SegmentPlace::kSealed, std::move(others));
  }
  doubts_.clear();
  return {};
}

void Verification::tell(const SegmentCheck& check, SegmentPlace place, std::vector<std::string> others) {
  const Verdict verdict = verdict_of(check, others);
  ++segment_count_;
  if (verdict == Verdict::kTorn) ++torn_count_;
  if (verdict == Verdict::kDamaged) ++damaged_count_;
  problems_ = std::move(others);
  problem_count_ =
      static_cast<int64_t>(problems_.size() + check.damaged.size()) + check.indexes.count() + check.oddities.count();
  for (const DamagedRange& range : check.damaged) {
    const bool is_torn = range.kind == DamageKind::kTornTail;
    problems_.push_back(leat::to_string(range) + (is_torn ? "; leatd cuts it off when it starts" : ""));
  }
  for (const Findings* findings : {&check.indexes, &check.oddities}) {
    problems_.insert(problems_.end(), findings->first().begin(), findings->first().end());
  }
  if (problems_.size() > kProblemsShown) problems_.resize(kProblemsShown);
  // The indexes of the segment that is being written are in memory, and may not be in files yet.
  notes_ = place == SegmentPlace::kLast ? std::vector<std::string>() : check.missing_files;
  notes_.insert(notes_.end(), doubts_.begin(), doubts_.end());
  if (session_.options.json) {
    print_json(check, verdict);
  } else {
    print_text(check, verdict);
  }
}

void Verification::print_text(const SegmentCheck& check, Verdict verdict) {
  if (session_.options.quiet && verdict == Verdict::kGood) return;
  const std::string range = check.batch_count == 0
                                ? std::string("empty")
                                : fmt::format("offsets {} to {}", check.first_offset, check.next_offset - 1);
  const std::string_view word = verdict == Verdict::kGood   ? "ok     "
                                : verdict == Verdict::kTorn ? "torn   "
                                                            : "DAMAGED";
  session_.out(fmt::format("{} {}: {}, {} batches, {} records, {} bytes, {} index entries\n", word, check.path, range,
                           check.batch_count, check.record_count, check.size_bytes, check.index_entry_count));
  for (const std::string& text : problems_) session_.out("          " + text + "\n");
  const int64_t hidden = problem_count_ - static_cast<int64_t>(problems_.size());
  if (hidden > 0) session_.out(fmt::format("          and {} more\n", hidden));
  for (const std::string& text : notes_) session_.out("          (" + text + ")\n");
}

void Verification::print_json(const SegmentCheck& check, Verdict verdict) {
  std::vector<JsonValue> damaged;
  for (const DamagedRange& range : check.damaged) {
    damaged.emplace_back(JsonObject({{"position", range.begin.v},
                                     {"size", range.size_bytes},
                                     {"torn_tail", range.kind == DamageKind::kTornTail},
                                     {"what", std::string_view(range.what)}})
                             .raw());
  }
  session_.out(json_line({{"path", std::string_view(check.path)},
                          {"ok", verdict == Verdict::kGood},
                          {"verdict", to_string(verdict)},
                          {"size", check.size_bytes},
                          {"batches", check.batch_count},
                          {"records", check.record_count},
                          {"first_offset", check.first_offset.v},
                          {"next_offset", check.next_offset.v},
                          {"index_entries", check.index_entry_count},
                          {"damaged", json_array(damaged)},
                          {"problem_count", problem_count_},
                          {"problems", json_texts(problems_)},
                          {"notes", json_texts(notes_)}}));
}

int Verification::conclude() {
  if (lost_count_ > 0) {
    session_.say(fmt::format("Of {} partitions nothing is left: put their folders back from a copy.", lost_count_));
    if (damaged_count_ == 0) return kExitFailed;
  }
  if (damaged_count_ > 0) {
    session_.say(fmt::format("{} of {} segments are damaged. What a repair would do: leat log repair --dry-run PATH",
                             damaged_count_, segment_count_));
    return kExitFailed;
  }
  if (torn_count_ > 0) {
    session_.say(
        fmt::format("{} of {} segments end in a torn tail; nothing else is wrong.", torn_count_, segment_count_));
    return kExitTornTail;
  }
  session_.say(fmt::format("All {} segments are good.", segment_count_));
  return kExitOk;
}

Result<int> verify(Session& session, const VerifyOptions& options) {
  PosixFileSystem files;
  Verification verification(session, files);
  for (const std::string& path : options.paths) TRY(verification.look_at(path));
  return verification.conclude();
}

}  // namespace

Action declare_log_verify(Flags& flags) {
  const auto options = std::make_shared<VerifyOptions>();
  flags.words("path", options->paths, Need::kRequired, "A .log file, a partition folder, or a whole data directory");
  return [options](Session& session) { return verify(session, *options); };
}

}  // namespace leat::cli
