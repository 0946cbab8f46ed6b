/** Faults of a real RDMA device and of the processes on both of its sides; in the lab only. */
package io.sluice.node.faults;
