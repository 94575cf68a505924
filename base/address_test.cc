#include "base/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace crest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Refusal(absl::string_view text) {
  const auto address = ParseAddress(text);
  return address.ok() ? "accepted" : std::string(address.status().message());
}

std::string RangeRefusal(absl::string_view text) {
  const auto addresses = ExpandRange(text);
  return addresses.ok() ? "accepted" : std::string(addresses.status().message());
}

TEST(AddressTest, NamesAndPorts) {
  const auto address = ParseAddress("client-1.lab:1234");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "client-1.lab");
  EXPECT_EQ(address->port, 1234);
  EXPECT_EQ(address->ToString(), "client-1.lab:1234");
  EXPECT_EQ(ParseAddress("client1")->ToString(), "client1:7460");
  EXPECT_EQ(ParseAddress("client1", 9460)->ToString(), "client1:9460");
  EXPECT_EQ(ParseAddress("127.0.0.1:0")->port, 0);
  EXPECT_EQ(ParseAddress("a:65535")->port, 65535);
}

TEST(AddressTest, Ipv6) {
  EXPECT_EQ(ParseAddress("[::1]:7461")->ToString(), "[::1]:7461");
  EXPECT_EQ(ParseAddress("[2001:db8::7]")->ToString(), "[2001:db8::7]:7460");
  EXPECT_EQ(ParseAddress("[fe80::1%eth0]:1")->host, "fe80::1%eth0");
  EXPECT_THAT(Refusal("::1"), HasSubstr("[::1]:7460"));
  EXPECT_THAT(Refusal("fe80::1:7460"), HasSubstr("brackets"));
  EXPECT_THAT(Refusal("a:1:2"), HasSubstr("brackets"));
  EXPECT_THAT(Refusal("[::1"), HasSubstr("closing bracket"));
  EXPECT_THAT(Refusal("[client]:1"), HasSubstr("not an IPv6 address"));
  EXPECT_THAT(Refusal("[::1]7460"), HasSubstr("only :port may follow"));
}

TEST(AddressTest, UnixSockets) {
  EXPECT_EQ(ParseAddress("unix:/run/crest/a b.sock")->unix_path, "/run/crest/a b.sock");
  EXPECT_EQ(ParseAddress("unix:///run/x")->ToString(), "unix:/run/x");
  EXPECT_THAT(Refusal("unix:relative"), HasSubstr("absolute"));
  EXPECT_THAT(Refusal("unix:"), HasSubstr("absolute"));
  EXPECT_THAT(Refusal("unix:/" + std::string(107, 'x')), HasSubstr("107 bytes"));
}

TEST(AddressTest, Refusals) {
  EXPECT_THAT(Refusal(""), HasSubstr("empty"));
  EXPECT_THAT(Refusal(":7460"), HasSubstr("host is missing"));
  EXPECT_THAT(Refusal("http://client1:7460"), HasSubstr("URL"));
  EXPECT_THAT(Refusal("client[01-03]:7460"), HasSubstr("range"));
  EXPECT_THAT(Refusal("client 1"), HasSubstr("\\x20"));
  EXPECT_THAT(Refusal("a,b"), HasSubstr("','"));
  EXPECT_THAT(Refusal("a/b"), HasSubstr("'/'"));
  EXPECT_THAT(Refusal("a:"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refusal("a:65536"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refusal("a:+1"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refusal("a:99999999999"), HasSubstr("1 to 65535"));
  EXPECT_THAT(Refusal(std::string(254, 'a')), HasSubstr("253"));
}

TEST(AddressTest, Loopback) {
  for (const char* text :
       {"localhost", "LOCALHOST:1", "127.0.0.1", "127.8.9.1:2", "[::1]", "[::ffff:127.0.0.1]", "unix:/run/x"}) {
    EXPECT_TRUE(ParseAddress(text)->IsLoopback()) << text;
  }
  for (const char* text :
       {"client1", "128.0.0.1", "0.0.0.0", "[::]", "[::ffff:10.0.0.1]", "localhost.example.com", "127.example.com"}) {
    EXPECT_FALSE(ParseAddress(text)->IsLoopback()) << text;
  }
}

TEST(ExpandRangeTest, RangesAndLists) {
  EXPECT_THAT(*ExpandRange("client1:7460"), ElementsAre("client1:7460"));
  EXPECT_THAT(*ExpandRange("c[08-11]:7460"), ElementsAre("c08:7460", "c09:7460", "c10:7460", "c11:7460"));
  EXPECT_THAT(*ExpandRange("c[9-11]"), ElementsAre("c9", "c10", "c11"));
  EXPECT_THAT(*ExpandRange("c[1,4,7-9]x"), ElementsAre("c1x", "c4x", "c7x", "c8x", "c9x"));
  EXPECT_THAT(*ExpandRange("r[1-2]n[01-02]"), ElementsAre("r1n01", "r1n02", "r2n01", "r2n02"));
  const auto all = ExpandRange("client[01-64]:7460");
  ASSERT_EQ(all->size(), 64u);
  EXPECT_EQ(all->front(), "client01:7460");
  EXPECT_EQ(all->back(), "client64:7460");
}

TEST(ExpandRangeTest, AddressesWithBracketsOrPathsAreNoRanges) {
  EXPECT_THAT(*ExpandRange("[2001:db8::1]:7460"), ElementsAre("[2001:db8::1]:7460"));
  EXPECT_THAT(*ExpandRange("unix:/run/[1-3]"), ElementsAre("unix:/run/[1-3]"));
}

TEST(ExpandRangeTest, RefusalsSayHowItIsWritten) {
  EXPECT_THAT(RangeRefusal("client{1...10}:7460"), HasSubstr("client[1-10]:7460"));
  EXPECT_THAT(RangeRefusal("client{01..10}"), HasSubstr("client[01-10]"));
  EXPECT_THAT(RangeRefusal("c[9-1]"), HasSubstr("1-9"));
  EXPECT_THAT(RangeRefusal("c[1-"), HasSubstr("closing bracket"));
  EXPECT_THAT(RangeRefusal("c1]"), HasSubstr("before it"));
  for (const char* text :
       {"c[]", "c[a-b]", "c[1-]", "c[-1]", "c[1--2]", "c[1,,2]", "c[1-2-3]", "c[[1]]", "c[99999999999]"}) {
    EXPECT_THAT(RangeRefusal(text), HasSubstr("[01-64]")) << text;
  }
}

TEST(ExpandRangeTest, Bounded) {
  EXPECT_EQ(ExpandRange("c[1-10000]")->size(), 10000u);
  for (const char* text : {"c[1-10001]", "c[0-999999999]", "c[1-9999,1-9999]", "c[1-200]d[1-200]"}) {
    EXPECT_THAT(RangeRefusal(text), HasSubstr("more than 10000")) << text;
  }
}

}  // namespace
}  // namespace crest
