package io.sluice.node.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.RevocationListener.RevocationConnection;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.RefusesSegments;
import io.sluice.node.testing.SeenFromElsewhere;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.PlainWords;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What a service says of itself, against what was done with it. */
class NodeMetricsTest extends NodeTestBase {
  private static final TransportProvider RDMA = new RefusesSegments(false);
  private static final int OUTPUT_BYTES = 300_000;

  private void commit(String application, String outputId, int lengthBytes) throws IOException {
    try (SocketClient task = task(application)) {
      TestOutput.single(new Random(1), outputId, lengthBytes).commit(application, task);
    }
  }

  private void read(String outputId, TransportProvider... transports) throws IOException {
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, transports)) {
      assertEquals(OUTPUT_BYTES, readAll(locateOnly(reader, outputId)).length);
    }
  }

  @Test
  void everyMetricHasAValueButTheBoundThatIsNotSet() throws IOException {
    service = NodeService.start(withDisk(4, RDMA, new TcpProvider()));
    commit(APP, "output", OUTPUT_BYTES);
    commit(APP, "large", 6 << 20);
    try (SocketClient task = task(APP)) {
      task.lease(1);
      List<String> missing =
          NodeMetrics.all().stream()
              .filter(metric -> !Readings.of(service).metrics().contains(metric))
              .map(Metric::name)
              .toList();
      assertEquals(List.of("sluice_disk_capacity_bytes"), missing);
    }
  }

  @Test
  void tellsWhatIsHeldAndByWhom() throws IOException {
    service = NodeService.start(inMemory(8, new TcpProvider()));
    try (SocketClient task = task(APP)) {
      long leasedBytes = task.lease(100_000).get(0).lengthBytes();
      assertEquals(leasedBytes, Readings.of(service).number("sluice_memory_held_bytes", "writing"));
    }
    Await.until(
        "the lease has ended",
        () -> Readings.of(service).number("sluice_memory_held_bytes", "writing") == 0);
    for (int i = 0; i < 12; i++) {
      commit("application_" + i, "output", (1 + i) * 50_000);
    }
    Readings now = Readings.of(service);
    assertEquals(12, now.number("sluice_outputs"));
    assertEquals(20, now.numbers("sluice_application_bytes").size(), "ten, on two tiers");
    String user = Owner.ofThisProcess().toString();
    assertTrue(
        now.number("sluice_application_bytes", user, "application_11", "memory")
            > now.number("sluice_application_bytes", user, "application_2", "memory"));
    long sentBytes = now.number("sluice_memory_held_bytes", "send");
    assertEquals(
        now.number("sluice_memory_capacity_bytes"),
        now.number("sluice_memory_free_bytes") + sentBytes);
    for (int i = 0; i < 12; i++) {
      service.applicationStopped("application_" + i);
    }
    assertEquals(0, Readings.of(service).number("sluice_memory_held_bytes", "send"));
    assertTrue(Readings.of(service).numbers("sluice_application_bytes").isEmpty());
  }

  /** Whoever uses up what users share is named by each of these. */
  @Test
  void tellsWhatEachUserHas() throws IOException {
    service = NodeService.start(withDisk(8, new TcpProvider()));
    String user = Owner.ofThisProcess().toString();
    for (String name : List.of("connections", "outputs", "disk_files", "heap_bytes")) {
      assertEquals(0, Readings.of(service).number("sluice_user_" + name, user), name);
    }
    commit(APP, "output", OUTPUT_BYTES);
    try (SocketClient task = task(APP)) {
      task.leaseDisk(1);
      Readings now = Readings.of(service);
      assertTrue(now.number("sluice_user_connections", user) >= 1);
      assertEquals(1, now.number("sluice_user_outputs", user));
      assertEquals(1, now.number("sluice_user_disk_files", user));
      assertEquals(0, now.number("sluice_user_files_under_way", user), "of names");
    }
    Await.until(
        "the task has gone",
        () -> Readings.of(service).number("sluice_user_connections", user) == 0);
    assertEquals(0, Readings.of(service).number("sluice_user_heap_bytes", user));
    assertEquals(0, Readings.of(service).number("sluice_heap_share_refused_total", user));
  }

  @Test
  void tellsWhatTasksHoldAndWhatLeftMemoryForThem() throws IOException {
    service = NodeService.start(withDisk(4, new TcpProvider()));
    for (int i = 0; i < 20; i++) { // each has less than the one before it
      commit("application_" + i, "output", OUTPUT_BYTES);
    }
    try (SocketClient task = task(APP)) {
      long leasedBytes = task.lease(OUTPUT_BYTES).stream().mapToLong(Extent::lengthBytes).sum();
      Readings now = Readings.of(service);
      String user = Owner.ofThisProcess().toString();
      assertEquals(leasedBytes, now.number("sluice_tasks_held_bytes", user, APP, "writing"));
      long granted = now.number("sluice_memory_granted_bytes_total", "writing");
      assertTrue(granted >= 21 * OUTPUT_BYTES, "granted " + granted);
      assertTrue(now.number("sluice_moved_outputs_total") > 0);
      assertTrue(now.number("sluice_moved_bytes_total") > 2_000_000);
      assertEquals(0, now.number("sluice_move_failures_total"));
      assertTrue(now.waits("sluice_memory_wait_seconds").get(List.of()).count() > 0);
      assertEquals(7, now.numbers("sluice_memory_held_bytes").size());
    }
  }

  @Test
  void tellsWhatTasksWereGrantedAndToldToGiveBack() throws IOException {
    service = NodeService.start(inMemory(4, new TcpProvider()).wholeAtStart(true));
    Await.until("it is there", () -> service.store().stats().memory().createdBytes() == 4 << 20);
    try (SocketClient holder = reduce(APP);
        RevocationConnection listening = holder.listen();
        SocketClient wanting = reduce("application_2_0001")) {
      long heldBytes = leaseAllToReceive(holder);
      Readings before = Readings.of(service);
      assertEquals(heldBytes, before.number("sluice_memory_granted_bytes_total", "receive"));
      assertEquals(0, before.number("sluice_memory_revoked_bytes_total", "receive"));
      long grantedBytes = heldBytes + leaseAllToReceive(wanting);
      long keptBytes = listening.await().receiveBytes();
      Readings now = Readings.of(service);
      assertTrue(keptBytes < heldBytes, "kept " + keptBytes);
      assertEquals(
          heldBytes - keptBytes, now.number("sluice_memory_revoked_bytes_total", "receive"));
      assertEquals(0, now.number("sluice_memory_revoked_bytes_total", "writing"));
      assertEquals(0, now.number("sluice_memory_revoked_bytes_total", "sort"));
      assertEquals(grantedBytes, now.number("sluice_memory_granted_bytes_total", "receive"));
    }
  }

  private SocketClient reduce(String application) throws IOException {
    return SocketClient.connect(
        service.metadata().address().socket(),
        SeenFromElsewhere.owner(access()),
        Borrower.reduce("reduce_of_" + application),
        application,
        SECRET,
        Timeouts.all(TIMEOUT_MS));
  }

  private static long leaseAllToReceive(SocketClient task) throws IOException {
    long bytes = 0;
    Optional<Extent> next = task.leaseMemory(MemoryUse.RECEIVE, 128 << 10);
    while (next.isPresent()) {
      bytes += next.get().lengthBytes();
      next = task.leaseMemory(MemoryUse.RECEIVE, 128 << 10);
    }
    return bytes;
  }

  @Test
  void tellsWhatWasServedAndHowLongEachReadTook() throws IOException {
    service = NodeService.start(inMemory(4, RDMA, new TcpProvider()));
    commit(APP, "output", OUTPUT_BYTES);
    read("output", new TcpProvider());
    List<String> sent = List.of("tcp", "sent");
    Await.until( // the reader has its bytes before the server has counted them
        "all bytes are counted",
        () ->
            Readings.of(service).number("sluice_served_bytes_total", "tcp", "sent")
                == OUTPUT_BYTES);
    assertEquals(
        service.counters().transports().get("tcp").reads(),
        Readings.of(service).waits("sluice_served_seconds").get(sent).count());
    read("output", RDMA);
    Readings now = Readings.of(service);
    assertEquals(OUTPUT_BYTES, now.number("sluice_served_bytes_total", "tcp", "sent"));
    assertEquals(OUTPUT_BYTES, now.number("sluice_served_bytes_total", "rdma", "bounced"));
    assertEquals(
        service.counters().bounce().get("rdma").reads(),
        now.waits("sluice_served_seconds").get(List.of("rdma", "bounced")).count());
    assertTrue(now.waits("sluice_served_seconds").get(sent).totalSeconds() > 0);
    assertEquals(0, now.number("sluice_served_bytes_total", "tcp", "inlined"));
    commit(APP, "short", 100);
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, new TcpProvider())) {
      reader.fetch(address(), PartitionRange.one(0), List.of("short"));
    }
    assertEquals(100, Readings.of(service).number("sluice_served_bytes_total", "tcp", "inlined"));
    assertEquals(3, now.numbers("sluice_served_bytes_total").size(), "what can be seen here");
  }

  @Test
  void tellsWhatADeviceDidAndWhy() throws IOException {
    service = NodeService.start(withDisk(0, RDMA, new TcpProvider()));
    commit(APP, "output", OUTPUT_BYTES);
    read("output", new TcpProvider());
    String device = service.store().deviceStats().get(0).name();
    Readings now = Readings.of(service);
    assertEquals(0, now.number("sluice_device_hangs", device));
    long awaitedBytes = now.number("sluice_device_bytes_total", device, "read_send");
    long aheadBytes = now.number("sluice_device_bytes_total", device, "read_ahead");
    assertEquals(OUTPUT_BYTES, awaitedBytes + aheadBytes);
    assertTrue(aheadBytes > 0, "nothing was read ahead");
    assertTrue(now.number("sluice_device_bytes_total", device, "write_sort") > OUTPUT_BYTES);
    assertEquals(3, now.numbers("sluice_device_bytes_total").size(), "what was done");
    assertTrue(
        now.waits("sluice_device_seconds").get(List.of(device, "read_send")).totalSeconds() > 0);
  }

  /** The pool's directory with it, by default. */
  @Test
  void aServiceWhoseDirectoryWasRemovedDoesNotServe() throws IOException {
    service = NodeService.start(inMemory(8, new TcpProvider()));
    commit(APP, "output", OUTPUT_BYTES);
    assertEquals(1, Readings.of(service).number("sluice_serving"));
    Files.move(home(), directory.resolve("gone")); // at once, whatever the service makes in it
    assertEquals(0, Readings.of(service).number("sluice_serving"));
    assertThrows(IOException.class, () -> task(APP));
  }

  @Test
  void aServiceWhosePoolWasRemovedDoesNotServe() throws IOException {
    service = NodeService.start(inMemory(8, new TcpProvider()));
    Files.move(service.metadata().pool(), directory.resolve("gone"));
    assertEquals(0, Readings.of(service).number("sluice_serving"));
  }

  @Test
  void aSocketThatWasRemovedAloneIsMadeAgain() throws IOException {
    service = NodeService.start(inMemory(8, new TcpProvider()));
    Files.delete(service.metadata().address().socket());
    assertEquals(1, Readings.of(service).number("sluice_serving"));
    commit(APP, "output", OUTPUT_BYTES);
  }

  @Test
  void aServiceThatCouldNotStartSaysOnlyThat() {
    Readings readings = new Readings();
    NodeMetrics.readDegraded(readings);
    assertEquals(0, readings.number("sluice_serving"));
    assertEquals(1, readings.metrics().size());
  }

  @Test
  void namesAreWhatPrometheusExpects() {
    for (Metric metric : NodeMetrics.all()) {
      assertTrue(metric.name().matches("sluice(_[a-z]+)+"), metric.name());
      assertEquals(
          metric.type() == Metric.Type.COUNTER, metric.name().endsWith("_total"), metric.name());
    }
    assertEquals(
        NodeMetrics.all().size(), NodeMetrics.all().stream().map(Metric::name).distinct().count());
  }

  @Test
  void helpIsInPlainWords() {
    for (Metric metric : NodeMetrics.all()) {
      assertEquals(List.of(), PlainWords.complaints(metric.help()), metric.name());
    }
  }

  @Test
  void administratorsAreToldOfAll() throws IOException {
    String table =
        NodeMetrics.all().stream()
            .map(
                metric ->
                    "| `%s` | %s | %s | %s |\n"
                        .formatted(
                            metric.name(),
                            metric.type().name().toLowerCase(Locale.ROOT),
                            metric.labels().stream()
                                .map(label -> "`" + label + "`")
                                .collect(Collectors.joining(", ")),
                            metric.help()))
            .collect(Collectors.joining());
    String page = Files.readString(Path.of("..", "docs", "metrics.md"));
    assertTrue(page.contains(table), () -> "docs/metrics.md lacks these rows:\n" + table);
  }
}
