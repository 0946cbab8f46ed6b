/**
 * RDMA through DiSNI: one-sided reads over libibverbs and librdmacm, for clusters that run it.
 *
 * <p>Only DiSNI's verbs layer is used. Its endpoint layer waits for ever for a connection that was
 * refused and gives failed completions to the wrong endpoint, so the waits ({@link
 * io.sluice.rdma.transport.disni.CmEvents}) and the registry of work requests ({@link
 * io.sluice.rdma.transport.disni.DisniConnection}) are ours.
 */
package io.sluice.rdma.transport.disni;
