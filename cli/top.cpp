// top.cpp: leat top: one measurement after the other, shown on a screen that answers to keys, or printed, where there
// is none. Asking (top_sampler.h), reckoning (top_report.h), rendering (top_screen.h) and the terminal (top_terminal.h)
// know nothing of each other.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/contexts_address.h"
#include "cli/following.h"
#include "cli/top_json.h"
#include "cli/top_metrics.h"
#include "cli/top_sampler.h"
#include "cli/top_screen.h"
#include "cli/top_terminal.h"
#include "core/storage/posix_file_system.h"

namespace leat::cli {
namespace {

struct TopOptions {
  int64_t interval_ms = 1'000;
  std::optional<int64_t> count;
  std::string order = "lag";
  std::optional<std::string> metrics;
  bool internal = false;
};

struct TopSetup {
  std::string address;
  std::optional<MetricsProbe> probe;
  std::shared_ptr<WakePipe> wake;
};

class Top {
 public:
  Top(Session& session, const TopOptions& options, client::Admin& admin, TopSetup setup)
      : session_(session),
        options_(options),
        address_(std::move(setup.address)),
        wake_(setup.wake),
        sampler_(admin, options.internal ? InternalTopics::kShown : InternalTopics::kLeftOut, setup.wake),
        probe_(std::move(setup.probe)),
        following_(session),
        order_(parse_top_order(options.order).value_or(TopOrder::kLag)) {}

  Result<void> run();

 private:
  bool is_live() const;
  bool is_done() const;
  bool is_measuring() const { return !sampler_.is_idle() || arrived_.has_value(); }
  void begin_when_due(Nanos now);
  Result<void> take_up(Nanos now);
  void on_sample(Sample sample);
  void show();
  void answer_signals();
  void answer_keys();
  void note_waiting(Nanos now);
  void set_status(std::string status);
  void draw();
  void wait(Nanos now);
  Nanos wait_until(Nanos now) const;

