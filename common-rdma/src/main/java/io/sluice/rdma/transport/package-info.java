/**
 * The transport SPI: register memory on one side, read it one-sidedly from the other.
 *
 * <p>{@link io.sluice.rdma.transport.TransportProvider} is the entry; {@link
 * io.sluice.rdma.transport.Connection} carries the contract that every provider's test suite
 * checks.
 */
package io.sluice.rdma.transport;
