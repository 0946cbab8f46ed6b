package io.sluice.node.service;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.StageRequest;
import io.sluice.node.remote.StagedRange;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fills bounce slots for one reader with bytes of its own application's outputs, as the store knows
 * them.
 *
 * <p>Thread contract: one thread. Ownership: the conversation with the reader closes it.
 */
final class ReaderSlots implements BounceSlots {
  private final String applicationId;
  private final SpillStore store;
  private final OpenSegments segments;
  private final BounceTransports pools;
  private final Map<Long, BounceBuffers.Slot> held = new HashMap<>();
  private long nextTicket = 1;
  private CommittedOutput lastOutput; // a reader comes for window after window of the same runs
  private int lastPartition;
  private List<LocatedRun> lastRuns;

  ReaderSlots(
      String applicationId, SpillStore store, OpenSegments segments, BounceTransports pools) {
    this.applicationId = applicationId;
    this.store = store;
    this.segments = segments;
    this.pools = pools;
  }

  @Override
  public StagedRange stage(StageRequest request) throws IOException {
    BounceBuffers pool =
        pools
            .of(request.transport())
            .orElseThrow(
                () -> refused("there are no bounce buffers for '" + request.transport() + "'"));
    if (request.lengthBytes() <= 0 || request.lengthBytes() > pool.slotBytes()) {
      throw new IllegalArgumentException(request + " asks for more or less than a slot holds");
    }
    LocatedRun located = located(request);
    long runBytes = located.run().lengthBytes();
    if (request.offsetBytes() < 0 || request.offsetBytes() > runBytes - request.lengthBytes()) {
      throw new IllegalArgumentException(request + " is outside a run of " + runBytes + " bytes");
    }
    BounceBuffers.Slot slot = acquire(pool, request);
    try {
      copy(located.place().ranges(), request, slot.memory(request.lengthBytes()));
    } catch (IOException | RuntimeException | Error e) {
      slot.release();
      throw e;
    }
    slot.filled(request.lengthBytes());
    long ticket = nextTicket++;
    held.put(ticket, slot);
    return new StagedRange(ticket, pool.region(), slot.offsetBytes());
  }

  private LocatedRun located(StageRequest request) throws IOException {
    CommittedOutput output =
        store
            .find(new OutputId(applicationId, request.outputId()))
            .orElseThrow(
                () -> refused("there is no output " + request.outputId() + " of " + applicationId));
    if (output != lastOutput || request.partition() != lastPartition) {
      lastRuns = output.runs(request.partition());
      lastOutput = output;
      lastPartition = request.partition();
    }
    List<LocatedRun> runs = lastRuns;
    if (request.ordinal() < 0 || request.ordinal() >= runs.size()) {
      throw new IllegalArgumentException(request + " names one of " + runs.size() + " runs");
    }
    return runs.get(request.ordinal());
  }

  private BounceBuffers.Slot acquire(BounceBuffers pool, StageRequest request) throws RemoteError {
    if (held.size() == MAX_PER_READER) {
      throw new RemoteError(
          RemoteError.Code.BUSY, "this reader holds its " + MAX_PER_READER + " bounce slots");
    }
    int waitMs = held.isEmpty() ? Math.max(0, Math.min(MAX_WAIT_MS, request.waitMs())) : 0;
    BounceBuffers.Slot slot = pool.acquire(waitMs);
    if (slot == null) {
      if (held.isEmpty()) {
        pool.refused(); // else it only waits for one of its own
      }
      throw new RemoteError(
          RemoteError.Code.BUSY,
          "no bounce slot for " + request.transport() + " came free within " + waitMs + " ms");
    }
    return slot;
  }

  private void copy(List<Range> ranges, StageRequest request, ByteBuffer slot) throws IOException {
    long skipBytes = request.offsetBytes();
    int doneBytes = 0;
    for (Range range : ranges) {
      int partBytes =
          (int) Math.min(slot.capacity() - doneBytes, Math.max(0, range.lengthBytes() - skipBytes));
      if (partBytes > 0) {
        Range part = new Range(range.segmentId(), range.offsetBytes() + skipBytes, partBytes);
        segments.copy(part, slot.slice(doneBytes, partBytes));
        doneBytes += partBytes;
      }
      skipBytes = Math.max(0, skipBytes - range.lengthBytes());
    }
  }

  private static RemoteError refused(String message) {
    return new RemoteError(RemoteError.Code.REFUSED, message);
  }

  @Override
  public void release(long ticket) throws ProtocolException {
    BounceBuffers.Slot slot = held.remove(ticket);
    if (slot == null) {
      throw new ProtocolException("reader gives back slot " + ticket + ", which it does not hold");
    }
    slot.release();
  }

  @Override
  public void close() {
    held.values().forEach(BounceBuffers.Slot::release);
    held.clear();
  }
}
