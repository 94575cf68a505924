// The procedures of NFSv3 that crest calls: arguments and replies without libnfs's types.
#ifndef CREST_AGENT_ENGINES_NFS_CALLS_H_
#define CREST_AGENT_ENGINES_NFS_CALLS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "agent/engines/nfs/handle_table.h"
#include "agent/engines/nfs/libnfs_context.h"
#include "crest/v1/agent.pb.h"
#include "crest/v1/operation.pb.h"

namespace crest::nfs {

/// RFC 1813's procedure numbers.
enum class Procedure : uint8_t {
  kNull = 0,
  kGetattr = 1,
  kSetattr = 2,
  kLookup = 3,
  kAccess = 4,
  kReadlink = 5,
  kRead = 6,
  kWrite = 7,
  kCreate = 8,
  kMkdir = 9,
  kSymlink = 10,
  kRemove = 12,
  kRmdir = 13,
  kReaddir = 16,
  kReaddirplus = 17,
  kFsstat = 18,
  kCommit = 21,
};
inline constexpr int kProcedures = 22;

/// "GETATTR"; empty for numbers that crest does not call.
absl::string_view ProcedureName(Procedure procedure);

/// The procedure of an operation; kNull for those the engine cannot do.
Procedure ProcedureOf(v1::OperationKind kind);

/// Arguments of any one call; those that the procedure has no use for are ignored.
struct CallArguments {
  Procedure procedure = Procedure::kNull;
  HandleView handle;             // what it acts on; the directory where it takes a name
  const char* name = "";         // LOOKUP, CREATE, MKDIR, SYMLINK, REMOVE, RMDIR
  const char* link_target = "";  // SYMLINK
  uint64_t offset = 0;           // READ, WRITE
  uint32_t count = 0;            // READ, WRITE: bytes
  const char* data = nullptr;    // WRITE; libnfs 4 copies it
  v1::WriteStability stability = v1::WRITE_STABILITY_FILE_SYNC;
};

/// Queues the call at `rpc`; not 0 when libnfs cannot.
int QueueCall(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data);

/// What crest wants to know of a reply. Valid in the callback only.
struct Reply {
  int status = 0;      // nfsstat3
  HandleView object;   // LOOKUP, CREATE, MKDIR, SYMLINK, where the server gave it
  int64_t size = -1;   // GETATTR, LOOKUP: bytes, where the server told it
  uint32_t count = 0;  // READ, WRITE: bytes moved
  bool eof = false;    // READ
};
Reply ReadReply(Procedure procedure, const void* data);

}  // namespace crest::nfs

#endif  // CREST_AGENT_ENGINES_NFS_CALLS_H_
