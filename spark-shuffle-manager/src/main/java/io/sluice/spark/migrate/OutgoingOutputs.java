package io.sluice.spark.migrate;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.ExecutorBlock;
import io.sluice.spark.pool.ExecutorPool;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import scala.Tuple2;

/**
 * Outputs of this executor's pool, in the two forms in which Spark moves outputs. Peers get blocks:
 * the bytes of all partitions first, then the index. The index says where each partition begins and
 * the last one ends, as numbers of 8 bytes. A peer without a pool stores them as the two files of
 * Spark's own writers. Spark's fallback storage copies such files, so they are written here for it.
 * An output without an index file does not exist for that storage.
 *
 * <p>Thread contract: safe from any thread; one output is written into files at a time. Ownership:
 * the files go with their shuffle, or with the executor's local directories. Failure: {@link
 * IOException}, and neither file is left.
 */
public final class OutgoingOutputs {
  private static final int NO_REDUCER = 0;

  private final Function<ShuffleBlockInfo, Names> names;
  private final Set<ShuffleBlockInfo> written = new HashSet<>();

  /** The files of an output. */
  public record Names(Path data, Path index) {
    private List<Closeable> deletions() {
      return List.of(() -> Files.deleteIfExists(index), () -> Files.deleteIfExists(data));
    }
  }

  /** Writes nothing yet. */
  public OutgoingOutputs(Function<ShuffleBlockInfo, Names> names) {
    this.names = names;
  }

  /**
   * The blocks to send, in this order; empty if the output is not in the pool. An output without
   * records has an index only.
   */
  public static Optional<List<Tuple2<BlockId, ManagedBuffer>>> blocks(
      ExecutorPool pool, ShuffleBlockInfo output) throws IOException {
    int shuffleId = output.shuffleId();
    long mapId = output.mapId();
    Optional<long[]> lengths = pool.partitionLengths(shuffleId, mapId);
    if (lengths.isEmpty()) {
      return Optional.empty();
    }
    Optional<ExecutorBlock> data = pool.block(shuffleId, mapId, 0, lengths.get().length);
    if (data.isEmpty()) {
      return Optional.empty(); // freed meanwhile
    }
    List<Tuple2<BlockId, ManagedBuffer>> blocks = new ArrayList<>();
    if (data.get().size() > 0) {
      blocks.add(new Tuple2<>(new ShuffleDataBlockId(shuffleId, mapId, NO_REDUCER), data.get()));
    }
    blocks.add(
        new Tuple2<>(
            new ShuffleIndexBlockId(shuffleId, mapId, NO_REDUCER),
            new NioManagedBuffer(index(lengths.get()))));
    return Optional.of(blocks);
  }

  private static ByteBuffer index(long[] lengthsBytes) {
    ByteBuffer index = ByteBuffer.allocate(Math.multiplyExact(lengthsBytes.length + 1, Long.BYTES));
    long endBytes = 0;
    index.putLong(endBytes);
    for (long lengthBytes : lengthsBytes) {
      endBytes += lengthBytes;
      index.putLong(endBytes);
    }
    return index.flip();
  }

  /** Writes an output into files, unless they exist or the pool does not hold it. */
  public synchronized void layOut(ExecutorPool pool, ShuffleBlockInfo output) throws IOException {
    if (written.contains(output)) {
      return;
    }
    Optional<List<Tuple2<BlockId, ManagedBuffer>>> blocks = blocks(pool, output);
    if (blocks.isEmpty()) {
      return;
    }
    Names files = names.apply(output);
    try {
      for (Tuple2<BlockId, ManagedBuffer> block : blocks.get()) { // the index comes last
        boolean index = block._1() instanceof ShuffleIndexBlockId;
        write(block._2(), index ? files.index() : files.data());
      }
    } catch (Throwable e) { // such as a full disk
      Closer.after(e, files.deletions());
      throw e;
    }
    written.add(output);
  }

  private static void write(ManagedBuffer block, Path file) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".sluice");
    try (InputStream in = block.createInputStream();
        OutputStream out = Files.newOutputStream(temporary)) {
      in.transferTo(out);
    } catch (Throwable e) {
      Closer.after(e, () -> Files.deleteIfExists(temporary));
      throw e;
    }
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes the files of a shuffle. */
  public synchronized void free(int shuffleId) throws IOException {
    List<Closeable> deletions = new ArrayList<>();
    for (Iterator<ShuffleBlockInfo> i = written.iterator(); i.hasNext(); ) {
      ShuffleBlockInfo output = i.next();
      if (output.shuffleId() == shuffleId) {
        deletions.addAll(names.apply(output).deletions());
        i.remove();
      }
    }
    Closer.all(deletions);
  }
}
