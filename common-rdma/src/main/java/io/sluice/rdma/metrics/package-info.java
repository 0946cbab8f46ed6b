/** Counters on the data path, which take no lock and allocate nothing. */
package io.sluice.rdma.metrics;
