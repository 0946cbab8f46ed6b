package io.sluice.hadoop.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

final class ContainerRoomTest {
  private static final long MIB = 1L << 20;

  @Test
  void isWhatTheHeapAndTheJvmLeave() {
    assertEquals((2_048 - 1_638 - 128) * MIB, ContainerRoom.bytes(2_048, 1_638 * MIB));
  }

  @Test
  void isNeverTooLittleToSort() {
    assertEquals(32 * MIB, ContainerRoom.bytes(1_024, 865 * MIB));
    assertEquals(32 * MIB, ContainerRoom.bytes(1_024, 4_096 * MIB));
  }

  @Test
  void isThatOfTheTasksKind() {
    JobConf job = new JobConf();
    job.setInt("mapreduce.map.memory.mb", 100_000);
    job.setInt("mapreduce.reduce.memory.mb", 200_000);
    Map<String, String> container = Map.of("CONTAINER_ID", "container_1_0001_01_000002");
    long map = ContainerRoom.bytes(container, job, TaskType.MAP);
    assertEquals(100_000 * MIB, ContainerRoom.bytes(container, job, TaskType.REDUCE) - map);
  }

  @Test
  void isUnlimitedOutsideOfContainers() {
    assertEquals(Long.MAX_VALUE, ContainerRoom.bytes(Map.of(), new JobConf(), TaskType.MAP));
  }
}
