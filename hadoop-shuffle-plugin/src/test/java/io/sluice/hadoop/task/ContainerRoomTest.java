package io.sluice.hadoop.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.CodecMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.PassthroughCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ContainerRoomTest {
  private static final long MIB = 1L << 20;
  private static final int FETCHERS = 5;

  @Test
  void isWhatTheHeapAndTheJvmLeave() {
    assertEquals((2_048 - 1_638 - 128) * MIB, ContainerRoom.of(2_048, 1_638 * MIB).bytes());
  }

  @Test
  void isNeverTooLittleToSort() {
    assertEquals(32 * MIB, ContainerRoom.of(1_024, 865 * MIB).bytes());
    assertEquals(32 * MIB, ContainerRoom.of(1_024, 4_096 * MIB).bytes());
  }

  @Test
  void isThatOfTheTasksKind() {
    JobConf job = new JobConf();
    job.setInt("mapreduce.map.memory.mb", 100_000);
    job.setInt("mapreduce.reduce.memory.mb", 200_000);
    Map<String, String> container = Map.of("CONTAINER_ID", "container_1_0001_01_000002");
    ContainerRoom map = ContainerRoom.of(container, job, TaskType.MAP);
    ContainerRoom reduce = ContainerRoom.of(container, job, TaskType.REDUCE);
    assertEquals(100_000 * MIB, reduce.bytes() - map.bytes());
  }

  /** Main class of a JVM of 64 MiB, whose serial collector has two survivor spaces of that. */
  static final class SmallHeap {
    private SmallHeap() {}

    public static void main(String[] args) {
      System.exit(ContainerRoom.heapBytes() == 64 * MIB ? 0 : 1);
    }
  }

  @Test
  void allOfTheHeapIsCounted() throws Exception {
    assertSucceeds(SmallHeap.class);
  }

  /** Main class of a JVM that fills a sort buffer of 64 MiB and frees it. */
  static final class FreedBuffer {
    private FreedBuffer() {}

    public static void main(String[] args) throws Exception {
      List<ByteBuffer> chunks = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        ByteBuffer chunk = ChunkMemory.DIRECT.allocate((int) MIB);
        for (int at = 0; at < MIB; at += 4 << 10) {
          chunk.put(at, (byte) 1);
        }
        chunks.add(chunk);
      }
      long filledBytes = residentBytes();
      chunks.forEach(ChunkMemory.DIRECT::free);
      System.exit(filledBytes - residentBytes() > 48 * MIB ? 0 : 1);
    }

    private static long residentBytes() throws IOException {
      try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
        String line = lines.filter(text -> text.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
      }
    }
  }

  /** So that a merge may map what the sort buffer had. */
  @Test
  void aFreedSortBufferReturnsToTheKernel() throws Exception {
    assertSucceeds(FreedBuffer.class);
  }

  private static void assertSucceeds(Class<?> main) throws Exception {
    Process small =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-XX:MaxDirectMemorySize=256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName())
            .inheritIO()
            .start();
    try {
      assertTrue(small.waitFor(120, TimeUnit.SECONDS), "it runs for too long");
      assertEquals(0, small.exitValue());
    } finally {
      small.destroyForcibly();
    }
  }

  private static CodecMemory codec(String name) {
    return CodecMemory.of(named(name), conf());
  }

  private static CompressionCodec named(String name) {
    return switch (name) {
      case "none" -> null;
      case "snappy" -> new SnappyCodec();
      case "zstd" -> new ZStandardCodec();
      case "bzip2" -> new BZip2Codec();
      default -> new UnknownCodec();
    };
  }

  private static Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("io.compression.codec.bzip2.library", "java-builtin"); // on the heap
    return conf;
  }

  /** No more is known of it than that it has none of Hadoop's buffers. */
  private static final class UnknownCodec extends PassthroughCodec {}

  /** Nothing is smaller there than its setting, or what the process has, makes it. */
  @Test
  void isUnlimitedOutsideOfContainers() {
    ContainerRoom room = ContainerRoom.of(Map.of(), new JobConf(), TaskType.MAP);
    assertEquals(Long.MAX_VALUE, room.bytes());
    TaskMemory alone = TaskMemory.alone();
    assertEquals(alone.sortBytes(), room.mapMemory(codec("snappy")).sortBytes());
    assertEquals(alone.mappedBytes(), room.reduceMemory(codec("snappy")).mappedBytes());
    assertEquals(64 * MIB, room.reduceMemory(codec("snappy")).codecBytes());
    assertEquals(32 * MIB, room.mapExtentBytes());
    assertEquals(64 << 10, room.stageWindowBytes(8_192));
  }

  /** Mapped pages of the pool count in the resident set, and codecs' buffers do. */
  @ParameterizedTest
  @CsvSource({
    "77, none",
    "77, snappy",
    "77, zstd",
    "77, bzip2",
    "77, unknown",
    "205, none",
    "205, zstd",
    "700, snappy",
    "64, zstd"
  })
  void allThatATaskTakesIsWithinIt(int roomMb, String codecName) {
    ContainerRoom room = ContainerRoom.of(1_024, (1_024 - 128 - roomMb) * MIB);
    CodecMemory codec = codec(codecName);
    long sortingBytes = room.sortBytes(codec) + room.mapExtentBytes() + codec.writerOutsideBytes();
    assertTrue(sortingBytes <= roomMb * MIB, sortingBytes + " bytes of a map that sorts");
    assertTrue(sortingBytes > (roomMb - 1) * MIB, "all of it is used: " + sortingBytes);
    long mergeCodecBytes = room.mapMemory(codec).codecBytes();
    long mergingBytes = mergeCodecBytes + 2 * room.mapExtentBytes() + room.readBytes();
    assertTrue(mergingBytes <= roomMb * MIB, mergingBytes + " bytes of a map that merges");
    long codecBytes = room.reduceMemory(codec).codecBytes();
    assertTrue(codecBytes >= codec.leastOutsideBytes(), codecBytes + " bytes");
    long reduceBytes =
        room.windowsBytes(codec, 1)
            + codecBytes
            + FETCHERS * room.reduceExtentBytes(FETCHERS)
            + room.readBytes();
    assertTrue(reduceBytes <= roomMb * MIB, reduceBytes + " bytes of a reduce");
    assertTrue(reduceBytes > (roomMb - 1) * MIB, "all of it is used: " + reduceBytes);
  }

  /** The room of a task of stock's size, most of which is for sorting, as its merge comes later. */
  @ParameterizedTest
  @CsvSource({"none, 72", "snappy, 71", "zstd, 66", "bzip2, 72", "unknown, 71"})
  void aMapPaysOnlyForWhatItHasWhileItSorts(String codecName, int sortMb) {
    ContainerRoom room = ContainerRoom.of(1_024, 819 * MIB);
    assertEquals(sortMb, room.sortBytes(codec(codecName)) / MIB);
  }

  /** Streams alone in one merge of a map, and of a reduce. */
  @ParameterizedTest
  @CsvSource({"snappy, 18, 19", "zstd, 10, 10", "bzip2, 10, 10", "unknown, 49, 11"})
  void aMergeTakesAsManyStreamsAsStocksAtLeast(String codecName, int ofMap, int ofReduce) {
    ContainerRoom room = ContainerRoom.of(1_024, 819 * MIB);
    CodecMemory codec = codec(codecName);
    assertEquals(ofMap, streams(codecName, room.mapMemory(codec), false));
    assertEquals(ofReduce, streams(codecName, room.reduceMemory(codec), true));
  }

  private static int streams(String codecName, TaskMemory memory, boolean reduce) {
    TaskMemory ample =
        new TaskMemory(
            memory.sortBytes(),
            40 * MIB,
            819 * MIB / 16,
            memory.codecBytes(),
            memory.mappedBytes());
    MergeMemory merge = new MergeMemory(named(codecName), conf(), false, ample);
    return (reduce ? merge.ofReduce() : merge.withChunks(0))
        .maxRuns(0, 2_000, LongStream.of(40 << 10));
  }

  /** One merge has no more runs, however many windows there are. */
  @Test
  void stagedRunsShareWhatOneMergeMaps() {
    ContainerRoom room = ContainerRoom.of(100_000, 819 * MIB);
    assertEquals(64 << 10, room.stageWindowBytes(8_192));
    assertEquals(64 << 10, room.stageWindowBytes(1));
    ContainerRoom little = ContainerRoom.of(1_024, 865 * MIB);
    assertEquals(4 << 10, little.stageWindowBytes(8_192));
    assertEquals(8 << 10, little.stageWindowBytes(512));
  }

  /** They are opened as nodes need them, hardly ever all. */
  @Test
  void windowsAreForTwoTransportsAtMost() {
    ContainerRoom room = ContainerRoom.of(1_024, 865 * MIB);
    CodecMemory none = codec("none");
    assertEquals(24 * MIB, room.windowsBytes(none, 1));
    assertEquals(12 * MIB, room.windowsBytes(none, 2));
    assertEquals(12 * MIB, room.windowsBytes(none, 3));
  }

  /** YARN starts such a container for stock, whose heap is hardly ever all in use. */
  @Test
  void aCodecThatNeedsMoreLeavesTheLeastBuffer() {
    ContainerRoom room = ContainerRoom.of(1_024, 819 * MIB);
    CodecMemory large = new CodecMemory(400 * MIB, 0, 400 * MIB, 80 * MIB, true, true);
    assertEquals(16 * MIB, room.sortBytes(large));
    assertEquals(16 * MIB, room.windowsBytes(large, 1));
    assertEquals(880 * MIB, room.reduceMemory(large).codecBytes());
    assertEquals(0, room.reduceMemory(codec("none")).codecBytes());
  }
}
