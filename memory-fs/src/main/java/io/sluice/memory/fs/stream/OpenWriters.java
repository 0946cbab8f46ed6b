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
 * The streams of this process that are open for writing, and who opened them. As on HDFS they end
 * with their file system. A task of a cluster is a process and takes its streams with it; a task in
 * this process has a user of its own, and its streams end with that.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever opened a stream still closes it; a
 * stream that nobody can reach is not kept here. Failure: what was written stays readable.
 */
public final class OpenWriters {
  private static final Logger LOG = LoggerFactory.getLogger(OpenWriters.class);

  private record Opener(FileSystem fileSystem, UserGroupInformation user) {}

  private static final Map<MemoryOutputStream, Opener> OPEN = new WeakHashMap<>(); // guarded

  private OpenWriters() {}

  /** Is closed with that file system, or with what that user does. */
  public static MemoryOutputStream add(
      MemoryOutputStream stream, FileSystem fileSystem, UserGroupInformation user) {
    synchronized (OPEN) {
      OPEN.put(stream, new Opener(fileSystem, user));
    }
    return stream;
  }

  /** Closes those of a file system, which is closed now. */
  public static void closeOf(FileSystem fileSystem) throws IOException {
    close(opener -> opener.fileSystem() == fileSystem);
  }

  /** Closes those of a user, who does nothing more. */
  public static void closeOf(UserGroupInformation user) {
    try {
      close(opener -> opener.user().equals(user));
    } catch (IOException e) {
      LOG.warn("A task has not closed a file, and its end is lost", e);
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
    Closer.all(closing); // a full disk takes its time, and others open files meanwhile
  }

  private static void closeUnlessDeleted(MemoryOutputStream stream) throws IOException {
    try {
      stream.close();
    } catch (FileNotFoundException e) {
      LOG.debug("A file was deleted, and its writer has not closed it", e);
    }
  }
}
