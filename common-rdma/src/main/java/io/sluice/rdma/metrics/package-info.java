/** What is measured where bytes flow: counts that cost no lock and no allocation. */
package io.sluice.rdma.metrics;
