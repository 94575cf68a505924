// Preloaded into ganesha.nfsd: registering with rpcbind succeeds without an rpcbind, so that a server runs on free
// ports beside whatever else the machine serves. Replaces two functions of libntirpc. And where a bare root has no
// /etc/mtab, the kernel's own list of mounts is read: a replacement of libc's setmntent.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct netconfig;
struct netbuf;

int rpcb_set(unsigned program, unsigned version, const struct netconfig *config, const struct netbuf *address) {
  (void)program, (void)version, (void)config, (void)address;
  return 1;
}

int rpcb_unset(unsigned program, unsigned version, const struct netconfig *config) {
  (void)program, (void)version, (void)config;
  return 1;
}

FILE *setmntent(const char *path, const char *mode) {
  const int missing = strcmp(path, "/etc/mtab") == 0 && access(path, R_OK) != 0;
  return fopen(missing ? "/proc/self/mounts" : path, mode);
}
