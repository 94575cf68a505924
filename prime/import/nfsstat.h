// A workload's operation mix from the counters of a real NFSv3 server.
#ifndef CREST_PRIME_IMPORT_NFSSTAT_H_
#define CREST_PRIME_IMPORT_NFSSTAT_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace crest {

inline constexpr int kNfs3Procedures = 22;

/// Calls that a server took, by NFSv3 procedure number (RFC 1813: 0 is NULL, 21 COMMIT).
using Nfs3Counters = std::array<uint64_t, kNfs3Procedures>;

/// Reads what `nfsstat -s` (table) or `nfsstat -s -l` (list) of nfs-utils printed, or a copy of /proc/net/rpc/nfsd.
/// What they say of other versions, of RPC and of clients is passed over; a table with server counters and no NFSv3
/// section has no NFSv3 calls. InvalidArgument says what is wrong and what to do.
absl::StatusOr<Nfs3Counters> ParseNfs3Counters(absl::string_view text);

/// A `workload:` section in YAML for the calls between two moments: the mix in hundredths of a percent that add up to
/// exactly 100 %, all else from the profile sfs2008-nfs. Procedures that no mix can hold, and calls too rare for it,
/// are named in comments with their shares. InvalidArgument when a counter went backwards, FailedPrecondition when no
/// call came that a mix can hold.
absl::StatusOr<std::string> WorkloadFromNfs3Counters(const Nfs3Counters& before, const Nfs3Counters& after);

}  // namespace crest

#endif  // CREST_PRIME_IMPORT_NFSSTAT_H_
