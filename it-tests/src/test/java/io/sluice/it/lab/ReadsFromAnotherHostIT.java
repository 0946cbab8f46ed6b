package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.LabTransport;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException.ConnectionLostException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads of another host's memory, over the wire between two guests. */
@EnabledIfSystemProperty(
    named = LabCluster.PEER,
    matches = ".+",
    disabledReason = "one host; ./sluice lab --hosts 2 transport runs this")
@Timeout(600) // of an emulated CPU
class ReadsFromAnotherHostIT {
  private static final long TIMEOUT_MS = 120_000;
  private static final int WINDOW_BYTES = 1 << 20;

  /** By the second guest's addresses, and then until its process is killed. */
  @ParameterizedTest
  @ValueSource(strings = {"10.77.0.2", "fd00:77::2"})
  void everyByteComesOverTheWireAndAServerThatIsKilledEndsTheConnection(
      String address, TestReporter reporter) throws Exception {
    ByteBuffer memory = OffHeap.allocate(ServedMemory.LENGTH_BYTES);
    try (ServedMemory served = ServedMemory.start(LabCluster.awaitPeer(), address);
        ClientEndpoint client = LabTransport.provider().openClient();
        RegisteredBuffer landing = client.register(memory);
        Connection connection = client.connect(served.address(), TIMEOUT_MS)) {
      DeviceCounters device = new DeviceCounters();
      for (int offset = 0; offset < ServedMemory.LENGTH_BYTES; offset += WINDOW_BYTES) {
        connection
            .read(served.region(), offset, landing, offset, WINDOW_BYTES, TIMEOUT_MS)
            .get(TIMEOUT_MS, TimeUnit.MILLISECONDS);
      }
      device.assertReceived(ServedMemory.LENGTH_BYTES);
      reporter.publishEntry("verbs", device.since(ServedMemory.LENGTH_BYTES));
      byte[] read = new byte[ServedMemory.LENGTH_BYTES];
      memory.duplicate().get(read);
      assertArrayEquals(ServedMemory.bytes(), read);

      served.process().destroyForcibly().waitFor();
      CompletableFuture<Void> lost =
          connection.read(served.region(), 0, landing, 0, WINDOW_BYTES, TIMEOUT_MS);
      ExecutionException e =
          assertThrows(ExecutionException.class, () -> lost.get(TIMEOUT_MS, TimeUnit.MILLISECONDS));
      assertInstanceOf(ConnectionLostException.class, e.getCause());
      assertFalse(connection.isOpen());
    } finally {
      OffHeap.free(memory);
    }
  }
}
