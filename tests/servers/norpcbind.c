// Preloaded into ganesha.nfsd: registering with rpcbind succeeds without an rpcbind, so that a server runs on free
// ports beside whatever else the machine serves. Replaces two functions of libntirpc.
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
