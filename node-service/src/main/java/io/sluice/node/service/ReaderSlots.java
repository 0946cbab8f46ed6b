package io.sluice.node.service;

import io.sluice.node.remote.BounceSlots;
import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.PartitionRuns;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.OutputLocation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Fills bounce slots for one reader with bytes of its own application's outputs, as the store knows
 * them.
 *
 * <p>Thread contract: one thread. Ownership: the conversation with the reader closes it.
 */
final class ReaderSlots implements BounceSlots {
  private final String applicationId;
  private final Owner owner;
  private final Function<OutputId, Optional<CommittedOutput>> find;
  private final OpenSegments segments;
  private final BounceTransports pools;
  private final Map<Long, BounceBuffers.Slot> held = new HashMap<>();
  private long nextTicket = 1;
  private CommittedOutput lastOutput; // a reader comes for window after window of the same runs
  private int lastPartition;
  private PartitionRuns lastRuns;
  private RunEntry lastRun;

  /**
   * Holds no slot.
   *
   * @param owner of the reader's application
   * @param find which output has this name now
   */
  ReaderSlots(
      String applicationId,
      Owner owner,
      Function<OutputId, Optional<CommittedOutput>> find,
      OpenSegments segments,
      BounceTransports pools) {
    this.applicationId = applicationId;
    this.owner = owner;
    this.find = find;
    this.segments = segments;
    this.pools = pools;
  }

  @Override
  public BounceRange bounce(BounceRequest request) throws IOException {
    BounceBuffers pool =
        pools
            .of(request.transport())
            .orElseThrow(
                () -> refused("there are no bounce buffers for '" + request.transport() + "'"));
    if (request.lengthBytes() <= 0 || request.lengthBytes() > pool.slotBytes()) {
      throw new IllegalArgumentException(request + " asks for more or less than a slot holds");
    }
    long sinceNanos = System.nanoTime();
    find(request); // what is refused waits for no slot
    BounceBuffers.Slot slot = acquire(pool, request);
    try {
      while (!isFilled(request, slot.memory(request.lengthBytes()))) {
        find(request); // it takes another move, free or commit of the output each time
      }
    } catch (IOException | RuntimeException | Error e) {
      slot.release();
      throw e;
    }
    slot.filled(request.lengthBytes(), System.nanoTime() - sinceNanos);
    long ticket = nextTicket++;
    held.put(ticket, slot);
    return new BounceRange(ticket, slot.region(), 0);
  }

  /**
   * Finds where the run lies now.
   *
   * @throws IllegalArgumentException if it has no such bytes
   */
  private void find(BounceRequest request) throws IOException {
    OutputId id = new OutputId(applicationId, request.outputId());
    while (true) { // each further turn takes another commit, move or free of this very output
      CommittedOutput output =
          find.apply(id)
              .orElseThrow(
                  () ->
                      refused("there is no output " + request.outputId() + " of " + applicationId));
      try {
        lastRun = runs(output, request.partition()).run(request.ordinal());
        break;
      } catch (IOException | IllegalArgumentException e) { // the latter perhaps of a former place
        lastOutput = null; // what was read wrong once is read again
        if (output.location().isHeld()) {
          throw e;
        }
      }
    }
    check(request);
  }

  private PartitionRuns runs(CommittedOutput output, int partition) throws IOException {
    if (output != lastOutput || partition != lastPartition) {
      lastOutput = null;
      lastRuns = output.partitionRuns(partition);
      lastPartition = partition;
      lastOutput = output;
    }
    return lastRuns;
  }

  private void check(BounceRequest request) {
    long runBytes = lastRun.lengthBytes();
    if (request.offsetBytes() < 0 || request.offsetBytes() > runBytes - request.lengthBytes()) {
      throw new IllegalArgumentException(request + " is outside a run of " + runBytes + " bytes");
    }
  }

  /** Copies from where the run was found; false if it did not lie there all the time. */
  private boolean isFilled(BounceRequest request, ByteBuffer slot) throws IOException {
    OutputLocation place = lastOutput.location();
    try {
      copy(lastOutput.ranges(lastRun, request.offsetBytes(), request.lengthBytes()), slot);
    } catch (IOException e) {
      if (place.isHeld()) {
        throw e;
      }
      return false;
    }
    return place.isHeld();
  }

  private BounceBuffers.Slot acquire(BounceBuffers pool, BounceRequest request)
      throws RemoteError, TransportException {
    if (held.size() == MAX_PER_READER) {
      throw new RemoteError(
          RemoteError.Code.BUSY, "this reader holds its " + MAX_PER_READER + " bounce slots");
    }
    int waitMs = held.isEmpty() ? Math.max(0, Math.min(MAX_WAIT_MS, request.waitMs())) : 0;
    BounceBuffers.Slot slot = pool.acquire(owner, waitMs);
    if (slot == null) {
      if (held.isEmpty()) {
        pool.refused(); // else it only waits for one of its own
      }
      throw new RemoteError(
          RemoteError.Code.BUSY,
          ("no bounce slot for %s came free within %s ms; raise bounce-buffer-mb of this"
                  + " service for more")
              .formatted(request.transport(), waitMs));
    }
    return slot;
  }

  private void copy(List<Range> ranges, ByteBuffer slot) throws IOException {
    int doneBytes = 0;
    for (Range range : ranges) {
      int lengthBytes = (int) range.lengthBytes();
      segments.copy(range, slot.slice(doneBytes, lengthBytes));
      doneBytes += lengthBytes;
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
