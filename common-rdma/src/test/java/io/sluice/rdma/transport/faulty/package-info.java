/** A seeded wrapper that makes any provider fail, for tests here and in other modules. */
package io.sluice.rdma.transport.faulty;
