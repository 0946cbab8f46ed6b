/**
 * RDMA through UCX: one-sided reads that the NIC serves. Each endpoint has one UCX context, one
 * worker and one thread ({@link io.sluice.rdma.transport.ucx.UcxLoop}), and all native calls run on
 * that thread.
 */
package io.sluice.rdma.transport.ucx;
