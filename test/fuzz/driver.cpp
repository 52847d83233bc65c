// driver.cpp: runs a fuzz target without libFuzzer, so that every compiler and every test run does: each file of the
// folders given, each of its prefixes, and each of its bytes flipped. A finding aborts, as it does under libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void run_around(std::vector<uint8_t> bytes) {
  for (size_t size = 0; size <= bytes.size(); ++size) LLVMFuzzerTestOneInput(bytes.data(), size);
  for (uint8_t& byte : bytes) {
    const uint8_t honest = byte;
    for (const int value : {0x00, 0x7f, 0x80, 0xff, honest + 1, honest - 1}) {
      byte = static_cast<uint8_t>(value);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    byte = honest;
  }
}

}  // namespace

int main(int argc, char** argv) {
  size_t files = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      run_around({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
      ++files;
    }
  }
  std::printf("%zu inputs\n", files);
  return files > 0 ? 0 : 1;
}
