// contexts_address.cpp: flags, environment and the file, in their order.
#include "cli/contexts_address.h"

#include <cstdlib>

#include "cli/contexts.h"

namespace leat::cli {
namespace {

Result<ChosenAddress> of_context(const std::string& name, FileSystem& files) {
  TRY(path, context_file_path());
  TRY(contexts, load_contexts(files, path));
  TRY(found, contexts.find(name));
  return ChosenAddress{
      .bootstrap_servers = found.bootstrap_servers, .source = AddressSource::kContextFlag, .context = found.name};
}

Result<ChosenAddress> of_current_context(FileSystem& files) {
  const ChosenAddress otherwise{.bootstrap_servers = kDefaultAddress, .source = AddressSource::kDefault, .context = {}};
  const Result<std::string> path = context_file_path();
  if (!path) return otherwise;  // no home, no contexts
  TRY(contexts, load_contexts(files, *path));
  TRY(current, contexts.current_context());
  if (!current) return otherwise;
  return ChosenAddress{.bootstrap_servers = current->bootstrap_servers,
                       .source = AddressSource::kCurrentContext,
                       .context = current->name};
}

}  // namespace

std::string_view to_string(AddressSource source) noexcept {
  switch (source) {
    case AddressSource::kFlag:
      return "-b";
    case AddressSource::kContextFlag:
      return "--context";
    case AddressSource::kEnvironment:
      return kAddressVariable;
    case AddressSource::kCurrentContext:
      return "the current context";
    case AddressSource::kDefault:
      break;
  }
  return "the default";
}

Result<ChosenAddress> choose_address(const AddressFlags& flags, FileSystem& files) {
  if (flags.bootstrap_servers) {
    return ChosenAddress{.bootstrap_servers = *flags.bootstrap_servers, .source = AddressSource::kFlag, .context = {}};
  }
  if (flags.context) return of_context(*flags.context, files);
  const char* const variable = std::getenv(kAddressVariable);
  if (variable != nullptr && *variable != '\0') {
    return ChosenAddress{.bootstrap_servers = variable, .source = AddressSource::kEnvironment, .context = {}};
  }
  return of_current_context(files);
}

}  // namespace leat::cli
