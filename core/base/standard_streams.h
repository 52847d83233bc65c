// standard_streams.h: the descriptors 0, 1 and 2 are there. A process that was started without one of them
// (`leatd 2>&-`) would give its number to whatever it opens next, and write its log, or its output, into that.
// Thread: before there is another.
#pragma once

namespace leat {

// Puts /dev/null in the place of each that is closed, for reading only: there is no input, and what is written fails
// with EBADF, as it would have. Called first of all in main, before anything is opened.
void fill_standard_streams() noexcept;

}  // namespace leat
