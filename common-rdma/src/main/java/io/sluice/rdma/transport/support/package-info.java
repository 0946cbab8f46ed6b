/** What providers share: bookkeeping of a read, deadlines and counters. Of no use to callers. */
package io.sluice.rdma.transport.support;
