#include "base/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace crest {
namespace {

TEST(PrintableTest, KeepsText) {
  EXPECT_EQ(Printable("nfs://filer/a b"), "nfs://filer/a b");
  EXPECT_EQ(Printable("Größe 日本 𝄞"), "Größe 日本 𝄞");
  EXPECT_EQ(Printable(""), "");
}

TEST(PrintableTest, ReplacesWhatSteersATerminal) {
  EXPECT_EQ(Printable("a\x1b[31mb"), "a?[31mb");
  EXPECT_EQ(Printable("a\nb\rc\td\x7f"), "a?b?c?d?");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(Printable("a\xc2\x9b"
                      "31m"),
            "a?31m");  // U+009B, CSI as one character
  EXPECT_EQ(Printable("a\xe2\x80\xae"
                      "b"),
            "a?b");  // U+202E, right to left
  EXPECT_EQ(Printable("a\xe2\x80\xa8"
                      "b"),
            "a?b");  // U+2028, line separator
  EXPECT_EQ(Printable("a\xe2\x81\xa6"
                      "b"),
            "a?b");  // U+2066, isolate
}

TEST(PrintableTest, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(Printable("a\xff"), "a?");
  EXPECT_EQ(Printable("a\x9b"), "a?");               // CSI as Latin-1
  EXPECT_EQ(Printable("a\xc3"), "a?");               // cut short
  EXPECT_EQ(Printable("\xc0\x9b"), "??");            // overlong ESC-like forms
  EXPECT_EQ(Printable("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "????");  // above U+10FFFF
  EXPECT_EQ(Printable("\xe2(b"), "?(b");
}

TEST(PrintableTest, CountsCharacters) {
  EXPECT_EQ(CharacterCount("Größe"), 5u);
  EXPECT_EQ(CharacterCount(""), 0u);
}

}  // namespace
}  // namespace crest
