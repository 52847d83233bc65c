// unset_names.h: whether the settings that shall go back to their defaults are settings at all.
#pragma once

#include <string>
#include <vector>

#include "client/topic_configs.h"

namespace leat::cli {

// Brokers let anything be unset that is not there, whatever its name: a slip would pass for done. kNotFound with the
// nearest name; asks nobody when `names` is empty.
Result<void> check_unset_names(SimpleClient& client, const ConfigResource& resource,
                               const std::vector<std::string>& names);

}  // namespace leat::cli
