// SPDX-License-Identifier: Apache-2.0
#include "rematch/base/bytes.h"

#include <gtest/gtest.h>

namespace rematch {
namespace {

TEST(ParseBytes, TakesPlainBytes) {
  EXPECT_EQ(*parse_bytes("0"), 0);
  EXPECT_EQ(*parse_bytes("1073741824"), 1073741824);
}

TEST(ParseBytes, TellsDecimalFromBinaryUnits) {
  EXPECT_EQ(*parse_bytes("8GiB"), Bytes{8} << 30);
  EXPECT_EQ(*parse_bytes("8GB"), 8'000'000'000);
  EXPECT_EQ(*parse_bytes("1KiB"), 1024);
  EXPECT_EQ(*parse_bytes("1kb"), 1000);
  EXPECT_EQ(*parse_bytes("2TiB"), Bytes{2} << 40);
  EXPECT_EQ(*parse_bytes("7B"), 7);
}

TEST(ParseBytes, KeepsFractionsExactAndRoundsDown) {
  EXPECT_EQ(*parse_bytes("1.5GiB"), Bytes{3} << 29);
  EXPECT_EQ(*parse_bytes("0.1GB"), 100'000'000);
  EXPECT_EQ(*parse_bytes("1.0009KB"), 1000);
  EXPECT_EQ(*parse_bytes("1.5 MiB"), 1572864);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "GiB", "8G", "8 GiBs", "-1", "+1", "1e9", "1.",
                           ".5", "1.2.3", "8GiB ", " 8GiB", "0x10", "nan"}) {
    EXPECT_FALSE(parse_bytes(text).ok()) << text;
  }
}

TEST(ParseBytes, RefusesWhatIsTooLarge) {
  EXPECT_EQ(parse_bytes("5000PiB").error().message,
            "'5000PiB' is more than 4611686018427387904 bytes");
  EXPECT_EQ(*parse_bytes("4096PiB"), kMaxBytes);
}

TEST(FormatBytes, ShowsFourDigitsInTheRightUnit) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.000 KiB");
  EXPECT_EQ(format_bytes(Bytes{15} << 30), "15.00 GiB");
  EXPECT_EQ(format_bytes((Bytes{1} << 30) - 1), "1.000 GiB");
  EXPECT_EQ(format_bytes(Bytes{999} << 30), "999.0 GiB");
  EXPECT_EQ(format_bytes(-2048), "-2.000 KiB");
}

TEST(FormatExact, GroupsDigits) {
  EXPECT_EQ(format_exact(0), "0");
  EXPECT_EQ(format_exact(999), "999");
  EXPECT_EQ(format_exact(1000), "1,000");
  EXPECT_EQ(format_exact(16717054976), "16,717,054,976");
  EXPECT_EQ(format_exact(-123456), "-123,456");
}

}  // namespace
}  // namespace rematch
