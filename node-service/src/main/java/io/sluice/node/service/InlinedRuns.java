package io.sluice.node.service;

import io.sluice.node.remote.Description;
import io.sluice.node.remote.Description.RunId;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes of short runs that go with one answer, because a read of its own for each costs more
 * than they do. Only of what lies in memory: a disk would hold up the answer.
 *
 * <p>Thread contract: one thread.
 */
final class InlinedRuns {
  private final int mostRunBytes;
  private final Map<RunId, byte[]> kept = new HashMap<>();
  private long leftBytes;

  /**
   * Of an answer that has none yet.
   *
   * @param mostRunBytes how long a run may be; 0 inlines none
   */
  InlinedRuns(int mostRunBytes) {
    this.mostRunBytes = Math.min(mostRunBytes, Description.MAX_INLINED_RUN_BYTES);
    this.leftBytes = Description.MAX_INLINED_BYTES;
  }

  /**
   * What there is room for; good only if the output's place is held afterwards.
   *
   * @param outputId as it was asked for
   */
  Map<RunId, byte[]> copies(String outputId, CommittedOutput output, List<LocatedRun> runs)
      throws IOException {
    Map<RunId, byte[]> copies = new HashMap<>();
    long left = leftBytes;
    for (LocatedRun located : runs) {
      long lengthBytes = located.run().lengthBytes();
      if (lengthBytes > 0 && lengthBytes <= Math.min(mostRunBytes, left) && isInMemory(located)) {
        byte[] bytes = new byte[(int) lengthBytes];
        output.copyTo(located, ByteBuffer.wrap(bytes));
        copies.put(RunId.of(outputId, located), bytes);
        left -= lengthBytes;
      }
    }
    return copies;
  }

  private static boolean isInMemory(LocatedRun located) {
    return located.place().ranges().stream()
        .allMatch(range -> SegmentInfo.tierOf(range.segmentId()) == Tier.MEMORY);
  }

  /** They go with the answer. */
  void keep(Map<RunId, byte[]> copies) {
    copies.values().forEach(bytes -> leftBytes -= bytes.length);
    kept.putAll(copies);
  }

  /** All that were kept. */
  Map<RunId, byte[]> kept() {
    return kept;
  }
}
