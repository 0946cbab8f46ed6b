/** Threads of ours in somebody else's process, and what they may do to it: nothing. */
package io.sluice.rdma.threads;
