// consume_group.h: leat consume --group: a member of a group.
#pragma once

#include "cli/consuming.h"

namespace leat::cli {

// Reads what the group gives this member until it is interrupted, or as --exit and --count say; what was printed is
// committed, and the group left, also after an error.
Result<int> consume_in_group(Session& session, const ConsumeOptions& options);

}  // namespace leat::cli
