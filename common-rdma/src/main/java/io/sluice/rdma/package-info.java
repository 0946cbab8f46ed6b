/** Sluice's transport layer: one-sided reads of registered memory over RDMA verbs or TCP. */
package io.sluice.rdma;
