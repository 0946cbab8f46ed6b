package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.collect.TestCollectors;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.ReduceSide;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.node.remote.RemoteClient;
import io.sluice.rdma.transport.ConnectionLimits;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node that takes no further connection holds what it held, and no map is blamed. */
@Timeout(300)
final class BusyNodeTest {
  private static final long LONG_MS = 30_000;
  private static final int REFUSALS = 4; // the third sends the reducer to the ShuffleHandler

  @TempDir Path directory;

  @Test
  void aReducerComesAgainUntilTheNodeTakesItAndReportsNothing() throws Exception {
    ConnectionLimits limits = new ConnectionLimits(1, 8, LONG_MS, 10 * LONG_MS);
    try (TestNode node = TestNode.start(directory.resolve("node"), 8 << 20, limits)) {
      JobConf job = TestJob.conf();
      job.set(MRConfig.LOCAL_DIR, directory.resolve("task").toString());
      job.setMapOutputKeyClass(Text.class);
      job.setMapOutputValueClass(Text.class);
      job.setNumReduceTasks(1);
      job.setNumMapTasks(1);
      job.set(JobSettings.TRANSPORT.name(), "tcp");
      MapSide.Emitted record = new MapSide.Emitted(new Text("key"), new Text("value"), 0);
      new MapSide(job, TestJob.map(0, 0))
          .run(TestCollectors.in(node.environment()), List.of(record));
      ReduceSide reduce = new ReduceSide(job, TestJob.reduce(0, 0));
      int control = node.address().control().getPort();
      reduce.events.add(Events.succeeded(TestJob.map(0, 0), "127.0.0.1:" + (control - 1)));
      RemoteClient other =
          RemoteClient.connect(
              node.address().control(),
              TestJob.APPLICATION,
              NodeLink.jobSecret(TestJob.SECRET),
              LONG_MS);
      CompletableFuture<Void> leaves =
          CompletableFuture.runAsync(
              () -> {
                while (node.service().counters().connections().refused() < REFUSALS) {
                  Thread.onSpinWait();
                }
                close(other);
              });
      ReduceShuffle shuffle = new ReduceShuffle(reduce.context(null), Map.of());
      assertEquals(1, ReduceSide.drain(shuffle.run()).size());
      shuffle.close();
      leaves.join();
      assertEquals(List.of(), reduce.reported);
      assertEquals(0, reduce.counter(TaskCounter.FAILED_SHUFFLE).getValue());
      assertTrue(SluiceCounter.FALLBACK_NODE_BUSY.of(reduce.reporter()).getValue() >= REFUSALS);
    }
  }

  private static void close(RemoteClient client) {
    try {
      client.close();
    } catch (java.io.IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
