#include "tests/wire/capture.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"

namespace crest {
namespace {

constexpr absl::string_view kDumpcap = "/usr/bin/dumpcap";
constexpr absl::string_view kTshark = "/usr/bin/tshark";
constexpr absl::string_view kBufferMib = "64";

using Key = std::pair<std::string, std::string>;  // TCP stream, xid

// "1796098002.162065267", which a double cannot hold.
bool ParseTime(absl::string_view text, int64_t& ns) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  int64_t seconds = 0;
  int64_t fraction = 0;
  if (parts.second.size() != 9 || !absl::SimpleAtoi(parts.first, &seconds)) return false;
  if (!absl::SimpleAtoi(parts.second, &fraction)) return false;
  ns = seconds * 1'000'000'000 + fraction;
  return true;
}

// One frame: time, stream, and for each RPC message in it type, xid and procedure. False when they do not fit together.
bool AddFrame(absl::string_view line, std::map<Key, WireCall>& calls) {
  const std::vector<std::string> fields = absl::StrSplit(line, '\t');
  int64_t time_ns = 0;
  if (fields.size() != 5 || !ParseTime(fields[0], time_ns)) return false;
  const std::vector<std::string> types = absl::StrSplit(fields[2], ',');
  const std::vector<std::string> xids = absl::StrSplit(fields[3], ',');
  const std::vector<std::string> procedures = absl::StrSplit(fields[4], ',');
  if (types.size() != xids.size() || types.size() != procedures.size()) return false;
  for (size_t i = 0; i < types.size(); ++i) {
    const Key key(fields[1], xids[i]);
    if (types[i] == "0") {
      WireCall call{.called_ns = time_ns};
      if (!absl::SimpleAtoi(procedures[i], &call.procedure) || !calls.emplace(key, call).second) return false;
    } else {
      const auto called = calls.find(key);
      if (called == calls.end() || called->second.replied_ns != 0) return false;
      called->second.replied_ns = time_ns;
    }
  }
  return true;
}

}  // namespace

absl::Status Capture::Available() {
  for (const absl::string_view program : {kDumpcap, kTshark}) {
    if (access(std::string(program).c_str(), X_OK) != 0) {
      return absl::FailedPreconditionError(absl::StrCat(program, " is missing: apt install tshark"));
    }
  }
  return absl::OkStatus();
}

Capture::Capture(uint16_t nfs_port)
    : nfs_port_(nfs_port),
      dumpcap_({std::string(kDumpcap), "-i", "lo", "-f", absl::StrCat("tcp port ", nfs_port), "-B",
                std::string(kBufferMib), "-w", folder_.path() + "/wire.pcapng", "-q"}) {}

absl::StatusOr<std::unique_ptr<Capture>> Capture::Start(uint16_t nfs_port) {
  std::unique_ptr<Capture> capture(new Capture(nfs_port));
  if (!capture->dumpcap_.WaitForText("File: ", absl::Seconds(20))) {
    return absl::UnavailableError(absl::StrCat("dumpcap does not start: ", capture->dumpcap_.err()));
  }
  return capture;
}

absl::Status Capture::Stop() {
  absl::SleepFor(absl::Milliseconds(500));  // the kernel hands packets over in blocks, the last when its time is up
  dumpcap_.Signal(SIGINT);
  const Ended ended = dumpcap_.Wait();
  // "Packets received/dropped on interface 'Loopback: lo': 84936/0 (pcap:0/…"
  const std::vector<std::string> halves = absl::StrSplit(ended.err, "Loopback: lo': ");
  const std::vector<std::string> figures = absl::StrSplit(halves.back(), absl::ByAnyChar("/ "));
  int64_t received = 0;
  int64_t dropped = 0;
  if (halves.size() != 2 || figures.size() < 2 || !absl::SimpleAtoi(figures[0], &received) ||
      !absl::SimpleAtoi(figures[1], &dropped)) {
    return absl::InternalError(absl::StrCat("dumpcap does not tell what it dropped: ", ended.err));
  }
  if (dropped != 0) return absl::DataLossError(absl::StrCat(dropped, " of ", received, " packets were dropped"));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<WireCall>> Capture::Calls() const {
  std::vector<std::string> words = {std::string(kTshark), "-n", "-r", folder_.path() + "/wire.pcapng"};
  words.insert(words.end(), {"-d", absl::StrCat("tcp.port==", nfs_port_, ",rpc"), "-Y", "rpc.msgtyp", "-T", "fields"});
  words.insert(words.end(), {"-o", "tcp.desegment_tcp_streams:TRUE", "-o", "rpc.desegment_rpc_over_tcp:TRUE"});
  for (const char* field : {"frame.time_epoch", "tcp.stream", "rpc.msgtyp", "rpc.xid", "nfs.procedure_v3"}) {
    words.insert(words.end(), {"-e", field});
  }
  const Ended ended = RunProgram(words);
  if (ended.exit_code != 0) return absl::InternalError(absl::StrCat("tshark: ", ended.err));
  std::map<Key, WireCall> calls;
  for (const absl::string_view line : absl::StrSplit(ended.out, '\n', absl::SkipEmpty())) {
    if (!AddFrame(line, calls)) return absl::InternalError(absl::StrCat("tshark's line does not fit: ", line));
  }
  std::vector<WireCall> sorted;
  sorted.reserve(calls.size());
  for (const auto& [key, call] : calls) sorted.push_back(call);
  std::sort(sorted.begin(), sorted.end(),
            [](const WireCall& a, const WireCall& b) { return a.called_ns < b.called_ns; });
  return sorted;
}

}  // namespace crest
