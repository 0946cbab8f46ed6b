package io.sluice.spill.segment;

import java.io.IOException;

/**
 * How a process gets at the files of segments that it was told of: by their names, or because
 * somebody who may open them hands them over. The contract:
 *
 * <ul>
 *   <li>What is opened is that very segment in that incarnation; where it is gone, or another one
 *       is in its place, opening fails.
 *   <li>Opened for reading alone it cannot be written to.
 *   <li>What it has given out outlives it, and is the caller's to close.
 *   <li>Every call returns or throws within the deadline of the implementation.
 *   <li>Safe from any thread.
 * </ul>
 */
public interface SegmentOpener {
  /** By name, as the user of the pool can; nothing is kept. */
  SegmentOpener BY_NAME = SegmentFile::open;

  /** Opens for reading, and for writing too if {@code writable}. */
  SegmentFile open(SegmentInfo segment, boolean writable) throws IOException;
}
