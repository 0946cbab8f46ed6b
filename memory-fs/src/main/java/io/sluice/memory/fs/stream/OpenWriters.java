package io.sluice.memory.fs.stream;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of this process that are open for writing, with the file system and user that opened
 * them. As on HDFS, closing a file system closes its streams. Each task of this process has its own
 * user object, and the task's end closes the streams of that user.
 *
 * <p>Thread contract: safe from any thread. Ownership: the opener still closes its stream; this
 * table holds streams weakly. Failure: bytes that were written stay readable.
 */
public final class OpenWriters {
  private static final Logger LOG = LoggerFactory.getLogger(OpenWriters.class);

  private record Opener(FileSystem fileSystem, UserGroupInformation user) {}

  private static final Map<MemoryOutputStream, Opener> OPEN = new WeakHashMap<>(); // guarded

  private OpenWriters() {}

  /** Adds a stream, to be closed with the file system or with the user's task. */
  public static MemoryOutputStream add(
      MemoryOutputStream stream, FileSystem fileSystem, UserGroupInformation user) {
    synchronized (OPEN) {
      OPEN.put(stream, new Opener(fileSystem, user));
    }
    return stream;
  }

  /** Closes the streams of a file system. */
  public static void closeOf(FileSystem fileSystem) throws IOException {
    close(opener -> opener.fileSystem() == fileSystem);
  }

  /** Closes the streams of a user whose task has ended. */
  public static void closeOf(UserGroupInformation user) {
    try {
      close(opener -> opener.user().equals(user));
    } catch (IOException e) {
      LOG.warn("The last bytes of a file are lost, because a task did not close it", e);
    }
  }

  private static void close(Predicate<Opener> which) throws IOException {
    List<Closeable> closing = new ArrayList<>();
    synchronized (OPEN) {
      OPEN.entrySet()
          .removeIf(
              each -> {
                MemoryOutputStream stream = each.getKey();
                boolean ends = stream != null && which.test(each.getValue());
                if (ends) {
                  closing.add(() -> closeUnlessDeleted(stream));
                }
                return ends;
              });
    }
    Closer.all(closing); // without the lock: a full disk is slow, and others open files meanwhile
  }

  private static void closeUnlessDeleted(MemoryOutputStream stream) throws IOException {
    try {
      stream.close();
    } catch (FileNotFoundException e) {
      LOG.debug("A deleted file had a writer that was not closed", e);
    }
  }
}
