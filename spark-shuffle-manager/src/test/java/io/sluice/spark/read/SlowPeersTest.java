package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.testing.Await;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;
import org.apache.spark.network.util.TransportConf;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Slow fetches must not delay others, and ended ones must not keep objects from the collector. */
@Timeout(300)
class SlowPeersTest {
  @TempDir private Path base;
  private final SparkConf conf = new SparkConf(false);
  private final Answers answers = new Answers();
  private final CountDownLatch released = new CountDownLatch(1);
  private ExecutorPool pool;

  @BeforeEach
  void open() throws IOException {
    conf.set("spark.app.id", "app-1")
        .set("spark.sluice.pool.dir", base.toString())
        .set("spark.sluice.pool.capacity", "4m")
        .set("spark.sluice.pool.segmentSize", "1m");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf, new ExecutorTransports(conf), null, "app-1", "1", List.of(base.resolve("local")));
    write(1, 1);
    write(2, 1 << 20);
  }

  private void write(int mapId, int lengthBytes) throws IOException {
    try (MapOutput output = pool.newOutput(pool.begin(0), mapId, 1)) {
      output.append(0, ByteBuffer.allocate(lengthBytes), 1);
      output.commit();
    }
  }

  @AfterEach
  void close() throws IOException {
    released.countDown();
    pool.close();
  }

  private PeerReader newReader() {
    return new PeerReader(conf, new ExecutorTransports(conf), new ShuffleCounters(), () -> null);
  }

  private PeerBlockClient newClient(PeerReader peers) {
    NodeAddress healthy =
        new NodeAddress(
            "peer", new InetSocketAddress(InetAddress.getLoopbackAddress(), pool.controlPort()));
    Map<String, Set<NodeAddress>> pools = Map.of("1", Set.of(healthy));
    // Spark's client connects for minutes to a host that is gone.
    return new PeerBlockClient(
        answers.stock(this::awaitRelease), peers, pools, new ShuffleCounters());
  }

  private void fetch(PeerBlockClient client, int mapId, DownloadFileManager files) {
    client.fetchBlocks("127.0.0.1", 1, "1", block(mapId), answers.listener(), files);
  }

  private static String[] block(int mapId) {
    return new String[] {"shuffle_0_" + mapId + "_0"};
  }

  /** On YARN only the executor's user has the secret that Spark's connections need. */
  @Test
  void fetchesWorkForTheUserOfTheExecutor() throws Exception {
    UserGroupInformation ann = UserGroupInformation.createRemoteUser("ann");
    CompletableFuture<String> user = new CompletableFuture<>();
    try (PeerReader peers = ann.doAs((PrivilegedAction<PeerReader>) this::newReader)) {
      peers.contacts();
      peers
          .fallbackFetchers()
          .execute(
              () -> {
                try {
                  user.complete(UserGroupInformation.getCurrentUser().getUserName());
                } catch (IOException e) {
                  user.completeExceptionally(e);
                }
              });
      assertEquals("ann", user.get(2, TimeUnit.MINUTES));
    }
  }

  /** Such as a large one, or one on a slow disk of the reader's: the pool answers all the time. */
  @Test
  void aFirstBlockThatIsSlowToWriteKeepsNoOtherFetchWaiting() throws Exception {
    conf.set("spark.sluice.fallback.policy", "never");
    try (PeerReader peers = newReader();
        PeerBlockClient client = newClient(peers)) {
      fetch(client, 2, new BlockedFiles());
      fetch(client, 1, null);
      Await.until("the small block", () -> answers.received().containsKey("shuffle_0_1_0"));
      assertEquals(Map.of(), answers.refused());
      released.countDown();
      Await.until("the large block", () -> answers.received().containsKey("shuffle_0_2_0"));
    }
  }

  /** Spark's client, where it connects to a host that is gone, keeps the thread that asks it. */
  @Test
  void whatIsLeftToSparkKeepsNoFetchFromAPoolWaiting() throws Exception {
    try (PeerReader peers = newReader();
        PeerBlockClient client = newClient(peers)) {
      fetch(client, 1, null);
      Await.until(
          "the pool is known to answer", () -> answers.received().containsKey("shuffle_0_1_0"));
      for (int i = 0; i < 20; i++) { // more than there are fetchers
        fetch(client, 100 + i, null); // is not in the pool
      }
      Await.until("all are left to Spark", () -> answers.leftToSpark().size() == 20);
      answers.received().clear();
      fetch(client, 1, null);
      Await.until("the block", () -> answers.received().containsKey("shuffle_0_1_0"));
    }
  }

  /** Listeners hold their tasks; the deadline of a first answer comes after minutes. */
  @Test
  void whatHasEndedIsCollected() throws Exception {
    conf.set("spark.sluice.io.timeout", "5min");
    List<WeakReference<Object>> ended = new ArrayList<>();
    try (PeerReader peers = newReader();
        PeerBlockClient client = newClient(peers)) {
      for (int i = 0; i < 10; i++) {
        BlockFetchingListener listener = answers.listener();
        ended.add(new WeakReference<>(listener));
        client.fetchBlocks("127.0.0.1", 1, "1", block(1), listener, null);
      }
      Await.until("ten answers", () -> answers.successes() == 10);
      awaitCollected("listeners", ended);
    }
  }

  private static void awaitCollected(String what, List<WeakReference<Object>> all)
      throws Exception {
    Await.until(
        what,
        () -> {
          System.gc();
          return all.stream().allMatch(each -> each.get() == null);
        });
  }

  private void awaitRelease() {
    try {
      released.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Files with a first write that lasts until the test lets it end. */
  private final class BlockedFiles implements DownloadFileManager {
    @Override
    public DownloadFile createTempFile(TransportConf transport) {
      return (DownloadFile)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {DownloadFile.class},
              (proxy, method, arguments) ->
                  switch (method.getName()) {
                    case "openForWriting" -> new BlockedChannel();
                    case "delete" -> true;
                    default -> "a file";
                  });
    }

    @Override
    public boolean registerTempFileToClean(DownloadFile file) {
      return true;
    }
  }

  private final class BlockedChannel implements DownloadFileWritableChannel {
    private int lengthBytes;

    @Override
    public int write(ByteBuffer bytes) {
      awaitRelease();
      int writtenBytes = bytes.remaining();
      lengthBytes += writtenBytes;
      bytes.position(bytes.limit());
      return writtenBytes;
    }

    @Override
    public ManagedBuffer closeAndRead() {
      return new NioManagedBuffer(ByteBuffer.allocate(lengthBytes));
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }
}
