package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.local.RefusalKind;
import io.sluice.node.remote.Partitions;
import io.sluice.node.remote.SegmentLocation;
import io.sluice.node.service.ApplicationUsers;
import io.sluice.node.service.GuessableTcp;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.OtherUser;
import io.sluice.node.testing.TestOutput;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A task of one user tries to get at what another's has written. */
class CheatsTest extends NodeTestBase {
  private static final Owner ANN = new Owner(12_345);
  private static final String FORMER = "application_1_0003";
  private static final String CHEATS = "application_1_0004";
  private static final Map<String, Owner> USERS =
      Map.of(APP, ANN, FORMER, OtherUser.NOBODY, CHEATS, OtherUser.NOBODY);

  /** What {@link OtherUserMain} writes. */
  private static final TestOutput OUTPUT = TestOutput.single(new Random(1), "attempt_1", 300_000);

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

  private SegmentLocation write(Owner user, String applicationId) throws Exception {
    assertEquals(
        "read locally 300000\n",
        others.run(user, OtherUserMain.class, metadata, applicationId, "secret"));
    return service
        .describe(applicationId, Partitions.one(0), List.of(OUTPUT.id()))
        .segments()
        .values()
        .iterator()
        .next();
  }

  private static String hex(RegionDescriptor region) {
    return HexFormat.of().formatHex(region.encode());
  }

  /** Where keys could be guessed, even the true one opens nothing for another owner's reader. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingOfAnotherUserIsToBeHad(boolean keysCanBeGuessed) throws Exception {
    TransportProvider transport = keysCanBeGuessed ? new GuessableTcp() : new TcpProvider();
    service = withDisk(1, transport).users(engine).start();
    metadata = Base64.getEncoder().encodeToString(service.metadata().encode());
    RegionDescriptor old = write(OtherUser.NOBODY, FORMER).regions().get("tcp");
    service.applicationStopped(FORMER);
    SegmentLocation anns = write(ANN, APP);
    SegmentInfo segment = anns.segment();
    assertEquals(Tier.MEMORY, segment.tier());
    assertEquals(1, service.storeStats().handOvers(), "it was the other's before");
    RegionDescriptor key = anns.regions().get("tcp");
    RegionDescriptor guessed =
        new RegionDescriptor(key.regionId(), key.key() ^ 1, key.lengthBytes(), key.providerData());
    List<String> arguments =
        new ArrayList<>(
            List.of(
                metadata,
                CHEATS,
                HexFormat.of().formatHex(SECRET.bytes()),
                APP,
                OUTPUT.id(),
                segment.path().toString(),
                Integer.toString(segment.segmentId()),
                Integer.toString(segment.incarnation()),
                Long.toString(segment.lengthBytes()),
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
    Map<RefusalKind, Long> refused = service.taskRefusals();
    assertEquals(1L, refused.get(RefusalKind.WRONG_USER), refused.toString());
    assertEquals(2L, refused.get(RefusalKind.FOREIGN_SEGMENT), refused.toString());
    assertEquals(1L, refused.get(RefusalKind.BAD_MESSAGE), refused.toString());
    assertEquals(2L, refused.get(RefusalKind.BAD_OUTPUT), refused.toString());
    assertEquals(1L, refused.get(RefusalKind.WRONG_SECRET), refused.toString());
    assertEquals(keysCanBeGuessed ? 3 : 2, service.transportCounters().get("tcp").failedReads());
    try (NodeReader reader = tcpReader(2)) {
      assertReads(reader, List.of(OUTPUT));
    }
  }
}
