#include "base/units.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace crest {
namespace {

using ::testing::HasSubstr;

TEST(ParseBytesTest, ReadsPowersOfTwo) {
  for (const char* text : {"4k", "4K", "4KiB", "4 KiB", "4kib", " 4096 ", "4096B", "4096", "4.0k"}) {
    const auto bytes = ParseBytes(text);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ(*bytes, 4096) << text;
  }
  EXPECT_EQ(*ParseBytes("120MiB"), 120.0 * 1024 * 1024);
  EXPECT_EQ(*ParseBytes("1.5g"), 1.5 * 1024 * 1024 * 1024);
  EXPECT_EQ(*ParseBytes("2T"), 0x1p41);
  EXPECT_EQ(*ParseBytes("0"), 0);
  EXPECT_EQ(*ParseBytes("8PiB"), 0x1p53);
}

TEST(ParseBytesTest, RefusesTheAmbiguousWithBothSpellings) {
  const auto bytes = ParseBytes("4kB");
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("4KiB"));
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr("4000,"));
  EXPECT_THAT(std::string(ParseBytes("1.5 MB").status().message()), HasSubstr("1500000,"));
  EXPECT_FALSE(ParseBytes("4KB").ok());
}

TEST(ParseBytesTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", " ", "-1", "-4k", "nan", "inf", "0x10", "k", ".", "4x", "4kk", "4k 1", "9PiB", "1e400",
                           "4\xc2\xa0k", "1,000"}) {
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
  }
}

TEST(ParseDurationTest, ReadsUnitsAndSums) {
  EXPECT_EQ(*ParseDuration("300s"), absl::Seconds(300));
  EXPECT_EQ(*ParseDuration("300"), absl::Seconds(300));
  EXPECT_EQ(*ParseDuration("1m30s"), absl::Seconds(90));
  EXPECT_EQ(*ParseDuration("1m 30s"), absl::Seconds(90));
  EXPECT_EQ(*ParseDuration("20ms"), absl::Milliseconds(20));
  EXPECT_EQ(*ParseDuration("50us"), absl::Microseconds(50));
  EXPECT_EQ(*ParseDuration("50 µs"), absl::Microseconds(50));
  EXPECT_EQ(*ParseDuration("7ns"), absl::Nanoseconds(7));
  EXPECT_EQ(*ParseDuration("1h"), absl::Hours(1));
  EXPECT_EQ(*ParseDuration("1.5h"), absl::Minutes(90));
  EXPECT_EQ(*ParseDuration("0.1"), absl::Milliseconds(100));
  EXPECT_EQ(*ParseDuration("0"), absl::ZeroDuration());
}

TEST(ParseDurationTest, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "-1s", "inf", "nan", "s", "1x", "1m30", "1m s", "5 minutes", "1e300h", "1s-2s", "1M"}) {
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
  }
  EXPECT_THAT(std::string(ParseDuration("5 sec").status().message()), HasSubstr("\"sec\""));
}

TEST(ParsePercentTest, NeedsTheSign) {
  EXPECT_DOUBLE_EQ(*ParsePercent("70%"), 0.7);
  EXPECT_DOUBLE_EQ(*ParsePercent("0.1 %"), 0.001);
  EXPECT_EQ(*ParsePercent("100%"), 1);
  EXPECT_EQ(*ParsePercent("0%"), 0);
  EXPECT_THAT(std::string(ParsePercent("0.7").status().message()), HasSubstr("70%"));
  for (const char* text : {"", "70", "-1%", "100.1%", "%", "70%%", "70percent"}) {
    EXPECT_FALSE(ParsePercent(text).ok()) << text;
  }
}

