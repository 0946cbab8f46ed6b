package io.sluice.rdma.unix;

/**
 * Who is at the other end of a Unix socket, as the kernel noted when that process connected or
 * began to listen. Ids are unsigned.
 *
 * @param pid its number; 0 if it lies in another namespace of processes
 * @param uid its user; that of nobody, 65534, if the user is not known in this namespace
 * @param gid its group
 */
public record PeerCredentials(int pid, int uid, int gid) {}
