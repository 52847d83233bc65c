// config_resource.h: whose settings: "topic NAME ..." or "broker [ID] ...".
#pragma once

#include <string>
#include <vector>

#include "client/topic_configs.h"

namespace leat::cli {

struct ConfigTarget {
  ConfigResource resource;
  std::vector<std::string> rest;  // the words behind it
};

// A broker without an id is the controller: the only node that leatd has.
Result<ConfigTarget> config_target(SimpleClient& client, const std::vector<std::string>& words);

}  // namespace leat::cli
