package io.sluice.hadoop.reduce;

import io.sluice.hadoop.testing.TestJob;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.node.remote.BounceSlots;
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
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.Ticket;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * A node service that says of every output of the test's job that it is there, with so many runs in
 * each partition, in a segment of its own. It listens at all addresses of this host, so that it can
 * be taken for many nodes, and lets nobody read.
 *
 * <p>Thread contract: safe from any thread. Ownership: the test closes it.
 */
final class ManyOutputs implements RemoteBackend, AutoCloseable {
  private static final int SEGMENT_BYTES = 64 << 20; // as by default

  private final JobSecret secret;
  private final int runs;
  private final UUID poolId = UUID.randomUUID();
  private final PoolPaths places =
      PoolPaths.owned(poolId, new Owner(1), Path.of("/pool"), List.of());
  private final RemoteServer server;

  ManyOutputs(JobSecret secret, int runs) throws IOException {
    this.secret = secret;
    this.runs = runs;
    this.server =
        RemoteServer.start(
            this, new InetSocketAddress(0), new Refusals(), ConnectionLimits.DEFAULT);
  }

  int port() throws IOException {
    return server.port();
  }

  /** How long a run of a map is: a block at most. */
  static long lengthBytes(int map, int ordinal) {
    return 20_000 + (map + ordinal) % 10_000;
  }

  @Override
  public OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    OutputLocations answer = new OutputLocations(new HashMap<>(), new HashMap<>());
    for (String id : outputIds) {
      TaskAttemptID attempt = TaskAttemptID.forName(id);
      int map = attempt.getTaskID().getId();
      answer.segments().put(map, segment(map));
      List<LocatedRun> described = new ArrayList<>();
      for (int ordinal = 0; ordinal < runs; ordinal++) {
        described.add(run(map, partitions.first(), ordinal));
      }
      answer.runs().put(TaskNames.attempt(attempt), described);
    }
    return answer;
  }

  private SegmentLocation segment(int segmentId) throws IOException {
    SegmentInfo segment =
        new SegmentInfo(
            segmentId, SegmentInfo.tierOf(segmentId), places.path(0, segmentId, 0), SEGMENT_BYTES);
    long key = new Random(segmentId).nextLong();
    RegionDescriptor region = new RegionDescriptor(segmentId, key, SEGMENT_BYTES, new byte[0]);
    return new SegmentLocation(segment, Map.of("tcp", region));
  }

  private LocatedRun run(int map, int partition, int ordinal) {
    Random random = new Random(map);
    long lengthBytes = lengthBytes(map, ordinal);
    Run run =
        new Run(
            partition,
            ordinal,
            lengthBytes,
            3 * lengthBytes,
            32 << 10,
            1 + lengthBytes / 100,
            BlockChecksums.of(random.nextInt()));
    Range range = new Range(map, random.nextInt(SEGMENT_BYTES - (1 << 20)), lengthBytes);
    return new LocatedRun(run, new RunLocation(poolId, 1 + map, List.of(range)));
  }

  @Override
  public Optional<LongRunLocations> describeLong(OutputId id, int partition) {
    throw new UnsupportedOperationException("no answer is that long in these tests");
  }

  @Override
  public boolean isDamaged(OutputId id, int partition) {
    return false;
  }

  @Override
  public JobSecret secretOf(String applicationId) {
    return applicationId.equals(TestJob.APPLICATION) ? secret : null;
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

  private static final HeapBudget HEAP = HeapBudget.ofReaders(false);

  private static final class Reader implements AuthenticatedReader {
    @Override
    public Object sharer() {
      return null;
    }

    @Override
    public List<TransportOffer> offers() {
      return List.of(new TransportOffer("tcp", "", 1, 0));
    }

    @Override
    public Ticket expect(String transport, Set<InetAddress> from) throws RemoteError {
      throw new RemoteError(RemoteError.Code.BUSY, "nothing is read in this test");
    }

    @Override
    public HeapBudget.Held heap(long bytes) throws RemoteError {
      return HEAP.take(null, bytes);
    }

    @Override
    public BounceSlots slots() {
      throw new UnsupportedOperationException("nothing is read in this test");
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
    server.close();
  }
}
