// utf8.h: is this valid UTF-8? Overlong forms, surrogates and code points above U+10FFFF are not.
#pragma once

#include "core/base/bytes.h"

namespace leat {

bool is_utf8(ByteView bytes) noexcept;

}  // namespace leat
