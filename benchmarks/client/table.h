// table.h: what all contenders reached, row by row, beside librdkafka's figure and what is asked of Leat's client. Each
// figure is the median over the repetitions; a ratio is Leat's median divided by librdkafka's of the same run. Thread:
// main.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace leat::bench {

inline constexpr const char* kPeer = "librdkafka";  // whose figures the others are divided by

// A figure of a row, and what is asked of its ratio; 0: nothing is.
struct Asked {
  enum class Better : uint8_t { kMore, kLess };
  std::string figure;
  std::string words;  // for people
  Better better = Better::kMore;
  double goal = 0;
  double least = 0;  // not done where it is missed
};

class ContenderTable {
 public:
  explicit ContenderTable(std::vector<std::string> contenders) : contenders_(std::move(contenders)) {}

  // One repetition's.
  void add(const std::string& row, const std::vector<Asked>& asked, const std::string& contender,
           const std::string& figure, double value);
  std::string to_text() const;

 private:
  using Values = std::map<std::string, std::map<std::string, std::vector<double>>>;  // by contender and figure
  struct Row {
    std::string name;
    std::vector<Asked> asked;
    Values values;
  };
  static std::string line(const Row& row, const Asked& asked, const std::string& contender);

  std::vector<std::string> contenders_;
  std::vector<Row> rows_;
};

}  // namespace leat::bench
