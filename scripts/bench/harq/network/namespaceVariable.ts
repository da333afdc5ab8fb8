/** Names the namespace that a process of the bench is to enter, as a path below /proc. */
export const namespaceVariable = "NGPU_BENCH_NAMESPACE";
