// hangup.h: what a process is told when its terminal goes away.
#pragma once

namespace leat {

// SIGHUP means nothing to this process: it was started by nohup, or as a part of something that outlives its terminal.
// Whoever catches the signal all the same would undo that. Thread: any.
bool hangup_is_ignored() noexcept;

}  // namespace leat
