package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.Descriptor;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentOpenerContractTest;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.OpenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files lie where the one who opens them does not look. */
class DescriptorCacheTest extends SegmentOpenerContractTest {
  @TempDir Path directory;
  private final DescriptorCache received = new DescriptorCache(this::handOver);
  private final List<SegmentInfo> asked = new ArrayList<>();

  @AfterEach
  void checkFiles() throws IOException {
    received.close();
    assertEquals(0, OpenFiles.below(directory));
  }

  private Descriptor handOver(SegmentInfo segment, boolean writable) throws IOException {
    asked.add(segment);
    return Descriptor.open(file(segment.segmentId(), segment.incarnation()), writable);
  }

  private Path file(int segmentId, int incarnation) {
    return directory.resolve(segmentId + "-" + incarnation);
  }

  @Override
  protected SegmentInfo create(Tier tier, int incarnation) throws IOException {
    int segmentId = tier == Tier.DISK ? SegmentInfo.DISK_ID_BASE : 0;
    if (incarnation > 0) {
      Path former = file(segmentId, incarnation - 1);
      cut(former, 0); // as the service does before it takes the name away
      Files.delete(former);
    }
    Files.write(file(segmentId, incarnation), new byte[LENGTH_BYTES]);
    return new SegmentInfo(
        segmentId,
        incarnation,
        tier,
        Path.of("place-0", "segment"),
        0,
        LENGTH_BYTES,
        SegmentInfo.MAPPED_BY_JDK);
  }

  @Override
  protected void cut(SegmentInfo segment, long lengthBytes) throws IOException {
    cut(file(segment.segmentId(), segment.incarnation()), lengthBytes);
  }

  @Override
  protected byte[] content(SegmentInfo segment) throws IOException {
    return Files.readAllBytes(file(segment.segmentId(), segment.incarnation()));
  }

  @Override
  protected SegmentOpener opener() {
    return received;
  }

  @Test
  void memoryIsAskedForOnceAndWhatCameWithALeaseNever() throws IOException {
    SegmentInfo segment = create(Tier.MEMORY, 0);
    received.granted(segment, Descriptor.open(file(0, 0), true));
    for (int i = 0; i < 3; i++) {
      received.open(segment, i == 1).close();
    }
    assertEquals(List.of(), asked);
    SegmentInfo next = create(Tier.MEMORY, 1);
    received.open(next, false).close();
    received.open(next, false).close();
    assertEquals(List.of(next), asked);
    received.open(next, true).close(); // for writing it must be asked for again
    received.open(next, false).close();
    assertEquals(List.of(next, next), asked);
  }

  @Test
  void filesOfTheDiskTierAreNotKept() throws IOException {
    SegmentInfo segment = create(Tier.DISK, 0);
    received.open(segment, false).close();
    received.open(segment, false).close();
    assertEquals(List.of(segment, segment), asked);
    assertEquals(0, OpenFiles.below(directory));
  }

  @Test
  void aFileOfAnotherLengthOrKindIsNoSegment() throws IOException {
    SegmentInfo segment = create(Tier.MEMORY, 0);
    Files.write(file(0, 0), new byte[LENGTH_BYTES - 1]);
    IOException e = assertThrows(IOException.class, () -> received.open(segment, false));
    assertTrue(e.getMessage().contains((LENGTH_BYTES - 1) + " bytes"), e.getMessage());
    assertThrows(
        IOException.class, () -> received.granted(segment, Descriptor.open(directory, false)));
  }

  @Test
  void whatIsOpenOutlivesTheClient() throws IOException {
    SegmentInfo segment = create(Tier.MEMORY, 0);
    try (SegmentFile file = received.open(segment, true)) {
      received.close();
      assertEquals(LENGTH_BYTES, file.lengthBytes());
    }
  }
}
