package io.sluice.hadoop.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.reduce.FetchRules.FetchPolicy;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.testing.UsedHeap;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Reporter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a reducer keeps on its heap of outputs that it has located, each in a segment of its own:
 * while it gathers, and when their merge gets them.
 */
@Timeout(300)
@Tag("slow")
final class LocatedOutputHeapTest {
  private static final int REDUCE = 1234;
  private static final int FEW_NODES = 5;
  private static final int WINDOW_BYTES = 64 << 10;
  private static final long LONG_MS = 120_000;
  private static final FetchPolicy POLICY =
      new FetchPolicy(10, true, 5, LONG_MS, LONG_MS, LONG_MS, 1_000, 3);

  private final JobSecret secret = NodeLink.jobSecret(TestJob.SECRET);

  /**
   * Bytes of heap.
   *
   * @param gathered while the last output is located, with connections to nodes
   * @param handedOver when the merge gets the runs, without
   */
  private record Took(long gathered, long handedOver) {
    long gatheredFor(int runs) {
      return gathered / runs;
    }

    long handedOverFor(int runs) {
      return handedOver / runs;
    }
  }

  private static void assertAtMost(long mostBytes, long bytes, String of) {
    assertTrue(bytes <= mostBytes, bytes + " bytes of heap for " + of);
  }

  @BeforeEach
  void loadClasses() throws Exception {
    gather(100, FEW_NODES, 1);
  }

  @Test
  void anOutputOfOneRun() throws Exception {
    int maps = 100_000;
    Took took = gather(maps, FEW_NODES, 1);
    assertAtMost(100, took.gatheredFor(maps), "each run that was located");
    assertAtMost(100, took.handedOverFor(maps), "each run that waits for its merge");
  }

  @Test
  void anOutputOfThreeRuns() throws Exception {
    int runs = 3 * 30_000;
    Took took = gather(runs / 3, FEW_NODES, 3);
    assertAtMost(60, took.gatheredFor(runs), "each run that was located");
    assertAtMost(80, took.handedOverFor(runs), "each run that waits for its merge");
  }

  /** What the reducer knows of the node itself, and what its answer takes beside its runs. */
  @Test
  void aNode() throws Exception {
    int nodes = 1_000;
    int maps = 20 * nodes;
    long manyBytes = gather(maps, nodes, 1).handedOver;
    long fewBytes = gather(maps, FEW_NODES, 1).handedOver;
    assertAtMost(2_000, (manyBytes - fewBytes) / nodes, "each node");
  }

  private Took gather(int maps, int nodes, int runs) throws Exception {
    long before = UsedHeap.bytes();
    long gathered;
    List<MergeRun> located;
    FetchSchedule schedule =
        new FetchSchedule(
            maps, POLICY, new RecordingListener(), System::nanoTime, TestSeed.random());
    try (ManyOutputs node = new ManyOutputs(secret, runs);
        NodeReader reader =
            new NodeReader(
                TestJob.APPLICATION,
                secret,
                new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOW_BYTES),
                null,
                Timeouts.all(LONG_MS))) {
      for (int map = 0; map < maps; map++) {
        schedule.resolve(Events.succeeded(TestJob.map(map, 0), host(map % nodes, node)));
      }
      Thread fetcher = new Thread(fetcher(schedule, reader), "fetcher");
      fetcher.start();
      while (!schedule.awaitDone(1_000)) {
        schedule.throwIfFailed();
      }
      fetcher.join();
      gathered = UsedHeap.bytes() - before;
      located = schedule.takeAll();
      located.forEach(MergeRun::suspend); // the first one has the only window
    } // and with it what connections take
    long handedOver = UsedHeap.bytes() - before;
    assertEquals(maps * runs, located.size());
    for (int i = 0; i < located.size(); i++) {
      assertEquals(ManyOutputs.lengthBytes(i / runs, i % runs), located.get(i).lengthBytes());
    }
    schedule.close();
    return new Took(gathered, handedOver);
  }

  private static HostFetcher fetcher(FetchSchedule schedule, NodeReader reader) {
    HostFetcher.Settings settings =
        new HostFetcher.Settings(
            REDUCE,
            new DefaultCodec(),
            FallbackPolicy.NEVER,
            new ServicePorts(1),
            POLICY,
            LONG_MS,
            1,
            false);
    FetchLog notes = new FetchLog(Reporter.NULL, System::nanoTime, LONG_MS);
    return new HostFetcher(schedule, notes, reader, null, null, settings);
  }

  private static String host(int number, ManyOutputs node) throws IOException {
    return "127.0.%d.%d:%d".formatted(number / 200, 1 + number % 200, node.port() - 1);
  }
}
