/**
 * RDMA through DiSNI: one-sided reads over libibverbs and librdmacm, for clusters that run it.
 *
 * <p>Only DiSNI's verbs layer is used. Its endpoint layer waits forever for a refused connection,
 * and gives failed completions to the wrong endpoint. So Sluice has its own waits ({@link
 * io.sluice.rdma.transport.disni.DisniLink.CmEvents}) and its own registry of work requests ({@link
 * io.sluice.rdma.transport.disni.DisniConnection}).
 */
package io.sluice.rdma.transport.disni;
