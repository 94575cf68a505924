#!/bin/sh
# A real NFS server (nfs-ganesha, NFSv3 over TCP) on loopback, without rpcbind, namespaces or systemd.
#
#   ganesha.sh start DIR NFSPORT MOUNTPORT EXPORTDIR    returns when the server answers
#   ganesha.sh stop DIR                                 returns when it is gone
#   ganesha.sh run DIR NFSPORT MOUNTPORT EXPORTDIR      in the foreground, as this process
#
# DIR takes configuration, log and pid; EXPORTDIR, an absolute path, is exported under its own name:
#   nfs://127.0.0.1/EXPORTDIR?nfsport=NFSPORT&mountport=MOUNTPORT
# Environment: GANESHA_ACCESS=RW|RO (default RW), GANESHA_ADDRESS (default 127.0.0.1), GANESHA_SHIM (norpcbind.so as
# built; default: compiled into DIR with cc).
#
# It must run as root: the VFS back end opens files by handle (CAP_DAC_READ_SEARCH) and takes on each caller's identity.
# ganesha's other back end for one machine, MEM (package nfs-ganesha-mem), runs as any user, but keeps only the first
# bytes of each file (MEM { Inode_Size }) and creates slowly: enough to say hello to, not to measure.
set -eu

die() {
  echo "ganesha.sh: $*" >&2
  exit 1
}

write_config() {
  mkdir -p "$dir/recovery"
  cat >"$dir/ganesha.conf" <<CONF
NFS_CORE_PARAM {
    NFS_Port = $nfs_port;
    MNT_Port = $mount_port;
    Protocols = 3;
    Enable_NLM = false;
    Enable_RQUOTA = false;
    Enable_UDP = false;
    Bind_Addr = ${GANESHA_ADDRESS:-127.0.0.1};
    NSM_Use_Caller_Name = false;
}
NFSV4 { Graceless = true; RecoveryBackend = fs; RecoveryRoot = "$dir/recovery"; }
NFS_KRB5 { Active_krb5 = false; }
LOG { Default_Log_Level = EVENT; }
EXPORT {
    Export_Id = 1;
    Path = "$export_dir";
    Pseudo = "/export";
    Filesystem_Id = 77.1;
    Access_Type = ${GANESHA_ACCESS:-RW};
    Squash = No_Root_Squash;
    SecType = sys;
    Protocols = 3;
    Transports = TCP;
    FSAL { Name = VFS; }
}
CONF
}

read_arguments() {
  [ $# -eq 4 ] || die "usage: ganesha.sh start|run DIR NFSPORT MOUNTPORT EXPORTDIR"
  [ -n "$(command -v ganesha.nfsd)" ] || die "ganesha.nfsd is missing: apt install nfs-ganesha nfs-ganesha-vfs"
  [ "$(id -u)" -eq 0 ] || die "must run as root; use sudo"
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  nfs_port=$2
  mount_port=$3
  export_dir=$4
  [ -d "$export_dir" ] || die "$export_dir is not a directory"
}

prepare() {
  read_arguments "$@"
  write_config
  if [ -z "${GANESHA_SHIM:-}" ]; then
    GANESHA_SHIM=$dir/norpcbind.so
    "${CC:-cc}" -shared -fPIC -o "$GANESHA_SHIM" "$(dirname "$0")/norpcbind.c" || die "the shim does not compile"
  fi
}

execute() {
  # Out of the way of the server's own use of the standard streams.
  LD_PRELOAD=$GANESHA_SHIM exec ganesha.nfsd -F -f "$dir/ganesha.conf" -L "$dir/ganesha.log" -p "$dir/ganesha.lock"
}

listens() {
  # Both ports in the kernel's table, in state 0A, as hexadecimal.
  for port in "$nfs_port" "$mount_port"; do
    awk -v port="$(printf ':%04X' "$port")" \
      '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }' \
      /proc/net/tcp /proc/net/tcp6 || return 1
  done
}

start() {
  prepare "$@"
  if [ -s "$dir/ganesha.pid" ] && kill -0 "$(cat "$dir/ganesha.pid")" 2>/dev/null; then
    die "a server with pid $(cat "$dir/ganesha.pid") already runs in $dir"
  fi
  listens && die "something already listens on ports $nfs_port and $mount_port"
  (execute) >"$dir/ganesha.out" 2>&1 </dev/null &
  pid=$!
  echo "$pid" >"$dir/ganesha.pid"
  tries=0
  until listens; do
    kill -0 "$pid" 2>/dev/null || die "the server ended; see $dir/ganesha.log"
    tries=$((tries + 1))
    [ "$tries" -lt 200 ] || { kill -9 "$pid"; die "the server does not listen after 10 s; see $dir/ganesha.log"; }
    sleep 0.05
  done
}

stop() {
  [ $# -eq 1 ] || die "usage: ganesha.sh stop DIR"
  [ -s "$1/ganesha.pid" ] || die "no server was started in $1"
  pid=$(cat "$1/ganesha.pid")
  # The number may belong to another process by now.
  if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = ganesha.nfsd ]; then
    kill "$pid"
    tries=0
    while [ -e "/proc/$pid" ] && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null; do
      tries=$((tries + 1))
      [ "$tries" -ne 100 ] || kill -9 "$pid"
      sleep 0.05
    done
  fi
  rm -f "$1/ganesha.pid"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  start) start "$@" ;;
  stop) stop "$@" ;;
  run)
    prepare "$@"
    execute
    ;;
  *) die "usage: ganesha.sh start|run DIR NFSPORT MOUNTPORT EXPORTDIR, or ganesha.sh stop DIR" ;;
esac
