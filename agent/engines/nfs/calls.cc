#include "agent/engines/nfs/calls.h"

#include <nfsc/libnfs-raw-nfs.h>

namespace crest::nfs {
namespace {

// What a Linux client asks of a directory: room for a page of names, and for their attributes and handles.
constexpr count3 kDirectoryBytes = 8192;
constexpr count3 kDirectoryPlusBytes = 32768;
constexpr u_int kAllAccess =
    ACCESS3_READ | ACCESS3_LOOKUP | ACCESS3_MODIFY | ACCESS3_EXTEND | ACCESS3_DELETE | ACCESS3_EXECUTE;
constexpr mode3 kFileMode = 0644;
constexpr mode3 kDirectoryMode = 0755;
constexpr mode3 kLinkMode = 0777;

nfs_fh3 Handle(HandleView view) {
  nfs_fh3 handle{};
  handle.data.data_len = static_cast<u_int>(view.size());
  handle.data.data_val = const_cast<char*>(view.data());  // libnfs only reads it
  return handle;
}

HandleView View(const nfs_fh3& handle) { return {handle.data.data_val, handle.data.data_len}; }

diropargs3 Place(const CallArguments& arguments) {
  diropargs3 place{};
  place.dir = Handle(arguments.handle);
  place.name = const_cast<char*>(arguments.name);  // libnfs only reads it
  return place;
}

sattr3 Mode(mode3 mode) {
  sattr3 attributes{};
  attributes.mode.set_it = 1;
  attributes.mode.set_mode3_u.mode = mode;
  return attributes;
}

stable_how Stability(v1::WriteStability stability) {
  switch (stability) {
    case v1::WRITE_STABILITY_UNSTABLE:
      return UNSTABLE;
    case v1::WRITE_STABILITY_DATA_SYNC:
      return DATA_SYNC;
    default:
      return FILE_SYNC;
  }
}

int QueueSetattr(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  SETATTR3args args{};
  args.object = Handle(arguments.handle);
  args.new_attributes = Mode(kFileMode);
  args.new_attributes.mtime.set_it = SET_TO_SERVER_TIME;
  return rpc_nfs3_setattr_async(rpc, callback, &args, data);
}

int QueueRead(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  READ3args args{};
  args.file = Handle(arguments.handle);
  args.offset = arguments.offset;
  args.count = arguments.count;
  return rpc_nfs3_read_async(rpc, callback, &args, data);
}

int QueueWrite(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  WRITE3args args{};
  args.file = Handle(arguments.handle);
  args.offset = arguments.offset;
  args.count = arguments.count;
  args.stable = Stability(arguments.stability);
  args.data.data_len = arguments.count;
  args.data.data_val = const_cast<char*>(arguments.data);  // libnfs only reads it
  return rpc_nfs3_write_async(rpc, callback, &args, data);
}

int QueueCreate(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  CREATE3args args{};
  args.where = Place(arguments);
  args.how.mode = UNCHECKED;
  args.how.createhow3_u.obj_attributes = Mode(kFileMode);
  return rpc_nfs3_create_async(rpc, callback, &args, data);
}

int QueueSymlink(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  SYMLINK3args args{};
  args.where = Place(arguments);
  args.symlink.symlink_attributes = Mode(kLinkMode);
  args.symlink.symlink_data = const_cast<char*>(arguments.link_target);  // libnfs only reads it
  return rpc_nfs3_symlink_async(rpc, callback, &args, data);
}

template <typename Ok>
HandleView CreatedHandle(const Ok& ok) {
  return ok.obj.handle_follows ? View(ok.obj.post_op_fh3_u.handle) : HandleView();
}

}  // namespace

absl::string_view ProcedureName(Procedure procedure) {
  switch (procedure) {
    case Procedure::kNull:
      return "NULL";
    case Procedure::kGetattr:
      return "GETATTR";
    case Procedure::kSetattr:
      return "SETATTR";
    case Procedure::kLookup:
      return "LOOKUP";
    case Procedure::kAccess:
      return "ACCESS";
    case Procedure::kReadlink:
      return "READLINK";
    case Procedure::kRead:
      return "READ";
    case Procedure::kWrite:
      return "WRITE";
    case Procedure::kCreate:
      return "CREATE";
    case Procedure::kMkdir:
      return "MKDIR";
    case Procedure::kSymlink:
      return "SYMLINK";
    case Procedure::kRemove:
      return "REMOVE";
    case Procedure::kRmdir:
      return "RMDIR";
    case Procedure::kReaddir:
      return "READDIR";
    case Procedure::kReaddirplus:
      return "READDIRPLUS";
    case Procedure::kFsstat:
      return "FSSTAT";
    case Procedure::kCommit:
      return "COMMIT";
  }
  return "";
}

Procedure ProcedureOf(v1::OperationKind kind) {
  switch (kind) {
    case v1::OPERATION_GETATTR:
      return Procedure::kGetattr;
    case v1::OPERATION_SETATTR:
      return Procedure::kSetattr;
    case v1::OPERATION_LOOKUP:
      return Procedure::kLookup;
    case v1::OPERATION_ACCESS:
      return Procedure::kAccess;
    case v1::OPERATION_READLINK:
      return Procedure::kReadlink;
    case v1::OPERATION_READ:
      return Procedure::kRead;
    case v1::OPERATION_WRITE:
      return Procedure::kWrite;
    case v1::OPERATION_CREATE:
      return Procedure::kCreate;
    case v1::OPERATION_REMOVE:
      return Procedure::kRemove;
    case v1::OPERATION_READDIR:
      return Procedure::kReaddir;
    case v1::OPERATION_READDIRPLUS:
      return Procedure::kReaddirplus;
    case v1::OPERATION_FSSTAT:
      return Procedure::kFsstat;
    case v1::OPERATION_COMMIT:
      return Procedure::kCommit;
    case v1::OPERATION_MKDIR:
      return Procedure::kMkdir;
    case v1::OPERATION_RMDIR:
      return Procedure::kRmdir;
    case v1::OPERATION_SYMLINK:
      return Procedure::kSymlink;
    default:
      return Procedure::kNull;
  }
}

int QueueCall(rpc_context* rpc, const CallArguments& arguments, rpc_cb callback, void* data) {
  const nfs_fh3 handle = Handle(arguments.handle);
  switch (arguments.procedure) {
    case Procedure::kNull:
      return rpc_nfs3_null_async(rpc, callback, data);
    case Procedure::kGetattr: {
      GETATTR3args args{.object = handle};
      return rpc_nfs3_getattr_async(rpc, callback, &args, data);
    }
    case Procedure::kSetattr:
      return QueueSetattr(rpc, arguments, callback, data);
    case Procedure::kLookup: {
      LOOKUP3args args{.what = Place(arguments)};
      return rpc_nfs3_lookup_async(rpc, callback, &args, data);
    }
    case Procedure::kAccess: {
      ACCESS3args args{.object = handle, .access = kAllAccess};
      return rpc_nfs3_access_async(rpc, callback, &args, data);
    }
    case Procedure::kReadlink: {
      READLINK3args args{.symlink = handle};
      return rpc_nfs3_readlink_async(rpc, callback, &args, data);
    }
    case Procedure::kRead:
      return QueueRead(rpc, arguments, callback, data);
    case Procedure::kWrite:
      return QueueWrite(rpc, arguments, callback, data);
    case Procedure::kCreate:
      return QueueCreate(rpc, arguments, callback, data);
    case Procedure::kMkdir: {
      MKDIR3args args{.where = Place(arguments), .attributes = Mode(kDirectoryMode)};
      return rpc_nfs3_mkdir_async(rpc, callback, &args, data);
    }
    case Procedure::kSymlink:
      return QueueSymlink(rpc, arguments, callback, data);
    case Procedure::kRemove: {
      REMOVE3args args{.object = Place(arguments)};
      return rpc_nfs3_remove_async(rpc, callback, &args, data);
    }
    case Procedure::kRmdir: {
      RMDIR3args args{.object = Place(arguments)};
      return rpc_nfs3_rmdir_async(rpc, callback, &args, data);
    }
    case Procedure::kReaddir: {
      READDIR3args args{};
      args.dir = handle;
      args.count = kDirectoryBytes;
      return rpc_nfs3_readdir_async(rpc, callback, &args, data);
    }
    case Procedure::kReaddirplus: {
      READDIRPLUS3args args{};
      args.dir = handle;
      args.dircount = kDirectoryBytes;
      args.maxcount = kDirectoryPlusBytes;
      return rpc_nfs3_readdirplus_async(rpc, callback, &args, data);
    }
    case Procedure::kFsstat: {
      FSSTAT3args args{.fsroot = handle};
      return rpc_nfs3_fsstat_async(rpc, callback, &args, data);
    }
    case Procedure::kCommit: {
      COMMIT3args args{.file = handle, .offset = 0, .count = 0};  // the whole file
      return rpc_nfs3_commit_async(rpc, callback, &args, data);
    }
  }
  return -1;
}

Reply ReadReply(Procedure procedure, const void* data) {
  Reply reply;
  if (data == nullptr || procedure == Procedure::kNull) return reply;
  // Every result of NFSv3 but NULL's begins with its status.
  reply.status = *static_cast<const nfsstat3*>(data);
  if (reply.status != NFS3_OK) return reply;
  switch (procedure) {
    case Procedure::kGetattr:
      reply.size = static_cast<int64_t>(static_cast<const GETATTR3res*>(data)->GETATTR3res_u.resok.obj_attributes.size);
      break;
    case Procedure::kLookup: {
      const LOOKUP3resok& ok = static_cast<const LOOKUP3res*>(data)->LOOKUP3res_u.resok;
      reply.object = View(ok.object);
      if (ok.obj_attributes.attributes_follow) {
        reply.size = static_cast<int64_t>(ok.obj_attributes.post_op_attr_u.attributes.size);
      }
      break;
    }
    case Procedure::kRead: {
      const READ3resok& ok = static_cast<const READ3res*>(data)->READ3res_u.resok;
      // The data that came, whatever `count` claims.
      reply.count = ok.data.data_len;
      reply.eof = ok.eof != 0;
      break;
    }
    case Procedure::kWrite:
      reply.count = static_cast<const WRITE3res*>(data)->WRITE3res_u.resok.count;
      break;
    case Procedure::kCreate:
      reply.object = CreatedHandle(static_cast<const CREATE3res*>(data)->CREATE3res_u.resok);
      break;
    case Procedure::kMkdir:
      reply.object = CreatedHandle(static_cast<const MKDIR3res*>(data)->MKDIR3res_u.resok);
      break;
    case Procedure::kSymlink:
      reply.object = CreatedHandle(static_cast<const SYMLINK3res*>(data)->SYMLINK3res_u.resok);
      break;
    default:
      break;
  }
  return reply;
}

}  // namespace crest::nfs
