/** Formats errors and addresses for people. */
package io.sluice.rdma.text;
