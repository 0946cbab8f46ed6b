package io.sluice.spill.segment;

import io.sluice.rdma.memory.LockFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The directory of a pool that lives as long as its process does: a locked file beside it says so,
 * and whoever comes next removes what a killed process has left.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever makes it closes it, which removes
 * it. Failure: {@link IOException} if the base belongs to somebody else or cannot be written.
 */
public final class ProcessDirectory implements Closeable {
  private static final String LOCK_SUFFIX = ".lock";
  private static final long GUARD_PAUSE_MS = 10;
  private static final long GUARD_TIMEOUT_MS = 60_000;

  private final Path base;
  private final Path directory;
  private final String setting;
  private LockFile lock; // null: it is closed, or could not be locked again
  private boolean closed;

  private ProcessDirectory(Path base, Path directory, String setting) {
    this.base = base;
    this.directory = directory;
    this.setting = setting;
  }

  /**
   * Makes an empty directory below {@code base}, and removes dead neighbours of its kind.
   *
   * @param kind of the processes, one of a name at a time
   * @param name of this one
   * @param setting that names another base, for messages
   */
  public static ProcessDirectory create(Path base, String kind, String name, String setting)
      throws IOException {
    makeBase(base);
    Path ours = base.resolve(kind + "-" + ProcessUser.name());
    ProcessDirectory made = new ProcessDirectory(base, ours.resolve(name), setting);
    made.make(true);
    return made;
  }

  /** For all to see: what is ours is in it, and for us alone. */
  private static void makeBase(Path base) throws IOException {
    if (!Files.isDirectory(base)) { // a link to one is good, and the JDK would refuse it
      PrivateDirectory.createAbove(base);
    }
  }

  private void make(boolean empty) throws IOException {
    Path ours = directory.getParent();
    PrivateDirectory.prepare(ours, PoolVisibility.PRIVATE, "remove it, or set " + setting);
    LockFile guard = guard(ours);
    try {
      removeDead(ours);
      LockFile made =
          LockFile.tryLock(ours.resolve(directory.getFileName() + LOCK_SUFFIX))
              .orElseThrow(() -> new IOException(directory + " is the pool of a living process"));
      try {
        if (empty) {
          PrivateDirectory.delete(directory);
          Files.createDirectory(directory, PrivateDirectory.OWNER_ONLY);
        }
        lock = made;
      } catch (IOException | RuntimeException e) {
        made.close();
        throw e;
      }
    } finally {
      guard.close();
    }
  }

  /**
   * Makes it anew if it is gone: users, and what cleans up after them, remove temporary files. What
   * only cannot be reached now is not gone.
   *
   * @return whether it was
   * @throws IOException if something else is in its place, or it cannot be made; it may be asked
   *     again
   */
  public synchronized boolean restore() throws IOException {
    if (closed) {
      return false;
    }
    boolean gone = Files.notExists(directory, LinkOption.NOFOLLOW_LINKS);
    if (gone) {
      makeBase(base);
    } else if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)
        && !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(directory + " is no directory any more");
    } else if (lock != null) {
      return false;
    }
    LockFile released = lock;
    lock = null;
    if (released != null) {
      released.close(); // of a file that is gone, too
    }
    make(gone);
    return gone;
  }

  /** Locked while lock files come and go: nobody takes one for dead that was not locked yet. */
  private static LockFile guard(Path ours) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GUARD_TIMEOUT_MS);
    boolean interrupted = false;
    try {
      while (true) {
        Optional<LockFile> guard = LockFile.tryLock(ours.resolve(".guard"));
        if (guard.isPresent()) {
          return guard.get();
        }
        if (System.nanoTime() - deadlineNs > 0) {
          throw new IOException(
              ours.resolve(".guard") + " has been locked for " + GUARD_TIMEOUT_MS + " ms");
        }
        interrupted |= Thread.interrupted(); // a pool is for all tasks, not for the one it kills
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(GUARD_PAUSE_MS));
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Something that is done for a process that has died. */
  public interface AfterDeath {
    /** Does it. */
    void run() throws IOException;
  }

  /**
   * Does something for the process of such a directory if it has died; nobody else does so
   * meanwhile. The directory stays for {@link #create}.
   *
   * @return whether it has died; a directory that is gone is a dead process's
   * @throws IOException if that cannot be found out, as of another user's process
   */
  public static boolean ifDead(Path directory, AfterDeath action) throws IOException {
    Path ours = directory.getParent();
    if (Files.notExists(ours, LinkOption.NOFOLLOW_LINKS)) {
      action.run(); // and nothing is made there: the path may be another user's word
      return true;
    }
    if (!Files.isDirectory(ours, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(ours + " is not a directory");
    }
    PoolVisibility.PRIVATE.check(ours);
    LockFile guard = guard(ours);
    try {
      Path lockFile = ours.resolve(directory.getFileName() + LOCK_SUFFIX);
      boolean wasThere = Files.exists(lockFile);
      Optional<LockFile> dead = LockFile.tryLock(lockFile);
      if (dead.isEmpty()) {
        return false;
      }
      try (LockFile lock = dead.get()) {
        action.run();
        if (!wasThere) {
          Files.deleteIfExists(lock.path());
        }
      }
      return true;
    } finally {
      guard.close();
    }
  }

  private static void removeDead(Path ours) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(ours, "*" + LOCK_SUFFIX)) {
      for (Path lockFile : locks) {
        Optional<LockFile> dead = LockFile.tryLock(lockFile);
        if (dead.isPresent()) {
          try (LockFile lock = dead.get()) {
            String name = lockFile.getFileName().toString();
            PrivateDirectory.delete(
                ours.resolve(name.substring(0, name.length() - LOCK_SUFFIX.length())));
            Files.deleteIfExists(lock.path());
          }
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** Empty when it was made, and nobody else's. */
  public Path directory() {
    return directory;
  }

  @Override
  public synchronized void close() throws IOException {
    closed = true;
    try (LockFile closing = lock) {
      PrivateDirectory.delete(directory);
      if (closing != null) {
        Files.deleteIfExists(closing.path());
      }
    }
  }
}
