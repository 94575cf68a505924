// When an answer arrived at this host, as its kernel saw it.
#ifndef CREST_AGENT_ENGINES_NFS_ARRIVAL_TIMES_H_
#define CREST_AGENT_ENGINES_NFS_ARRIVAL_TIMES_H_

#include <memory>

#include "base/clock.h"

namespace crest::nfs {

/// Waking up a generator and reading take tens of microseconds, as much as a fast server takes to answer; they are the
/// client's time and not the server's. So answers carry the kernel's receive time stamp (SO_TIMESTAMPNS), which is what
/// a capture would show. Not thread-safe.
class ArrivalTimes {
 public:
  /// Before the first answer. Where the kernel refuses, arrivals are when they are read.
  void Enable(int descriptor);

  /// When the last byte arrived that waits to be read from the socket now; what is read now where the kernel does not
  /// tell. Reads nothing.
  MonoTime OfWaiting(int descriptor, const Clock& clock);

 private:
  std::unique_ptr<char[]> unused_;  // recvmsg wants a buffer, though it is told to write nothing
  MonoTime previous_;               // what waits now arrived after this
};

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_ARRIVAL_TIMES_H_
