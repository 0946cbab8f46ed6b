/** Memory outside the Java heap: allocation and mapping, the pool of landing windows, limits. */
package io.sluice.rdma.memory;
