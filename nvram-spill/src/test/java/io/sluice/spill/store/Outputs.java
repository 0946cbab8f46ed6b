package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.format.BlockChecksumsTest;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import io.sluice.spill.writer.OutputWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random outputs: written, then found and compared byte for byte. */
public final class Outputs {
  /** The runs of one output, partition and bytes. */
  public record Content(int partitionCount, List<Integer> partitions, List<byte[]> runs) {
    /** Bytes of the runs of one partition, in order. */
    public List<byte[]> of(int partition) {
      List<byte[]> of = new ArrayList<>();
      for (int i = 0; i < runs.size(); i++) {
        if (partitions.get(i) == partition) {
          of.add(runs.get(i));
        }
      }
      return of;
    }
  }

  private Outputs() {}

  /**
   * Content with about {@code totalBytes}, at least one, in one or two spills, with empty
   * partitions.
   */
  public static Content random(Random random, int partitionCount, int totalBytes) {
    List<Integer> partitions = new ArrayList<>();
    List<byte[]> runs = new ArrayList<>();
    int spills = 1 + random.nextInt(2);
    for (int spill = 0; spill < spills; spill++) {
      for (int partition = 0; partition < partitionCount; partition++) {
        if (random.nextInt(4) > 0) {
          byte[] run = new byte[random.nextInt(2 * totalBytes / spills / partitionCount + 1)];
          random.nextBytes(run);
          partitions.add(partition);
          runs.add(run);
        }
      }
    }
    if (runs.stream().allMatch(run -> run.length == 0)) {
      partitions.add(random.nextInt(partitionCount));
      runs.add(new byte[] {1});
    }
    return new Content(partitionCount, partitions, runs);
  }

  /** Writes the runs, by every way the writer offers, without committing. */
  public static void write(OutputWriter writer, Content content, Random random) throws IOException {
    write(writer, content, random, () -> {});
  }

  /** The same, and calls {@code step} before everything that it does. */
  public static void write(OutputWriter writer, Content content, Random random, Runnable step)
      throws IOException {
    for (int i = 0; i < content.runs().size(); i++) {
      byte[] run = content.runs().get(i);
      step.run();
      writer.beginRun(content.partitions().get(i));
      for (int done = 0; done < run.length; ) {
        int length = Math.min(run.length - done, 1 + random.nextInt(3000));
        step.run();
        switch (random.nextInt(3)) {
          case 0 -> {
            ByteBuffer window = writer.reserve(length);
            window.put(run, done, length);
            writer.advance(length);
          }
          case 1 -> writer.write(run, done, length);
          default -> writer.write(ByteBuffer.wrap(run, done, length));
        }
        done += length;
      }
      writer.endRun(run.length + 1L, run.length / 7);
    }
  }

  /** Finds an output and compares everything with its content. */
  public static void check(SpillStore store, OutputId id, Content content) throws IOException {
    CommittedOutput output = store.find(id).orElseThrow();
    assertEquals(content.partitionCount(), output.partitionCount());
    for (int partition = 0; partition < content.partitionCount(); partition++) {
      List<byte[]> expected = content.of(partition);
      List<LocatedRun> runs = output.runs(partition);
      assertEquals(expected.size(), runs.size(), "runs of partition " + partition);
      for (int i = 0; i < runs.size(); i++) {
        checkRun(store, runs.get(i), expected.get(i));
      }
    }
  }

  private static void checkRun(SpillStore store, LocatedRun located, byte[] expected)
      throws IOException {
    Run run = located.run();
    assertEquals(expected.length, run.lengthBytes());
    assertEquals(expected.length + 1L, run.rawLengthBytes());
    assertEquals(expected.length / 7, run.records());
    assertEquals(BlockChecksumsTest.naive(expected), run.checksums());
    try (SegmentMapper mapper = mapper(store);
        MappedRanges mapped = mapper.map(located.location().ranges())) {
      assertArrayEquals(expected, bytes(mapped));
    }
  }

  /** All bytes of some mapped ranges. */
  public static byte[] bytes(MappedRanges mapped) {
    byte[] bytes = new byte[mapped.buffers().stream().mapToInt(ByteBuffer::remaining).sum()];
    int done = 0;
    for (ByteBuffer buffer : mapped.buffers()) {
      int length = buffer.remaining();
      buffer.duplicate().get(bytes, done, length);
      done += length;
    }
    return bytes;
  }

  /** All bytes of a run that is not committed yet, 64 KiB of it mapped at a time. */
  public static byte[] bytes(OutputWriter writer, WrittenRun run) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (RunInput input = writer.input(run, 64 << 10)) {
      byte[] some = new byte[10_000];
      int n;
      while ((n = input.read(some, 0, some.length)) >= 0) {
        bytes.write(some, 0, n);
      }
    }
    return bytes.toByteArray();
  }

  /** A mapper over the segments of a store. */
  public static SegmentMapper mapper(SpillStore store) {
    return new SegmentMapper(
        SegmentOpener.BY_NAME,
        segmentId -> store.segment(segmentId).map(SegmentHandle::info).orElse(null));
  }
}
