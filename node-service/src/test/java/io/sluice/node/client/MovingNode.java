package io.sluice.node.client;

import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.RemoteBackend;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.remote.RemoteServer;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.socket.Refusals;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;

/**
 * A node that lays its one output elsewhere whenever a test says so, without a store: each place is
 * a segment of its own, in which each run lies in two ranges among foreign bytes. Places alternate
 * between the tiers. Former ones stay as they are until a test takes them or writes into them.
 *
 * <p>Thread contract: safe from any thread. Ownership: the test closes it.
 */
final class MovingNode implements RemoteBackend, AutoCloseable {
  /** Where runs that are longer are cut in two, in the middle of a block. */
  static final int CUT_BYTES = 50_000;

  /** All of them are tcp, which a reader may wrap. */
  private static final List<String> TRANSPORTS = List.of("tcp", "faulty-tcp");

  private static final int GAP_BYTES = 37;

  private final JobSecret secret;
  private final TestOutput output;
  private final Random random;
  private final UUID poolId = UUID.randomUUID();
  private final PoolPaths places;
  private final ServerEndpoint endpoint;
  private final HeapBudget heap = new HeapBudget("readers", 1 << 30, false, 0);
  private RemoteServer server;
  private final Map<Integer, Segment> segments = new HashMap<>();
  private final Set<Integer> scribbled = new HashSet<>();
  private int placeCount;
  private List<LocatedRun> located;
  private int questions;
  private Runnable beforeAnswer = () -> {};
  private Runnable beforeVerdict = () -> {};
  private UnaryOperator<Run> identity = run -> run;
  private UnaryOperator<byte[]> inlined = bytes -> bytes;
  private boolean withoutSegments;
  private boolean gone;
  private IOException refusal;
  private int refusals;

  private record Segment(SegmentInfo info, SharedFile file, RegionDescriptor region) {}

  /** Holds {@code output}, of {@code applicationSecret}'s application. */
  MovingNode(Path pool, JobSecret applicationSecret, TestOutput output, Random random)
      throws IOException {
    this.secret = applicationSecret;
    this.output = output;
    this.random = random;
    this.places =
        PoolPaths.owned(poolId, Owner.ofThisProcess(), Files.createDirectories(pool), List.of());
    InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    this.endpoint = new TcpProvider().listen(free, Admission.open(ConnectionLimits.DEFAULT));
    this.server = RemoteServer.start(this, free, new Refusals(), ConnectionLimits.DEFAULT);
    move();
  }

