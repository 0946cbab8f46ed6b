package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReadStats;
import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.testing.TestOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What tasks write is what readers read. */
class NodeServiceTest extends NodeTestBase {
  /** More than the memory tier holds, so that it spills over to the disk tier. */
  private List<TestOutput> commitMany(Random random) throws IOException {
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      TestOutput output = TestOutput.random(random, "attempt_" + i, 1 + random.nextInt(8), 600_000);
      commit(output);
      outputs.add(output);
    }
    assertTrue(service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
    return outputs;
  }

  private static long bytesOf(List<TestOutput> outputs) {
    return outputs.stream().mapToLong(TestOutput::totalBytes).sum();
  }

  @Test
  void aReaderElsewhereReadsOverTheTransport() throws IOException {
    start(4);
    List<TestOutput> outputs = commitMany(seeded("aReaderElsewhereReadsOverTheTransport"));
    try (NodeReader reader = tcpReader(8)) {
      assertReads(reader, outputs);
      assertEquals(bytesOf(outputs), reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().bytes(ReadStats.LOCAL));
      assertEquals(0, reader.stats().retries());
    }
    // The server counts a read when it has sent it, which may be after the reader has it.
    Await.until(
        "the server counts all bytes",
        () -> service.counters().transports().get("tcp").bytes() == bytesOf(outputs));
  }

