package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.NonWritableChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link SegmentOpener} says, for each implementation. */
public abstract class SegmentOpenerContractTest {
  protected static final int LENGTH_BYTES = 1 << 16;

  /** A new segment of zeros; {@code incarnation} takes the place of the one before. */
  protected abstract SegmentInfo create(Tier tier, int incarnation) throws IOException;

  /** Opens those that were created. */
  protected abstract SegmentOpener opener();

  /** The bytes that lie in a segment's file. */
  protected byte[] content(SegmentInfo segment) throws IOException {
    return Files.readAllBytes(segment.path());
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void whatIsWrittenIsInTheFileAndReadBack(Tier tier) throws IOException {
    SegmentInfo segment = create(tier, 0);
    byte[] bytes = {1, 2, 3, 4, 5};
    try (SegmentFile file = opener().open(segment, true)) {
      assertEquals(segment, file.info());
      assertEquals(LENGTH_BYTES, file.lengthBytes());
      try (Mapping mapping = file.map(MapMode.READ_WRITE, 4096, bytes.length)) {
        mapping.buffer().put(bytes);
      }
    }
    byte[] expected = new byte[LENGTH_BYTES];
    System.arraycopy(bytes, 0, expected, 4096, bytes.length);
    assertArrayEquals(expected, content(segment));
    try (SegmentMapper mapper = new SegmentMapper(opener(), id -> segment);
        MappedRanges mapped =
            mapper.map(List.of(new Range(segment.segmentId(), 4096, bytes.length)))) {
      assertEquals(ByteBuffer.wrap(bytes), mapped.buffers().get(0));
    }
  }

  /** Makes a segment's file shorter. */
  protected void cut(SegmentInfo segment, long lengthBytes) throws IOException {
    cut(segment.path(), lengthBytes);
  }

  protected static void cut(Path path, long lengthBytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(lengthBytes);
    }
  }

  /** A mapping of what was cut ends its process, or fails in the middle of something else. */
  @ParameterizedTest
  @EnumSource(Tier.class)
  void whatWasCutIsReadAsFarAsItGoes(Tier tier) throws IOException {
    SegmentInfo segment = create(tier, 0);
    byte[] written = new byte[LENGTH_BYTES];
    new Random(1).nextBytes(written);
    try (SegmentFile file = opener().open(segment, true);
        Mapping mapping = file.map(MapMode.READ_WRITE, 0, LENGTH_BYTES)) {
      mapping.buffer().put(written);
    }
    try (SegmentMapper mapper = new SegmentMapper(opener(), id -> null);
        SegmentFile kept = opener().open(segment, false)) {
      for (int lengthBytes : new int[] {LENGTH_BYTES, 5_000, 1}) {
        byte[] whole = new byte[lengthBytes]; // and a part of an array
        ByteBuffer part = ByteBuffer.allocate(lengthBytes + 20).position(7).limit(7 + lengthBytes);
        int offsetBytes = LENGTH_BYTES - lengthBytes;
        Range range = new Range(segment.segmentId(), offsetBytes, lengthBytes);
        mapper.read(range, id -> segment, ByteBuffer.wrap(whole));
        mapper.read(range, id -> segment, part);
        byte[] expected = Arrays.copyOfRange(written, offsetBytes, LENGTH_BYTES);
        assertArrayEquals(expected, whole);
        assertEquals(ByteBuffer.wrap(expected), part.flip().position(7));
      }
      cut(segment, 40_000);
      ByteBuffer rest = ByteBuffer.allocate(LENGTH_BYTES);
      assertEquals(40_000, kept.read(0, rest));
      assertEquals(ByteBuffer.wrap(written, 0, 40_000), rest.flip());
      Range range = new Range(segment.segmentId(), 30_000, 20_000);
      assertThrows(
          IOException.class, () -> mapper.read(range, id -> segment, ByteBuffer.allocate(20_000)));
      cut(segment, 0);
      assertEquals(0, kept.read(0, ByteBuffer.allocate(1)));
      assertThrows(
          IOException.class, () -> mapper.read(range, id -> segment, ByteBuffer.allocate(20_000)));
    }
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void whatIsOpenedForReadingCannotBeWritten(Tier tier) throws IOException {
    SegmentInfo segment = create(tier, 0);
    try (SegmentFile file = opener().open(segment, false)) {
      assertRefused(() -> file.map(MapMode.READ_WRITE, 0, 4096).close());
    }
    assertArrayEquals(new byte[LENGTH_BYTES], content(segment));
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void mappingsOutliveTheFile(Tier tier) throws IOException {
    SegmentInfo segment = create(tier, 0);
    Mapping mapping;
    try (SegmentFile file = opener().open(segment, false)) {
      mapping = file.map(MapMode.READ_ONLY, 0, LENGTH_BYTES);
    }
    try (mapping) {
      assertEquals(0, mapping.buffer().get(LENGTH_BYTES - 1));
    }
  }

  @Test
  void anotherIncarnationIsNotThisSegment() throws IOException {
    SegmentInfo first = create(Tier.MEMORY, 0);
    SegmentInfo[] known = {first};
    try (SegmentMapper mapper = new SegmentMapper(opener(), id -> known[0])) {
      Range range = new Range(first.segmentId(), 0, 4096);
      mapper.map(List.of(range)).close();
      SegmentInfo second = create(Tier.MEMORY, 1);
      assertThrows(IOException.class, () -> opener().open(first, false).close());
      try (SegmentFile file = opener().open(second, true);
          Mapping mapping = file.map(MapMode.READ_WRITE, 0, 4096)) {
        mapping.buffer().put(0, (byte) 7);
      }
      known[0] = second;
      try (MappedRanges mapped = mapper.map(List.of(range))) {
        assertEquals(7, mapped.buffers().get(0).get(0), "what was kept of the first");
      }
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void assertRefused(Action action) {
    Exception refused = assertThrows(Exception.class, action::run);
    if (!(refused instanceof IOException) && !(refused instanceof NonWritableChannelException)) {
      throw new AssertionError("expected a refusal", refused);
    }
  }
}
