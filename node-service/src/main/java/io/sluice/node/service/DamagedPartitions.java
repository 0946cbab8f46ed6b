package io.sluice.node.service;

import io.sluice.node.remote.PartitionRange;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.PartitionRuns;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.util.BitSet;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Partitions whose bytes were found to be others than were written, where they lie. A reader that
 * was sent wrong bytes may have damaged them itself, so nothing is added that was not read here.
 *
 * <p>An output that is laid elsewhere is another one here, and is checked anew when somebody asks.
 *
 * <p>Thread contract: safe from any thread.
 */
final class DamagedPartitions {
  private final Map<CommittedOutput, BitSet> damaged = new WeakHashMap<>();

  /** The same of each of these. */
  static boolean areRight(CommittedOutput output, PartitionRange partitions) throws IOException {
    for (int partition = partitions.first(); partition < partitions.end(); partition++) {
      if (!isRight(output, partition)) {
        return false;
      }
    }
    return true;
  }

  /** Reads all bytes of a partition; they are the output's if its place is held afterwards. */
  static boolean isRight(CommittedOutput output, int partition) throws IOException {
    PartitionRuns runs = output.partitionRuns(partition);
    boolean right = true;
    for (int i = 0; right && i < runs.count(); i++) {
      RunEntry run = runs.next();
      right = isRight(output, run, 0, run.firstCrc32c());
      for (long block = 1; right && runs.hasFurtherCrc(); block++) {
        right = isRight(output, run, block, runs.nextFurtherCrc());
      }
    }
    return right;
  }

  private static boolean isRight(CommittedOutput output, RunEntry run, long block, int crc32c)
      throws IOException {
    byte[] bytes = new byte[BlockChecksums.blockBytes(run.lengthBytes(), block)];
    if (bytes.length > 0) {
      output.location().read(run.logicalOffsetBytes() + block * BlockChecksums.BLOCK_BYTES, bytes);
    }
    return BlockChecksums.crc32c(bytes, 0, bytes.length) == crc32c;
  }

  /** It was found damaged. */
  synchronized void add(CommittedOutput output, int partition) {
    damaged.computeIfAbsent(output, o -> new BitSet()).set(partition);
  }

  /** Whether one of these was. */
  synchronized boolean isAnyOf(CommittedOutput output, PartitionRange partitions) {
    BitSet of = damaged.get(output);
    if (of == null) {
      return false;
    }
    int next = of.nextSetBit(partitions.first());
    return next >= 0 && next < partitions.end();
  }
}