  NodeAddress address() throws IOException {
    return new NodeAddress(
        "moving", new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
  }

  /** The pool, for a reader of the same node. */
  LocalPool localPool() {
    return new LocalPool(poolId, places, SegmentOpener.BY_NAME);
  }

  /** Lays the output elsewhere; it can still be read where it lay. */
  synchronized void move() {
    try {
      int number = placeCount++;
      int segmentId = number % 2 == 0 ? number : SegmentInfo.DISK_ID_BASE + number;
      byte[] bytes =
          new byte[(int) output.totalBytes() + 2 * GAP_BYTES * (output.runs().size() + 1)];
      random.nextBytes(bytes);
      List<LocatedRun> now = new ArrayList<>();
      Map<Integer, Integer> ordinals = new HashMap<>();
      int at = GAP_BYTES;
      for (int i = 0; i < output.runs().size(); i++) {
        byte[] run = output.runs().get(i);
        int cut = Math.min(run.length, CUT_BYTES);
        List<Range> ranges = new ArrayList<>();
        for (int[] part : new int[][] {{0, cut}, {cut, run.length}}) {
          int lengthBytes = part[1] - part[0];
          if (lengthBytes > 0) {
            System.arraycopy(run, part[0], bytes, at, lengthBytes);
            ranges.add(new Range(segmentId, at, lengthBytes));
            at += lengthBytes + GAP_BYTES;
          }
        }
        int partition = output.partitions().get(i);
        int ordinal = ordinals.merge(partition, 1, Integer::sum) - 1;
        BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(run));
        now.add(
            new LocatedRun(
                new Run(partition, ordinal, run.length, run.length, 0, 1, checksums),
                new RunLocation(poolId, 1 + number, ranges)));
      }
      Path path = places.path(0, segmentId, 0);
      Files.write(path, bytes);
      SharedFile file = SharedFile.open(path);
      RegionDescriptor region = endpoint.register(MemoryRegion.ofFile(file, 0, bytes.length));
      SegmentInfo info =
          new SegmentInfo(segmentId, SegmentInfo.tierOf(segmentId), path, bytes.length);
      segments.put(segmentId, new Segment(info, file, region));
      located = now;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Nothing of the former places can be read any more; their files are gone. */
  synchronized void takeFormer() {
    try {
      for (Segment segment : former()) {
        endpoint.deregister(segment.region());
        segment.file().close();
        Files.delete(segment.info().path());
        segments.remove(segment.info().segmentId());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Other bytes come to lie in the former places. */
  synchronized void scribbleFormer() {
    former().forEach(this::scribble);
  }

  /** Other bytes come to lie where the output should. */
  synchronized void scribbleCurrent() {
    scribble(segments.get(currentId()));
  }

  /** No byte stays what it was; once, for a second time might bring the first ones back. */
  private void scribble(Segment segment) {
    if (!scribbled.add(segment.info().segmentId())) {
      return;
    }
    try {
      byte[] bytes = Files.readAllBytes(segment.info().path());
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] ^= (byte) (1 + random.nextInt(255));
      }
      segment.file().write(0, ByteBuffer.wrap(bytes));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Is done when a reader asks whether bytes are damaged where they lie. */
  synchronized void beforeVerdict(Runnable action) {
    beforeVerdict = action;
  }

  /** Files of former places are as short as this. */
  synchronized void cutFormer(long lengthBytes) {
    try {
      for (Segment segment : former()) {
        segment.file().setLength(lengthBytes);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<Segment> former() {
    return segments.values().stream()
        .filter(segment -> segment.info().segmentId() != currentId())
        .toList();
  }

  private int currentId() {
    return located.get(0).location().ranges().get(0).segmentId();
  }

  /** Is done whenever a reader asks, before it is answered. */
  synchronized void beforeAnswers(Runnable action) {
    beforeAnswer = action;
  }

  /** Says of each run that it is this one from now on; null leaves it out. */
  synchronized void changeIdentity(UnaryOperator<Run> change) {
    identity = change;
  }

  /** Sends this instead of the bytes of short runs from now on. */
  synchronized void changeInlined(UnaryOperator<byte[]> change) {
    inlined = change;
  }

  /** Describes runs without the segments that they lie in, or with them again. */
  synchronized void leaveSegmentsOut(boolean leaveOut) {
    withoutSegments = leaveOut;
  }

  /** Nobody gets a connection for data from now on. */
  void endData() {
    endpoint.close();
  }

  /** Refuses to answer from now on. */
  synchronized void refuse(RemoteError because) {
    refuse(because, Integer.MAX_VALUE);
  }

  /** The output is not held any more. */
  synchronized void forget() {
    gone = true;
  }

  /** The next so many questions are refused with this. */
  synchronized void refuse(IOException with, int times) {
    refusal = with;
    refusals = times;
  }

  private void refuse() throws IOException {
    if (refusals > 0) {
      refusals--;
      throw refusal;
    }
  }

  /** Nobody answers from now on; what is served can still be read. */
  void fallSilent() {
    try {
      server.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Answers again where it did. */
  void answerAgain(int port) {
    try {
      server =
          RemoteServer.start(
              this,
              new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
              new Refusals(),
              ConnectionLimits.DEFAULT);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** How often it was asked where the output lies. */
  synchronized int questions() {
    return questions;
  }

  @Override
  public synchronized Optional<LongRunLocations> describeLong(OutputId id, int partition)
      throws IOException {
    refuse();
    throw new UnsupportedOperationException("no answer is that long in these tests");
  }

  @Override
  public synchronized OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    questions++;
    beforeAnswer.run();
    refuse();
    OutputLocations answer = new OutputLocations(new HashMap<>(), new HashMap<>());
    if (gone || !outputIds.contains(output.id())) {
      return answer;
    }
    List<LocatedRun> runs = new ArrayList<>();
    for (int partition = partitions.first(); partition < partitions.end(); partition++) {
      for (LocatedRun run : located) {
        if (run.run().partition() == partition) {
          changed(run).ifPresent(runs::add);
        }
      }
    }
    answer.runs().put(output.id(), runs);
    for (LocatedRun run : runs) {
      byte[] bytes = output.of(run.run().partition()).get(run.run().ordinal());
      if (bytes.length <= inlinedRunBytes) {
        answer.inlined().put(run, inlined.apply(bytes.clone()));
      }
    }
    if (!withoutSegments) {
      Segment segment = segments.get(currentId());
      Map<String, RegionDescriptor> regions = new HashMap<>();
      TRANSPORTS.forEach(each -> regions.put(each, segment.region()));
      answer.segments().put(currentId(), new SegmentLocation(segment.info(), regions));
    }
    return answer;
  }

  @Override
  public synchronized boolean isDamaged(OutputId id, int partition) {
    beforeVerdict.run();
    return scribbled.contains(currentId());
  }

  /** With another identity if a test says so, and ranges of that length. */
  private Optional<LocatedRun> changed(LocatedRun run) {
    Run now = identity.apply(run.run());
    if (now == null) {
      return Optional.empty();
    }
    List<Range> ranges = new ArrayList<>();
    long leftBytes = now.lengthBytes();
    for (Range range : run.location().ranges()) {
      long lengthBytes = Math.min(leftBytes, range.lengthBytes());
      if (lengthBytes > 0) {
        ranges.add(new Range(range.segmentId(), range.offsetBytes(), lengthBytes));
      }
      leftBytes -= lengthBytes;
    }
    return Optional.of(
        new LocatedRun(now, new RunLocation(poolId, run.location().generation(), ranges)));
  }

  @Override
  public JobSecret secretOf(String applicationId) {
    return secret;
  }

  @Override
  public UUID poolId() {
    return poolId;
  }

  @Override
  public PoolPaths places() {
    return places;
  }

  @Override
  public List<ProbeOffer> probe() {
    return List.of();
  }

  @Override
  public AuthenticatedReader open(String applicationId) {
    return new Reader();
  }

  private final class Reader implements AuthenticatedReader {
    @Override
    public Object sharer() {
      return null;
    }

    @Override
    public List<TransportOffer> offers() {
      return TRANSPORTS.stream()
          .map(each -> TransportOffer.of(each, endpoint.address(), 0))
          .toList();
    }

    @Override
    public Ticket expect(String transport, Set<InetAddress> from) {
      return new Ticket(1, 2); // the endpoint takes anybody
    }

    @Override
    public HeapBudget.Held heap(long bytes) throws RemoteError {
      return heap.take(new Owner(1), bytes);
    }

    @Override
    public BounceSlots slots() {
      return new NoSlots();
    }

    @Override
    public void close() {}
  }

  private static final class NoSlots implements BounceSlots {
    @Override
    public BounceRange bounce(BounceRequest request) {
      throw new AssertionError("nothing is bounced here");
    }

    @Override
    public void release(long ticket) {
      throw new AssertionError("nothing is bounced here");
    }

    @Override
    public void close() {}
  }

  @Override
  public void freeOutputs(String applicationId, String outputIdPrefix) {
    throw new AssertionError("readers free nothing");
  }

  @Override
  public void freeOutputsBelow(String applicationId, String outputIdPrefix, long end) {
    throw new AssertionError("readers free nothing");
  }

  @Override
  public void freeOutput(OutputId id) {
    throw new AssertionError("readers free nothing");
  }

  @Override
  public void applicationStopped(String applicationId) {
    throw new AssertionError("readers free nothing");
  }

  @Override
  public void close() throws IOException {
    server.close(); // not under the lock, which an answer may need
    endpoint.close();
    closeFiles();
  }

  private synchronized void closeFiles() throws IOException {
    for (Segment segment : segments.values()) {
      segment.file().close();
    }
  }
}
