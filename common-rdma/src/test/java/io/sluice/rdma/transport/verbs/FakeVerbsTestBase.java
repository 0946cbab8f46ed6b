package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A NIC of the test's own, the ways in which it fails, and two endpoints that are connected. */
abstract class FakeVerbsTestBase {
  static final long LONG_MS = 120_000;
  static final int REGION_BYTES = 4096;
  static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir Path dir;

  private final LeakCheck leaks = new LeakCheck();
  final ByteBuffer memory = ByteBuffer.allocateDirect(REGION_BYTES);
  final ByteBuffer landingMemory = ByteBuffer.allocateDirect(REGION_BYTES);
  FakeVerbs verbs;

  @BeforeEach
  void fakeVerbs() throws IOException {
    verbs = new FakeVerbs(dir);
  }

  @AfterEach
  void closeVerbs() throws Exception {
    verbs.close();
    leaks.check();
  }

  static IOException refusal() {
    return new IOException("expected by this test");
  }

  static OutOfMemoryError lackOfMemory() {
    return new OutOfMemoryError("expected by this test");
  }

  ServerEndpoint listen() throws TransportException {
    return verbs.provider().listen(new InetSocketAddress(HERE, 0));
  }

  static Throwable failure(CompletableFuture<Void> read) {
    return assertThrows(ExecutionException.class, () -> read.get(LONG_MS, TimeUnit.MILLISECONDS))
        .getCause();
  }

  /** One server with one region, one client with one connection. */
  final class Pair implements AutoCloseable {
    final ServerEndpoint server = listen();
    final RegionDescriptor descriptor = server.register(MemoryRegion.ofMapping(memory));
    final ClientEndpoint client = verbs.provider().openClient();
    final RegisteredBuffer landing = client.register(landingMemory);
    final List<String> idle = verbs.live();
    final Connection connection = client.connect(server.address(), LONG_MS);

    Pair() throws TransportException {}

    CompletableFuture<Void> read() {
      return read(LONG_MS);
    }

    CompletableFuture<Void> read(long timeoutMs) {
      return connection.read(descriptor, 0, landing, 0, REGION_BYTES, timeoutMs);
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }
}
