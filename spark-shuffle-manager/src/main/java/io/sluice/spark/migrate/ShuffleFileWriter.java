package io.sluice.spark.migrate;

import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.ExecutorPool;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import scala.Tuple2;

/**
 * Writes outputs of this executor's pool into the two files that Spark's own writers would have
 * made. Unlike {@link OutgoingOutput}, it serves no peer but Spark's fallback storage, which copies
 * files. An output without an index file does not exist for that storage.
 *
 * <p>Thread contract: safe from any thread; one output is written at a time. Ownership: the files
 * go with their shuffle, or with the executor's local directories. Failure: {@link IOException},
 * and neither file is left.
 */
public final class ShuffleFileWriter {
  private final Function<ShuffleBlockInfo, Names> names;
  private final Set<ShuffleBlockInfo> written = new HashSet<>();

  /** The files of an output. */
  public record Names(Path data, Path index) {
    private List<Closeable> deletions() {
      return List.of(() -> Files.deleteIfExists(index), () -> Files.deleteIfExists(data));
    }
  }

  /** Writes nothing yet. */
  public ShuffleFileWriter(Function<ShuffleBlockInfo, Names> names) {
    this.names = names;
  }

  /** Writes an output into files, unless they exist or the pool does not hold it. */
  public synchronized void layOut(ExecutorPool pool, ShuffleBlockInfo output) throws IOException {
    if (written.contains(output)) {
      return;
    }
    Optional<List<Tuple2<BlockId, ManagedBuffer>>> blocks = OutgoingOutput.blocks(pool, output);
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
