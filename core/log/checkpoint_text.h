// checkpoint_text.h: the text format that Apache Kafka's checkpoint files share, and the files of a number for each
// partition that a log directory keeps (log_directory.h): offsets, and leader epochs.
//   file := version "\n" count "\n" line*        version is 0; a line of theirs is: topic " " partition " " number
// Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/strong.h"
#include "core/base/topic_partition.h"

namespace leat {

// The lines behind the head, which is checked: version, and as many lines as it says. Views into `text`.
Result<std::vector<std::string_view>> checkpoint_lines(std::string_view text, std::string_view path);

using OffsetCheckpoint = std::map<TopicPartition, Offset>;
Result<OffsetCheckpoint> decode_offset_checkpoint(std::string_view text, std::string_view path);
std::string encode_offset_checkpoint(const OffsetCheckpoint& offsets);

using EpochCheckpoint = std::map<TopicPartition, int32_t>;
Result<EpochCheckpoint> decode_epoch_checkpoint(std::string_view text, std::string_view path);
std::string encode_epoch_checkpoint(const EpochCheckpoint& epochs);

}  // namespace leat
