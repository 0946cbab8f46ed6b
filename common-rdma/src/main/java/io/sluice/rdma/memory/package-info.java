/** Memory outside the Java heap: allocation, mapping, locks, and limits. */
package io.sluice.rdma.memory;
