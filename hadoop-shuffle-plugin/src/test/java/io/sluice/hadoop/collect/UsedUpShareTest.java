package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.SluiceMapOutput;
import io.sluice.hadoop.testing.StockMapOutput;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.local.RefusalKind;
import io.sluice.rdma.memory.Closing;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.store.DiskShareException;
import io.sluice.spill.store.Lease;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A map of a job that has its share of a node's disk tier, beside another one. */
@Timeout(300)
final class UsedUpShareTest {
  private static final String OTHER = "application_1700000000000_0099";
  private static final long DISK_BYTES = 8 << 20;
  private static final List<MapSide.Emitted> ONE =
      List.of(new MapSide.Emitted(new Text("k"), new BytesWritable(), 1));

  @TempDir private Path directory;
  private final LeakCheck leaks = new LeakCheck();
  private final JobConf job = TestJob.conf();
  private TestNode node;
  private Lease other;
  private Lease large;

  @BeforeEach
  void useUpTheShare() throws IOException {
    job.set(MRConfig.LOCAL_DIR, directory.resolve("task").toString());
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setNumReduceTasks(2);
    node = TestNode.start(directory.resolve("node"), 8 << 20, directory.resolve("d"), DISK_BYTES);
    other = node.service().openLease(OTHER, NodeLink.jobSecret(TestJob.SECRET));
    large = node.service().openLease(TestJob.APPLICATION, NodeLink.jobSecret(TestJob.SECRET));
    other.leaseDisk(1);
    large.leaseDisk(DISK_BYTES / 4 * 3);
    assertThrows(DiskShareException.class, () -> large.leaseDisk(DISK_BYTES / 8));
  }

  @AfterEach
  void stop() throws Exception {
    Closing.all(other, large, node);
    leaks.check();
  }

  private long fallbacks(MapSide map) {
    return SluiceCounter.FALLBACK_MAP_TO_STOCK.of(map.reporter()).getValue();
  }

  @Test
  void isStocksAndCounted() throws Exception {
    MapSide map = new MapSide(job, TestJob.map(3, 0));
    try (LogLines log = new LogLines()) {
      map.run(TestCollectors.in(node.environment()), ONE);
      List<String> said = log.with("INFO Sluice leaves this map to the stock collector: ");
      assertEquals(1, said.size());
      String why = "the disk tier is full for " + TestJob.APPLICATION;
      assertTrue(said.get(0).contains(why), said.get(0));
    }
    assertEquals(1, fallbacks(map));
    assertEquals(1, StockMapOutput.read(map, job, 1).size());
    assertEquals(1, node.service().taskRefusals().get(RefusalKind.SHARE_USED_UP));
  }

  /** It would fail otherwise, and there is room. */
  @Test
  void isServedWhereItsJobRulesThatOut() throws Exception {
    job.set(FallbackPolicy.KEY, "never");
    MapSide map = new MapSide(job, TestJob.map(3, 0));
    map.run(TestCollectors.in(node.environment()), ONE);
    assertEquals(0, fallbacks(map));
    assertEquals(1, SluiceMapOutput.read(node, map.getTaskID(), 1, null).size());
  }

  @Test
  void isServedOnceTheOtherJobHasEnded() throws Exception {
    node.service().applicationStopped(OTHER);
    MapSide map = new MapSide(job, TestJob.map(3, 0));
    map.run(TestCollectors.in(node.environment()), ONE);
    assertEquals(0, fallbacks(map));
    assertEquals(1, SluiceMapOutput.read(node, map.getTaskID(), 1, null).size());
  }
}
