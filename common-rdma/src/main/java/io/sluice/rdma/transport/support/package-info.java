/**
 * Classes that the providers share: the reading side, a read in flight, deadlines, counters.
 * Callers of the SPI do not use them.
 */
package io.sluice.rdma.transport.support;