  Session& session_;
  const TopOptions& options_;
  const std::string address_;
  const std::shared_ptr<WakePipe> wake_;
  Sampler sampler_;
  std::optional<MetricsProbe> probe_;
  Following following_;
  TopOrder order_;
  TopTerminal* terminal_ = nullptr;  // none: lines are printed
  Nanos due_{0};                     // when the next measurement begins
  Nanos begun_{0};                   // when the last one did
  std::optional<Sample> arrived_;    // waits for the probe
  std::optional<Sample> before_;
  Report report_;
  int64_t shown_count_ = 0;
  std::string status_;
  bool must_draw_ = true;
  bool quit_ = false;
};

// A number of measurements is for scripts, and for looking at them afterwards.
bool Top::is_live() const {
  return !session_.options.json && !options_.count && TopTerminal::can_be_had(session_.console.output_descriptor());
}

bool Top::is_done() const {
  return quit_ || TopSignals::end_asked() || session_.output_closed() ||
         (options_.count && shown_count_ >= *options_.count);
}

Result<void> Top::run() {
  session_.console.flush();
  const bool live = is_live();
  const TopSignals signals(live ? TopSignals::Of::kScreen : TopSignals::Of::kLines, wake_->write_end());
  std::optional<TopTerminal> terminal;
  if (live) terminal_ = &terminal.emplace(session_.console.input_descriptor(), session_.console.output_descriptor());
  due_ = session_.clock.monotonic();
  while (!is_done()) {
    const Nanos now = session_.clock.monotonic();
    begin_when_due(now);
    TRY(take_up(now));
    answer_signals();
    answer_keys();
    note_waiting(now);
    if (terminal_ != nullptr && must_draw_) draw();
    if (!is_done()) wait(now);
  }
  return {};
}

void Top::begin_when_due(Nanos now) {
  const bool probing = probe_ && !probe_->is_idle();
  if (is_measuring() || probing || now < due_) return;
  begun_ = now;
  due_ = now + Millis(options_.interval_ms);
  sampler_.begin();
  if (probe_) probe_->begin(now);
}

// Whoever looks on looks on while a broker restarts; a number of measurements ends with the error.
Result<void> Top::take_up(Nanos now) {
  if (probe_) probe_->advance(now);
  if (std::optional<client::Result<Sample>> answer = sampler_.advance()) {
    if (*answer) {
      arrived_ = **std::move(answer);
      arrived_->taken_at = now;
      arrived_->wall_ms = session_.clock.wall_ms();
    } else if (const client::Error& error = answer->error(); before_ && terminal_ != nullptr) {
      set_status(error.message());
    } else if (before_ && !options_.count && following_.bears(error)) {
      following_.note(error);
    } else {
      return fail(session_.failure(error));
    }
  }
  if (!arrived_ || (probe_ && !probe_->is_idle())) return {};
  if (probe_) {
    arrived_->connections = probe_->connections();
    if (!probe_->trouble().empty()) arrived_->troubles.push_back(probe_->trouble());
  }
  on_sample(*std::exchange(arrived_, std::nullopt));
  return {};
}

void Top::on_sample(Sample sample) {
  report_ = report_of(before_ ? &*before_ : nullptr, sample);
  sort_rows(report_, order_);
  before_ = std::move(sample);
  following_.begin();
  if (terminal_ == nullptr) following_.note(std::nullopt);
  set_status("");
  must_draw_ = true;
  if (terminal_ == nullptr && report_.elapsed_s) show();  // the first one has no rates
}

void Top::show() {
  if (session_.options.json) {
    session_.out(report_json(report_));
  } else {
    if (shown_count_ > 0) session_.out("\n");
    const ScreenTexts texts{.address = address_, .status = status_, .order = order_};
    for (const ScreenLine& line : render_screen(report_, texts, {})) session_.out(line.text + "\n");
  }
  session_.console.flush();
  ++shown_count_;
}

void Top::answer_signals() {
  if (TopSignals::take_resize()) must_draw_ = true;
  if (!TopSignals::take_suspend() || terminal_ == nullptr) return;
  terminal_->suspend();
  must_draw_ = true;
}

void Top::answer_keys() {
  if (terminal_ == nullptr) return;
  while (const std::optional<char> key = terminal_->next_key()) {
    const TopOrder order_before = order_;
    if (*key == 'q') quit_ = true;
    if (*key == 'l') order_ = TopOrder::kLag;
    if (*key == 'r') order_ = TopOrder::kRecords;
    if (*key == 'b') order_ = TopOrder::kBytes;
    if (*key == 's') order_ = TopOrder::kSize;
    if (*key == 'n') order_ = TopOrder::kName;
    if (quit_) return;
    if (order_ == order_before) continue;
    sort_rows(report_, order_);
    must_draw_ = true;
  }
}

void Top::note_waiting(Nanos now) {
  constexpr Nanos kPatience = std::chrono::seconds(2);
  const Nanos waited = now - begun_;
  if (!is_measuring() || waited < kPatience) return;
  set_status(fmt::format("no answer from {} for {} s", address_,
                         std::chrono::duration_cast<std::chrono::seconds>(waited).count()));
}

void Top::set_status(std::string status) {
  if (status == status_) return;
  status_ = std::move(status);
  must_draw_ = true;
}

void Top::draw() {
  must_draw_ = false;
  const ScreenSize size = terminal_->size();
  if (before_) {
    return terminal_->draw(render_screen(report_, {.address = address_, .status = status_, .order = order_}, size));
  }
  const std::string asking = "leat top: asking " + printable(address_);
  const std::vector<ScreenLine> lines(1, {.text = cut_to(asking, size.columns), .style = LineStyle::kTitle});
  terminal_->draw(lines);
}

Nanos Top::wait_until(Nanos now) const {
  constexpr Nanos kLookAgain = std::chrono::seconds(1);  // at what is late
  Nanos until = now + kLookAgain;
  if (!is_measuring()) until = std::min(until, due_);
  if (probe_ && !probe_->is_idle()) until = std::min(until, probe_->deadline());
  return until;
}

void Top::wait(Nanos now) {
  std::vector<pollfd> waited{{.fd = wake_->read_end(), .events = POLLIN, .revents = 0}};
  if (terminal_ != nullptr && terminal_->has_keys()) {
    waited.push_back({.fd = session_.console.input_descriptor(), .events = POLLIN, .revents = 0});
  }
  if (probe_ && !probe_->is_idle()) waited.push_back(probe_->waited_for());
  const auto timeout = std::max(std::chrono::ceil<Millis>(wait_until(now) - now), Millis(0));
  (void)::poll(waited.data(), static_cast<nfds_t>(waited.size()), static_cast<int>(timeout.count()));
  wake_->drain();
}

Result<int> top(Session& session, const TopOptions& options) {
  TopSetup setup;
  if (options.metrics) {
    TRY(address, parse_host_port(*options.metrics));
    TRY(probe, MetricsProbe::create(address));
    setup.probe.emplace(std::move(probe));
  }
  PosixFileSystem files;
  TRY(chosen, choose_address(session.options.address, files));
  setup.address = chosen.context.empty() ? chosen.bootstrap_servers
                                         : fmt::format("{} ({})", chosen.context, chosen.bootstrap_servers);
  TRY(wake, WakePipe::create());
  setup.wake = wake;
  TRY(client, session.client());
  Top shown(session, options, client->admin(), std::move(setup));
  TRY(shown.run());
  return kExitOk;
}

}  // namespace

Action declare_top(Flags& flags) {
  constexpr int64_t kDayMs = 86'400'000;
  const auto options = std::make_shared<TopOptions>();
  flags.number("-i,--interval", options->interval_ms, {.least = 10, .greatest = kDayMs},
               "From one measurement to the next, in milliseconds");
  flags.number("-n,--count", options->count, {.least = 1, .greatest = INT64_MAX},
               "Print so many measurements, and end; without it, go on until q or Ctrl-C");
  flags.choice("-s,--sort", options->order, kTopOrders,
               "What comes first; a key changes it: topics by records, bytes, size; groups by lag");
  flags.text("--metrics", "HOST:PORT", options->metrics,
             "Where a leatd serves its metrics (leatd --metrics): tells how many connections it has");
  flags.on_off("--internal", options->internal, "Also the broker's own topics");
  return [options](Session& session) { return top(session, *options); };
}

}  // namespace leat::cli
