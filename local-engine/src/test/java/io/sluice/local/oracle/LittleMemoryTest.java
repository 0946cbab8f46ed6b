package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Jobs whose settings ask for more memory than their process has, each in a process of its own:
 * they do what stock does, and no attempt fails.
 */
@Timeout(300)
@Tag("slow")
class LittleMemoryTest {
  @TempDir private Path directory;

  private void run(String options, String heap, String... arguments) throws Exception {
    run(Oracle.EXCHANGES, options, heap, arguments);
  }

  private void run(List<String> exchanges, String options, String heap, String... arguments)
      throws Exception {
    List<String> all = new ArrayList<>(List.of(directory.toString(), String.join(",", exchanges)));
    all.addAll(Arrays.asList(arguments));
    try (ForkedJvm jvm =
        ForkedJvm.start(
            directory.resolve("log"),
            "export JAVA_TOOL_OPTIONS='" + options + "' && ",
            heap,
            LittleMemory.class,
            all.toArray(String[]::new))) {
      String log = jvm.succeeded();
      for (String exchange : exchanges) {
        assertTrue(log.lines().anyMatch((exchange + ": done")::equals), log);
      }
      assertFalse(log.contains("OutOfMemoryError"), log);
    }
  }

  @Test
  void sortBuffersOfAllThreadsAreLongerThanTheHeap() throws Exception {
    run(
        "-XX:ActiveProcessorCount=4",
        "40m",
        "4",
        "40000",
        "2",
        "4",
        "mapreduce.task.io.sort.mb=2047");
  }

  @Test
  @Tag("campaign")
  void directMemoryIsShort() throws Exception {
    run(
        "-XX:MaxDirectMemorySize=12m",
        "512m",
        "4",
        "20000",
        "2",
        "2",
        "mapreduce.task.io.sort.mb=100");
  }

  @Test
  void thereIsAlmostNoDirectMemory() throws Exception {
    run(
        "-XX:MaxDirectMemorySize=4m",
        "512m",
        "4",
        "10000",
        "2",
        "2",
        "mapreduce.task.io.sort.mb=100");
  }

  @Test
  void whatHasNoRoomInMemoryGoesToDiskThroughLittleDirectMemory() throws Exception {
    run(
        "-XX:MaxDirectMemorySize=16m",
        "512m",
        "4",
        "15000",
        "2",
        "2",
        "mapreduce.task.io.sort.mb=100",
        "sluice.local.memory-mb=0");
  }

  /** Each reduce merges a run of each map, and all of them merge at a time. */
  @Test
  void mergesOfManyReducesShareTheHeap() throws Exception {
    run(List.of("pull"), "-XX:ActiveProcessorCount=16", "192m", "330", "5", "16", "16");
  }

  @Test
  void codecsWithLongBuffers() throws Exception {
    run(
        "-XX:MaxDirectMemorySize=64m",
        "512m",
        "24",
        "2000",
        "2",
        "2",
        "mapreduce.task.io.sort.mb=100",
        "mapreduce.map.output.compress=true",
        "mapreduce.map.output.compress.codec=org.apache.hadoop.io.compress.SnappyCodec",
        "io.compression.codec.snappy.buffersize=1048576");
  }
}
