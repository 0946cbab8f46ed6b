package io.sluice.spill.store;

import io.sluice.spill.segment.PoolPlaces;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How the files of segments are called, on either tier. */
final class SegmentNames {
  private static final String PREFIX = "segment-";

  private SegmentNames() {}

  /** Name of the file of a segment. */
  static String of(int segmentId) {
    return PoolPlaces.fileName(segmentId);
  }

  /** Id of a segment from its file, -1 if the file is no segment. */
  static int id(Path file) {
    String name = file.getFileName().toString();
    if (!name.startsWith(PREFIX)) {
      return -1;
    }
    try {
      return Integer.parseInt(name.substring(PREFIX.length()));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Ids of all segments in a directory, in order. */
  static List<Integer> idsIn(PrivateDirectory directory) throws IOException {
    return directory.files().stream().map(SegmentNames::id).filter(id -> id >= 0).sorted().toList();
  }
}
