package io.sluice.spark.pool;

import io.sluice.node.service.ServiceDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The directory of one executor's pool, which lives as long as the executor does: a locked file
 * beside it says so, and whoever comes next removes what a killed executor has left.
 *
 * <p>Thread contract: one thread. Ownership: whoever makes it closes it, which removes it. Failure:
 * {@link IOException} if the base belongs to somebody else or cannot be written.
 */
public final class PoolHome implements Closeable {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final String LOCK_SUFFIX = ".lock";
  private static final long GUARD_PAUSE_MS = 10;

  private final Path directory;
  private final Path lockFile;
  private final FileChannel lock;

  private PoolHome(Path directory, Path lockFile, FileChannel lock) {
    this.directory = directory;
    this.lockFile = lockFile;
    this.lock = lock;
  }

  /** Makes an empty directory for {@code name} below {@code base}, and removes dead neighbours. */
  public static PoolHome create(Path base, String name) throws IOException {
    Path ours = base.resolve("sluice-spark-" + System.getProperty("user.name"));
    ServiceDirectory.prepare(ours);
    FileChannel guard = guard(ours);
    try {
      removeDead(ours);
      Path lockFile = ours.resolve(name + LOCK_SUFFIX);
      FileChannel lock = lock(lockFile);
      if (lock == null) {
        throw new IOException(ours.resolve(name) + " is the pool of a living process");
      }
      try {
        Path directory = ours.resolve(name);
        delete(directory);
        return new PoolHome(Files.createDirectory(directory, OWNER_ONLY), lockFile, lock);
      } catch (IOException | RuntimeException e) {
        lock.close();
        throw e;
      }
    } finally {
      guard.close();
    }
  }

  /** Locked while lock files come and go: nobody takes one for dead that was not locked yet. */
  private static FileChannel guard(Path ours) throws IOException {
    FileChannel guard = open(ours.resolve(".guard"));
    try {
      while (true) {
        try {
          guard.lock();
          return guard;
        } catch (OverlappingFileLockException e) {
          // Another context of this JVM, whose classes may have another loader, is at it.
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(GUARD_PAUSE_MS));
        }
      }
    } catch (IOException | RuntimeException e) {
      guard.close();
      throw e;
    }
  }

  private static void removeDead(Path ours) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(ours, "*" + LOCK_SUFFIX)) {
      for (Path lockFile : locks) {
        try (FileChannel lock = lock(lockFile)) {
          if (lock != null) {
            String name = lockFile.getFileName().toString();
            delete(ours.resolve(name.substring(0, name.length() - LOCK_SUFFIX.length())));
            Files.deleteIfExists(lockFile);
          }
        }
      }
    }
  }

  /** The locked file, or null if another process, or another pool of this one, holds it. */
  private static FileChannel lock(Path lockFile) throws IOException {
    FileChannel channel = open(lockFile);
    boolean held = false;
    try {
      held = channel.tryLock() != null;
      return held ? channel : null;
    } catch (OverlappingFileLockException e) {
      return null;
    } finally {
      if (!held) {
        channel.close();
      }
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(directory)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.deleteIfExists(path);
    }
  }

  /** Empty when it was made, and nobody else's. */
  public Path directory() {
    return directory;
  }

  @Override
  public void close() throws IOException {
    try (lock) {
      delete(directory);
      Files.deleteIfExists(lockFile);
    }
  }
}
