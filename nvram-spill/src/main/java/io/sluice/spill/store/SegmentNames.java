package io.sluice.spill.store;

import io.sluice.spill.segment.PoolPlaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How the files of segments are called, on either tier. */
final class SegmentNames {
  private static final Pattern NAME = Pattern.compile("segment-[0-9a-f]{8}-(\\d{1,10})");

  private SegmentNames() {}

  /** Name of the file of a segment. */
  static String of(UUID poolId, int segmentId) {
    return PoolPlaces.fileName(poolId, segmentId);
  }

  /** Id of a segment from its file, -1 if the file is no segment. */
  static int id(Path file) {
    Matcher name = NAME.matcher(file.getFileName().toString());
    long id = name.matches() ? Long.parseLong(name.group(1)) : -1;
    return id <= Integer.MAX_VALUE ? (int) id : -1;
  }

  /** Whether it is the file of a segment, of whatever pool. */
  static boolean isSegment(Path file) {
    return id(file) >= 0;
  }

  /** Ids of the segments of a pool in a directory, in order. */
  static List<Integer> idsIn(LockedDirectory directory, UUID poolId) throws IOException {
    return directory.files().stream()
        .filter(file -> file.getFileName().toString().equals(of(poolId, id(file))))
        .map(SegmentNames::id)
        .sorted()
        .toList();
  }
}
