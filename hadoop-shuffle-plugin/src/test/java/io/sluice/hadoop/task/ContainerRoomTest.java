package io.sluice.hadoop.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.compress.CompressionCodec;
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
    Process small =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeap.class.getName())
            .inheritIO()
            .start();
    try {
      assertTrue(small.waitFor(120, TimeUnit.SECONDS), "it runs for too long");
      assertEquals(0, small.exitValue());
    } finally {
      small.destroyForcibly();
    }
  }

  /** Nothing is smaller there than its setting, or what the process has, makes it. */
  @Test
  void isUnlimitedOutsideOfContainers() {
    ContainerRoom room = ContainerRoom.of(Map.of(), new JobConf(), TaskType.MAP);
    assertEquals(Long.MAX_VALUE, room.bytes());
    TaskMemory alone = TaskMemory.alone();
    assertEquals(alone.sortBytes(), room.memory(3 * MIB).sortBytes());
    assertEquals(alone.mappedBytes(), room.memory(3 * MIB).mappedBytes());
    assertEquals(64 * MIB, room.memory(3 * MIB).codecBytes());
    assertEquals(32 * MIB, room.mapExtentBytes());
  }

  /** Mapped pages of the pool count in the resident set, and codecs' buffers do. */
  @ParameterizedTest
  @CsvSource({"77, ", "77, snappy", "77, zstd", "205, ", "205, zstd", "700, snappy", "64, zstd"})
  void allThatATaskTakesIsWithinIt(int roomMb, String codecName) {
    ContainerRoom room = ContainerRoom.of(1_024, (1_024 - 128 - roomMb) * MIB);
    CompressionCodec codec =
        codecName == null
            ? null
            : codecName.equals("zstd") ? new ZStandardCodec() : new SnappyCodec();
    long leastCodecBytes = MergeMemory.leastCodecBytes(codec, new JobConf());
    long codecBytes = room.codecBytes(leastCodecBytes);
    assertTrue(codecBytes >= leastCodecBytes, codecBytes + " bytes");
    long bufferBytes = room.bufferBytes(leastCodecBytes);
    long mapBytes = bufferBytes + codecBytes + 2 * room.mapExtentBytes() + room.readBytes();
    assertTrue(mapBytes <= roomMb * MIB, mapBytes + " bytes of a map");
    long reduceBytes =
        bufferBytes + codecBytes + FETCHERS * room.reduceExtentBytes(FETCHERS) + room.readBytes();
    assertTrue(reduceBytes <= roomMb * MIB, reduceBytes + " bytes of a reduce");
    assertTrue(mapBytes > (roomMb - 1) * MIB, "all of it is used: " + mapBytes);
  }

  /** YARN starts such a container for stock, whose heap is hardly ever all in use. */
  @Test
  void aCodecThatNeedsMoreLeavesTheLeastBuffer() {
    ContainerRoom room = ContainerRoom.of(1_024, 819 * MIB);
    assertEquals(16 * MIB, room.bufferBytes(800 * MIB));
    assertEquals(800 * MIB, room.codecBytes(800 * MIB));
    assertEquals(0, room.codecBytes(0));
  }
}
