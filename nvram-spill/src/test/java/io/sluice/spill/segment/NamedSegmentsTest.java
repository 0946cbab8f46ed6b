package io.sluice.spill.segment;

import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.io.TempDir;

class NamedSegmentsTest extends SegmentOpenerContractTest {
  private static final UUID POOL = new UUID(1, 2);

  @TempDir Path directory;

  @Override
  protected SegmentInfo create(Tier tier, int incarnation) throws IOException {
    int segmentId = tier == Tier.DISK ? SegmentInfo.DISK_ID_BASE : 0;
    if (incarnation > 0) {
      Files.delete(path(segmentId, incarnation - 1));
    }
    Path path = Files.write(path(segmentId, incarnation), new byte[LENGTH_BYTES]);
    return new SegmentInfo(
        segmentId, incarnation, tier, path, 0, LENGTH_BYTES, SegmentInfo.MAPPED_BY_JDK);
  }

  private Path path(int segmentId, int incarnation) throws IOException {
    return directory.resolve(
        SegmentName.of(POOL, segmentId, incarnation, Owner.ofThisProcess()).toString());
  }

  @Override
  protected SegmentOpener opener() {
    return SegmentOpener.BY_NAME;
  }
}
