// contexts_address.h: which brokers a command asks, and who said so. What counts, from first to last: -b, --context,
// $LEAT_BOOTSTRAP_SERVER, the current context of the file, localhost:9092. Thread: any one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/storage/file_system.h"

namespace leat::cli {

inline constexpr const char* kAddressVariable = "LEAT_BOOTSTRAP_SERVER";
inline constexpr const char* kDefaultAddress = "localhost:9092";

struct AddressFlags {
  std::optional<std::string> bootstrap_servers;  // -b
  std::optional<std::string> context;            // --context
};

enum class AddressSource : uint8_t { kFlag, kContextFlag, kEnvironment, kCurrentContext, kDefault };
std::string_view to_string(AddressSource source) noexcept;  // "--context", "the current context"

struct ChosenAddress {
  std::string bootstrap_servers;  // not looked at: whoever connects says what is wrong with it
  AddressSource source = AddressSource::kDefault;
  std::string context;  // whose address it is; "" where it is no context's
};

// The file of contexts is read only when it comes to that, so that a damaged one stops nobody who names an address.
// kNotFound: there is no such context; kCorrupt: the file's error.
Result<ChosenAddress> choose_address(const AddressFlags& flags, FileSystem& files);

}  // namespace leat::cli
