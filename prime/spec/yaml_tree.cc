#include "prime/spec/yaml_tree.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace crest {
namespace {

constexpr size_t kMaxTextBytes = 1 << 20;
constexpr size_t kMaxNodes = 10000;
constexpr size_t kMaxDepth = 32;

// Length of the UTF-8 sequence at the front of `text`; 0 where it is not one (overlong forms and surrogates are not).
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto is_tail = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return is_tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const unsigned second = byte(1);
    const bool in_range = (lead != 0xE0 || second >= 0xA0) && (lead != 0xED || second < 0xA0);
    return in_range && is_tail(1) && is_tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const unsigned second = byte(1);
    const bool in_range = (lead != 0xF0 || second >= 0x90) && (lead != 0xF4 || second < 0x90);
    return in_range && is_tail(1) && is_tail(2) && is_tail(3) ? 4 : 0;
  }
  return 0;
}

// What a user wrote is quoted in messages: nothing of it may steer a terminal, break the line or fill the screen.
std::string Printable(absl::string_view text) {
  constexpr size_t kMax = 500;
  std::string printable;
  for (const char c : text) {
    if (printable.size() > kMax && (static_cast<unsigned char>(c) & 0xC0u) != 0x80) return printable + "…";
    if (absl::ascii_iscntrl(c)) {
      absl::StrAppend(&printable, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      printable += c;
    }
  }
  return printable;
}

size_t CountNodes(const YamlNode& node) {
  size_t count = 1;
  for (const YamlNode& child : node.children) count += CountNodes(child);
  return count;
}

size_t DepthOf(const YamlNode& node) {
  size_t depth = 0;
  for (const YamlNode& child : node.children) depth = std::max(depth, DepthOf(child));
  return depth + 1;
}

// Turns the parser's marks (lines and byte columns from 0) into places.
class Placer {
 public:
  Placer(absl::string_view text, absl::string_view source, int first_column)
      : text_(text), source_(source), first_column_(first_column) {
    line_starts_.push_back(0);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  Place At(const YAML::Mark& mark) const {
    if (mark.line < 0) return At(0, 0);
    return At(static_cast<size_t>(mark.line), static_cast<size_t>(mark.column));
  }

  // Whether the quote that opens at `mark`, if one does, is closed. The parser itself lets the text's end close it.
  bool IsQuoteClosed(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<size_t>(mark.line) >= line_starts_.size()) return true;
    const size_t start = line_starts_[static_cast<size_t>(mark.line)] + static_cast<size_t>(mark.column);
    if (start >= text_.size() || (text_[start] != '"' && text_[start] != '\'')) return true;
    const char quote = text_[start];
    for (size_t i = start + 1; i < text_.size(); ++i) {
      if (quote == '"' && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        const bool doubled = quote == '\'' && i + 1 < text_.size() && text_[i + 1] == quote;
        if (!doubled) return true;
        ++i;
      }
    }
    return false;
  }

  // Whether nothing but space follows `mark`.
  bool IsAtEnd(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<size_t>(mark.line) >= line_starts_.size()) return true;
    const absl::string_view rest = text_.substr(line_starts_[static_cast<size_t>(mark.line)]);
    const size_t column = std::min(static_cast<size_t>(mark.column), rest.size());
    return absl::StripAsciiWhitespace(rest.substr(column)).empty();
  }

  Place AtOffset(size_t offset) const {
    size_t line = 0;
    while (line + 1 < line_starts_.size() && line_starts_[line + 1] <= offset) ++line;
    return At(line, offset - line_starts_[line]);
  }

 private:
  Place At(size_t line, size_t byte_column) const {
    int column = line == 0 ? first_column_ : 1;
    if (line < line_starts_.size()) {
      const absl::string_view rest = text_.substr(line_starts_[line]);
      for (size_t i = 0; i < byte_column && i < rest.size(); ++i) {
        if ((static_cast<unsigned char>(rest[i]) & 0xC0u) != 0x80) ++column;
      }
    }
    return Place{source_, static_cast<int>(line) + 1, column};
  }

  absl::string_view text_;
  std::string source_;
  int first_column_;
  std::vector<size_t> line_starts_;
};

