// A real NFS server for tests: nfs-ganesha on loopback and free ports, without rpcbind.
#ifndef CREST_TESTS_SERVERS_GANESHA_SERVER_H_
#define CREST_TESTS_SERVERS_GANESHA_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace crest {

/// A TCP port of 127.0.0.1 that was free a moment ago.
uint16_t FreePort();

/// A fresh directory, removed with all in it by the destructor.
class TemporaryDirectory {
 public:
  /// Below the system's temporary one.
  TemporaryDirectory();
  /// Below `parent`; below the system's temporary one where there is no such directory.
  explicit TemporaryDirectory(const std::string& parent);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// ganesha.nfsd with one export. It ends with this object, and with the test program however that ends. Needs root; see
/// Available. Not thread-safe.
class GaneshaServer {
 public:
  struct Options {
    bool read_only = false;
    std::string export_directory;        // empty: one of its own, in memory
    std::string export_name = "export";  // of its own directory: may hold spaces, colons and non-ASCII characters
    std::string address = "127.0.0.1";
  };

  /// Whether this machine and user can run one; otherwise the reason.
  static absl::Status Available();

  /// Returns when the server answers.
  static absl::StatusOr<std::unique_ptr<GaneshaServer>> Start(const Options& options);
  ~GaneshaServer();

  uint16_t nfs_port() const { return nfs_port_; }
  uint16_t mount_port() const { return mount_port_; }
  /// The exported directory, as this host sees it.
  const std::string& directory() const { return directory_; }
  pid_t pid() const { return pid_; }
  /// nfs://127.0.0.1/…?nfsport=…&mountport=… followed by `parameters` ("&timeout=1s").
  std::string Url(const std::string& parameters = "") const;

  void Stop();    // SIGTERM; returns when it is gone
  void Kill();    // SIGKILL; returns when it is gone
  void Pause();   // SIGSTOP; returns when it stands still
  void Resume();  // SIGCONT
  /// Starts it again on the same ports and directory.
  absl::Status Restart();

 private:
  explicit GaneshaServer(const Options& options);
  absl::Status Launch();
  void End(int signal);

  Options options_;
  TemporaryDirectory run_directory_;
  // In memory: a disk that discards takes seconds to remove a file set, and a container's overlay has no file handles.
  TemporaryDirectory memory_{"/dev/shm"};
  std::string directory_;
  uint16_t nfs_port_;
  uint16_t mount_port_;
  pid_t pid_ = -1;
};

}  // namespace crest

#endif  // CREST_TESTS_SERVERS_GANESHA_SERVER_H_
