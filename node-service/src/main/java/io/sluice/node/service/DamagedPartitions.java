package io.sluice.node.service;

import io.sluice.node.remote.Partitions;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.IndexedRun;
import io.sluice.spill.format.Run;
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

  /** Reads all bytes of a partition; they are the output's if its place is held afterwards. */
  static boolean isRight(CommittedOutput output, int partition) throws IOException {
    for (IndexedRun indexed : output.indexedRuns(partition, partition + 1)) {
      Run run = indexed.run();
      for (int block = 0; block <= run.checksums().furtherCount(); block++) {
        byte[] bytes = new byte[BlockChecksums.blockBytes(run.lengthBytes(), block)];
        if (bytes.length > 0) {
          output
              .place()
              .read(
                  indexed.logicalOffsetBytes() + (long) block * BlockChecksums.BLOCK_BYTES, bytes);
        }
        if (BlockChecksums.crc32c(bytes, 0, bytes.length) != run.checksums().crc32c(block)) {
          return false;
        }
      }
    }
    return true;
  }

  /** It was found damaged. */
  synchronized void add(CommittedOutput output, int partition) {
    damaged.computeIfAbsent(output, o -> new BitSet()).set(partition);
  }

  /** Whether one of these was. */
  synchronized boolean isAnyOf(CommittedOutput output, Partitions partitions) {
    BitSet of = damaged.get(output);
    if (of == null) {
      return false;
    }
    int next = of.nextSetBit(partitions.first());
    return next >= 0 && next < partitions.end();
  }
}
