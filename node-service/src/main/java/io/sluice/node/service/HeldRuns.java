package io.sluice.node.service;

import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.PartitionRuns;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the runs of one output at a time from its index, and finds where their segments are served.
 * The index lies on the medium. It may be damaged, or be freed and overwritten while it is read.
 *
 * <p>Thread contract: safe from any thread. Failure: an output whose index is damaged or gone, and
 * which has no copy that is right, is not held any more, so that its map runs again; {@link
 * RemoteError} NOT_NOW if the index cannot be read for another reason, such as no free descriptor;
 * another {@link IOException} only while the service ends.
 */
final class HeldRuns {
  private static final Logger LOG = LoggerFactory.getLogger(HeldRuns.class);
  private static final int PARTITIONS_AT_ONCE = 64;

  /** How many ranges of a long answer are read ahead: its reader needs the others much later. */
  private static final int MOST_READ_AHEAD = 500;

  private final Function<OutputId, Optional<CommittedOutput>> find;
  private final IntFunction<SegmentLocation> locations;
  private final BooleanSupplier isEnding;
  private final Copies copies;
  private final DamagedPartitions damaged = new DamagedPartitions();

  /** Copies of outputs. */
  interface Copies {
    /** As {@link SpillStore#replaceByCopy}. */
    boolean replace(CommittedOutput damaged, SpillStore.Check check) throws IOException;
  }

  /**
   * Of a store.
   *
   * @param find which output has this name now
   * @param locations where a segment is served; null if it is not any more
   * @param isEnding whether the store was told to stop
   * @param copies are tried before an output is said to be damaged
   */
  HeldRuns(
      Function<OutputId, Optional<CommittedOutput>> find,
      IntFunction<SegmentLocation> locations,
      BooleanSupplier isEnding,
      Copies copies) {
    this.find = find;
    this.locations = locations;
    this.isEnding = isEnding;
    this.copies = copies;
  }

  /**
   * The runs of these partitions; none of an output that is not held.
   *
   * @param inlined copies the short ones
   * @throws RemoteError TOO_MUCH if they would take more than {@code leftBytes} in an answer,
   *     NOT_NOW if they cannot be read now
   */
  Optional<OutputLocations> of(
      OutputId id, PartitionRange partitions, long leftBytes, InlinedRuns inlined)
      throws IOException {
    return whileHeld(
        id,
        partitions,
        output -> {
          List<LocatedRun> runs = gather(output, partitions, leftBytes);
          return new OutputLocations(
              served(runs), Map.of(id.outputId(), runs), inlined.copies(output, runs), Map.of());
        });
  }

  /**
   * The runs of one partition, however many.
   *
   * @param places of the pool
   * @param onDisk takes the first ranges on the disk tier
   * @throws RemoteError TOO_MUCH if they would not fit in a message, NOT_NOW if they cannot be read
   *     now
   */
  Optional<LongRunLocations> longOf(
      OutputId id, int partition, PoolPaths places, List<Range> onDisk) throws IOException {
    return whileHeld(
        id,
        PartitionRange.one(partition),
        output -> {
          onDisk.clear();
          Map<Integer, SegmentLocation> segments = new HashMap<>();
          PartitionRuns runs = output.partitionRuns(partition);
          long runsBytes = 0;
          for (int i = 0; i < runs.count(); i++) {
            RunEntry run = runs.next();
            List<Range> ranges = output.ranges(run, 0, run.lengthBytes());
            runsBytes += OutputLocations.runBytes(run.lengthBytes(), ranges.size());
            requireFits(runsBytes, id, partition);
            addServed(ranges, segments);
            int some = Math.min(ranges.size(), MOST_READ_AHEAD - onDisk.size());
            addRangesOnDisk(ranges.subList(0, some), onDisk);
            while (runs.hasFurtherCrc()) {
              runs.nextFurtherCrc(); // what cannot be read is found before anything is sent
            }
          }
          LongRunLocations described =
              new LongRunLocations(output, partition, segments, places, runsBytes);
          requireFits(described.announcedBytes().getAsInt(), id, partition);
          return described;
        });
  }

  private static void requireFits(long payloadBytes, OutputId id, int partition)
      throws RemoteError {
    if (payloadBytes > Frames.MAX_PAYLOAD_BYTES) {
      throw tooMuch(id, PartitionRange.one(partition));
    }
  }

