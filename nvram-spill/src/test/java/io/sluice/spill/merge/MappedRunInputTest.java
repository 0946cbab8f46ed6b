package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedRunInputTest extends RunInputContract {
  private static final int WINDOW_BYTES = 1000;

  @TempDir Path directory;
  private final long mappedBefore = OffHeap.mappedBytes();
  private final SegmentMapper mapper = new SegmentMapper(SegmentOpener.BY_NAME, this::segment);

  @AfterEach
  void nothingStaysMapped() throws IOException {
    mapper.close();
    assertEquals(mappedBefore, OffHeap.mappedBytes());
  }

  @Override
  protected RunInput open(byte[] bytes) throws IOException {
    return new MappedRunInput(mapper::map, write(bytes), bytes.length, WINDOW_BYTES);
  }

  @Test
  void mapsNoMoreThanItsWindow() throws IOException {
    try (RunInput input = open(new byte[5000])) {
      assertEquals(mappedBefore, OffHeap.mappedBytes());
      while (input.read(new byte[300], 0, 300) > 0) {
        assertTrue(OffHeap.mappedBytes() - mappedBefore <= WINDOW_BYTES);
      }
      assertEquals(mappedBefore, OffHeap.mappedBytes(), "unmapped at the end already");
    }
  }

  @Test
  void failsWhenItsSegmentIsGone() throws IOException {
    List<Range> ranges = write(new byte[10]);
    Files.delete(segment(0).path());
    RunInput input = new MappedRunInput(mapper::map, ranges, 10, WINDOW_BYTES);
    assertThrows(IOException.class, () -> input.read(new byte[10], 0, 10));
  }

  /** Cuts the bytes in two ranges of two segments, with foreign bytes before each. */
  private List<Range> write(byte[] bytes) throws IOException {
    List<Range> ranges = new ArrayList<>();
    int[] cuts = {0, bytes.length / 3, bytes.length};
    for (int id = 0; id < 2; id++) {
      int length = cuts[id + 1] - cuts[id];
      byte[] file = new byte[5 + length];
      Arrays.fill(file, (byte) 0x55);
      System.arraycopy(bytes, cuts[id], file, 5, length);
      Files.write(segment(id).path(), file);
      if (length > 0) {
        ranges.add(new Range(id, 5, length));
      }
    }
    return ranges;
  }

  private SegmentInfo segment(int id) {
    return new SegmentInfo(id, Tier.MEMORY, directory.resolve("segment-" + id), 1 << 20);
  }
}
