package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.service.ApplicationUsers;
import io.sluice.node.service.GuessableTcp;
import io.sluice.node.service.NodeService;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.OtherUser;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task of one user tries to get at what another's has written. */
@Tag("slow")
class CheatsTest extends NodeTestBase {
  private static final Owner ANN = new Owner(12_345);
  private static final String FORMER = "application_1_0003";
  private static final String CHEATS = "application_1_0004";
  private static final String ANNS_SECRET = "secret"; // as the base's reader has it
  private static final String CHEATS_SECRET = "another secret";
  private static final Map<String, Owner> USERS =
      Map.of(APP, ANN, FORMER, OtherUser.NOBODY, CHEATS, OtherUser.NOBODY);

  /** More than there is memory. */
  private static final TestOutput ANNS_OUTPUT = OtherUserMain.output(1_500_000);

  private final ApplicationUsers engine =
      new ApplicationUsers() {
        @Override
        public boolean isHere(String applicationId) {
          return USERS.containsKey(applicationId);
        }

        @Override
        public Optional<Owner> expected(String applicationId) {
          return Optional.of(USERS.get(applicationId));
        }
      };

  private OtherUser others;
  private String metadata;

  @BeforeEach
  void copyClasses() throws Exception {
    OtherUser.assumeAvailable();
    others = new OtherUser(directory);
  }

  /** Where each segment with something of the output lies. */
  private List<SegmentLocation> write(
      Owner user, String applicationId, String secret, TestOutput output) throws Exception {
    String lengthBytes = Long.toString(output.totalBytes());
    String said =
        others.run(user, OtherUserMain.class, metadata, applicationId, secret, lengthBytes);
    assertTrue(said.startsWith("read "), said);
    Collection<SegmentLocation> written =
        service
            .readers()
            .describe(applicationId, PartitionRange.one(0), List.of(output.id()), 0)
            .segments()
            .values();
    return List.copyOf(written);
  }

  private static SegmentLocation in(Tier tier, List<SegmentLocation> written) {
    return written.stream()
        .filter(location -> location.segment().tier() == tier)
        .findFirst()
        .orElseThrow();
  }

  private static String hex(String secret) {
    return HexFormat.of().formatHex(secret.getBytes(StandardCharsets.US_ASCII));
  }

  private static String hex(RegionDescriptor region) {
    return HexFormat.of().formatHex(region.encode());
  }