  /** Of these ranges those on the disk tier. */
  static void addRangesOnDisk(List<Range> ranges, List<Range> onDisk) {
    for (Range range : ranges) {
      if (SegmentInfo.tierOf(range.segmentId()) == Tier.DISK) {
        onDisk.add(range);
      }
    }
  }

  /** Reads something of an output. */
  private interface Reading<T> {
    T of(CommittedOutput output) throws IOException;
  }

  private <T> Optional<T> whileHeld(OutputId id, PartitionRange partitions, Reading<T> reading)
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
      T held = null;
      IOException failure = null;
      try {
        held = reading.of(output);
      } catch (IOException e) {
        failure = e;
      }
      // Else its blocks may have been another one's before all of its index was read.
      if (output.location().isHeld()) {
        if (failure == null) {
          return Optional.of(held);
        }
        checkGone(id, failure);
        if (!isReplaced(output, partitions)) {
          LOG.warn(
              "Not locating {} any more, so that its map runs again: {}", id, failure.toString());
          return Optional.empty();
        }
      }
    }
  }

  /**
   * Checks the bytes of a partition where they lie. If they are damaged, the output is read from
   * its copy from now on; without one that is right there, the partition is not held any more.
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
        if (!output.location().isHeld()) {
          continue;
        }
        checkGone(id, e);
        right = false;
      }
      if (output.location().isHeld()) {
        if (!right && isReplaced(output, PartitionRange.one(partition))) {
          continue; // to see what lies there
        }
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
    if (FailureMeaning.ofReading(failure) != FailureMeaning.GONE) {
      RemoteError later =
          new RemoteError(RemoteError.Code.NOT_NOW, id + " cannot be read now: " + failure);
      later.initCause(failure);
      throw later;
    }
  }

  /** Whether an output that is damaged has left for its copy, where these partitions are right. */
  private boolean isReplaced(CommittedOutput output, PartitionRange partitions) throws IOException {
    try {
      boolean replaced =
          copies.replace(output, copy -> DamagedPartitions.areRight(copy, partitions));
      if (replaced) {
        LOG.warn("{} is damaged where it lies; readers go on with its copy", output.id());
      }
      return replaced || !output.location().isHeld(); // somebody else has replaced or moved it
    } catch (IOException e) {
      checkGone(output.id(), e);
      LOG.warn("The copy of {} is damaged, too: {}", output.id(), e.toString());
      return false;
    }
  }

  /** Some partitions at a time, so that no more is on the heap than an answer may take. */
  private static List<LocatedRun> gather(
      CommittedOutput output, PartitionRange partitions, long mostBytes) throws IOException {
    long leftBytes = mostBytes;
    List<LocatedRun> all = new ArrayList<>();
    for (long first = partitions.first(); first < partitions.end(); first += PARTITIONS_AT_ONCE) {
      int end = (int) Math.min(partitions.end(), first + PARTITIONS_AT_ONCE);
      List<LocatedRun> some =
          output
              .runs((int) first, end, leftBytes)
              .orElseThrow(() -> tooMuch(output.id(), partitions));
      leftBytes -= OutputLocations.runsBytes(some);
      if (leftBytes < 0) {
        throw tooMuch(output.id(), partitions);
      }
      all.addAll(some);
    }
    return all;
  }

  /** They do not fit in one answer. */
  static RemoteError tooMuch(OutputId id, PartitionRange partitions) {
    return new RemoteError(
        RemoteError.Code.TOO_MUCH, partitions + " of " + id + " are too much for one answer");
  }

  /** An answer that names a segment says where it is served. */
  private Map<Integer, SegmentLocation> served(List<LocatedRun> runs) throws IOException {
    Map<Integer, SegmentLocation> segments = new HashMap<>();
    for (LocatedRun run : runs) {
      addServed(run.location().ranges(), segments);
    }
    return segments;
  }

  private void addServed(List<Range> ranges, Map<Integer, SegmentLocation> segments)
      throws IOException {
    for (Range range : ranges) {
      SegmentLocation location = segments.computeIfAbsent(range.segmentId(), locations::apply);
      if (location == null) {
        throw new IOException("segment " + range.segmentId() + " is not served");
      }
    }
  }
}
