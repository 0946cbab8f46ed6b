package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.LocatedRun.RunLocation;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput.ChecksumException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The location of one run, by its node's last answer. A service may move an output while it is
 * read, without telling readers. A reader whose reads fail asks again, and reads on at the new
 * location.
 *
 * <p>Thread contract: one thread at a time. Ownership: the node stays its owner's. Failure: {@link
 * FetchFailedException} when the node says that it does not hold the run, says nothing for long, or
 * says another place each time; {@link NodeBusyException} when it has refused to answer for long;
 * {@link ReaderFailedException} when that is this process's own fault.
 */
final class RunLocator {
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 2_000;
  private static final long NONE = -1;

  private final RemoteNode node;
  private final String outputId;
  private final String name;
  private final Run run;
  private final BusyBackoff refusal;
  private Relocations relocations; // null while it was found where it was said to lie
  private RunLocation place;
  private long fromBytes; // of the run; all that was read behind it came from this place
  private Map<Integer, SegmentLocation> segments;
  private long doubtedBytes = NONE; // of the run: where the block begins that came wrong last

  /** As the node has said once. */
  RunLocator(
      RemoteNode node,
      String outputId,
      String name,
      LocatedRun located,
      Map<Integer, SegmentLocation> segments,
      BusyBackoff refusal) {
    this.node = node;
    this.outputId = outputId;
    this.name = name;
    this.run = located.run();
    this.place = located.location();
    this.segments = segments;
    this.refusal = refusal;
  }

  /** Where the run lies. */
  RunLocation place() {
    return place;
  }

  /** A segment of that location; null if no answer has located the segment. */
  SegmentLocation segment(int segmentId) {
    return segments.get(segmentId);
  }

  /**
   * Asks the node anew, for as long as a restart of its service may take, and as long while it
   * cannot read what it has.
   *
   * @param offsetBytes what is to be read next of the run; all before its block was verified
   * @param cause why
   * @return whether the run lies elsewhere now, or where its segments are is told only now
   */
  boolean askAgain(long offsetBytes, IOException cause) throws IOException {
    OutputLocations now = describe(cause);
    List<LocatedRun> runs = now.runs().get(outputId);
    int ordinal = run.ordinal();
    if (runs == null || ordinal >= runs.size() || !runs.get(ordinal).run().equals(run)) {
      throw lost(" no longer holds this run", cause);
    }
    RunLocation former = place;
    boolean wasDescribed = isDescribed();
    place = runs.get(ordinal).location();
    segments = now.segments();
    boolean elsewhere = !place.equals(former);
    if (elsewhere) {
      fromBytes = offsetBytes;
    }
    boolean news = elsewhere || (!wasDescribed && isDescribed());
    if (news && isTooMany(offsetBytes)) {
      throw lost(movedTooOften(offsetBytes), cause);
    }
    return news;
  }

  private boolean isTooMany(long offsetBytes) {
    if (relocations == null) {
      relocations = new Relocations();
    }
    return relocations.isTooMany(offsetBytes);
  }

  /** Whether all segments of the location are known; an answer may have left some out. */
  private boolean isDescribed() {
    return place.ranges().stream().allMatch(range -> segment(range.segmentId()) != null);
  }

  /**
   * A block came that is not what was written. That may be no damage: its bytes, or some of them,
   * may have come from where the run no longer lay. Since no place of an output has the generation
   * of another, a place that is still the same after the read was the same during it.
   *
   * @param offsetBytes where the block begins; all before it was verified
   * @return whether it is to be read again, from where the run lies now
   */
  boolean isStale(long offsetBytes, ChecksumException cause) throws IOException {
    if (offsetBytes < fromBytes) { // half here and half there, which is known without asking
      fromBytes = offsetBytes;
      return true;
    }
    return askAgain(offsetBytes, cause);
  }

  /**
   * A block that came wrong may be read again: from where the run lies now, or once more from the
   * same place, for it may have been damaged on its way. If it comes wrong again the node looks at
   * its own bytes: where those are damaged and a copy of them is right, the run lies there then.
   */
  boolean mayComeRight(long offsetBytes, ChecksumException cause) throws IOException {
    if (isStale(offsetBytes, cause)) {
      return true;
    }
    if (doubtedBytes != offsetBytes) {
      doubtedBytes = offsetBytes;
      return true;
    }
    return !isDamaged(cause) && isStale(offsetBytes, cause);
  }

  /** Whether it is damaged at its node, as far as that can be known. */
  private boolean isDamaged(ChecksumException cause) throws IOException {
    while (true) {
      try {
        boolean damaged = node.isDamaged(run.partition(), outputId);
        refusal.isOver();
        return damaged;
      } catch (NodeBusyException e) {
        refusal.comeLater(e);
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) {
          throw interrupted();
        }
        cause.addSuppressed(e);
        return true;
      }
    }
  }

  /** Whether this is of a block that is read once more from the same place. */
  boolean isDoubted(long offsetBytes) {
    return doubtedBytes != NONE
        && offsetBytes >= doubtedBytes
        && offsetBytes < doubtedBytes + BlockChecksums.BLOCK_BYTES;
  }

  private String movedTooOften(long offsetBytes) {
    return " has moved it more than %s times before a block was read at %s of %s bytes"
        .formatted(Relocations.MOST, offsetBytes, run.lengthBytes());
  }

  private OutputLocations describe(IOException cause) throws IOException {
    long deadlineNs =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(node.timeouts().restartMs());
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        OutputLocations now = node.describe(PartitionRange.one(run.partition()), List.of(outputId));
        String unreadable = now.unreadable().get(outputId);
        if (unreadable == null) {
          return now;
        }
        throw new RemoteError(RemoteError.Code.NOT_NOW, unreadable);
      } catch (NodeBusyException e) {
        refusal.comeLater(e);
      } catch (IOException e) {
        e.addSuppressed(cause);
        if (Thread.currentThread().isInterrupted()) {
          throw interrupted();
        }
        FailureMeaning trouble = FailureMeaning.ofAsking(e);
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (trouble == FailureMeaning.GONE || late) {
          String what = node.name() + " can no longer be asked: " + ErrorText.of(e);
          throw trouble
                  == FailureMeaning.SHORT // a node that refuses has told where the run lay before
              ? new ReaderFailedException(name + ": " + what, e)
              : failed(what, e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  /**
   * The run cannot be had, whatever {@code why} it was asked for: bytes that were wrong say nothing
   * about where it lies now, nor about the other outputs of its node.
   */
  private FetchFailedException lost(String what, IOException why) {
    FetchFailedException lost = failed(node.name() + what, null);
    lost.addSuppressed(why);
    return lost;
  }

  private FetchFailedException failed(String what, IOException cause) {
    return new FetchFailedException(outputId, name + ": " + what, cause);
  }

  InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException(name + ": interrupted while reading");
  }

  /**
   * How often a run was found elsewhere before the next block of it could be read, or only then
   * where it lies. A service moves an output once in a long while, so that more than a few places
   * in a row are no way to get at it.
   *
   * <p>Thread contract: one thread at a time, that of the reader.
   */
  static final class Relocations {
    /** A reader follows a run to so many places for one block. */
    static final int MOST = 3;

    private long block = -1;
    private int places;

    /**
     * The run was found, where it was not known to lie.
     *
     * @param offsetBytes what was to be read; all before its block was read and verified
     * @return whether that is too often
     */
    boolean isTooMany(long offsetBytes) {
      long now = offsetBytes / BlockChecksums.BLOCK_BYTES;
      if (now > block) {
        block = now;
        places = 0;
      }
      return ++places > MOST;
    }
  }
}
