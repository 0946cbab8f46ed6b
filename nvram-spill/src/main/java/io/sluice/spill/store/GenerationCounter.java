package io.sluice.spill.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Hands out generations: numbers that rise for the whole life of a pool, across restarts. Its file
 * holds a bound that no number handed out has reached, so that it is written once in {@value #STEP}
 * times.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it.
 */
final class GenerationCounter implements Closeable {
  private static final int STEP = 1024;
  private static final String FILE = "pool.generation";

  private final FileChannel file;
  private long next;
  private long bound;

  private GenerationCounter(FileChannel file, long next) {
    this.file = file;
    this.next = next;
    this.bound = next;
  }

  /** Starts counting in a new pool. */
  static GenerationCounter create(Path directory) throws IOException {
    return new GenerationCounter(PrivateDirectory.createFile(directory.resolve(FILE)), 1);
  }

  /** Goes on counting in a pool that was used before. */
  static GenerationCounter open(Path directory) throws IOException {
    Path path = directory.resolve(FILE);
    FileChannel file = PrivateDirectory.openFile(path);
    try {
      ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES);
      while (buffer.hasRemaining()) {
        if (file.read(buffer, buffer.position()) < 0) {
          return new GenerationCounter(file, 1); // none was handed out
        }
      }
      if (buffer.getLong(0) < 1) {
        throw new IOException(
            path
                + " says generation "
                + buffer.getLong(0)
                + ", expected more than 0; delete "
                + directory
                + " to start with an empty pool");
      }
      return new GenerationCounter(file, buffer.getLong(0));
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** A bound above every number handed out so far. */
  long bound() {
    return bound;
  }

  long next() throws IOException {
    if (next >= bound) {
      bound = Math.addExact(next, STEP);
      ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES).putLong(0, bound);
      while (buffer.hasRemaining()) {
        file.write(buffer, buffer.position());
      }
      file.force(false);
    }
    return next++;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
