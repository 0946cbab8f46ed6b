/** Unix sockets made of system calls, over which processes pass each other open files. */
package io.sluice.rdma.unix;
