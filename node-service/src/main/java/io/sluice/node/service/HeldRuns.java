package io.sluice.node.service;

import io.sluice.node.remote.Description;
import io.sluice.node.remote.Partitions;
import io.sluice.node.remote.SegmentLocation;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Trouble;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the runs of one output at a time from its index, which lies on the medium and may be
 * damaged, or be freed and overwritten while it is read, and finds where their segments are served.
 *
 * <p>Thread contract: safe from any thread. Failure: an output whose index is damaged or gone is
 * not held any more, so that its map runs again; {@link RemoteError} NOT_NOW if the index cannot be
 * read for another reason, such as no free descriptor; another {@link IOException} only while the
 * service ends.
 */
final class HeldRuns {
  private static final Logger LOG = LoggerFactory.getLogger(HeldRuns.class);
  private static final int PARTITIONS_AT_ONCE = 64;

  private final Function<OutputId, Optional<CommittedOutput>> find;
  private final IntFunction<SegmentLocation> locations;
  private final BooleanSupplier isEnding;
  private final DamagedPartitions damaged = new DamagedPartitions();

  /**
   * Of a store.
   *
   * @param find which output has this name now
   * @param locations where a segment is served; null if it is not any more
   * @param isEnding whether the store was told to stop
   */
  HeldRuns(
      Function<OutputId, Optional<CommittedOutput>> find,
      IntFunction<SegmentLocation> locations,
      BooleanSupplier isEnding) {
    this.find = find;
    this.locations = locations;
    this.isEnding = isEnding;
  }

  /**
   * Some runs of an output.
   *
   * @param segments by id, every one that they touch
   * @param inlined the bytes of those that are inlined
   */
  record Held(
      List<LocatedRun> runs,
      Map<Integer, SegmentLocation> segments,
      IdentityHashMap<LocatedRun, byte[]> inlined) {}

  /**
   * The runs of these partitions; none of an output that is not held.
   *
   * @param inlined copies the short ones
   * @throws RemoteError TOO_MUCH if they would take more than {@code leftBytes} in an answer,
   *     NOT_NOW if they cannot be read now
   */
  Optional<Held> of(OutputId id, Partitions partitions, long leftBytes, InlinedRuns inlined)
      throws IOException {
    while (true) { // each further turn takes another commit, move or free of this very output
      Optional<CommittedOutput> found = find.apply(id);
      if (found.isEmpty()) {
        return Optional.empty();
      }
      CommittedOutput output = found.get();
      if (damaged.isAnyOf(output, partitions)) {
        return Optional.empty();
      }
      Held held = null;
      IOException failure = null;
      try {
        List<LocatedRun> runs = gather(output, partitions, leftBytes);
        long roomBytes = Description.MAX_ANSWER_BYTES - lengthBytes(runs);
        held = new Held(runs, served(runs), inlined.copies(output, runs, roomBytes));
      } catch (IOException e) {
        failure = e;
      }
      // Else its blocks may have been another one's before all of its index was read.
      if (output.place().isHeld()) {
        return failure == null ? Optional.of(held) : orNone(id, failure);
      }
    }
  }

  /**
   * Checks the bytes of a partition where they lie. If they are damaged, it is not held any more.
   *
   * @throws RemoteError NOT_NOW if they cannot be read now
   * @throws IOException while the service ends
   */
  boolean isDamaged(OutputId id, int partition) throws IOException {
    while (true) { // each further turn takes another commit, move or free of this very output
      Optional<CommittedOutput> found = find.apply(id);
      if (found.isEmpty()) {
        return false;
      }
      CommittedOutput output = found.get();
      boolean right;
      try {
        right = DamagedPartitions.isRight(output, partition);
      } catch (IOException e) {
        if (!output.place().isHeld()) {
          continue;
        }
        checkGone(id, e);
        right = false;
      }
      if (output.place().isHeld()) {
        if (!right) {
          LOG.warn(
              "Partition {} of {} is damaged where it lies; its map runs again", partition, id);
          damaged.add(output, partition);
        }
        return !right;
      }
    }
  }

  /** Throws what to answer, unless the failure says that the output is gone for certain. */
  private void checkGone(OutputId id, IOException failure) throws IOException {
    if (failure instanceof RemoteError || isEnding.getAsBoolean()) {
      throw failure;
    }
    if (Trouble.ofReading(failure) != Trouble.GONE) {
      RemoteError later =
          new RemoteError(RemoteError.Code.NOT_NOW, id + " cannot be read now: " + failure);
      later.initCause(failure);
      throw later;
    }
  }

  private Optional<Held> orNone(OutputId id, IOException failure) throws IOException {
    checkGone(id, failure);
    LOG.warn("Not describing {} any more, so that it is made again: {}", id, failure.toString());
    return Optional.empty();
  }

  /** Some partitions at a time, so that no more is on the heap than an answer may take. */
  private static List<LocatedRun> gather(
      CommittedOutput output, Partitions partitions, long leftBytes) throws IOException {
    List<LocatedRun> all = new ArrayList<>();
    for (long first = partitions.first(); first < partitions.end(); first += PARTITIONS_AT_ONCE) {
      int end = (int) Math.min(partitions.end(), first + PARTITIONS_AT_ONCE);
      List<LocatedRun> some = output.runs((int) first, end);
      leftBytes -= lengthBytes(some);
      if (leftBytes < 0) {
        throw new RemoteError(
            RemoteError.Code.TOO_MUCH,
            partitions + " of " + output.id() + " are too much for one answer");
      }
      all.addAll(some);
    }
    return all;
  }

  /** An answer that names a segment says where it is served. */
  private Map<Integer, SegmentLocation> served(List<LocatedRun> runs) throws IOException {
    Map<Integer, SegmentLocation> segments = new HashMap<>();
    for (LocatedRun run : runs) {
      for (Range range : run.place().ranges()) {
        SegmentLocation location = segments.computeIfAbsent(range.segmentId(), locations::apply);
        if (location == null) {
          throw new IOException("segment " + range.segmentId() + " is not served");
        }
      }
    }
    return segments;
  }

  /** What they take in an answer. */
  static long lengthBytes(List<LocatedRun> runs) {
    long sumBytes = 0;
    for (LocatedRun run : runs) { // no stream: most answers are about many lists of one run
      sumBytes += Description.lengthBytes(run);
    }
    return sumBytes;
  }
}
