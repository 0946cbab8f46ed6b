/** How errors and addresses are written for people. */
package io.sluice.rdma.text;
