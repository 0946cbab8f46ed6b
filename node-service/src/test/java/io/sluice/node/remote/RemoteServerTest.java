package io.sluice.node.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.node.wire.Versions.AgreedVersion;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(300)
class RemoteServerTest {
  private static final long TIMEOUT_MS = 120_000;
  private static final String APP = "application_1_0001";
  private static final JobSecret SECRET = secret("secret");
  private static final int MAX_READERS = 4;
  private static final int MAX_UNPROVED = 8;
  private static final int CROWD = 2_000;
  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(MAX_READERS, MAX_UNPROVED, TIMEOUT_MS, TIMEOUT_MS);

  private final LeakCheck leaks = new LeakCheck();
  private final StubBackend backend = new StubBackend();
  private RemoteServer server;

  private static JobSecret secret(String text) {
    return new JobSecret(text.getBytes(StandardCharsets.US_ASCII));
  }

  private final Refusals refusals = new Refusals();

  @BeforeEach
  void start() throws IOException {
    backend.secrets.put(APP, SECRET);
    backend.offers.add(new TransportOffer("ucx", "", 1234, 4096));
    backend.offers.add(new TransportOffer("tcp", "10.0.0.1", 4321, 0));
    server =
        RemoteServer.start(
            backend, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), refusals, LIMITS);
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    leaks.check();
  }

  private InetSocketAddress address() throws IOException {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
  }

  private RemoteClient connect(JobSecret secret) throws IOException {
    return RemoteClient.connect(address(), APP, secret, TIMEOUT_MS);
  }

  private void holds(String outputId, int segmentId, int runs) {
    Tier tier = SegmentInfo.tierOf(segmentId);
    SegmentName name = SegmentName.of(backend.poolId, segmentId, 0, new Owner(1));
    Path path = Path.of("/pool", name.toString());
    SegmentInfo segment = new SegmentInfo(segmentId, tier, path, 1 << 20);
    RegionDescriptor region = new RegionDescriptor(segmentId, 77, 1 << 20, new byte[] {1, 2});
    List<Range> ranges = List.of(new Range(segmentId, 10, 20), new Range(segmentId, 40, 2));
    RunLocation place = new RunLocation(backend.poolId, 1L << 40, ranges);
    List<LocatedRun> located = new ArrayList<>();
    for (int ordinal = 0; ordinal < runs; ordinal++) {
      Run run = new Run(3, ordinal, 22, 30, 0, 4, BlockChecksums.of(0xcafe));
      located.add(new LocatedRun(run, place));
    }
    backend.outputs.put(
        outputId,
        new OutputLocations(
            Map.of(segmentId, new SegmentLocation(segment, Map.of("tcp", region))),
            Map.of(outputId, located)));
  }

  @Test
  void aReaderWithTheSecretLearnsPoolAndTransportsInOrder() throws IOException {
    try (RemoteClient client = connect(SECRET)) {
      assertEquals(backend.poolId, client.poolId());
      assertEquals(backend.offers, client.offers());
    }
  }

  @Test
  void aReaderWithAnotherSecretLearnsNothing() {
    RemoteError e = assertThrows(RemoteError.class, () -> connect(secret("another")));
    assertEquals(RemoteError.Code.REFUSED, e.code());
    assertTrue(backend.askedFor.isEmpty());
  }

  @Test
  void anUnknownApplicationIsToldApart() {
    backend.secrets.clear();
    RemoteError e = assertThrows(RemoteError.class, () -> connect(SECRET));
    assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
    assertTrue(e.getMessage().contains(APP), e.getMessage());
  }

  @Test
  void describesWhatIsThereAndLeavesOutWhatIsNot() throws IOException {
    holds("attempt_0", 5, 2);
    holds("attempt_1", SegmentInfo.DISK_ID_BASE + 1, 1);
    holds("attempt_2", 6, 0);
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description =
          client.describe(
              PartitionRange.one(3),
              List.of("attempt_0", "absent", "attempt_1", "attempt_2"),
              0,
              backend.places);
      for (String id : List.of("attempt_0", "attempt_1", "attempt_2")) {
        OutputLocations expected = backend.outputs.get(id);
        assertEquals(expected.runs().get(id), description.runs().get(id));
        expected
            .segments()
            .forEach((segmentId, at) -> assertEquals(at, description.segments().get(segmentId)));
      }
      assertEquals(3, description.runs().size());
    }
  }

  @Test
  void asksForManyOutputsInParts() throws IOException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 2 * RemoteProtocol.MAX_OUTPUTS + 1; i++) {
      ids.add("attempt_" + i);
    }
    holds("attempt_0", 1, 1);
    holds("attempt_20000", 2, 1);
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description = client.describe(PartitionRange.one(3), ids, 0, backend.places);
      assertEquals(2, description.runs().size());
      assertEquals(2, description.segments().size());
    }
    assertEquals(ids.size(), backend.askedFor.stream().mapToInt(Integer::intValue).sum());
    assertEquals(RemoteProtocol.OUTPUTS_PER_REQUEST, Collections.max(backend.askedFor));
  }

  @Test
  void asksForManyPartitionsInParts() throws IOException {
    holds("attempt_0", 1, 2);
    holds("attempt_1", 2, 1);
    int most = RemoteProtocol.OUTPUTS_PER_REQUEST;
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description =
          client.describe(
              new PartitionRange(1, 2 * most + 4),
              List.of("attempt_0", "attempt_1"),
              0,
              backend.places);
      assertEquals(2, description.runs().get("attempt_0").size());
      assertEquals(1, description.runs().get("attempt_1").size());
    }
    assertEquals(List.of(most, most, 3, most, most, 3), backend.askedFor);
  }

  @Test
  void partitionsThatWereNotAskedForAreLeftOut() throws IOException {
    holds("attempt_0", 1, 2);
    try (RemoteClient client = connect(SECRET)) {
      assertEquals(
          List.of(),
          client
              .describe(new PartitionRange(4, 9), List.of("attempt_0"), 0, backend.places)
              .runs()
              .get("attempt_0"));
    }
  }

  @Test
  void aRequestThatMakesNoSenseIsRefusedAndTheNextOneAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    try (RemoteClient client = connect(SECRET)) {
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () -> client.describe(PartitionRange.one(3), List.of("no id"), 0, backend.places));
      assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      assertTrue(e.getMessage().contains("output id has character 0x20"), e.getMessage());
      assertEquals(
          1,
          client
              .describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places)
              .runs()
              .size());
    }
  }

  @Test
  void aFailureOfTheStoreIsToldAndTheNextRequestAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    backend.outputs.put("attempt_1", null);
    try (RemoteClient client = connect(SECRET)) {
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () ->
                  client.describe(PartitionRange.one(3), List.of("attempt_1"), 0, backend.places));
      assertEquals(RemoteError.Code.INTERNAL, e.code());
      assertTrue(e.getMessage().contains("attempt_1 broke"), e.getMessage());
      assertEquals(
          1,
          client
              .describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places)
              .runs()
              .size());
    }
  }

  @Test
  void anAnswerThatFitsIntoNoFrameIsToldAndTheNextRequestAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    holds("attempt_1", 1, 250_000);
    try (RemoteClient client = connect(SECRET)) {
      RemoteError e =
          assertThrows(
              RemoteError.class,
              () ->
                  client.describe(PartitionRange.one(3), List.of("attempt_1"), 0, backend.places));
      assertTrue(e.getMessage().contains("exceeds the limit"), e.getMessage());
      assertEquals(
          1,
          client
              .describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places)
              .runs()
              .size());
    }
  }

  @Test
  void aQuestionWithTooLongAnAnswerIsAskedInParts() throws IOException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 37; i++) {
      ids.add("attempt_" + i);
      holds("attempt_" + i, i + 1, 3);
    }
    backend.mostAtOnce = 5; // outputs times partitions
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description =
          client.describe(new PartitionRange(0, 20), ids, 0, backend.places);
      assertEquals(37, description.runs().size());
      description.runs().values().forEach(runs -> assertEquals(3, runs.size()));
      assertEquals(37, description.segments().size());
    }
  }

  @Test
  void anOutputThatGoesBeforeItsLongAnswerIsAbsentAndTheNextRequestAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    backend.mostAtOnce = 0;
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description =
          client.describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places);
      assertEquals(Set.of(), description.runs().keySet());
      assertEquals(Set.of(), description.unreadable().keySet());
      backend.mostAtOnce = 1;
      description = client.describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places);
      assertEquals(Set.of("attempt_0"), description.runs().keySet());
    }
  }

  /** The defect was: it was described without those partitions, as if they had no records. */
  @Test
  void anOutputThatOneOfTheAnswersLeavesOutIsAbsent() throws IOException {
    holds("damaged", 1, 2);
    holds("whole", 2, 2);
    List<String> ids = List.of("damaged", "whole");
    PartitionRange all = new PartitionRange(0, StubBackend.PARTITION_COUNT);
    for (PartitionRange lost :
        List.of(
            new PartitionRange(500, 1_000), // of another request than the runs
            PartitionRange.one(StubBackend.PARTITION_COUNT - 1),
            PartitionRange.one(0))) {
      backend.damaged.put("damaged", lost);
      for (int mostAtOnce : new int[] {Integer.MAX_VALUE, 300}) {
        backend.mostAtOnce = mostAtOnce;
        try (RemoteClient client = connect(SECRET)) {
          Map<String, List<LocatedRun>> runs = client.describe(all, ids, 0, backend.places).runs();
          assertEquals(Set.of("whole"), runs.keySet(), "without " + lost);
          assertEquals(2, runs.get("whole").size());
        }
      }
    }
    try (RemoteClient client = connect(SECRET)) { // of what is not damaged it can be had
      assertEquals(
          2, client.describe(new PartitionRange(3, 400), ids, 0, backend.places).runs().size());
    }
  }

  @Test
  void outputsThatCannotBeReadNowAreToldApartAndTheOthersDescribed() throws IOException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ids.add("attempt_" + i);
      holds("attempt_" + i, i + 1, 3);
    }
    backend.outputs.remove("attempt_0");
    backend.unreadable.addAll(List.of("attempt_7", "attempt_19"));
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description = client.describe(PartitionRange.one(3), ids, 0, backend.places);
      assertEquals(17, description.runs().size());
      assertEquals(Set.of("attempt_7", "attempt_19"), description.unreadable().keySet());
      assertEquals("attempt_7 cannot be read", description.unreadable().get("attempt_7"));
    }
  }

  /** As where the service has no free descriptor: it is not asked for each of them. */
  @Test
  void whereNothingCanBeReadFewQuestionsTellThatOfAll() throws IOException {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      ids.add("attempt_" + i);
    }
    backend.unreadable.addAll(ids);
    try (RemoteClient client = connect(SECRET)) {
      OutputLocations description = client.describe(PartitionRange.one(3), ids, 0, backend.places);
      assertEquals(Set.copyOf(ids), description.unreadable().keySet());
      assertTrue(backend.askedFor.size() < 50, backend.askedFor.size() + " questions");
    }
  }

  /** An index that is cut, say: a reader that is told it asked badly would blame itself. */
  @Test
  void whatTheServiceCannotReadIsNotTheReadersFault() throws IOException {
    holds("attempt_0", 1, 1);
    try (RemoteClient client = connect(SECRET)) {
      for (Exception each :
          List.of(
              new EOFException("cut"),
              new ProtocolException("not as it was written"),
              new IllegalArgumentException("nonsense"))) {
        backend.failure = each;
        List<Executable> questions =
            List.of(
                () ->
                    client.describe(PartitionRange.one(3), List.of("attempt_0"), 0, backend.places),
                () -> client.isDamaged(3, "attempt_0"));
        for (Executable question : questions) {
          RemoteError e = assertThrows(RemoteError.class, question);
          assertEquals(RemoteError.Code.INTERNAL, e.code(), each.toString());
          assertTrue(e.getMessage().contains(each.getMessage()), e.getMessage());
        }
      }
      backend.failure = null;
      assertFalse(client.isDamaged(3, "attempt_0"));
    }
  }

  @Test
  void slotsAreAskedForGivenBackAndClosedWithTheConnection() throws IOException {
    BounceRequest request = new BounceRequest("ucx", "attempt_0", 3, 1, 1L << 40, 17, 250);
    try (RemoteClient client = connect(SECRET)) {
      BounceRange range = client.bounce(request, TIMEOUT_MS);
      assertEquals(request, backend.slots.asked);
      assertEquals(
          new BounceRange(10, new RegionDescriptor(1, 2, 4096, new byte[] {7}), 64), range);
      assertEquals(11, client.bounce(request, TIMEOUT_MS).ticket());
      client.release(10);
      BounceRequest wrong = new BounceRequest("ucx", "attempt_0", 3, 1, 0, -1, 0);
      RemoteError e = assertThrows(RemoteError.class, () -> client.bounce(wrong, TIMEOUT_MS));
      assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      assertEquals(Set.of(11L), backend.slots.held);
    }
    Await.until("the slots are closed", () -> backend.slots.closed);
  }

  /** A reader by hand, who proved the secret. */
  private Frames authenticated(DeadlineChannel channel) throws IOException {
    Frames frames = new Frames(channel);
    Frames.Frame challenge = frames.receive(TIMEOUT_MS, TIMEOUT_MS);
    assertEquals(RemoteProtocol.CHALLENGE, challenge.type());
    assertEquals(RemoteProtocol.MAGIC, challenge.in().readInt());
    Versions service = RemoteProtocol.VERSIONS.readOf(challenge.in(), "service", "test");
    AgreedVersion version = AgreedVersion.highest(service, RemoteProtocol.VERSIONS);
    byte[] serverNonce = Bounded.readBytes(challenge.in(), JobSecret.NONCE_BYTES);
    byte[] clientNonce = new byte[JobSecret.NONCE_BYTES];
    frames.send(
        RemoteProtocol.PROOF,
        out -> {
          out.writeShort(version.chosen());
          RemoteProtocol.VERSIONS.write(out);
          Bounded.writeString(out, APP);
          Bounded.writeBytes(out, clientNonce);
          Bounded.writeBytes(out, SECRET.clientProof(serverNonce, clientNonce, APP, version));
        },
        TIMEOUT_MS);
    Replies.receive(frames, TIMEOUT_MS);
    return frames;
  }

  @Test
  void hostileCountsAreRefusedAndTheNextRequestAnswered() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = authenticated(channel);
      for (int count : new int[] {-1, RemoteProtocol.MAX_OUTPUTS + 1, Integer.MAX_VALUE, 2}) {
        frames.send(
            RemoteProtocol.DESCRIBE,
            out -> {
              writeQuestion(out, count);
              Bounded.writeString(out, "the only one");
            },
            TIMEOUT_MS);
        RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
        assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      }
      frames.send(RemoteProtocol.DESCRIBE, out -> writeQuestion(out, 0), TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
    }
  }

  /** Where partition 3 of so many outputs lies, whose ids come behind. */
  private static void writeQuestion(DataOutputStream out, int outputs) throws IOException {
    out.writeInt(3);
    out.writeInt(4);
    out.writeInt(0);
    out.writeInt(outputs);
  }

  /** A request is kept whole while it comes, and every reader may send one slowly. */
  @Test
  void aRequestThatIsLongerThanAnyReaderSendsEndsTheConversation() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = authenticated(channel);
      assertThrows(
          IOException.class,
          () -> {
            frames.send(
                RemoteProtocol.DESCRIBE,
                out -> {
                  writeQuestion(out, 0);
                  out.write(new byte[RemoteProtocol.MAX_REQUEST_BYTES]);
                },
                TIMEOUT_MS);
            Replies.receive(frames, TIMEOUT_MS);
          });
    }
  }

  /** The heap that requests and answers share is another reader's: later, and nothing is lost. */
  @Test
  void whatHasNoRoomOnTheHeapIsRefusedForNowAndTheNextRequestAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    List<String> many = Collections.nCopies(400, "attempt_" + "0".repeat(60));
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = authenticated(channel);
      backend.heap = new HeapBudget("readers", ReaderSession.DESCRIBE_BYTES, false, 0);
      HeapBudget.Held held = backend.heap.take(new Owner(2), 1);
      for (List<String> outputs : List.of(List.of("attempt_0"), many)) {
        describe(frames, outputs);
        assertEquals(RemoteError.Code.BUSY, refusal(frames));
      }
      frames.send(
          RemoteProtocol.VERIFY,
          out -> {
            out.writeInt(3);
            Bounded.writeString(out, "attempt_0");
          },
          TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
      held.close();
      describe(frames, many);
      assertEquals(RemoteError.Code.BUSY, refusal(frames), "its answer alone would fill the heap");
      describe(frames, List.of("attempt_0"));
      Replies.receive(frames, TIMEOUT_MS);
      assertEquals(List.of(1), backend.askedFor);
    }
    Await.until("it is given back", () -> backend.heap.heldBytes().isEmpty());
  }

  private static void describe(Frames frames, List<String> outputs) throws IOException {
    frames.send(
        RemoteProtocol.DESCRIBE,
        out -> {
          writeQuestion(out, outputs.size());
          for (String output : outputs) {
            Bounded.writeString(out, output);
          }
        },
        TIMEOUT_MS);
  }

  private static RemoteError.Code refusal(Frames frames) {
    return assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS)).code();
  }

  @Test
  void partitionsThatCannotBeAreRefusedAndTheNextRequestAnswered() throws IOException {
    holds("attempt_0", 1, 1);
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = authenticated(channel);
      for (int[] range : new int[][] {{-1, 1}, {3, 3}, {3, 2}, {3, Integer.MIN_VALUE}}) {
        describe(frames, range[0], range[1]);
        RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
        assertEquals(RemoteError.Code.BAD_REQUEST, e.code());
      }
      describe(frames, 3, 4);
      Replies.receive(frames, TIMEOUT_MS);
    }
  }

  private static void describe(Frames frames, int first, int end) throws IOException {
    frames.send(
        RemoteProtocol.DESCRIBE,
        out -> {
          out.writeInt(first);
          out.writeInt(end);
          out.writeInt(0);
          out.writeInt(1);
          Bounded.writeString(out, "attempt_0");
        },
        TIMEOUT_MS);
  }

  @Test
  void nothingIsDescribedBeforeTheProof() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.receive(TIMEOUT_MS, TIMEOUT_MS);
      frames.send(RemoteProtocol.DESCRIBE, out -> out.writeLong(0), TIMEOUT_MS);
      assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
      assertTrue(backend.askedFor.isEmpty());
    }
  }

  @Test
  void aProbeNeedsNoProofAndLearnsOnlyOfThePattern() throws IOException {
    holds("attempt_0", 1, 1);
    RegionDescriptor region = new RegionDescriptor(7, 8, 1 << 20, new byte[] {9});
    backend.probes.add(new ProbeOffer(new TransportOffer("ucx", "", 1234, 0), Optional.empty()));
    backend.probes.add(
        new ProbeOffer(new TransportOffer("tcp", "10.0.0.1", 4321, 0), Optional.of(region)));
    assertEquals(backend.probes, ProbeMessages.ask(address(), TIMEOUT_MS));
    assertTrue(backend.askedFor.isEmpty());
  }

  @Test
  void nothingIsDescribedAfterAProbe() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.receive(TIMEOUT_MS, TIMEOUT_MS);
      frames.send(RemoteProtocol.PROBE, out -> out.writeShort(RemoteProtocol.VERSION), TIMEOUT_MS);
      Replies.receive(frames, TIMEOUT_MS);
      assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
      assertTrue(backend.askedFor.isEmpty());
    }
  }

  @Test
  void aProbeOfAnotherVersionIsCutOff() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.receive(TIMEOUT_MS, TIMEOUT_MS);
      frames.send(
          RemoteProtocol.PROBE, out -> out.writeShort(RemoteProtocol.VERSION + 1), TIMEOUT_MS);
      assertThrows(EOFException.class, () -> frames.receive(TIMEOUT_MS, TIMEOUT_MS));
    }
  }

  /** Every byte that a reader has sent, which was let in by them. */
  @Test
  void aRecordedProofIsWorthNothingToAnotherConnection() throws Exception {
    byte[] sent;
    try (Eavesdropper way = new Eavesdropper(address(), TIMEOUT_MS)) {
      RemoteClient.connect(way.address(), APP, SECRET, TIMEOUT_MS).close();
      sent = way.sent();
    }
    assertEquals(0L, refusals.counts().get(RefusalKind.WRONG_SECRET));
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      Frames frames = new Frames(channel);
      frames.receive(TIMEOUT_MS, TIMEOUT_MS);
      channel.writeFully(ByteBuffer.wrap(sent), TIMEOUT_MS);
      RemoteError e = assertThrows(RemoteError.class, () -> Replies.receive(frames, TIMEOUT_MS));
      assertEquals(RemoteError.Code.REFUSED, e.code());
    }
    assertEquals(1L, refusals.counts().get(RefusalKind.WRONG_SECRET));
  }

  @Test
  void whoHasProvenNothingCannotMakeItAllocate() throws IOException {
    try (DeadlineChannel channel = DeadlineChannel.connect(address(), TIMEOUT_MS)) {
      new Frames(channel).receive(TIMEOUT_MS, TIMEOUT_MS);
      ByteBuffer announced = ByteBuffer.allocate(4).putInt(0, Frames.MAX_SHORT_BYTES + 1);
      channel.writeFully(announced, TIMEOUT_MS);
      assertThrows(EOFException.class, () -> channel.readFully(ByteBuffer.allocate(1), TIMEOUT_MS));
    }
  }

  /** What used to fill a node with 1,024 of them: whoever proves the secret gets in at once. */
  @Test
  void aCrowdOfHellosWithoutAProofKeepsNobodyOut() throws IOException {
    List<Socket> crowd = new ArrayList<>();
    try {
      for (int i = 0; i < CROWD; i++) {
        crowd.add(new Socket(address().getAddress(), address().getPort()));
      }
      for (int i = 0; i < MAX_READERS; i++) {
        try (RemoteClient client = connect(SECRET)) {
          describeNothing(client);
        }
      }
      Await.until(
          "all but a few of the crowd are ended",
          () -> server.counters().expelled() >= CROWD - MAX_UNPROVED);
    } finally {
      for (Socket socket : crowd) {
        socket.close();
      }
    }
  }

  /** They keep their connections only to save the next ones. */
  @Test
  void moreReadersAreServedThanThereArePlaces() throws IOException {
    List<RemoteClient> readers = new ArrayList<>();
    try {
      for (int i = 0; i < 3 * MAX_READERS; i++) {
        readers.add(connectAtLast());
        describeNothing(readers.get(i));
      }
      assertEquals(MAX_READERS, server.counters().open());
    } finally {
      for (RemoteClient reader : readers) {
        reader.close();
      }
    }
  }

  /** They may hold slots, which would go with their connections. */
  @Test
  void readersThatBounceKeepTheirPlaces() throws IOException {
    List<RemoteClient> readers = new ArrayList<>();
    try {
      BounceRequest request = new BounceRequest("tcp", "attempt_1", 3, 0, 10, 64, 1_000);
      for (int i = 0; i < MAX_READERS - 1; i++) {
        readers.add(connect(SECRET));
        readers.get(i).bounce(request, TIMEOUT_MS);
        describeNothing(readers.get(i));
      }
      RemoteClient other = connect(SECRET);
      readers.add(other);
      describeNothing(other);
      readers.add(connectAtLast()); // in the place of the other, which asked last of all
      assertEquals(
          RemoteError.Code.BUSY, assertThrows(RemoteError.class, () -> connect(SECRET)).code());
      readers.remove(other);
      other.close();
      for (RemoteClient reader : readers) {
        describeNothing(reader);
      }
    } finally {
      for (RemoteClient reader : readers) {
        reader.close();
      }
    }
  }

  /** Those before have their answers, but the server may not have noticed yet. */
  private RemoteClient connectAtLast() throws IOException {
    while (true) {
      try {
        return connect(SECRET);
      } catch (RemoteError e) {
        assertEquals(RemoteError.Code.BUSY, e.code());
      }
    }
  }

  private void describeNothing(RemoteClient client) throws IOException {
    assertEquals(
        0,
        client.describe(PartitionRange.one(3), List.of("absent"), 0, backend.places).runs().size());
  }

  @Test
  void oneReaderTooManyIsToldToComeLater() throws IOException {
    List<RemoteClient> readers = new ArrayList<>();
    for (int i = 0; i < MAX_READERS; i++) {
      readers.add(connect(SECRET));
    }
    RemoteError e = assertThrows(RemoteError.class, () -> connect(SECRET));
    assertEquals(RemoteError.Code.BUSY, e.code());
    assertTrue(e.getMessage().contains("raise max-connections"), e.getMessage());
    assertEquals(MAX_READERS, server.counters().open());
    assertEquals(1, server.counters().refused());
    readers.get(0).close();
    Await.until("a reader is gone", () -> server.counters().open() < MAX_READERS);
    readers.set(0, connect(SECRET));
    for (RemoteClient reader : readers) {
      reader.close();
    }
  }

  @Test
  void aPortInUseIsNamed() throws IOException {
    InetSocketAddress taken = address();
    IOException e =
        assertThrows(IOException.class, () -> RemoteServer.start(backend, taken, refusals, LIMITS));
    assertTrue(e.getMessage().contains(taken.toString()), e.getMessage());
  }
}
