package io.sluice.node.service;

import io.sluice.node.remote.OutputLocations;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.store.CommittedOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of short runs that go with one answer, because a read of its own for each costs more
 * than they do. Only of what this process has mapped: a disk would hold up the answer, and so would
 * the lock of another user's file, which is not mapped.
 *
 * <p>Thread contract: one thread.
 */
final class InlinedRuns {
  private static final Logger LOG = LoggerFactory.getLogger(InlinedRuns.class);

  private final int mostRunBytes;
  private long leftBytes;

  /**
   * Of an answer that has none yet.
   *
   * @param mostRunBytes how long a run may be; 0 inlines none
   */
  InlinedRuns(int mostRunBytes) {
    this.mostRunBytes = Math.min(mostRunBytes, OutputLocations.MAX_INLINED_RUN_BYTES);
    this.leftBytes = OutputLocations.MAX_INLINED_BYTES;
  }

  /**
   * The bytes of the runs that there is room for; good only if the output's place is held
   * afterwards. A run whose bytes cannot be had is left out: its reader asks for them, and is told.
   */
  IdentityHashMap<LocatedRun, byte[]> copies(CommittedOutput output, List<LocatedRun> runs) {
    IdentityHashMap<LocatedRun, byte[]> copies =
        new IdentityHashMap<>(mostRunBytes == 0 ? 0 : runs.size());
    long roomLeftBytes = leftBytes;
    for (LocatedRun located : runs) {
      long lengthBytes = located.run().lengthBytes();
      if (lengthBytes > 0 && lengthBytes <= Math.min(mostRunBytes, roomLeftBytes)) {
        Optional<byte[]> bytes = copy(output, located);
        if (bytes.isPresent()) {
          copies.put(located, bytes.get());
          roomLeftBytes -= lengthBytes;
        }
      }
    }
    return copies;
  }

  private static Optional<byte[]> copy(CommittedOutput output, LocatedRun located) {
    if (!output.isMapped(located)) {
      return Optional.empty();
    }
    byte[] bytes = new byte[(int) located.run().lengthBytes()];
    try {
      output.copyTo(located, ByteBuffer.wrap(bytes));
      return Optional.of(bytes);
    } catch (IOException | InternalError e) { // the latter of memory that cannot be read
      LOG.warn("Not sending {} of {} along", located.run(), output.id(), e);
      return Optional.empty();
    }
  }

  /** They go with the answer, and leave so much less room. */
  void keep(IdentityHashMap<LocatedRun, byte[]> copies) {
    copies.values().forEach(bytes -> leftBytes -= bytes.length);
  }

  /** How many bytes were kept. */
  long keptBytes() {
    return OutputLocations.MAX_INLINED_BYTES - leftBytes;
  }
}
