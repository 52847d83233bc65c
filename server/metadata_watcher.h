// metadata_watcher.h: one who is told what has changed in MetadataStore, once it is in effect. Thread: the loop.
#pragma once

#include <string>

#include "core/base/uuid.h"

namespace leat {

class MetadataWatcher {
 public:
  virtual ~MetadataWatcher() = default;
  virtual void on_topics_changed() = 0;  // some came, went or grew
  // It is not found any more; its partitions are still there. on_topics_changed() follows.
  virtual void on_topic_gone(const std::string& name, const Uuid& id) = 0;
  virtual void on_settings_changed() = 0;  // of the broker or of groups
};

}  // namespace leat
