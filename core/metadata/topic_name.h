// topic_name.h: which names a topic may have. A name becomes a folder and a metric label, hence Kafka's rules. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace leat {

inline constexpr size_t kTopicNameBytesMax = 249;
inline constexpr std::string_view kMetadataTopic = "__leat_metadata";  // no client sees it

// nullopt: a good name. Otherwise Kafka's text: "Topic name is invalid: ...".
std::optional<std::string> topic_name_fault(std::string_view name);

// Names that differ only in '.' and '_' would share one metric name; two topics never have the same colliding form.
bool can_collide(std::string_view name) noexcept;
std::string colliding_form(std::string_view name);

}  // namespace leat
