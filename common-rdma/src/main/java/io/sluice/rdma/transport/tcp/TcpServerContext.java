package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.support.TransportMeter;
import io.sluice.rdma.transport.support.UnauthenticatedLimit;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.IntFunction;

/**
 * What the connections of one TCP server share: how they let in, serve and count.
 *
 * <p>Thread contract: safe from any thread.
 *
 * @param unproved the sockets of clients that have not shown yet what lets them in
 * @param memory where a connection has its buffers from, which {@link OffHeap#free} frees
 */
record TcpServerContext(
    TcpRegions regions,
    Admission admission,
    UnauthenticatedLimit<SocketChannel> unproved,
    TransportMeter meter,
    IntFunction<ByteBuffer> memory) {}
