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
 * The directory of a pool that lives as long as its process. A locked file beside it marks it, and
 * the next process removes the directory of a killed one.
 *
 * <p>Thread contract: safe from any thread. Ownership: its maker closes it, which removes it.
 * Failure: {@link IOException} if the base belongs to another user or cannot be written.
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
   * Makes an empty directory below {@code base}, and removes the directories of dead processes of
   * its kind.
   *
   * @param kind of the processes; a name is used by one at a time
   * @param name of this process
   * @param setting for messages: it names another base
   */
  public static ProcessDirectory create(Path base, String kind, String name, String setting)
      throws IOException {
    makeBase(base);
    Path ours = base.resolve(kind + "-" + Owner.nameOfThisProcess());
    ProcessDirectory made = new ProcessDirectory(base, ours.resolve(name), setting);
    made.make(true);
    return made;
  }

  /** Makes the base, which others may look into; the directory in it is private. */
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
   * Makes the directory anew if it is gone: users and cleaners remove temporary files. A directory
   * that only cannot be reached now is not gone.
   *
   * @return whether it was gone
   * @throws IOException if another file has its name, or it cannot be made; a later call may
   *     succeed
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

  /** Locks the kind's guard: no process may take a new lock file for a dead one's. */
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

  /** An action for a process that has died. */
  public interface AfterDeath {
    /** Runs the action. */
    void run() throws IOException;
  }

  /**
   * Runs an action if the process of a directory has died; no other process does so meanwhile. The
   * directory stays for {@link #create}.
   *
   * @return whether it has died; a directory that is gone is a dead process's
   * @throws IOException if that cannot be found out, as for another user's process
   */
  public static boolean ifDead(Path directory, AfterDeath action) throws IOException {
    Path ours = directory.getParent();
    if (Files.notExists(ours, LinkOption.NOFOLLOW_LINKS)) {
      action.run(); // nothing is made there: another user may have named the path
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

  /** The directory; it was empty when it was made. */
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
