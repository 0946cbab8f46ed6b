package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.reduce.MergeRun;
import java.io.Closeable;
import java.util.List;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * One map attempt's output of this reducer's partition, located in a pool or staged.
 *
 * <p>Ownership: its holder closes it, or hands its runs on. Failure: none of its own; if one run
 * cannot be closed, the others are closed all the same.
 */
interface FetchedOutput extends Closeable {
  /** The attempt that wrote it. */
  TaskAttemptID map();

  /** Its runs; none if the map had no record for this partition. Asked for once. */
  List<? extends MergeRun> runs();

  /** Whether every byte of it is on this node, so that the loss of its map's node does no harm. */
  boolean isResident();
}
