// What checks find wrong with fields of a message that was read from YAML.
#ifndef CREST_PRIME_SPEC_COMPLAINTS_H_
#define CREST_PRIME_SPEC_COMPLAINTS_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "prime/spec/message_reader.h"
#include "prime/spec/yaml_tree.h"

namespace crest {

/// Collects them at the places where the fields were written. A field that could not be read is not complained about
/// again.
class Complaints {
 public:
  Complaints(const FieldPlaces& places, std::vector<SpecError>& errors) : places_(places), errors_(errors) {}

  /// `path` as in FieldPlaces; the message is prefixed with it.
  template <typename... Args>
  void Add(const std::string& path, const Args&... message) {
    if (places_.IsWrong(path)) return;
    errors_.push_back({places_.Find(path), absl::StrCat("'", path, "': ", message...)});
  }

  bool WasWritten(const std::string& path) const { return places_.Has(path); }
  bool any() const { return !errors_.empty(); }

 private:
  const FieldPlaces& places_;
  std::vector<SpecError>& errors_;
};

}  // namespace crest

#endif  // CREST_PRIME_SPEC_COMPLAINTS_H_
