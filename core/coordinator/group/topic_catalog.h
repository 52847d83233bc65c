// topic_catalog.h: the topics that there are, as the group coordinator sees them. The server's metadata is one, a map
// in tests another. Answers hold for one step.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/base/uuid.h"

namespace leat {

struct CatalogTopic {
  Uuid id;
  std::string name;
  int32_t partition_count = 0;
};

using TopicNames = std::set<std::string, std::less<>>;

class TopicCatalog {
 public:
  virtual ~TopicCatalog() = default;
  virtual std::optional<CatalogTopic> find(std::string_view name) const = 0;
  virtual std::optional<CatalogTopic> find(const Uuid& id) const = 0;
  virtual void for_each(const std::function<void(const CatalogTopic&)>& visit) const = 0;  // by name
};

}  // namespace leat