// Builds the tree from the parser's events. After `full` it ignores all further events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Placer& placer, std::vector<SpecError>& errors) : placer_(placer), errors_(errors) {}

  YamlNode TakeRoot() { return std::move(root_); }
  bool full() const { return full_; }
  /// The innermost list or map that is still open.
  const Place* open_place() const { return open_.empty() ? nullptr : &open_.back().node.place; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) Complain(placer_.At(mark), "a second YAML document begins; a spec is one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode node;
    node.place = placer_.At(mark);
    Finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (full_) return;
    YamlNode node;
    const auto it = anchored_.find(anchor);
    if (it == anchored_.end()) {
      Complain(placer_.At(mark), "an alias cannot stand inside the value that it names");
      node.place = placer_.At(mark);
    } else {
      node = it->second;
      nodes_ += CountNodes(node) - 1;
      if (open_.size() + DepthOf(node) > kMaxDepth) return GiveUp(placer_.At(mark), "is nested deeper than 32 levels");
    }
    Finish(std::move(node), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode node;
    node.kind = YamlNode::Kind::kScalar;
    node.place = placer_.At(mark);
    node.scalar = value;
    node.plain = tag == "?";
    CheckTag(node.place, tag);
    if (!node.plain && !placer_.IsQuoteClosed(mark)) Complain(node.place, "this quote is never closed");
    Finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kList, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Container {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // a map's key was read, its value comes next
    bool drop = false;     // that value is to be dropped
    std::string key;
    Place key_place;
    absl::flat_hash_set<std::string> keys;
  };

  void Complain(Place place, std::string message) {
    if (!full_) errors_.push_back({std::move(place), std::move(message)});
  }

  void GiveUp(Place place, absl::string_view why) {
    Complain(std::move(place), absl::StrCat("the YAML ", why, "; a spec needs far less"));
    full_ = true;
  }

  void CheckTag(const Place& place, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || absl::StartsWith(tag, "tag:yaml.org,2002:")) return;
    Complain(place, absl::StrCat("unknown tag '", tag, "'; leave it out"));
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (full_) return;
    Container container;
    container.node.kind = kind;
    container.node.place = placer_.At(mark);
    container.anchor = anchor;
    CheckTag(container.node.place, tag);
    if (open_.size() >= kMaxDepth) return GiveUp(container.node.place, "is nested deeper than 32 levels");
    open_.push_back(std::move(container));
  }

  void Close() {
    if (full_ || open_.empty()) return;
    Container container = std::move(open_.back());
    open_.pop_back();
    Finish(std::move(container.node), container.anchor);
  }

  // Puts a whole value where it belongs: root, list item, map key or map value.
  void Finish(YamlNode node, YAML::anchor_t anchor) {
    if (full_) return;
    if (++nodes_ > kMaxNodes) return GiveUp(node.place, "holds more than 10,000 values");
    if (anchor != 0) anchored_[anchor] = node;
    if (open_.empty()) {
      if (documents_ <= 1) root_ = std::move(node);
      return;
    }
    Container& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kMap && !parent.has_key) {
      TakeKey(parent, node);
      return;
    }
    if (parent.node.kind == YamlNode::Kind::kMap) {
      parent.has_key = false;
      if (parent.drop) return;
      node.key = std::move(parent.key);
      node.key_place = std::move(parent.key_place);
      if (node.kind == YamlNode::Kind::kNull) node.place = node.key_place;
    }
    parent.node.children.push_back(std::move(node));
  }

  void TakeKey(Container& map, const YamlNode& node) {
    map.has_key = true;
    map.drop = true;
    if (node.kind != YamlNode::Kind::kScalar || node.scalar.empty()) {
      Complain(node.place, absl::StrCat("a key has to be a word, but this one is ",
                                        node.kind == YamlNode::Kind::kScalar ? "empty" : KindName(node.kind)));
      return;
    }
    if (!map.keys.insert(node.scalar).second) {
      Complain(node.place, absl::StrCat("'", node.scalar, "' is set twice in this map; remove one of them"));
      return;
    }
    map.drop = false;
    map.key = node.scalar;
    map.key_place = node.place;
  }

  const Placer& placer_;
  std::vector<SpecError>& errors_;
  std::vector<Container> open_;
  std::map<YAML::anchor_t, YamlNode> anchored_;
  YamlNode root_;
  size_t nodes_ = 0;
  int documents_ = 0;
  bool full_ = false;
};

// The first byte that YAML text may not hold, or npos.
size_t FindBadByte(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text.substr(i));
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    if (length == 0 || control || byte == 0x7F) return i;
    i += length;
  }
  return absl::string_view::npos;
}

}  // namespace

std::string SpecError::ToString() const {
  return absl::StrCat(Printable(place.source), ":", place.line, ":", place.column, ": ", Printable(message));
}

YamlNode* YamlNode::Child(absl::string_view name) {
  for (YamlNode& child : children) {
    if (kind == Kind::kMap && child.key == name) return &child;
  }
  return nullptr;
}

const YamlNode* YamlNode::Child(absl::string_view name) const { return const_cast<YamlNode*>(this)->Child(name); }

absl::string_view KindName(YamlNode::Kind kind) {
  switch (kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return "a single value";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "";
}

bool IsTextWithoutControls(absl::string_view text) { return FindBadByte(text) == absl::string_view::npos; }

YamlNode ParseYaml(absl::string_view text, absl::string_view source, std::vector<SpecError>& errors, int first_column) {
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const Placer placer(text, source, first_column);
  if (text.size() > kMaxTextBytes) {
    errors.push_back({placer.AtOffset(0), "the file is larger than 1 MiB; is it a spec?"});
    return {};
  }
  if (const size_t bad = FindBadByte(text); bad != absl::string_view::npos) {
    errors.push_back({placer.AtOffset(bad), "a byte that UTF-8 text does not hold; is it a spec, saved as UTF-8?"});
    return {};
  }
  TreeBuilder builder(placer, errors);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (!builder.full() && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    // What is missing at the end of the text (or has no mark) was left open where it began.
    const bool no_mark = e.mark.line <= 0 && e.mark.column <= 0;
    const bool left_open = (no_mark || placer.IsAtEnd(e.mark)) && builder.open_place() != nullptr;
    const Place place = left_open ? *builder.open_place() : placer.At(e.mark);
    errors.push_back({place, absl::StrCat("wrong YAML: ", e.msg, "; check the indentation, brackets and quotes here")});
  } catch (const std::exception& e) {
    errors.push_back({placer.AtOffset(0), absl::StrCat("wrong YAML: ", e.what())});
  }
  return builder.TakeRoot();
}

}  // namespace crest
