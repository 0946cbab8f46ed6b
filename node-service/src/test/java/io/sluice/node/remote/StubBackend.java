package io.sluice.node.remote;

import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.Ticket;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Answers from maps that a test fills; a null output makes it fail. */
final class StubBackend implements RemoteBackend {
  static final int PARTITION_COUNT = 2_000;

  final UUID poolId = UUID.randomUUID();
  final PoolPaths places = PoolPaths.owned(poolId, new Owner(1), Path.of("/pool"), List.of());
  final Map<String, JobSecret> secrets = new HashMap<>();
  final List<TransportOffer> offers = new ArrayList<>();
  final List<ProbeOffer> probes = new ArrayList<>();
  final Map<String, OutputLocations> outputs = new HashMap<>();
  final Map<String, PartitionRange> damaged = new HashMap<>();
  final Set<String> unreadable = new HashSet<>();
  final List<Integer> askedFor = new ArrayList<>();
  final List<String> freed = new ArrayList<>();
  int mostAtOnce = Integer.MAX_VALUE;
  final List<String> expected = new ArrayList<>();
  Exception failure; // of what is looked up; null: none
  final StubSlots slots = new StubSlots();
  HeapBudget heap = new HeapBudget("readers", 1 << 30, false, 0);

  @Override
  public JobSecret secretOf(String applicationId) {
    return secrets.get(applicationId);
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
  public void freeOutputs(String applicationId, String outputIdPrefix) {
    freed.add(applicationId + "/" + outputIdPrefix);
  }

  @Override
  public void freeOutputsBelow(String applicationId, String outputIdPrefix, long end) {
    freed.add(applicationId + "/" + outputIdPrefix + " below " + end);
  }

  @Override
  public void freeOutput(OutputId id) {
    freed.add(id.toString());
  }

  @Override
  public void applicationStopped(String applicationId) {
    freed.add(applicationId);
  }

  @Override
  public AuthenticatedReader open(String applicationId) {
    return new StubReader();
  }

  private final class StubReader implements AuthenticatedReader {
    @Override
    public Object sharer() {
      return null;
    }

    @Override
    public List<TransportOffer> offers() {
      return offers;
    }

    @Override
    public Ticket expect(String transport, Set<InetAddress> from) throws RemoteError {
      expected.add(transport + " from " + from.contains(InetAddress.getLoopbackAddress()));
      if (!transport.equals("tcp")) {
        throw new RemoteError(RemoteError.Code.BUSY, "full");
      }
      return new Ticket(1, 2);
    }

    @Override
    public HeapBudget.Held heap(long bytes) throws RemoteError {
      return heap.take(new Owner(1), bytes);
    }

    @Override
    public BounceSlots slots() {
      return slots;
    }

    @Override
    public void close() {
      slots.close();
    }
  }

  @Override
  public List<ProbeOffer> probe() {
    return probes;
  }

  @Override
  public Optional<LongRunLocations> describeLong(OutputId id, int partition) {
    return Optional.empty(); // it was freed after the shorter answer was refused
  }

  @Override
  public OutputLocations describe(
      String applicationId, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    if (outputIds.size() * partitions.count() > mostAtOnce) {
      throw new RemoteError(RemoteError.Code.TOO_MUCH, "expected by this test");
    }
    askedFor.add(outputIds.size() * partitions.count());
    failIfTold();
    if (partitions.end() > PARTITION_COUNT) {
      throw new IllegalArgumentException("no partition " + (partitions.end() - 1));
    }
    OutputLocations all = new OutputLocations(new HashMap<>(), new HashMap<>());
    for (String outputId : outputIds) {
      if (unreadable.contains(outputId)) {
        throw new RemoteError(RemoteError.Code.NOT_NOW, outputId + " cannot be read");
      }
      if (outputs.containsKey(outputId) && !isDamaged(outputId, partitions)) {
        OutputLocations one = outputs.get(outputId);
        if (one == null) {
          throw new IOException("the disk of " + outputId + " broke");
        }
        all.segments().putAll(one.segments());
        one.runs()
            .forEach(
                (id, runs) ->
                    all.runs()
                        .put(
                            id,
                            runs.stream()
                                .filter(located -> partitions.contains(located.run().partition()))
                                .toList()));
      }
    }
    return all;
  }

  @Override
  public boolean isDamaged(OutputId id, int partition) throws IOException {
    failIfTold();
    return isDamaged(id.outputId(), PartitionRange.one(partition));
  }

  private void failIfTold() throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
  }

  /** Whether some of these partitions are among those that a test has damaged. */
  private boolean isDamaged(String outputId, PartitionRange partitions) {
    PartitionRange lost = damaged.get(outputId);
    return lost != null && lost.first() < partitions.end() && partitions.first() < lost.end();
  }
}
