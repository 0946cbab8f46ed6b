/** What tests of all modules need. */
package io.sluice.rdma.testing;