  /** Where keys could be guessed, even the true one opens nothing for another owner's reader. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingOfAnotherUserIsToBeHad(boolean keysCanBeGuessed) throws Exception {
    TransportProvider transport = keysCanBeGuessed ? new GuessableTcp() : new TcpProvider();
    service = NodeService.start(withDisk(1, transport).users(engine));
    metadata = Base64.getEncoder().encodeToString(service.metadata().encode());
    TestOutput formers = OtherUserMain.output(300_000);
    List<SegmentLocation> former = write(OtherUser.NOBODY, FORMER, CHEATS_SECRET, formers);
    RegionDescriptor old = in(Tier.MEMORY, former).regions().get("tcp");
    service.applicationStopped(FORMER);
    List<SegmentLocation> written = write(ANN, APP, ANNS_SECRET, ANNS_OUTPUT);
    SegmentLocation anns = in(Tier.MEMORY, written);
    SegmentInfo segment = anns.segment();
    Path onDisk = in(Tier.DISK, written).segment().path();
    assertTrue(Files.size(onDisk) > 0, onDisk.toString());
    assertEquals(1, service.store().stats().handOvers(), "it was the other's before");
    RegionDescriptor key = anns.regions().get("tcp");
    RegionDescriptor guessed =
        new RegionDescriptor(key.regionId(), key.key() ^ 1, key.lengthBytes(), key.providerData());
    List<String> arguments =
        new ArrayList<>(
            List.of(
                metadata,
                CHEATS,
                hex(CHEATS_SECRET),
                APP,
                hex(ANNS_SECRET),
                ANNS_OUTPUT.id(),
                segment.path().toString(),
                Integer.toString(segment.segmentId()),
                Integer.toString(segment.incarnation()),
                Long.toString(segment.lengthBytes()),
                onDisk.toString(),
                "a guessed key",
                hex(guessed),
                "an old key",
                hex(old)));
    if (keysCanBeGuessed) {
      arguments.addAll(List.of("the true key", hex(key)));
    }
    String said = others.run(OtherUser.NOBODY, CheatMain.class, arguments.toArray(String[]::new));
    assertEquals(
        """
        read a file: AccessDeniedException
        list the pool: AccessDeniedException
        read a file on disk: AccessDeniedException
        list the disk tier: AccessDeniedException
        list the service: AccessDeniedException
        read a secret: AccessDeniedException
        replay a hello: RemoteError
        open to read: NoSuchFileException
        open to write: NoSuchFileException
        give back: RemoteError
        commit: CorruptOutputException
        commit: CorruptOutputException
        guess a secret: RemoteError
        ask for an output: IllegalStateException
        read with a guessed key: RemoteAccessException
        read with an old key: RemoteAccessException
        """
            + (keysCanBeGuessed ? "read with the true key: RemoteAccessException\n" : ""),
        said);
    Map<RefusalKind, Long> refused = service.counters().refusals();
    assertEquals(1L, refused.get(RefusalKind.WRONG_USER), refused.toString());
    assertEquals(2L, refused.get(RefusalKind.FOREIGN_SEGMENT), refused.toString());
    assertEquals(1L, refused.get(RefusalKind.BAD_MESSAGE), refused.toString());
    assertEquals(2L, refused.get(RefusalKind.BAD_OUTPUT), refused.toString());
    assertEquals(1L, refused.get(RefusalKind.WRONG_SECRET), refused.toString());
    assertEquals(
        keysCanBeGuessed ? 3 : 2, service.counters().transports().get("tcp").failedReads());
    try (NodeReader reader = tcpReader(2)) {
      assertReads(reader, List.of(ANNS_OUTPUT));
    }
  }

  /** Linux opens a file anew by the descriptors of a process, if its user may open that file. */
  @Test
  void whatIsHandedToReadIsNotToBeWrittenNorOpenedAnew() throws Exception {
    service = NodeService.start(withDisk(1, new TcpProvider()).users(engine));
    metadata = Base64.getEncoder().encodeToString(service.metadata().encode());
    assertEquals(
        """
        handed 1048576 bytes
        access mode: 0
        to read: AccessDeniedException
        to write: AccessDeniedException
        """,
        others.run(OtherUser.NOBODY, ReopenMain.class, metadata, FORMER, CHEATS_SECRET));
  }

  /** Nobody can take from a task what it was handed: so it has to become worth nothing. */
  @Test
  void whatIsKeptOfASegmentShowsNothingOfItsNextOwners() throws Exception {
    service = NodeService.start(withDisk(1, new TcpProvider()).users(engine));
    metadata = Base64.getEncoder().encodeToString(service.metadata().encode());
    try (OtherUser.Running keeper =
        others.start(OtherUser.NOBODY, KeeperMain.class, metadata, FORMER, CHEATS_SECRET)) {
      keeper.awaitSaid("kept %d bytes".formatted(TestPool.SEGMENT_BYTES));
      Await.until("its lease is back", () -> service.store().stats().memory().usedBytes() == 0);
      SegmentInfo anns = in(Tier.MEMORY, write(ANN, APP, ANNS_SECRET, ANNS_OUTPUT)).segment();
      assertEquals(1, anns.incarnation(), "it was the other's before");
      assertEquals(
          """
          kept 1048576 bytes
          the file has 0 bytes
          opened again: NoSuchFileException
          the mapping shows nothing: Bad address
          """,
          keeper.end());
    }
    service
        .counters()
        .refusals()
        .forEach((kind, count) -> assertEquals(0L, count, kind + ": what was once its own"));
    try (NodeReader reader = tcpReader(2)) {
      assertReads(reader, List.of(ANNS_OUTPUT));
    }
  }
}
