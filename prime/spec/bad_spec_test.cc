// Specs that are wrong: each is refused with a message at the right line and column, whatever it holds.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/spec/spec.h"

namespace crest {
namespace {

using ::testing::HasSubstr;

// The spec that all cases start from. Each replaces one of its lines.
constexpr char kName[] = "name: first";
constexpr char kTarget[] = "target: nfs://filer/export";
constexpr char kWorkload[] = "workload: sfs2008-nfs";
constexpr char kAgents[] = "agents: [client1, client2]";
constexpr char kLoad[] = "load: {peak: 5000}";

std::string Good() { return absl::StrCat(kName, "\n", kTarget, "\n", kWorkload, "\n", kAgents, "\n", kLoad, "\n"); }

struct BadCase {
  const char* line;         // of the good spec
  const char* replacement;  // '@' marks where the error is to be found
  const char* message;      // a part of it
};

constexpr BadCase kBadCases[] = {
    // Syntax.
    {kLoad, "load: @{peak: 5000", "wrong YAML"},
    {kLoad, "load: {peak: 5000@]}", "wrong YAML"},
    {kName, "name: a@: b", "wrong YAML"},
    {kName, "name: @\"first", "this quote is never closed"},
    {kName, "name: @*nowhere", "wrong YAML"},
    {kName, "name: one\n@name: two", "set twice"},
    {kLoad, "load: {peak: 5000, @peak: 1}", "set twice"},
    {kName, "name: @!mine first", "unknown tag"},
    {kName, "@[a, b]: first", "a key has to be a word"},
    {kName, "name: first\x01", "UTF-8"},
    // Keys.
    {kName, "@nmae: first", "unknown key 'nmae'; did you mean 'name'?"},
    {kLoad, "load:\n  @pek: 5000", "unknown key 'pek' in 'load'; did you mean 'peak'?"},
    {kLoad, "load: {peak: 5000, @elephant: 1}", "known here: plan, points, peak, rates"},
    {kLoad, "@peak: 5000", "write it under 'load'"},
    {kWorkload, "workload: {profile: sfs2008-nfs, file_set: {@acessed: 30%}}", "did you mean 'accessed'?"},
    {kName, "@format_version: 1", "is filled in by crest"},
    {kWorkload, "workload: {profile: sfs2008-nfs, file_set: {@profile_bytes_per_op_rate: 1}}", "filled in by crest"},
    // Figures of the system under test.
    {kName, "observe: {prometheus: @\"ftp://m\", queries: {a: up}}", "only http and https are spoken"},
    {kName, "observe: {prometheus: @\"http://me:x@m\", queries: {a: up}}", "~/.netrc"},
    {kName, "observe: {prometheus: @monitor, queries: {a: up}}", "is no URL"},
    {kName, "@observe: {queries: {a: up}}", "'observe.prometheus': is missing"},
    {kName, "@observe: {prometheus: \"http://m\"}", "'observe.queries': is missing"},
    {kName, "observe: {prometheus: \"http://m\", queries: {a: @\"\"}}", "must be PromQL"},
    {kName, "observe: {prometheus: \"http://m\", queries: {@\"a\\nb\": up}}", "must be 1 to 60 bytes"},
    {kName, "observe: {prometheus: \"http://m\", queries: {a: up, @a: up}}", "set twice"},
    {kName, "observe: {prometheus: \"http://m\", queries: [{name: a, query: up}, {name: @a, query: up}]}",
     "is given twice"},
    // Kinds of values.
    {kName, "@name:", "'name' has no value"},
    {kName, "@name: [a]", "a list where a single value belongs"},
    {kLoad, "load: @5000", "a single value where a map belongs"},
    {kLoad, "@load: [5000]", "a list where a map belongs"},
    {kName, "system: @filer-a", "a single value where a map belongs"},
    {kAgents, "agents: [client1, @~]", "an entry without a value"},
    {kName, "seed: @-1", "not a whole number"},
    {kName, "seed: @1.5", "not a whole number"},
    {kName, "seed: @0", "at least 1"},
    {kName, "seed: @4294967296", "not a whole number"},
    // Units.
    {kLoad, "load: {peak: @5 MiB}", "operations a second"},
    {kLoad, "load: {peak: 5000, measure: @5 parsecs}", "unknown unit"},
    {kLoad, "load: {peak: 5000, warmup: @-5s}", "-5s"},
    {kLoad, "load: {peak: 5000, warmup: @9000h}", "longer than a year"},
    {kName, "limit: {errors: @0.01}", "%"},
    {kName, "limit: {errors: @101%}", "101"},
    {kWorkload, "workload: {profile: sfs2008-nfs, transfer_size: @32kB}", "32"},
    {kWorkload, "workload: {profile: sfs2008-nfs, file_set: {bytes_per_op_rate: @1e400}}", "1e400"},
    // Load.
    {kLoad, "load: {peak: @0}", "above 0"},
    {kLoad, "load: {peak: @-1}", "peak"},
    {kLoad, "load: {peak: @nan}", "nan"},
    {kLoad, "load: {peak: @2000M}", "1,000,000,000"},
    {kLoad, "load: {peak: @auto}", "give the highest rate to request, as in peak: 5000"},
    {kLoad, "@load: {points: 10}", "'load.peak': is missing"},
    {kLoad, "load: {peak: 5000, points: @0}", "1 to 1,000"},
    {kLoad, "load: {peak: 5000, points: @1001}", "1 to 1,000"},
    {kLoad, "load: {peak: 5000, measure: @0}", "above 0"},
    {kLoad, "load: {peak: 5000, max_backlog: @0s}", "above 0"},
    {kLoad, "load: {peak: 5000, streams: @0}", "at least 1"},
    {kLoad, "load: {peak: 5000, streams: @1000001}", "1,000,000"},
    {kLoad, "load: {peak: 5000, streams: @100000}", "give at most"},
    {kLoad, "load: {plan: @curv, peak: 5000}", "did you mean 'curve'?"},
    {kLoad, "load: {plan: @unspecified, peak: 5000}", "known here: curve, steps"},
    {kLoad, "@load: {plan: steps}", "'load.rates': is missing"},
    {kLoad, "load: {plan: steps, rates: [1000, @0]}", "above 0"},
    {kLoad, "load: {plan: steps, rates: 1000, peak: @5000}", "belongs to plan: curve"},
    {kLoad, "load: {plan: steps, rates: 1000, points: @10}", "belongs to plan: curve"},
    {kLoad, "load:\n  peak: 5000\n  @rates: [1, 2]", "belongs to plan: steps"},
    // Limit.
    {kName, "limit: {mean: @0}", "above 0"},
    {kName, "limit: {mean: @-20ms}", "-20ms"},
    {kName, "limit: {p99: @0ms}", "above 0"},
    // Targets and agents.
    {kTarget, "target: @filer:/export", "write nfs://filer/export"},
    {kTarget, "target: [nfs://filer/export, @\"file:///mnt\"]", "one scheme"},
    {kTarget, "target: @nfs://filer", "the export is missing"},
    {kAgents, "agents: [client1, @client1]", "listed twice"},
    {kAgents, "agents: [\"client[1-3]\", @\"client[3-4]\"]", "listed twice"},
    {kAgents, "agents: [@\"client1:99999\"]", "99999"},
    {kAgents, "agents: [@\"client{1...3}\"]", "client[1-3]"},
    {kAgents, "agents: [{@adress: client1}]", "did you mean 'address'?"},
    // Workload.
    {kWorkload, "workload: @sfs2008-nsf", "did you mean 'sfs2008-nfs'?"},
    {kWorkload, "workload: {profile: @specsfs}", "known here: "},
    {kWorkload, "workload: {profile: sfs2008-nfs, @mix: {READ: 60%, WRITE: 30%}}", "100"},
    {kWorkload, "workload: {profile: sfs2008-nfs, mix: {READ: 60%, @WRIET: 40%}}", "did you mean 'write'?"},
    {kWorkload, "workload: {profile: sfs2008-nfs, mix: {READ: 60%, @READ: 40%}}", "set twice"},
    {kWorkload, "workload: {profile: sfs2008-nfs, mix: {READ: @60}}", "%"},
    {kWorkload, "workload: {profile: sfs2008-nfs, read_size: {@8Qi: 100%}}", "8Qi"},
};

// The text without its '@', and where that stood.
std::string TakeMark(const std::string& marked, int& line, int& column) {
  const size_t at = marked.find('@');
  line = column = 1;
  if (at == std::string::npos) return marked;
  for (size_t i = 0; i < at; ++i) {
    column = marked[i] == '\n' ? 1 : column + 1;
    line += marked[i] == '\n' ? 1 : 0;
  }
  return marked.substr(0, at) + marked.substr(at + 1);
}

TEST(BadSpec, IsRefusedAtItsPlaceWithWhatToDo) {
  for (const BadCase& bad : kBadCases) {
    const std::string marked = absl::StrReplaceAll(Good(), {{bad.line, bad.replacement}});
    int line, column;
    const std::string text = TakeMark(marked, line, column);
    const ParsedSpec parsed = ParseSpec(text, "f.yaml");
    ASSERT_FALSE(parsed.ok()) << "accepted: " << text;
    const bool has_mark = marked != text;
    bool found = false;
    for (const SpecError& error : parsed.errors) {
      found = found || (absl::StrContains(error.message, bad.message) &&
                        (!has_mark || error.place == Place{"f.yaml", line, column}));
    }
    EXPECT_TRUE(found) << text << "wanted " << line << ":" << column << ": … " << bad.message << " …, got\n"
                       << parsed.status().message();
    EXPECT_EQ(parsed.errors.size(), 1u) << text << parsed.status().message();
  }
}

TEST(BadSpec, HasAllItsErrorsToldAtOnceInOrder) {
  const ParsedSpec parsed = ParseSpec(
      "nmae: x\ntarget: filer\nworkload: {profile: sfs2008-nfs, append: 2}\nload:\n  peak: 0\n  measure: 0\n"
      "limit: {mean: soon}\nagents: [a, a]\n",
      "f.yaml");
  std::vector<int> lines;
  for (const SpecError& error : parsed.errors) lines.push_back(error.place.line);
  EXPECT_THAT(lines, ::testing::ElementsAre(1, 2, 3, 5, 6, 7, 8)) << parsed.status().message();
  const std::vector<std::string> text = absl::StrSplit(std::string(parsed.status().message()), '\n');
  EXPECT_EQ(text.size(), parsed.errors.size());
}

TEST(BadSpec, EmptyTextNamesWhatIsMissing) {
  for (const char* text : {"", "\n", "# nothing\n", "---\n", "{}"}) {
    const std::string message(ParseSpec(text, "f.yaml").status().message());
    EXPECT_THAT(message, HasSubstr("f.yaml:1:1: 'target': is missing")) << text;
    EXPECT_THAT(message, HasSubstr("'workload': is missing")) << text;
    EXPECT_THAT(message, HasSubstr("'load.peak': is missing")) << text;
  }
}

TEST(BadSpec, OtherThanAMapIsRefused) {
  for (const char* text : {"word", "[a, b]", "5", "\"\""}) {
    const ParsedSpec parsed = ParseSpec(text, "f.yaml");
    ASSERT_EQ(parsed.errors.size(), 1u) << parsed.status();
    EXPECT_THAT(parsed.errors[0].message, HasSubstr("where a map belongs"));
  }
}

// One change somewhere in the text: a byte replaced, removed or added, a piece doubled, cut, or swapped for another
// word.
std::string Mutate(std::string text, Random& random) {
  static constexpr const char* kWords[] = {"auto", "-1",   "0",        "1e309", "~",    "[",    "]",   "{",
                                           "}",    ":",    ",",        "'",     "\"",   "&a",   "*a",  "!!binary",
                                           "|\n",  ">-",   "\t",       "\n",    "---",  "...",  "%",   "nan",
                                           ".inf", "0x10", "\xC3\xA9", "\xFF",  "#",    "? ",   "- ",  "\r",
                                           "  ",   "<<: ", "60%",      "4kB",   "READ", "peak", "mix", "\0x"};
  const size_t at = random.Below(text.size() + 1);
  const size_t length = random.Below(std::min<size_t>(text.size() - at, 12) + 1);
  const char* word = kWords[random.Below(std::size(kWords))];
  switch (random.Below(4)) {
    case 0:
      return text.insert(at, word);
    case 1:
      return text.replace(at, length, word);
    case 2:
      return text.erase(at, length);
    default:
      return text.insert(random.Below(text.size() + 1), text.substr(at, length));
  }
}

// Refused with places within the text or accepted; the same each time.
void ExpectOrderly(const std::string& text) {
  const ParsedSpec parsed = ParseSpec(text, "f.yaml");
  const ParsedSpec again = ParseSpec(text, "f.yaml");
  EXPECT_EQ(parsed.status(), again.status());
  EXPECT_EQ(parsed.spec.ShortDebugString(), again.spec.ShortDebugString());
  const int lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  for (const SpecError& error : parsed.errors) {
    EXPECT_EQ(error.place.source, "f.yaml");
    EXPECT_GE(error.place.line, 1) << text;
    EXPECT_LE(error.place.line, lines) << text;
    EXPECT_GE(error.place.column, 1) << text;
    EXPECT_FALSE(error.message.empty());
  }
  if (parsed.ok()) {
    EXPECT_GT(parsed.streams, 0u);
    EXPECT_FALSE(parsed.rates.empty());
  }
}

TEST(BadSpec, MutationsAreRefusedOrAcceptedNeverWorse) {
  const std::string whole = absl::StrCat(Good(), R"(
workload2: &w
  mix: {READ: 60%, WRITE: 40%}
limit: {mean: 20ms, p99: 50ms, errors: 1%}
system: {vendor: A, notes: [a, "b\n", 1.5]}
)");
  const std::string good = absl::StrReplaceAll(whole, {{"workload2: &w\n  mix: {READ: 60%, WRITE: 40%}\n", ""}});
  int refused = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(MixKey(seed));
    std::string text = seed % 3 == 0 ? whole : good;
    for (uint64_t i = 0; i <= random.Below(3); ++i) text = Mutate(std::move(text), random);
    SCOPED_TRACE(seed);
    ExpectOrderly(text);
    refused += ParseSpec(text, "f.yaml").ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1490);
}

TEST(BadSpec, RandomBytesAreRefused) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(MixKey(seed, 1));
    std::string text(random.Below(200), '\0');
    // Half of them of YAML's own characters alone, which come further.
    static constexpr absl::string_view kYaml = "a:b -,[]{}#&*!|>'\"%@`?~\n\t0.";
    for (char& c : text) c = seed % 2 == 0 ? static_cast<char>(random.Below(256)) : kYaml[random.Below(kYaml.size())];
    SCOPED_TRACE(seed);
    ExpectOrderly(text);
    EXPECT_FALSE(ParseSpec(text, "f.yaml").ok());
  }
}

TEST(BadSpec, AbsurdSizesAreBounded) {
  EXPECT_THAT(std::string(ParseSpec(std::string((1 << 20) + 1, ' '), "f").status().message()), HasSubstr("1 MiB"));
  std::string many = "system:\n";
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&many, "  k", i, ": v\n");
  EXPECT_THAT(std::string(ParseSpec(many, "f").status().message()), HasSubstr("10,000 values"));
  EXPECT_FALSE(ParseSpec(std::string(1 << 19, '{'), "f").ok());
  EXPECT_FALSE(ParseSpec(absl::StrCat("agents: [", std::string(1 << 19, 'a'), "]"), "f").ok());
}

}  // namespace
}  // namespace crest
