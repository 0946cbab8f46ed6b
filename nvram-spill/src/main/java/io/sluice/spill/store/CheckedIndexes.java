package io.sluice.spill.store;

import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks the indexes that a recovery finds, and reads no block of one twice: a user that may write
 * to a segment may forge an output at the end of every block, and let all of them name one long
 * index.
 *
 * <p>Two places of one output have the same index if the index stayed on disk. Any other outputs
 * whose indexes share a block are all left out: one of them is forged.
 *
 * <p>Thread contract: one thread. Failure: {@link CorruptOutputException} for one that is not
 * valid, or has blocks of another.
 */
final class CheckedIndexes {
  private final int blockBytes;
  private final Map<FooterLocation, Index> byBlock = new HashMap<>();
  private final Set<CommittedOutput> contested = new HashSet<>();

  /** One that was found, and the outputs that are valid with it. */
  private record Index(OutputIdentity identity, List<Range> ranges, List<CommittedOutput> valid) {
    boolean isThatOf(Index other) {
      return identity.equals(other.identity) && ranges.equals(other.ranges);
    }
  }

  CheckedIndexes(int blockBytes) {
    this.blockBytes = blockBytes;
  }

  /** The output of that identity and place, if its index is valid and nobody else's. */
  CommittedOutput load(OutputIdentity identity, OutputLocation place) throws IOException {
    List<Range> ranges = place.ranges(identity.indexOffsetBytes(), identity.indexLengthBytes());
    Index index = new Index(identity, ranges, new ArrayList<>());
    for (Range range : ranges) {
      long block = range.offsetBytes() / blockBytes * blockBytes;
      for (; block < range.endBytes(); block += blockBytes) {
        Index other = byBlock.putIfAbsent(new FooterLocation(range.segmentId(), block), index);
        if (other != null) {
          return loadAgain(index, other, place);
        }
      }
    }
    CommittedOutput output = CommittedOutput.load(identity, place);
    index.valid().add(output);
    return output;
  }

  private CommittedOutput loadAgain(Index index, Index other, OutputLocation place)
      throws IOException {
    OutputIdentity identity = index.identity();
    if (!index.isThatOf(other)) {
      contested.addAll(other.valid());
      throw new CorruptOutputException(
          identity.id() + " has its index where that of " + other.identity().id() + " lies");
    }
    if (other.valid().isEmpty()) {
      throw new CorruptOutputException("the index of " + identity.id() + " was not valid before");
    }
    CommittedOutput output = CommittedOutput.checked(identity, place);
    other.valid().add(output);
    return output;
  }

  /** Those whose index others have claimed since; complete when all have been loaded. */
  Set<CommittedOutput> contested() {
    return contested;
  }
}
