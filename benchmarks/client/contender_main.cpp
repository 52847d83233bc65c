// contender_main.cpp: main() of each contender: an order in, figures out. See order.h.
#include <cstdio>
#include <string>
#include <vector>

#include "benchmarks/client/order.h"

int main(int argc, char** argv) {
  using namespace leat::bench;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const leat::Result<Order> order = parse_order(arguments);
  if (!order) {
    std::fprintf(stderr, "%s: %s\n", argv[0], order.error().context.c_str());
    return 2;
  }
  const leat::Result<Figures> figures = carry_out(*order);
  if (!figures) {
    std::fprintf(stderr, "%s: %s\n", argv[0], figures.error().context.c_str());
    return 1;
  }
  std::fputs(to_text(*figures).c_str(), stdout);
  return 0;
}
