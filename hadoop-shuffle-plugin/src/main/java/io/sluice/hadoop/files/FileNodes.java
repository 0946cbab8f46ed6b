package io.sluice.hadoop.files;

import io.sluice.hadoop.conf.JobSettings;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from the services of all nodes that hold files of one root, and frees files there.
 *
 * <p>Thread contract: safe from any thread; each run is read by one thread at a time. Ownership:
 * the file system closes it, after all runs. Failure: {@link IOException} when a node cannot be
 * read; if a deleted file cannot be freed, that is logged and counted.
 */
final class FileNodes implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(FileNodes.class);

  private static final int WINDOW_BYTES = 128 << 10;

  private static final long WINDOWS_BYTES = 8L << 20;

  private static final int MAX_FREED_AT_ONCE = 32;
  private static final long IDLE_MS = 1_000;

  /** One block of a file is one partition. */
  private static final PartitionRange BLOCK = PartitionRange.one(0);

  private final FilesRoot root;
  private final Configuration conf;
  private final long timeoutMs;
  private final ContainerNode own; // null where there is none
  private final FileCounts fallbacks;
  private final Map<String, NodeReader> readers = new HashMap<>(); // by application
  private SocketClient link; // to the own node's pool; null before it was looked for, or without
  private boolean closed;

  private record Place(NodeAddress address, String applicationId) {}

  /**
   * Nothing is opened yet.
   *
   * @param own null where there is none
   */
  FileNodes(
      FilesRoot root, Configuration conf, long timeoutMs, ContainerNode own, FileCounts fallbacks) {
    this.root = root;
    this.conf = conf;
    this.timeoutMs = timeoutMs;
    this.own = own;
    this.fallbacks = fallbacks;
  }

  /** Finds the runs of a block, in order; none if its node does not hold the block. */
  List<NodeRun> locate(PooledFile file, long block) throws IOException {
    String outputId = file.outputId(block);
    try {
      return reader(file.applicationId())
          .locate(file.address(), BLOCK, List.of(outputId))
          .getOrDefault(outputId, List.of());
    } catch (RemoteError e) {
      if (e.code() == RemoteError.Code.UNKNOWN_APPLICATION) {
        return List.of();
      }
      throw e;
    }
  }

  /** Begins to fetch a run, which the caller reads next, and to its end. */
  void begin(NodeRun run) {
    run.prefetch((int) Math.max(1, run.lengthBytes() / WINDOW_BYTES));
  }

  private synchronized NodeReader reader(String applicationId) throws IOException {
    if (closed) {
      throw new IOException("the file system is closed");
    }
    NodeReader reader = readers.get(applicationId);
    if (reader == null) {
      TransportChooser chooser = TransportChooser.standard();
      TransportChooser.Choice choice = chooser.choose(JobSettings.TRANSPORT.get(conf::getTrimmed));
      reader =
          new NodeReader(
              applicationId,
              root.secret(),
              new Transports(chooser.reading(choice, true), WINDOW_BYTES, WINDOWS_BYTES),
              localPool(applicationId),
              Timeouts.all(timeoutMs));
      readers.put(applicationId, reader);
    }
    return reader;
  }

  /**
   * The pool of this node, whose files are mapped; null if everything is read over a transport. So
   * are files of another user: this process has the secret, but may not open that user's segments.
   */
  private LocalPool localPool(String applicationId) {
    if (own == null || !own.isOwnersId(applicationId)) {
      return null;
    }
    try {
      if (link == null) {
        link = own.connect();
      }
      return new LocalPool(link.info().poolId(), link.places(), link.opener());
    } catch (IOException e) {
      fallbacks.add(FileCounts.Count.FALLBACK_OWN_NODE_OVER_TRANSPORT, 1);
      LOG.info("Files of this node are read over a transport: {}", ErrorText.of(e));
      return null;
    }
  }

  /** Bytes that were read so far, by path. */
  synchronized Map<String, Long> bytesRead() {
    Map<String, Long> all = new TreeMap<>();
    for (NodeReader reader : readers.values()) {
      reader.stats().bytesByWay().forEach((way, bytes) -> all.merge(way, bytes, Long::sum));
    }
    return all;
  }

  /** Frees the bytes of these files in pools, also of files that were not written to their end. */
  void free(Collection<PooledFile> files) {
    Map<Place, List<PooledFile>> byPlace = new LinkedHashMap<>();
    for (PooledFile file : files) {
      byPlace
          .computeIfAbsent(
              new Place(file.address(), file.applicationId()), place -> new ArrayList<>())
          .add(file);
    }
    if (byPlace.size() == 1) {
      byPlace.forEach(this::free);
    } else if (!byPlace.isEmpty()) {
      freeAtOnce(byPlace);
    }
  }

  /** In parallel, so that dead nodes cost one timeout together. */
  private void freeAtOnce(Map<Place, List<PooledFile>> byPlace) {
    ExecutorService freeing =
        DaemonThreads.executor(
            "sluice-free-files", Math.min(byPlace.size(), MAX_FREED_AT_ONCE), IDLE_MS);
    try {
      List<Callable<Object>> each = new ArrayList<>();
      byPlace.forEach((place, files) -> each.add(Executors.callable(() -> free(place, files))));
      for (Future<Object> freed : freeing.invokeAll(each)) {
        freed.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the rest stays until it expires, as on a dead node
    } catch (ExecutionException e) {
      throw new IllegalStateException("files could not be freed", e.getCause());
    } finally {
      freeing.shutdownNow();
    }
  }

  private void free(Place place, List<PooledFile> files) {
    try (RemoteClient node =
        RemoteClient.connect(
            place.address().control(), place.applicationId(), root.secret(), timeoutMs)) {
      for (PooledFile file : files) {
        node.freeOutputs(file.outputPrefix());
      }
    } catch (IOException e) {
      if (e instanceof RemoteError error && error.code() == RemoteError.Code.UNKNOWN_APPLICATION) {
        return; // it has no file of this root, as after a start with an empty pool
      }
      fallbacks.add(FileCounts.Count.FILES_NOT_FREED, files.size());
      LOG.warn(
          "{} files are deleted, but {} keeps their bytes in its pool until the files of {} expire"
              + " there: {}",
          files.size(),
          place.address().name(),
          place.applicationId(),
          e.toString());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    List<Closeable> all = new ArrayList<>();
    readers.values().forEach(reader -> all.add(reader::close));
    if (link != null) {
      all.add(link);
    }
    readers.clear();
    link = null;
    Closer.all(all);
  }
}
