package io.sluice.node.testing;

import io.sluice.rdma.memory.SharedFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.Field;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Fails whatever is read of some files, at the system calls: also where each call would open the
 * file.
 */
public final class FailingReads {
  private FailingReads() {}

  /** Does something while each read fails with this, an {@link IOException} or an {@link Error}. */
  public static <T> T during(Collection<SharedFile> files, Throwable failure, Supplier<T> action)
      throws IOException {
    Map<SharedFile, Object> former = new HashMap<>();
    try (FailingFile failing = new FailingFile(failure)) {
      for (SharedFile file : files) {
        former.put(file, exchange(file, failing));
      }
      return action.get();
    } finally {
      former.forEach(FailingReads::exchange);
    }
  }

  private static Object exchange(SharedFile shared, Object file) {
    try {
      Field field = SharedFile.class.getDeclaredField("file");
      field.setAccessible(true);
      Object former = field.get(shared);
      field.set(shared, file);
      return former;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private static final class FailingFile extends RandomAccessFile {
    private final Throwable failure;

    FailingFile(Throwable failure) throws IOException {
      super("/dev/null", "r");
      this.failure = failure;
    }

    @Override
    public void seek(long position) throws IOException {
      if (failure instanceof Error error) {
        throw error;
      }
      throw (IOException) failure;
    }
  }
}
