/**
 * What providers share: the reading side, bookkeeping of a read, deadlines, counters. Of no use to
 * callers.
 */
package io.sluice.rdma.transport.support;
