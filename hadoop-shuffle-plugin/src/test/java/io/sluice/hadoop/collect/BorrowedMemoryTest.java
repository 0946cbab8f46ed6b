package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.rdma.transport.LeakCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A map task on a node that lends memory to sort in. */
@Timeout(300)
final class BorrowedMemoryTest {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final int SORT_BYTES = 8 << 20;
  private static final int RECORDS = 20_000;

  @TempDir private Path taskDirectory;
  private final LeakCheck leaks = new LeakCheck();
  private final JobConf job = TestJob.conf();
  private Path directory;
  private TestNode node;

  @BeforeEach
  void start() throws IOException {
    Assumptions.assumeTrue(Files.isWritable(MEMORY), MEMORY + " cannot be written");
    directory = Files.createTempDirectory(MEMORY, "sluice-test-");
    job.set(MRConfig.LOCAL_DIR, taskDirectory.toString());
    job.setInt(MRJobConfig.IO_SORT_MB, SORT_BYTES >> 20);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setNumReduceTasks(2);
  }

  @AfterEach
  void stop() throws Exception {
    if (node != null) {
      assertEquals(0, node.stats().memory().leasedBytes());
      node.close();
    }
    if (directory != null) {
      FileUtils.deleteDirectory(directory.toFile());
    }
    leaks.check();
  }

  private MapSide map() throws Exception {
    MapSide map = new MapSide(job, TestJob.map(3, 0));
    List<MapSide.Emitted> records = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      records.add(
          new MapSide.Emitted(new IntWritable(31 * i), new BytesWritable(new byte[1000]), i % 2));
    }
    map.setEncryptedSpillKey(new byte[16]);
    map.run(new SluiceMapOutputCollector<>(node.environment()), records);
    return map;
  }

  private static long counter(MapSide map, SluiceCounter counter) {
    return counter.of(map.reporter()).getValue();
  }

  @Test
  void aMapSortsInMoreThanItsOwn() throws Exception {
    node = TestNode.startLending(directory, 96 << 20);
    MapSide map = map();
    assertEquals(2, counter(map, SluiceCounter.MAP_OUTPUT_RUNS), "one spill");
    assertTrue(counter(map, SluiceCounter.SORT_BYTES_BORROWED) > SORT_BYTES);
    assertEquals(0, counter(map, SluiceCounter.FALLBACK_SORT_ALONE));
  }

  @Test
  void whereNothingIsLentItSortsInItsOwn() throws Exception {
    node = TestNode.start(directory, 96 << 20);
    MapSide map = map();
    assertTrue(counter(map, SluiceCounter.MAP_OUTPUT_RUNS) > 2);
    assertEquals(0, counter(map, SluiceCounter.SORT_BYTES_BORROWED));
  }

  @Test
  void recordsOfAnEncryptedJobDoNotLieInThePool() throws Exception {
    node = TestNode.startLending(directory, 96 << 20);
    job.setBoolean(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    MapSide map = map();
    assertTrue(counter(map, SluiceCounter.ENCRYPTED_BYTES) > 0);
    assertEquals(0, counter(map, SluiceCounter.SORT_BYTES_BORROWED));
  }
}
