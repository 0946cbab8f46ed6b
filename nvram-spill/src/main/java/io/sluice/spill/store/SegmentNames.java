package io.sluice.spill.store;

import io.sluice.spill.segment.SegmentName;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Finds the files of segments. */
final class SegmentNames {
  private SegmentNames() {}

  /** Those of a pool in a directory, by id and incarnation. */
  static List<SegmentName> in(LockedDirectory directory, UUID poolId) throws IOException {
    return directory.files().stream()
        .map(SegmentName::parse)
        .flatMap(Optional::stream)
        .filter(name -> name.isOf(poolId))
        .sorted(
            Comparator.comparingInt(SegmentName::segmentId)
                .thenComparingInt(SegmentName::incarnation))
        .toList();
  }
}
