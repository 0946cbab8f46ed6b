package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.util.internal.OutOfDirectMemoryError;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.testing.Await;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer with outputs in two pools, and in none. */
class PeerBlockClientTest {
  @TempDir private Path base;
  private final SparkConf conf = new SparkConf(false);
  private ShuffleCounters counters = new ShuffleCounters();
  private final Answers answers = new Answers();
  private ExecutorPool own;
  private ExecutorPool nodes;

  @BeforeEach
  void open() throws IOException {
    conf.set("spark.app.id", "app-1")
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.pool.capacity", "4m")
        .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    own = pool("1");
    nodes = pool("2");
    write(own, 1);
    write(nodes, 2);
  }

  private ExecutorPool pool(String executor) throws IOException {
    List<Path> localDirs = List.of(base.resolve("local" + executor));
    return ExecutorPool.open(
        conf, new ExecutorTransports(conf), null, "app-1", executor, localDirs);
  }

  /** As many bytes as its number says. */
  private static void write(ExecutorPool pool, int mapId) throws IOException {
    try (MapOutput output = pool.newOutput(pool.begin(0), mapId, 1)) {
      output.append(0, ByteBuffer.allocate(mapId), 1);
      output.commit();
    }
  }

  @AfterEach
  void close() throws IOException {
    own.close();
    nodes.close();
  }

  private static NodeAddress address(ExecutorPool pool) {
    return new NodeAddress(
        "peer", new InetSocketAddress(InetAddress.getLoopbackAddress(), pool.controlPort()));
  }

  private void fetch(ExecutorPool... pools) throws IOException {
    Set<NodeAddress> addresses = new LinkedHashSet<>();
    for (ExecutorPool pool : pools) {
      addresses.add(address(pool));
    }
    try (PeerReader peers =
            new PeerReader(conf, new ExecutorTransports(conf), counters, () -> null);
        PeerBlockClient client =
            new PeerBlockClient(answers.stock(() -> {}), peers, Map.of("1", addresses), counters)) {
      String[] blocks = {"shuffle_0_1_0", "shuffle_0_2_0", "shuffle_0_3_0"};
      client.fetchBlocks("127.0.0.1", 1, "1", blocks, answers.listener(), null);
      Await.until("an answer about every block", () -> answers.count() == blocks.length);
    }
  }

  private void forgetAnswers() {
    answers.forget();
    counters = new ShuffleCounters();
  }

  @Test
  void readsEachBlockOutOfThePoolThatHasIt() throws IOException {
    fetch(own, nodes);
    assertEquals(Map.of("shuffle_0_1_0", 1L, "shuffle_0_2_0", 2L), answers.received());
    assertEquals(Set.of("shuffle_0_3_0"), answers.leftToSpark());
    assertEquals(Map.of("blocks that are not in the peer's pool", 1L), counters.fallbacks());
  }

  @Test
  void aPoolThatIsGoneDoesNotKeepItFromTheOther() throws IOException {
    own.close();
    fetch(own, nodes);
    assertEquals(Map.of("shuffle_0_2_0", 2L), answers.received());
    assertEquals(Set.of("shuffle_0_1_0", "shuffle_0_3_0"), answers.leftToSpark());
    assertEquals(Map.of("a peer's pool that could not be read", 1L), counters.fallbacks());
  }

  @Test
  void aPoolThatTakesNoFurtherConnectionIsLeftToSparkAndCounted() throws Exception {
    conf.set("spark.sluice.server.maxConnections", "1");
    try (ExecutorPool small = pool("3")) {
      write(small, 3);
      try (RemoteClient other =
          RemoteClient.connect(
              address(small).control(), "app-1", ApplicationSecret.of(conf), 20_000)) {
        fetch(small);
        assertEquals(
            0,
            other
                .describe(PartitionRange.one(0), List.of("absent"), 0, PoolPaths.ELSEWHERE)
                .runs()
                .size());
      }
    }
    assertEquals(Map.of(), answers.received());
    assertEquals(
        Map.of("a peer's service that took no further connection", 1L), counters.fallbacks());
  }

  /**
   * The external service knows files only, and map tasks run again for what it is asked in vain.
   */
  @Test
  void aPoolThatTakesNoFurtherConnectionIsAskedForLongerWhereNobodyElseHasItsBlocks()
      throws IOException {
    conf.set("spark.sluice.io.timeout", "20s");
    assertEquals(2_000, busyPatienceMs());
    conf.set("spark.shuffle.service.enabled", "true");
    assertEquals(20_000, busyPatienceMs());
    conf.remove("spark.shuffle.service.enabled").set("spark.sluice.fallback.policy", "never");
    assertEquals(20_000, busyPatienceMs());
  }

