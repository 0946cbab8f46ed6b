package io.sluice.node.faults;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A task that tries to get at another user's bytes, with no rights but its own and with what it may
 * have heard: what a task of his has said to the service, where his segment lies, a key of old.
 */
public final class CheatMain {
  private static final long TIMEOUT_MS = 120_000;
  private static final int BLOCK_BYTES = 16 << 10;

  private final NodeMetadata service;
  private final String own;
  private final JobSecret secret;
  private final String foreign;
  private final JobSecret overheard;
  private final String foreignOutput;
  private final SegmentInfo foreignSegment;
  private final Path foreignOnDisk;

  private final List<String> outcomes = new ArrayList<>();

  /** One thing that is tried. */
  public interface Attempt {
    /** Gets something, or fails. */
    Object make() throws Exception;
  }

  private CheatMain(List<String> args) throws Exception {
    service = NodeMetadata.decode(Base64.getDecoder().decode(args.get(0)));
    own = args.get(1);
    secret = new JobSecret(HexFormat.of().parseHex(args.get(2)));
    foreign = args.get(3);
    overheard = new JobSecret(HexFormat.of().parseHex(args.get(4)));
    foreignOutput = args.get(5);
    foreignSegment =
        new SegmentInfo(
            Integer.parseInt(args.get(7)),
            Integer.parseInt(args.get(8)),
            Tier.MEMORY,
            Path.of(args.get(6)),
            0,
            Long.parseLong(args.get(9)),
            SegmentInfo.MAPPED_BY_JDK);
    foreignOnDisk = Path.of(args.get(10));
  }

  /**
   * What came of each attempt.
   *
   * @param args what the service says, its own application and secret; of another user an
   *     application, its secret, an output, a segment's path, id, incarnation and length, a file of
   *     the disk tier; then descriptors of regions, each behind what its key is
   */
  public static List<String> outcomes(List<String> args) throws Exception {
    CheatMain cheat = new CheatMain(args);
    cheat.byNames();
    cheat.overTheLocalSocket();
    Map<String, RegionDescriptor> regions = new LinkedHashMap<>();
    for (int i = 11; i < args.size(); i += 2) {
      regions.put(args.get(i), region(args.get(i + 1)));
    }
    cheat.overTheNetwork(regions);
    return cheat.outcomes;
  }

  /** Prints them. */
  public static void main(String[] args) throws Exception {
    outcomes(List.of(args)).forEach(System.out::println);
  }

  private static RegionDescriptor region(String hex) throws Exception {
    return RegionDescriptor.decode(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
  }

  private void attempt(String name, Attempt attempt) {
    String outcome;
    try {
      outcome = "GOT " + attempt.make();
    } catch (Exception e) {
      outcome = (e.getCause() == null ? e : e.getCause()).getClass().getSimpleName();
    }
    outcomes.add(name + ": " + outcome);
  }

  private void byNames() {
    Path home = service.address().socket().getParent();
    attempt("read a file", () -> Files.newInputStream(foreignSegment.path()).read());
    attempt("list the pool", () -> Files.list(service.pool()));
    attempt("read a file on disk", () -> Files.newInputStream(foreignOnDisk).read());
    attempt("list the disk tier", () -> Files.list(foreignOnDisk.getParent()));
    attempt("list the service", () -> Files.list(home));
    attempt("read a secret", () -> Files.readAllBytes(home.resolve("applications/" + foreign)));
  }

  private void overTheLocalSocket() throws Exception {
    attempt("replay a hello", () -> connect(foreign, overheard).info()); // as her task says it
    try (SocketClient task = connect(own, secret);
        SocketClient another = connect(own, secret)) {
      SegmentInfo named =
          new SegmentInfo(
              foreignSegment.segmentId(),
              foreignSegment.incarnation(),
              Tier.MEMORY,
              task.places().path(0, foreignSegment.segmentId(), foreignSegment.incarnation()),
              0,
              foreignSegment.lengthBytes(),
              SegmentInfo.MAPPED_BY_JDK);
      attempt("open to read", () -> task.opener().open(named, false));
      attempt("open to write", () -> task.opener().open(named, true));
      attempt("give back", () -> give(another, new Extent(named, 0, BLOCK_BYTES)));
      for (int block = 1; block <= 2; block++) {
        FooterLocation footer =
            new FooterLocation(named.segmentId(), (long) block * BLOCK_BYTES - 96);
        OutputStamp stamp =
            new OutputStamp(new OutputId(own, foreignOutput), task.info().generation(), 0);
        attempt("commit", () -> commit(another, stamp, footer));
      }
    }
  }

  private static String give(SocketClient task, Extent extent) throws Exception {
    task.release(List.of(extent));
    return "room";
  }

  private static String commit(SocketClient task, OutputStamp stamp, FooterLocation footer)
      throws Exception {
    task.commit(stamp, footer);
    return "an output";
  }

  private SocketClient connect(String application, JobSecret its) throws Exception {
    return SocketClient.connect(
        service.address().socket(), service.owner(), application, its, TIMEOUT_MS);
  }

  private void overTheNetwork(Map<String, RegionDescriptor> regions) throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    InetSocketAddress control = new InetSocketAddress(here, service.address().controlPort());
    JobSecret wrong = new JobSecret("a guess".getBytes(StandardCharsets.US_ASCII));
    attempt("guess a secret", () -> RemoteClient.connect(control, foreign, wrong, TIMEOUT_MS));
    connect(own, secret).close(); // so that the application is known
    try (RemoteClient reader = RemoteClient.connect(control, own, secret, TIMEOUT_MS);
        ClientEndpoint client = new TcpProvider().openClient();
        RegisteredBuffer window = client.register(ByteBuffer.allocateDirect(BLOCK_BYTES))) {
      attempt(
          "ask for an output",
          () -> {
            List<String> wanted = List.of(foreignOutput);
            if (reader
                .describe(PartitionRange.one(0), wanted, 0, PoolPaths.ELSEWHERE)
                .runs()
                .isEmpty()) {
              throw new IllegalStateException("absent");
            }
            return "its place";
          });
      TransportOffer tcp =
          reader.offers().stream()
              .filter(offer -> offer.transport().equals(TransportNames.TCP))
              .findFirst()
              .orElseThrow();
      for (Map.Entry<String, RegionDescriptor> region : regions.entrySet()) {
        try (Connection connection =
            client.connect(
                new InetSocketAddress(here, tcp.port()),
                reader.admit(tcp.transport(), List.of(here)),
                TIMEOUT_MS)) {
          attempt(
              "read with " + region.getKey(),
              () ->
                  connection.read(region.getValue(), 0, window, 0, BLOCK_BYTES, TIMEOUT_MS).join());
        }
      }
    }
  }
}
