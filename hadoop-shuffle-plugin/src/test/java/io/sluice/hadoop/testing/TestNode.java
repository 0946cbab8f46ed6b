package io.sluice.hadoop.testing;

import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.StoreStats;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.yarn.util.AuxiliaryServiceHelper;

/**
 * A node service in this process, with what its tasks find in their environment.
 *
 * <p>Ownership: the test closes it.
 */
public final class TestNode implements Closeable {
  private static final int SEGMENT_BYTES = 4 << 20;
  private static final int BLOCK_BYTES = 64 << 10;

  private final NodeService service;
  private final Path directory;

  private TestNode(Path directory, NodeService service) {
    this.directory = directory;
    this.service = service;
  }

  /** A node whose pool has so much memory and no disk behind it. */
  public static TestNode start(Path directory, long capacityBytes) throws IOException {
    return start(directory, capacityBytes, service(directory, capacityBytes));
  }

  /** The same, which lends memory to sort buffers if the directory is memory. */
  public static TestNode startLending(Path directory, long capacityBytes) throws IOException {
    return start(directory, capacityBytes, service(directory, capacityBytes).lendToSort(true));
  }

  /** The same with other limits. */
  public static TestNode start(Path directory, long capacityBytes, ConnectionLimits limits)
      throws IOException {
    return start(directory, capacityBytes, service(directory, capacityBytes).limits(limits));
  }

  /** The same, whose bytes are read over another transport than tcp as it is. */
  public static TestNode start(Path directory, long capacityBytes, TransportProvider transport)
      throws IOException {
    return start(
        directory, capacityBytes, service(directory, capacityBytes).transports(List.of(transport)));
  }

  /** A node that can be {@link #restartedEmpty}: nobody is given its ports in the meantime. */
  public static TestNode startToBeRestarted(Path directory, long capacityBytes) throws IOException {
    return startAt(FreePorts.inARow(2), directory, capacityBytes);
  }

  /** As a NodeManager without recovery that was killed: at the same port, and with nothing. */
  public TestNode restartedEmpty(Path newDirectory, long capacityBytes) throws IOException {
    int port = service.metadata().address().controlPort();
    close();
    return startAt(port, newDirectory, capacityBytes);
  }

  private static TestNode startAt(int port, Path directory, long capacityBytes) throws IOException {
    return start(
        directory,
        capacityBytes,
        service(directory, capacityBytes).listen(InetAddress.getLoopbackAddress(), port));
  }

  /** A node whose pool has so much memory, and a disk behind it. */
  public static TestNode start(Path directory, long capacityBytes, Path disk) throws IOException {
    Files.createDirectories(disk);
    return start(
        directory, capacityBytes, service(directory, capacityBytes).overflow(List.of(disk), 0, 0));
  }

  private static ServiceContext service(Path directory, long capacityBytes) {
    return ServiceContext.at(
            ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED), capacityBytes)
        .wholeAtStart(true)
        .segments(SEGMENT_BYTES, BLOCK_BYTES)
        .medium("plain")
        .transports(List.of(new TcpProvider()))
        .listen(InetAddress.getLoopbackAddress(), 0);
  }

  private static TestNode start(Path directory, long capacityBytes, ServiceContext service)
      throws IOException {
    TestNode node = new TestNode(directory, NodeService.start(service));
    node.awaitFilled(capacityBytes);
    return node;
  }

  /** The store creates its segments on a thread of its own. */
  private void awaitFilled(long capacityBytes) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (stats().memory().createdBytes() < capacityBytes) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the pool is not filled: " + stats());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /** The environment of a container of this node. */
  public Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    AuxiliaryServiceHelper.setServiceDataIntoEnv(
        SluiceShuffleService.NAME, ByteBuffer.wrap(service.metadata().encode()), environment);
    return environment;
  }

  public NodeService service() {
    return service;
  }

  public StoreStats stats() {
    return service.store().stats();
  }

  /** Where reducers ask. */
  public NodeAddress address() {
    return new NodeAddress(
        "test-node",
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), service.metadata().address().controlPort()));
  }

  /** The pool's directory. */
  public Path pool() {
    return directory.resolve("pool");
  }

  @Override
  public void close() throws IOException {
    service.close();
  }
}
