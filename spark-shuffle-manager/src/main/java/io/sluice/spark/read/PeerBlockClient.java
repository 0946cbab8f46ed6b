package io.sluice.spark.read;

import io.netty.util.internal.OutOfDirectMemoryError;
import io.sluice.node.client.NodeBusyException;
import io.sluice.node.wire.NodeAddress;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.read.BlockTarget.FileTarget;
import io.sluice.spark.read.BlockTarget.MemoryTarget;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the blocks of a reduce task: from the pools of executors that have one, and through
 * Spark's own client otherwise. Blocks that a pool does not give are also fetched through Spark's
 * client.
 *
 * <p>Thread contract: the task's thread calls it, the executor's fetchers answer. Spark's client
 * may take minutes to connect, so it is called on the task's thread, or on one that reads no pool.
 * Failure: a pool that cannot be read is counted, logged once per peer, and Spark fetches its
 * blocks. Only Spark's client reports failures to the listener, except for errors of this JVM and
 * under {@link SparkFallbackPolicy#NEVER}.
 */
final class PeerBlockClient extends BlockStoreClient {
  private static final Logger LOG = LoggerFactory.getLogger(PeerBlockClient.class);

  private static final long BUSY_PAUSE_MS = 100;

  private final BlockStoreClient stock;
  private final PeerReader peers;
  private final Map<String, Set<NodeAddress>> pools;
  private final ShuffleCounters counters;
  private final SparkFallbackPolicy policy;
  private final long busyPatienceMs;
  private volatile boolean closed;

  /**
   * Fetches nothing yet.
   *
   * @param pools by executor id, the pools with its outputs: its own, its node's, or both
   */
  PeerBlockClient(
      BlockStoreClient stock,
      PeerReader peers,
      Map<String, Set<NodeAddress>> pools,
      ShuffleCounters counters) {
    this.stock = stock;
    this.peers = peers;
    this.pools = pools;
    this.counters = counters;
    this.policy = peers.fallback();
    this.busyPatienceMs = peers.busyPatienceMs();
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executorId,
      String[] blockIds,
      BlockFetchingListener listener,
      DownloadFileManager files) {
    BlockFetchingListener counted = new CountedFetch(listener, counters);
    Consumer<String[]> fallback =
        ids -> stock.fetchBlocks(host, port, executorId, ids, counted, files);
    Set<NodeAddress> ofPeer = pools.getOrDefault(executorId, Set.of());
    if (ofPeer.isEmpty()) {
      Failure none = new Failure("the peer has no Sluice pool", null);
      count(none);
      leave(List.of(blockIds), none, listener, fallback);
      return;
    }
    Map<String, BlockRange> wanted = new LinkedHashMap<>();
    List<String> others = new ArrayList<>();
    for (String id : blockIds) {
      Optional<BlockRange> range = BlockRange.of(id);
      range.ifPresentOrElse(block -> wanted.put(id, block), () -> others.add(id));
    }
    if (!others.isEmpty()) {
      fallback.accept(others.toArray(String[]::new));
    }
    if (!wanted.isEmpty()) {
      BlockTarget.Opener targets = files == null ? MemoryTarget::open : FileTarget.in(files);
      peers.contacts().submit(ofPeer, new PoolFetch(ofPeer, wanted, targets, listener, fallback));
    }
  }

  /**
   * The reason why blocks are not read in a pool.
   *
   * @param reason as it is counted
   * @param cause null if there is none
   */
  private record Failure(String reason, Throwable cause) {}

  /** Counts a fallback, unless Spark may not take over. */
  private void count(Failure failure) {
    if (policy != SparkFallbackPolicy.NEVER) {
      counters.fellBack(failure.reason());
    }
  }

  /** Fetches blocks through Spark's client, or fails them if Spark may not take over. */
  private void leave(
      List<String> blockIds,
      Failure why,
      BlockFetchingListener listener,
      Consumer<String[]> fallback) {
    if (policy != SparkFallbackPolicy.NEVER) {
      fallback.accept(blockIds.toArray(String[]::new));
      return;
    }
    String detail = why.cause() == null ? "" : ": " + why.cause();
    IOException refused = new IOException(policy.refusal(why.reason() + detail), why.cause());
    blockIds.forEach(id -> listener.onBlockFetchFailure(id, refused));
  }

  /** Fetches blocks of one peer in its pools, and the rest through Spark. */
  private final class PoolFetch implements PeerContacts.Fetch {
    private final Set<NodeAddress> pools;
    private final Map<String, BlockRange> wanted;
    private final BlockTarget.Opener targets;
    private final BlockFetchingListener listener;
    private final Consumer<String[]> fallback;
    private final long submittedNs = System.nanoTime();

    PoolFetch(
        Set<NodeAddress> pools,
        Map<String, BlockRange> wanted,
        BlockTarget.Opener targets,
        BlockFetchingListener listener,
        Consumer<String[]> fallback) {
      this.pools = pools;
      this.wanted = wanted;
      this.targets = targets;
      this.listener = listener;
      this.fallback = fallback;
    }

    @Override
    public void run() {
      if (closed) {
        return;
      }
      Failure failure = null;
      try {
        for (NodeAddress pool : pools) {
          Failure ofPool = wanted.isEmpty() ? null : read(pool);
          failure = failure == null ? ofPool : failure;
        }
        if (failure == null && !wanted.isEmpty()) {
          // Spark's own writer wrote them.
          failure = new Failure("blocks that are not in the peer's pool", null);
          count(failure);
        }
      } catch (OutOfDirectMemoryError e) {
        // Netty's bound, not this JVM's: Spark asks again when it has read other blocks.
        wanted.keySet().forEach(id -> listener.onBlockFetchFailure(id, e));
        return;
      } catch (Error e) {
        // The task waits for an answer for each block.
        wanted.keySet().forEach(id -> listener.onBlockFetchFailure(id, e));
        throw e;
      }
      if (!wanted.isEmpty()) {
        leaveTheRest(failure);
      }
    }

    @Override
    public void leave(Throwable why) {
      if (!closed) {
        leaveTheRest(counted(new Failure("no thread to read a peer's pool with", why)));
      }
    }

    /** Fetches the rest on a thread for fallbacks, or on this thread if there is none. */
    private void leaveTheRest(Failure why) {
      List<String> rest = List.copyOf(wanted.keySet());
      Runnable left = () -> PeerBlockClient.this.leave(rest, why, listener, fallback);
      try {
        peers.fallbackFetchers().execute(left);
      } catch (RejectedExecutionException | OutOfMemoryError e) {
        left.run();
      }
    }

    /**
     * Fetches the blocks that are in one pool, and removes them from the wanted; null if that did
     * not fail.
     */
    private Failure read(NodeAddress pool) {
      PeerContacts contacts = peers.contacts();
      if (contacts.isLeftAlone(pool, submittedNs)) {
        return counted(new Failure("a peer's pool that does not answer", null));
      }
      long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(busyPatienceMs);
      Progress progress = new Progress(contacts, pool);
      try {
        while (true) {
          try {
            progress.asks();
            new PeerFetch(peers.reader(), pool, List.copyOf(wanted.values()), targets)
                .run(progress);
            contacts.answered(pool);
            return null;
          } catch (NodeBusyException e) {
            contacts.answered(pool);
            if (closed || System.nanoTime() - deadlineNs > 0) {
              throw e;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(BUSY_PAUSE_MS));
          }
        }
      } catch (NodeBusyException e) {
        return counted(new Failure("a peer's service that took no further connection", e));
      } catch (IOException | RuntimeException e) {
        if (!closed && contacts.failed(pool, progress.askedNs)) {
          LOG.warn(
              "The pool of {} cannot be read, its blocks are fetched through Spark: {}",
              pool.name(),
              e.toString());
        }
        return counted(new Failure("a peer's pool that could not be read", e));
      }
    }

    /** Reports to the contacts what a pool answers; one thread. */
    private final class Progress implements PeerFetch.Receiver {
      private final PeerContacts contacts;
      private final NodeAddress pool;
      private long askedNs; // when the next bytes were asked for

      Progress(PeerContacts contacts, NodeAddress pool) {
        this.contacts = contacts;
        this.pool = pool;
      }

      void asks() {
        askedNs = System.nanoTime();
        contacts.asks(pool, PoolFetch.this);
      }

      /**
       * The pool has answered over the control connection, which proves nothing of the data
       * connection.
       */
      @Override
      public void located() {
        asks();
      }

      @Override
      public void read() {
        askedNs = System.nanoTime();
        contacts.answered(pool); // other fetches need not wait for the rest of the block
      }

      @Override
      public void arrived(BlockRange block, ManagedBuffer bytes) {
        askedNs = System.nanoTime();
        contacts.answered(pool);
        wanted.remove(block.blockId());
        listener.onBlockFetchSuccess(block.blockId(), bytes);
      }
    }
  }

  private Failure counted(Failure failure) {
    count(failure);
    return failure;
  }

  @Override
  public Cause diagnoseCorruption(
      String host,
      int port,
      String executorId,
      int shuffleId,
      long mapId,
      int reduceId,
      long checksum,
      String algorithm) {
    return stock.diagnoseCorruption(
        host, port, executorId, shuffleId, mapId, reduceId, checksum, algorithm);
  }

  /** The task has ended: fetches that have not begun are dropped. */
  @Override
  public void close() {
    closed = true;
  }

  /**
   * Counts the bytes that Spark's own client fetches in blocks of Sluice's shuffles, and passes
   * every call on.
   *
   * <p>Thread contract: as the listener that it calls.
   */
  record CountedFetch(BlockFetchingListener listener, ShuffleCounters counters)
      implements BlockFetchingListener {

    @Override
    public void onBlockFetchSuccess(String blockId, ManagedBuffer data) {
      counters.read(ShuffleCounters.THROUGH_SPARK, data.size());
      listener.onBlockFetchSuccess(blockId, data);
    }

    @Override
    public void onBlockFetchFailure(String blockId, Throwable failure) {
      listener.onBlockFetchFailure(blockId, failure);
    }
  }
}
