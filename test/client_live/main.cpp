// main.cpp: leat_client_live: the client's public interface, and nothing else, against a live broker. run.py starts
// brokers, makes trouble and runs this; by hand:
//   leat_client_live cases --bootstrap 127.0.0.1:9092 --prefix mine
#include <cstdio>
#include <exception>

#include "test/client_live/commands.h"
#include "test/client_live/require.h"

namespace leat::client_live {
namespace {

void run(const Arguments& arguments) {
  const std::string& command = arguments.command();
  if (command == "load") return load(arguments);
  if (command == "ends") return ends(arguments);
  if (command == "cases") return cases(arguments);
  if (command == "list-cases") return list_cases();
  if (command == "dump") return dump(arguments);
  throw Failed("no command '" + command + "': load, ends, cases, list-cases, dump");
}

}  // namespace
}  // namespace leat::client_live

int main(int argc, char** argv) {
  try {
    leat::client_live::run(leat::client_live::Arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "FAILED: %s\n", error.what());
    return 1;
  }
  return 0;
}
