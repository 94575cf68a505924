// What went over the wire, as tshark sees it.
#ifndef CREST_TESTS_WIRE_CAPTURE_H_
#define CREST_TESTS_WIRE_CAPTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tests/run/program.h"

namespace crest {

/// One NFSv3 call, with its reply where there was one. Nanoseconds since 1970.
struct WireCall {
  int procedure = 0;  // RFC 1813
  int64_t called_ns = 0;
  int64_t replied_ns = 0;  // 0: never

  int64_t service_ns() const { return replied_ns - called_ns; }
};

/// A capture of one port of loopback. Needs root.
class Capture {
 public:
  /// Whether this machine can; otherwise the reason.
  static absl::Status Available();

  /// Returns when it captures.
  static absl::StatusOr<std::unique_ptr<Capture>> Start(uint16_t nfs_port);

  /// Ends it. DataLoss when a packet was dropped.
  absl::Status Stop();

  /// Every call since Start, in the order of calling. After Stop.
  absl::StatusOr<std::vector<WireCall>> Calls() const;

 private:
  explicit Capture(uint16_t nfs_port);

  TemporaryDirectory folder_;
  uint16_t nfs_port_;
  Program dumpcap_;
};

}  // namespace crest

#endif  // CREST_TESTS_WIRE_CAPTURE_H_
