/** Unix sockets of system calls, over which processes hand each other open files. */
package io.sluice.rdma.unix;
