// unset_names.h: whether the settings that shall go back to their defaults are settings at all, and what is said of one
// that is not.
#pragma once

#include <leat/admin.h>

#include <string>
#include <vector>

#include "cli/session.h"

namespace leat::cli {

// "a topic has no setting 'X'", and the nearest of `entries`, which are all that the resource has.
std::string no_such_setting(const client::ConfigResource& resource, const std::string& name,
                            const std::vector<client::ConfigEntry>& entries);

// Brokers let anything be unset that is not there, whatever its name: a slip would pass for done. kNotFound with the
// nearest name; asks nobody when `names` is empty.
Result<void> check_unset_names(Session& session, const client::ConfigResource& resource,
                               const std::vector<std::string>& names);

}  // namespace leat::cli
