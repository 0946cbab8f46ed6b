/**
 * Reads over sockets, for hosts without RDMA. Pure Java; the server sends ranges with {@code
 * sendfile} from the region's file.
 */
package io.sluice.rdma.transport.tcp;
