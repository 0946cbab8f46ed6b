package io.sluice.spark.read;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;

/** The answers for the blocks that a test asked for, by name. */
final class Answers {
  private final Map<String, Long> received = new ConcurrentSkipListMap<>();
  private final Map<String, Throwable> refused = new ConcurrentSkipListMap<>();
  private final Set<String> leftToSpark = new ConcurrentSkipListSet<>();
  private final AtomicInteger successes = new AtomicInteger();

  /** Their lengths. */
  Map<String, Long> received() {
    return received;
  }

  Map<String, Throwable> refused() {
    return refused;
  }

  /** The messages of the failures. */
  Map<String, String> reasons() {
    return refused.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().getMessage()));
  }

  Set<String> leftToSpark() {
    return leftToSpark;
  }

  /** How often one was received, the same one again, too. */
  int successes() {
    return successes.get();
  }

  /** About how many blocks there is one. */
  int count() {
    return received.size() + refused.size() + leftToSpark.size();
  }

  void forget() {
    received.clear();
    refused.clear();
    leftToSpark.clear();
  }

  /** That of one fetch. */
  BlockFetchingListener listener() {
    return new Listener();
  }

  private final class Listener implements BlockFetchingListener {
    @Override
    public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
      received.put(blockId, data.size());
      successes.incrementAndGet();
    }

    @Override
    public void onBlockFetchFailure(String blockId, Throwable cause) {
      refused.put(blockId, cause);
    }
  }

  /**
   * Spark's own client, which never answers.
   *
   * @param asked what else it does when it is asked
   */
  BlockStoreClient stock(Runnable asked) {
    return new Stock(asked);
  }

  private final class Stock extends BlockStoreClient {
    private final Runnable asked;

    Stock(Runnable asked) {
      this.asked = asked;
    }

    @Override
    public void fetchBlocks(
        String host,
        int port,
        String executorId,
        String[] blockIds,
        BlockFetchingListener listener,
        DownloadFileManager files) {
      leftToSpark.addAll(List.of(blockIds));
      asked.run();
    }

    @Override
    public void close() {}
  }
}
