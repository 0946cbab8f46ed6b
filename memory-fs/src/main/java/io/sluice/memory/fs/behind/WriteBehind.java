package io.sluice.memory.fs.behind;

import io.sluice.memory.fs.behind.MirrorDirectory.MirroredChange;
import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.ChangeListener;
import io.sluice.memory.fs.tree.TreePath;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedAction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Repeats the changes of a namespace in another file system, in the background and in their order.
 * After a failure it repeats nothing more, and {@link #check} refuses further changes of the
 * namespace. Files can still be read.
 *
 * <p>Thread contract: safe from any thread; one of its own writes. Ownership: the caller closes it,
 * which waits for the changes that are left. Failure: {@link #check}, {@link #await} and {@link
 * #close} throw an error of the other file system; the latter two also fail after {@value
 * #IDLE_TIMEOUT_MS} ms without progress.
 */
public final class WriteBehind implements ChangeListener, Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBehind.class);
  private static final long IDLE_TIMEOUT_MS = 60_000;
  private static final int MOST_NAMED = 20;

  private final Path base;
  private final MirrorDirectory mirror;
  private final UserGroupInformation user = UserGroupInformation.getCurrentUser();
  private final Thread thread = DaemonThreads.create("sluice-write-behind", this::runAsUser);
  private final Lock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<MirroredChange> waiting = new ArrayDeque<>(); // the first is in progress
  private long progress;
  private IOException failure;
  private boolean closed;

  private WriteBehind(Path base, Configuration conf) throws IOException {
    this.base = base;
    this.mirror = new MirrorDirectory(base, conf, this::progressed);
    thread.setContextClassLoader(mirror.classLoader());
  }

  /** Begins to write below that path. */
  public static WriteBehind start(Path base, Configuration conf) throws IOException {
    WriteBehind started = new WriteBehind(base, conf);
    started.thread.start();
    return started;
  }

  private void progressed() {
    lock.lock();
    try {
      progress++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void written(TreePath path, FileContent content) {
    content.hold();
    add(new MirroredChange.Written(path, content));
  }

  @Override
  public void renamed(TreePath from, TreePath to) {
    add(new MirroredChange.Renamed(from, to));
  }

  @Override
  public void deleted(TreePath path) {
    add(new MirroredChange.Deleted(path));
  }

  @Override
  public void madeDirectory(TreePath path) {
    add(new MirroredChange.MadeDirectory(path));
  }

  private void add(MirroredChange change) {
    lock.lock();
    try {
      waiting.add(change);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void runAsUser() {
    user.doAs(
        (PrivilegedAction<Void>)
            () -> {
              run();
              return null;
            });
  }

  private void run() {
    try {
      for (MirroredChange change = next(); change != null; change = next()) {
        mirror.apply(change);
        change.end();
        done();
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(e);
    }
  }

  /** Waits for the next change; null once closed. */
  private MirroredChange next() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly(); // ends with a change or with close
      }
      return closed ? null : waiting.peek();
    } finally {
      lock.unlock();
    }
  }

  private void done() {
    lock.lock();
    try {
      waiting.remove();
      progress++;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void fail(Throwable cause) {
    lock.lock();
    try {
      failure = new IOException(unwritten("of an error: " + cause), cause);
      LOG.error(
          "Files of sluice: are no longer copied; the namespace refuses further changes", failure);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private String unwritten(String reason) {
    String named =
        waiting.stream()
            .limit(MOST_NAMED)
            .map(MirroredChange::toString)
            .collect(Collectors.joining(", "));
    String more = waiting.size() > MOST_NAMED ? " and others" : "";
    return "%s changes were not written behind to %s, because %s; unwritten are %s%s"
        .formatted(waiting.size(), base, reason, named, more);
  }

  @Override
  public void check() throws IOException {
    lock.lock();
    try {
      checkSound();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void checkName(TreePath path) throws IOException {
    mirror.checkName(path);
  }

  private void checkSound() throws IOException {
    if (failure != null) {
      throw new IOException(ErrorText.of(failure), failure);
    }
  }

  /** Returns when all changes so far are written. */
  public void await() throws IOException {
    lock.lock();
    try {
      long seen = progress;
      long leftNs = TimeUnit.MILLISECONDS.toNanos(IDLE_TIMEOUT_MS);
      while (!waiting.isEmpty()) {
        checkSound();
        leftNs = changed.awaitNanos(leftNs);
        if (progress != seen) {
          seen = progress;
          leftNs = TimeUnit.MILLISECONDS.toNanos(IDLE_TIMEOUT_MS);
        } else if (leftNs <= 0) {
          throw new IOException(unwritten("there was no progress for " + IDLE_TIMEOUT_MS + " ms"));
        }
      }
      checkSound();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException(unwritten("the waiting thread was interrupted"));
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    try (mirror) {
      await();
    } finally {
      lock.lock();
      try {
        closed = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}
