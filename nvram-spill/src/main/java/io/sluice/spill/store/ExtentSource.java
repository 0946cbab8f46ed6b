package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * Where a writer gets its extents and announces its output: a {@link Lease} in the process of the
 * store, or a connection to one from a task. The contract:
 *
 * <ul>
 *   <li>Extents are leased until they are released or committed; nobody else writes to them.
 *   <li>{@link #commit} is atomic: it either throws and the output does not exist, or the output
 *       can be found. Committing the same output again is a success, wherever it lies by then, so
 *       that a lost answer can be asked for again.
 *   <li>Every call returns or throws within the deadline of the implementation.
 *   <li>Safe from any thread.
 * </ul>
 */
public interface ExtentSource {
  /** The lease, as the output must name it. */
  LeaseInfo info();

  /**
   * Opens the files of extents that it leases: those of the memory tier for writing too, and those
   * of the disk tier for reading.
   */
  SegmentOpener opener();

  /**
   * Leases extents of at least {@code lengthBytes} in sum, memory first, then the next tiers.
   *
   * @throws StoreFullException if every tier is full
   */
  List<Extent> lease(long lengthBytes) throws IOException;

  /**
   * Leases one extent of at least {@code lengthBytes}.
   *
   * @throws StoreFullException if no tier has that much in one piece
   */
  Extent leaseContiguous(long lengthBytes) throws IOException;

  /**
   * Writes all that remains in {@code bytes} to a leased extent of the disk tier, in its turn at
   * the device; returns when it is there.
   *
   * @param offsetBytes in the extent
   */
  void write(Extent extent, long offsetBytes, ByteBuffer bytes) throws IOException;

  /**
   * Begins to write what remains in {@code bytes}, of {@link
   * io.sluice.spill.disk.Device#UNIT_BYTES} at most, so that the next bytes can be made meanwhile.
   */
  default PendingWrite beginWrite(Extent extent, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    write(extent, offsetBytes, bytes);
    return PendingWrite.DONE;
  }

  /** Returns when what was written to an extent of the disk tier has reached the medium. */
  void force(Extent extent) throws IOException;

  /** Gives back leased extents, or whole blocks of them; the caller no longer writes there. */
  void release(List<Extent> extents) throws IOException;

  /**
   * Makes an output visible that lies on the medium.
   *
   * @param stamp which output
   * @param trailer where it ends
   * @throws io.sluice.spill.format.CorruptOutputException if anything there is not valid
   */
  void commit(OutputStamp stamp, FooterLocation trailer) throws IOException;

  /**
   * Bytes on their way to the disk tier, which stay as they are until they have arrived.
   *
   * <p>Thread contract: any thread. Ownership: the caller that began it awaits it, at least once,
   * before the memory of the bytes is used for anything else. Failure: as {@link
   * ExtentSource#write} says.
   */
  @FunctionalInterface
  public interface PendingWrite {
    /** Of bytes that have arrived. */
    PendingWrite DONE = () -> {};

    /** Returns when they are there. */
    void await() throws IOException;
  }

  /**
   * A lease, as its writer must know it to write valid outputs.
   *
   * @param poolId the pool
   * @param blockBytes extents are multiples of this
   * @param generation of this lease, unique and rising in the pool
   */
  public record LeaseInfo(UUID poolId, int blockBytes, long generation) {}
}
