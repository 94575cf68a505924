#!/usr/bin/env bash
# Measures a real NFS server on this machine with two agents and leaves a report: ./dev demo.
# The server's answers pass through a relay that makes it slow on purpose. Everything is on loopback, on free ports, and
# is stopped by its pid however this ends.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

# Another preset's programs serve as well: CREST_BIN=build/dev demo/run.sh.
readonly bin=${CREST_BIN:-build/release}
readonly service_time=8ms workers=16
work=
export_dir=
pids=()

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

# shellcheck disable=SC2317  # called by the traps
stop_all() {
  local status=$? pid
  trap - EXIT INT TERM HUP
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
  if [[ -n $work ]]; then
    [[ ! -e $work/ganesha ]] || as_root tests/servers/ganesha.sh stop "$work/ganesha" || true
    as_root rm -rf "$work" "$export_dir"
  fi
  exit "$status"
}
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# COUNT different ports that nothing listens on now.
free_ports() {
  python3 - "$1" <<'EOT'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
EOT
}

wait_for_port() {
  local port=$1 what=$2 tries
  for ((tries = 0; tries < 100; tries++)); do
    if (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  echo "demo: $what does not answer on 127.0.0.1:$port; its log:" >&2
  cat "$work"/*.log >&2
  return 1
}

# In memory where there is room: it is quick, and a file system of its own, which the server wants. A container's overlay
# cannot give the handles that NFS hands out, and a bare chroot has no mount that the server could find.
make_export() {
  local parent=$PWD/build free_kib
  free_kib=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1) || free_kib=0
  [[ $free_kib -lt 1500000 ]] || parent=/dev/shm
  mktemp -d "$parent/crest-demo-export.XXXXXX"
}

start_agent() {
  "$bin/crest-agent" --listen "127.0.0.1:$1" --metrics off --allow "$target" >"$work/agent-$1.log" 2>&1 &
  pids+=($!)
  wait_for_port "$1" "an agent"
}

work=$(mktemp -d)
export_dir=$(make_export)
chmod 0777 "$export_dir"
read -r server_port mount_port nfs_port agent1_port agent2_port < <(free_ports 5)
readonly target="nfs://127.0.0.1$export_dir?nfsport=$nfs_port&mountport=$mount_port"

echo "Starting a real NFS server (nfs-ganesha), throttled on purpose: $workers calls at a time, $service_time each on average."
echo "The figures say something about the throttle and nothing about this machine."
as_root tests/servers/ganesha.sh start "$work/ganesha" "$server_port" "$mount_port" "$export_dir"
"$bin/nfs-throttle" --listen "127.0.0.1:$nfs_port" --to "127.0.0.1:$server_port" \
  --service-time "$service_time" --workers "$workers" --law exponential >"$work/throttle.log" 2>&1 &
pids+=($!)
wait_for_port "$nfs_port" nfs-throttle
start_agent "$agent1_port"
start_agent "$agent2_port"

sed -e "s|EXPORT|$export_dir|" -e "s|NFS_PORT|$nfs_port|" -e "s|MOUNT_PORT|$mount_port|" \
  -e "s|AGENT1_PORT|$agent1_port|" -e "s|AGENT2_PORT|$agent2_port|" \
  -e "s|THROTTLE|$workers calls at a time, $service_time each|" demo/demo.yaml >"$work/demo.yaml"

# The summary comes last, whatever is logged until then. Status 1: done, but not valid; the report says why, and a demo on
# a busy machine may end so.
status=0
"$bin/crest" run "$work/demo.yaml" --out runs >"$work/summary" || status=$?
cat "$work/summary"
exit "$status"