TEST(ParseRateTest, ReadsPowersOfTen) {
  EXPECT_EQ(*ParseRate("5000"), 5000);
  EXPECT_EQ(*ParseRate("12.5k"), 12500);
  EXPECT_EQ(*ParseRate("12.5K"), 12500);
  EXPECT_EQ(*ParseRate("1M"), 1e6);
  EXPECT_EQ(*ParseRate("1e6"), 1e6);
  EXPECT_EQ(*ParseRate("5000 op/s"), 5000);
  EXPECT_EQ(*ParseRate("5k ops/s"), 5000);
  EXPECT_EQ(*ParseRate("5k/s"), 5000);
  for (const char* text : {"", "-5", "5m", "5 iops", "5kk", "inf", "5G", "ops/s"}) {
    EXPECT_FALSE(ParseRate(text).ok()) << text;
  }
  EXPECT_THAT(std::string(ParseRate("5m").status().message()), HasSubstr("M for millions"));
}

TEST(FormatTest, Bytes) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(512), "512 B");
  EXPECT_EQ(FormatBytes(120.0 * 1024 * 1024), "120 MiB");
  EXPECT_EQ(FormatBytes(531.02 * 1024), "531.0 KiB");
  EXPECT_EQ(FormatBytes(1023.96 * 1024), "1.000 MiB");
  EXPECT_EQ(FormatBytes(1.5 * 1024 * 1024 * 1024), "1.500 GiB");
}

TEST(FormatTest, Durations) {
  EXPECT_EQ(crest::FormatDuration(absl::Seconds(90)), "1m 30s");
  EXPECT_EQ(crest::FormatDuration(absl::Seconds(300)), "5m");
  EXPECT_EQ(crest::FormatDuration(absl::Minutes(61)), "1h 1m");
  EXPECT_EQ(crest::FormatDuration(absl::Hours(2)), "2h");
  EXPECT_EQ(crest::FormatDuration(absl::Milliseconds(20)), "20 ms");
  EXPECT_EQ(crest::FormatDuration(absl::Milliseconds(1500)), "1.5 s");
  EXPECT_EQ(crest::FormatDuration(absl::Microseconds(50)), "50 µs");
  EXPECT_EQ(crest::FormatDuration(absl::Nanoseconds(999'960)), "1 ms");
  EXPECT_EQ(crest::FormatDuration(absl::Nanoseconds(12)), "12 ns");
  EXPECT_EQ(crest::FormatDuration(absl::ZeroDuration()), "0 s");
  EXPECT_EQ(crest::FormatDuration(-absl::Seconds(2)), "-2 s");
  EXPECT_EQ(crest::FormatDuration(absl::Milliseconds(59'990)), "1m");
  EXPECT_EQ(crest::FormatDuration(absl::InfiniteDuration()), "forever");
}

TEST(FormatTest, WhatIsWrittenCanBeRead) {
  for (const absl::Duration d : {absl::Seconds(90), absl::Milliseconds(20), absl::Microseconds(50), absl::Hours(3)}) {
    EXPECT_EQ(*ParseDuration(crest::FormatDuration(d)), d);
  }
  EXPECT_EQ(*ParseBytes(FormatBytes(120.0 * 1024 * 1024)), 120.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*ParsePercent(FormatPercent(0.26)), 0.26);
}

TEST(FormatTest, RatesAndPercents) {
  EXPECT_EQ(FormatRate(0), "0.0");
  EXPECT_EQ(FormatRate(12.34), "12.3");
  EXPECT_EQ(FormatRate(999.96), "1,000");
  EXPECT_EQ(FormatRate(12345.4), "12,345");
  EXPECT_EQ(FormatRate(1234567), "1,234,567");
  EXPECT_EQ(FormatRate(-123456), "-123,456");
  EXPECT_EQ(FormatPercent(0.26), "26 %");
  EXPECT_EQ(FormatPercent(0.0031), "0.31 %");
  EXPECT_EQ(FormatPercent(0.99951), "100 %");
  EXPECT_EQ(FormatPercent(0), "0 %");
  EXPECT_EQ(FormatPercent(1), "100 %");
}

}  // namespace
}  // namespace crest
