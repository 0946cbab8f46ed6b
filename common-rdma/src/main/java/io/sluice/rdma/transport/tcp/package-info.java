/**
 * Reads over sockets: what runs where there is no RDMA. Pure Java; the server sends ranges with
 * {@code sendfile} straight from the region's file.
 */
package io.sluice.rdma.transport.tcp;