  /** 24,000 runs are 1.6 MB of an answer, which the service does not gather at once. */
  @Test
  void aQuestionWithALongAnswerIsAnsweredInParts() throws IOException {
    start(4);
    int partitions = 12_000;
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 2 * partitions; i++) {
      order.add(i % partitions);
    }
    List<byte[]> runs = Collections.nCopies(2 * partitions, new byte[] {1, 2, 3});
    commit(new TestOutput("attempt_0", partitions, order, runs));
    PartitionRange all = new PartitionRange(0, partitions);
    RemoteError e =
        assertThrows(
            RemoteError.class, () -> service.readers().describe(APP, all, List.of("attempt_0"), 0));
    assertEquals(RemoteError.Code.TOO_MUCH, e.code());
    try (NodeReader reader = tcpReader(2)) {
      List<NodeRun> located = reader.locate(address(), all, List.of("attempt_0")).get("attempt_0");
      assertEquals(2 * partitions, located.size());
      for (int i = 0; i < located.size(); i++) {
        assertEquals(i / 2, located.get(i).partition());
      }
    }
  }

  /** The defect was: if only an output's own length went beyond, the next one was a failure. */
  @Test
  void howeverLittleTooLongAnAnswerIsItIsTooMuch() throws IOException {
    start(4);
    List<byte[]> runs = Collections.nCopies(10_000, new byte[] {1, 2, 3});
    commit(new TestOutput("attempt_1", runs.size(), List.of(0), runs.subList(0, 1)));
    int runBytes = (int) OutputLocations.runBytes(3, 1);
    commit(new TestOutput("attempt_0", runs.size(), List.of(), List.of()));
    long bothBytes =
        service
            .readers()
            .describe(APP, PartitionRange.one(0), List.of("attempt_0", "attempt_1"), 0)
            .gatheredBytes();
    long leftBytes = OutputLocations.MAX_ANSWER_BYTES - bothBytes;
    String id = "attempt_0" + "0".repeat((int) (leftBytes % runBytes)); // so that it fits exactly
    int most = (int) (leftBytes / runBytes);
    List<Integer> each = IntStream.range(0, runs.size()).boxed().toList();
    commit(new TestOutput(id, runs.size(), each, runs));
    List<String> ids = List.of(id, "attempt_1");
    OutputLocations longest = service.readers().describe(APP, new PartitionRange(0, most), ids, 0);
    assertEquals(OutputLocations.MAX_ANSWER_BYTES, longest.gatheredBytes());
    assertEquals(most, longest.runs().get(id).size());
    assertEquals(1, longest.runs().get("attempt_1").size());
    for (int count = most + 1; count < most + 10; count++) {
      PartitionRange partitions = new PartitionRange(0, count);
      RemoteError e =
          assertThrows(
              RemoteError.class, () -> service.readers().describe(APP, partitions, ids, 0));
      assertEquals(RemoteError.Code.TOO_MUCH, e.code());
    }
  }

  /** It cannot be divided, so it is read from the index while it is sent. */
  @Test
  void aLongAnswerAboutOnePartitionIsAsAShortOne() throws IOException {
    start(4);
    List<byte[]> runs = new ArrayList<>(Collections.nCopies(20_000, new byte[] {1, 2, 3}));
    runs.add(10, new byte[300_000]); // with further checksums
    runs.add(new byte[0]);
    List<Integer> partitions = new ArrayList<>(Collections.nCopies(runs.size(), 0));
    partitions.set(5, 1);
    commit(new TestOutput("attempt_0", 2, partitions, runs));
    PartitionRange first = PartitionRange.one(0);
    RemoteError e =
        assertThrows(
            RemoteError.class,
            () -> service.readers().describe(APP, first, List.of("attempt_0"), 0));
    assertEquals(RemoteError.Code.TOO_MUCH, e.code());
    OutputId id = new OutputId(APP, "attempt_0");
    List<LocatedRun> expected = service.store().find(id).orElseThrow().runs(0);
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), service.metadata().address().controlPort());
    try (RemoteClient client = RemoteClient.connect(address, APP, SECRET, TIMEOUT_MS)) {
      for (String outputId : List.of("attempt_0", "attempt_1")) {
        OutputLocations described =
            client.describe(first, List.of(outputId), 100, PoolPaths.ELSEWHERE);
        assertEquals(
            outputId.equals("attempt_0") ? expected : null, described.runs().get(outputId));
      }
      assertFalse(client.isDamaged(0, "attempt_0"));
    }
    LongRunLocations described = service.readers().describeLong(id, 0).orElseThrow();
    service.store().freeOutput(id);
    assertThrows(
        EOFException.class,
        () -> described.writeTo(new DataOutputStream(OutputStream.nullOutputStream())));
    assertTrue(service.readers().describeLong(id, 0).isEmpty());
  }

  /** As runs of a short answer are. */
  @Test
  void whatALongAnswerHasOnADiskIsReadAhead() throws Exception {
    start(1);
    List<byte[]> runs = Collections.nCopies(6_000, new byte[1_000]); // more than the memory tier
    commit(new TestOutput("attempt_0", 1, Collections.nCopies(runs.size(), 0), runs));
    RemoteError e =
        assertThrows(
            RemoteError.class,
            () -> service.readers().describe(APP, PartitionRange.one(0), List.of("attempt_0"), 0));
    assertEquals(RemoteError.Code.TOO_MUCH, e.code());
    try (NodeReader reader = tcpReader(2)) {
      for (NodeRun run :
          reader.locate(address(), PartitionRange.one(0), List.of("attempt_0")).get("attempt_0")) {
        assertEquals(1_000, readAll(run).length);
      }
      Await.until(
          "the disk is read ahead",
          () ->
              service.store().deviceStats().stream()
                  .anyMatch(device -> device.classes().containsKey(IoClass.READ_AHEAD)));
    }
  }

  /** 700 of 2 KiB are more than an answer takes; one byte more, and they have to be read. */
  @Test
  void shortRunsComeWithTheAnswerAsFarAsItHasRoom() throws IOException {
    start(4);
    int most = OutputLocations.MAX_INLINED_RUN_BYTES;
    Random random = seeded("shortRunsComeWithTheAnswerAsFarAsItHasRoom");
    List<byte[]> runs = new ArrayList<>();
    for (int lengthBytes : new int[] {1, most, most + 1, 5_000}) {
      byte[] run = new byte[lengthBytes];
      random.nextBytes(run);
      runs.add(run);
    }
    runs.addAll(Collections.nCopies(700, runs.get(1)));
    TestOutput output = new TestOutput("attempt_0", 1, Collections.nCopies(runs.size(), 0), runs);
    commit(output);
    try (NodeReader reader = tcpReader(8)) {
      List<NodeRun> located =
          reader.fetch(address(), PartitionRange.one(0), List.of("attempt_0")).get("attempt_0");
      for (int i = 0; i < runs.size(); i++) {
        assertArrayEquals(runs.get(i), readAll(located.get(i)));
      }
      long inlinedBytes = reader.stats().bytes(ReadStats.INLINED);
      assertTrue(inlinedBytes <= OutputLocations.MAX_INLINED_BYTES, inlinedBytes + " bytes");
      assertTrue(inlinedBytes > OutputLocations.MAX_INLINED_BYTES - most, inlinedBytes + " bytes");
      assertEquals(output.totalBytes(), inlinedBytes + reader.stats().bytes("tcp"));
      assertEquals(inlinedBytes, service.counters().inlinedBytes());
    }
  }

  @Test
  void shortRunsOnADiskAreRead() throws IOException {
    start(4);
    List<Integer> partitions = IntStream.range(0, 1_000).boxed().toList();
    for (int i = 0; i < 20; i++) {
      List<byte[]> runs = Collections.nCopies(partitions.size(), new byte[600]);
      commit(new TestOutput("attempt_" + i, partitions.size(), partitions, runs));
    }
    assertTrue(service.store().stats().disk().createdBytes() > 0, "nothing went to the disk tier");
    long readBytes = 0;
    try (NodeReader reader = tcpReader(8)) {
      for (int i = 0; i < 20; i++) {
        PartitionRange all = new PartitionRange(0, partitions.size());
        String id = "attempt_" + i;
        for (NodeRun run : reader.fetch(address(), all, List.of(id)).get(id)) {
          readBytes += readAll(run).length;
        }
      }
      assertEquals(20 * 600_000, readBytes);
      assertTrue(reader.stats().bytes("tcp") > 0, "what is on disk");
      assertTrue(reader.stats().bytes(ReadStats.INLINED) > 0, "what is in memory");
      assertEquals(
          readBytes, reader.stats().bytes("tcp") + reader.stats().bytes(ReadStats.INLINED));
    }
  }

  @Test
  void aReaderOfTheSameNodeReadsInPlaceWhatIsInMemory() throws IOException {
    start(4);
    List<TestOutput> outputs = commitMany(seeded("aReaderOfTheSameNodeReadsInPlaceWhatIsInMemory"));
    try (NodeReader reader =
        reader(8, service.metadata().poolId(), TIMEOUT_MS, new TcpProvider())) {
      assertReads(reader, outputs);
      long mappedBytes = reader.stats().bytes(ReadStats.LOCAL);
      long sentBytes = reader.stats().bytes("tcp");
      assertTrue(mappedBytes > 0, "what is in memory");
      assertTrue(sentBytes > 0, "what is on disk");
      assertEquals(bytesOf(outputs), mappedBytes + sentBytes);
    }
  }

  /** Mapping them would take longer. */
  @Test
  void aReaderOfTheSameNodeGetsShortRunsWithTheAnswerToo() throws IOException {
    start(4);
    int most = OutputLocations.MAX_INLINED_RUN_BYTES;
    Random random = seeded("aReaderOfTheSameNodeGetsShortRunsWithTheAnswerToo");
    byte[] shortRun = new byte[most];
    byte[] longRun = new byte[most + 1];
    random.nextBytes(shortRun);
    random.nextBytes(longRun);
    commit(new TestOutput("attempt_0", 2, List.of(0, 1), List.of(shortRun, longRun)));
    try (NodeReader reader =
        reader(8, service.metadata().poolId(), TIMEOUT_MS, new TcpProvider())) {
      List<NodeRun> located =
          reader.fetch(address(), new PartitionRange(0, 2), List.of("attempt_0")).get("attempt_0");
      assertArrayEquals(shortRun, readAll(located.get(0)));
      assertArrayEquals(longRun, readAll(located.get(1)));
      assertEquals(
          Map.of(ReadStats.INLINED, (long) most, ReadStats.LOCAL, most + 1L),
          reader.stats().bytesByWay());
    }
  }

  /** It may end between a reader's proof and this; whose it was is not known any more then. */
  @Test
  void aReaderOfAnApplicationThatHasEndedIsLetInNowhere() throws IOException {
    start(4);
    commit(TestOutput.single(new Random(1), "attempt_0", 1_000));
    try (AuthenticatedReader reader = service.readers().open(APP)) {
      assertEquals(1, reader.offers().size());
    }
    service.applicationStopped(APP);
    try (AuthenticatedReader reader = service.readers().open(APP)) {
      assertEquals(List.of(), reader.offers());
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () -> reader.expect("tcp", Set.of(InetAddress.getLoopbackAddress())));
      assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
    }
  }

  /** The defect was: one bad entry, and nothing of what the reader asked for was described. */
  @Test
  void anOutputWithADamagedIndexIsNotHeldAnyMoreAndTheOthersAre() throws IOException {
    start(4);
    List<TestOutput> outputs = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      outputs.add(TestOutput.single(new Random(i), "attempt_" + i, 100_000));
      commit(outputs.get(i));
    }
    damageEntry(outputs.get(1));
    try (NodeReader reader = tcpReader(8)) {
      assertReads(reader, List.of(outputs.get(0), outputs.get(2)));
      List<String> ids = outputs.stream().map(TestOutput::id).toList();
      assertEquals(
          Set.of("attempt_0", "attempt_2"),
          reader.locate(address(), PartitionRange.one(0), ids).keySet());
    }
  }

  /** The defect was: one overflow file that cannot be read, and the node seemed to be silent. */
  @Test
  void anOutputWhoseIndexCannotBeReadIsNotHeldAnyMoreAndTheOthersAre() throws IOException {
    start(4);
    List<TestOutput> outputs = commitMany(new Random(1));
    List<String> lost = new ArrayList<>();
    for (TestOutput output : outputs) {
      List<Extent> extents =
          service.store().find(new OutputId(APP, output.id())).orElseThrow().extents();
      SegmentInfo tail = extents.get(extents.size() - 1).segment();
      if (tail.tier() == Tier.DISK && lost.isEmpty()) {
        lost.add(output.id());
        try (FileChannel file = FileChannel.open(tail.path(), StandardOpenOption.WRITE)) {
          file.truncate(0);
        }
      }
    }
    assertEquals(1, lost.size());
    List<String> ids = new ArrayList<>(outputs.stream().map(TestOutput::id).toList());
    try (NodeReader reader = tcpReader(8)) {
      Set<String> located = reader.locate(address(), PartitionRange.one(0), ids).keySet();
      ids.removeAll(lost);
      assertEquals(Set.copyOf(ids), located);
    }
  }

  /** Flips a bit of the length in the entry of the output's only run. */
  private void damageEntry(TestOutput output) throws IOException {
    OutputLocations description =
        service.readers().describe(APP, PartitionRange.one(0), List.of(output.id()), 0);
    LocatedRun located = description.runs().get(output.id()).get(0);
    Run run = located.run();
    ByteBuffer entry = ByteBuffer.allocate(24);
    entry.putInt(0).putInt(run.checksums().crc32c(0)).putLong(0).putLong(run.lengthBytes()).flip();
    SegmentLocation location =
        description.segments().get(located.location().ranges().get(0).segmentId());
    try (FileChannel file =
        FileChannel.open(
            location.segment().path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer segment = ByteBuffer.allocate((int) file.size());
      file.read(segment, 0);
      for (int at = 0; at < segment.capacity() - 24; at++) {
        if (segment.slice(at, 24).equals(entry)) {
          file.write(ByteBuffer.wrap(new byte[] {1}), at + 16);
          return;
        }
      }
    }
    throw new AssertionError("no entry of " + run);
  }

  @Test
  void aReaderOfAnotherPoolReadsOverTheTransport() throws IOException {
    start(2);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    commit(output);
    try (NodeReader reader = reader(8, UUID.randomUUID(), TIMEOUT_MS, new TcpProvider())) {
      assertReads(reader, List.of(output));
      assertEquals(100_000, reader.stats().bytes("tcp"));
    }
  }

  @Test
  void whatIsLocatedAndNotReadIsNotCounted() throws IOException {
    start(2);
    commit(TestOutput.single(new Random(1), "attempt_0", 100_000));
    try (NodeReader reader =
        reader(8, service.metadata().poolId(), TIMEOUT_MS, new TcpProvider())) {
      locateOnly(reader, "attempt_0").close();
      assertEquals(0, reader.stats().bytes(ReadStats.LOCAL));
    }
  }

  @Test
  void whatIsNotThereIsAbsent() throws IOException {
    start(2);
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
    try (SocketClient task = task(APP);
        NodeReader reader = tcpReader(8)) {
      task.lease(1); // a task at work has committed nothing
      assertTrue(reader.locate(address(), PartitionRange.one(0), List.of("attempt_1")).isEmpty());
    }
  }

  @Test
  void aPartitionThatIsNotThereIsAnError() throws IOException {
    start(2);
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
    try (NodeReader reader = tcpReader(8)) {
      for (int partition : new int[] {1, Integer.MAX_VALUE - 1}) {
        RemoteError e =
            assertThrows(
                RemoteError.class,
                () ->
                    reader.locate(address(), PartitionRange.one(partition), List.of("attempt_0")));
        assertTrue(e.getMessage().contains("attempt_0 has partitions 0 to 0"), e.getMessage());
      }
    }
  }

  @Test
  void theEndOfAnApplicationFreesAndForgetsIt() throws IOException {
    start(2);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    commit(output);
    String other = "application_1_0002";
    try (SocketClient task = task(other)) {
      output.commit(other, task);
    }
    service.applicationStopped(APP);
    try (NodeReader reader = tcpReader(8)) {
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () -> reader.locate(address(), PartitionRange.one(0), List.of("attempt_0")));
      assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
    }
    assertEquals(1, service.store().stats().outputs());
    service.applicationStopped(other);
    assertEquals(0, service.store().stats().memory().usedBytes());
    assertEquals(0, Files.list(home().resolve("applications")).count());
    service.applicationStopped("application_9_9999");
  }

  @Test
  void aSecondSecretForAnApplicationIsRefused() throws IOException {
    start(2);
    task(APP).close();
    task(APP).close();
    JobSecret another = new JobSecret(new byte[] {1});
    RemoteError e =
        assertThrows(
            RemoteError.class,
            () ->
                SocketClient.connect(
                    service.metadata().address().socket(), APP, another, TIMEOUT_MS));
    assertEquals(RemoteError.Code.REFUSED, e.code());
    assertTrue(e.getMessage().contains("another job secret"), e.getMessage());
    commit(TestOutput.single(new Random(1), "attempt_0", 10));
    assertEquals(
        1,
        service
            .readers()
            .describe(APP, PartitionRange.one(0), List.of("attempt_0"), 0)
            .runs()
            .size());
  }

  @Test
  void nothingOfItIsForOthersToRead() throws IOException {
    Files.createDirectories(home());
    Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxrwxrwx"));
    start(2);
    task(APP).close();
    boolean forOthers =
        access() == SegmentAccess.DESCRIPTORS; // who may come, and find nothing else
    assertEquals(forOthers ? "rwx--x--x" : "rwx------", mode(""));
    assertEquals(forOthers ? "rw-rw-rw-" : "rw-------", mode("control.sock"));
    assertEquals("rwx------", mode("pool"));
    assertEquals("rwx------", mode("leases"));
    assertEquals("rwx------", mode("applications"));
    assertEquals("rw-------", mode("applications/" + APP));
  }

  private String mode(String name) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(home().resolve(name)));
  }

  @Test
  void closeIsIdempotentAndTakesTheSocketAway() throws IOException {
    start(2);
    service.close();
    service.close();
    assertFalse(Files.exists(service.metadata().address().socket()));
    assertThrows(IOException.class, () -> service.applicationStopped(APP));
    assertThrows(
        IOException.class,
        () -> {
          try (NodeReader reader = reader(1, null, 500, new TcpProvider())) {
            reader.locate(address(), PartitionRange.one(0), List.of("attempt_0"));
          }
        });
  }

  @Test
  void whoHasProvedTheSecretFreesOutputsFromElsewhere() throws IOException {
    start(4);
    commit(TestOutput.single(new Random(1), "shuffle_1_0", 1000));
    commit(TestOutput.single(new Random(1), "shuffle_2_0", 1000));
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), service.metadata().address().controlPort());
    try (RemoteClient client = RemoteClient.connect(address, APP, SECRET, TIMEOUT_MS)) {
      client.freeOutputs("shuffle_1_");
      assertEquals(List.of("shuffle_2_0"), outputIds());
      assertThrows(IllegalArgumentException.class, () -> client.freeOutputs(""));
      assertEquals(List.of("shuffle_2_0"), outputIds());
      client.applicationStopped();
      assertEquals(0, service.store().stats().outputs());
    }
    RemoteError e =
        assertThrows(
            RemoteError.class, () -> RemoteClient.connect(address, APP, SECRET, TIMEOUT_MS));
    assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
  }

  @Test
  void outputsAreFreedByTheirNumberAndNoneThatCameLater() throws IOException {
    start(4);
    for (String name : List.of("shuffle_1_9", "shuffle_1_10", "shuffle_1_11", "shuffle_1_x")) {
      commit(TestOutput.single(new Random(1), name, 1000));
    }
    commit(TestOutput.single(new Random(1), "shuffle_11_9", 1000));
    commit(TestOutput.single(new Random(1), "shuffle_1_99999999999999999999", 1000));
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), service.metadata().address().controlPort());
    try (RemoteClient client = RemoteClient.connect(address, APP, SECRET, TIMEOUT_MS)) {
      client.freeOutputsBelow("shuffle_1_", 11);
    }
    assertEquals(
        Set.of("shuffle_1_11", "shuffle_1_x", "shuffle_11_9", "shuffle_1_99999999999999999999"),
        Set.copyOf(outputIds()));
  }

  @Test
  void oneOutputIsFreedByItsNameAndNotWhatBeginsLikeIt() throws IOException {
    start(4);
    commit(TestOutput.single(new Random(1), "shuffle_1_1", 1000));
    commit(TestOutput.single(new Random(1), "shuffle_1_10", 1000));
    InetSocketAddress address =
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), service.metadata().address().controlPort());
    try (RemoteClient client = RemoteClient.connect(address, APP, SECRET, TIMEOUT_MS)) {
      client.freeOutput("shuffle_1_1");
      assertEquals(List.of("shuffle_1_10"), outputIds());
      client.freeOutput("shuffle_1_1"); // gone already
      assertThrows(RemoteError.class, () -> client.freeOutput(""));
      assertEquals(List.of("shuffle_1_10"), outputIds());
    }
  }

  @Test
  void anApplicationIsNotHeardOfOnceAllOfItIsGone() throws IOException {
    start(4);
    assertEquals(Set.of(), service.applications().notHeardOf(0));
    commit(TestOutput.single(new Random(1), "attempt_0", 1000));
    assertEquals(Set.of(APP), service.applications().notHeardOf(0));
    assertEquals(Set.of(), service.applications().notHeardOf(TimeUnit.DAYS.toMillis(1)));
    service.applicationStopped(APP);
    assertEquals(Set.of(), service.applications().notHeardOf(0));
  }

  private List<String> outputIds() {
    return service.store().outputs(APP).stream().map(output -> output.id().outputId()).toList();
  }
}