  private long busyPatienceMs() throws IOException {
    try (PeerReader peers =
        new PeerReader(conf, new ExecutorTransports(conf), counters, () -> null)) {
      return peers.busyPatienceMs();
    }
  }

  @Test
  void sparkIsNotAskedWhereTheApplicationRulesThatOut() throws IOException {
    conf.set("spark.sluice.fallback.policy", "never");
    fetch(own, nodes);
    assertEquals(Map.of("shuffle_0_1_0", 1L, "shuffle_0_2_0", 2L), answers.received());
    assertEquals(
        Map.of(
            "shuffle_0_3_0",
            "spark.sluice.fallback.policy is never, and blocks that are not in the peer's pool"),
        answers.reasons());
    forgetAnswers();
    nodes.close();
    fetch(nodes);
    assertEquals(3, answers.refused().size());
    assertTrue(
        answers
            .reasons()
            .get("shuffle_0_2_0")
            .startsWith(
                "spark.sluice.fallback.policy is never, and a peer's pool that could not be read:"),
        answers.reasons().toString());
    forgetAnswers();
    fetch();
    assertEquals(
        Set.of("spark.sluice.fallback.policy is never, and the peer has no Sluice pool"),
        Set.copyOf(answers.reasons().values()));
    assertEquals(Set.of(), answers.leftToSpark());
    assertEquals(Map.of(), counters.fallbacks());
  }

  /** Spark asks for them again when it has released others. */
  @Test
  @Timeout(300)
  void aBoundOnDirectMemoryThatIsReachedIsSparksToHandle() throws Exception {
    try (FullDirectMemory full = FullDirectMemory.fill()) {
      fetch(own);
      while (!answers.received().isEmpty()) { // into memory that has come free since it was full
        forgetAnswers();
        full.takeAll();
        fetch(own);
      }
    }
    assertEquals(Set.of(), answers.leftToSpark());
    assertEquals(Map.of(), counters.fallbacks());
    assertEquals(3, answers.refused().size());
    answers
        .refused()
        .forEach((block, cause) -> assertInstanceOf(OutOfDirectMemoryError.class, cause, block));
  }

  /**
   * It takes connections and says nothing, as one behind a firewall; its deadline does not come.
   */
  @Test
  void aPoolThatDoesNotAnswerDelaysNoOtherPool() throws IOException {
    conf.set("spark.sluice.io.timeout", "5min");
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        PeerReader peers =
            new PeerReader(conf, new ExecutorTransports(conf), counters, () -> null);
        PeerBlockClient client =
            new PeerBlockClient(
                answers.stock(() -> {}),
                peers,
                Map.of(
                    "1",
                    Set.of(address(own)),
                    "3",
                    Set.of(
                        new NodeAddress(
                            "silent", new InetSocketAddress("127.0.0.1", silent.getLocalPort())))),
                counters)) {
      for (int i = 0; i < 48; i++) {
        String[] blocks = {"shuffle_0_" + (100 + i) + "_0"};
        client.fetchBlocks("127.0.0.1", 1, "3", blocks, answers.listener(), null);
      }
      String[] blocks = {"shuffle_0_1_0"};
      client.fetchBlocks("127.0.0.1", 1, "1", blocks, answers.listener(), null);
      Await.until("the block of the other pool", () -> answers.received().size() == 1);
      try (Socket only = silent.accept()) {
        assertTrue(only.isConnected());
        silent.setSoTimeout(1);
        assertThrows(SocketTimeoutException.class, silent::accept);
      }
    }
  }

  /** It is asked once, although nobody else has what lies there, so that it is not left alone. */
  @Test
  void fetchesThatWaitForAPoolThatDoesNotAnswerShareItsFailure() throws IOException {
    conf.set("spark.sluice.io.timeout", "1500ms").set("spark.sluice.fallback.policy", "never");
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        PeerReader peers =
            new PeerReader(conf, new ExecutorTransports(conf), counters, () -> null);
        PeerBlockClient client =
            new PeerBlockClient(
                answers.stock(() -> {}),
                peers,
                Map.of(
                    "3",
                    Set.of(
                        new NodeAddress(
                            "silent", new InetSocketAddress("127.0.0.1", silent.getLocalPort())))),
                counters)) {
      for (int i = 0; i < 48; i++) {
        String[] blocks = {"shuffle_0_" + (100 + i) + "_0"};
        client.fetchBlocks("127.0.0.1", 1, "3", blocks, answers.listener(), null);
      }
      Await.until("an answer about every block", () -> answers.refused().size() == 48);
      try (Socket only = silent.accept()) {
        assertTrue(only.isConnected());
        silent.setSoTimeout(1);
        assertThrows(SocketTimeoutException.class, silent::accept);
      }
    }
  }
}
