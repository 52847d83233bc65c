// catch.h: Catch2, version 2 (Debian 12) or 3 (elsewhere). Tests include this and nothing of Catch2 itself.
#pragma once

#ifdef LEAT_CATCH_3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
