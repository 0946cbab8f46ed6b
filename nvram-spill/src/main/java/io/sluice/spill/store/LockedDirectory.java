package io.sluice.spill.store;

import io.sluice.rdma.memory.LockFile;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.SegmentName;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A directory that one store has to itself: owned by the user, closed to others, locked against a
 * second store.
 *
 * <p>Thread contract: one thread. Ownership: the store closes it last, which drops the lock.
 * Failure: {@link IOException} when somebody else owns, fills or has locked it.
 */
final class LockedDirectory implements Closeable {
  private static final String LOCK_FILE = "pool.lock";

  /** Those of former releases too. */
  private static final String SEGMENT = "segment-([0-9a-f]{8}-)?\\d+(-\\d+-(free|\\d+))?";

  private static final Pattern OWN_FILES =
      Pattern.compile(
          "pool\\.(lock(\\.\\d+-\\d+)?|properties|generation|leases|meta|epoch)"
              + "|"
              + SEGMENT
              + "|(pool\\.properties|"
              + SEGMENT
              + "|probe-\\d+)\\.tmp");
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY_FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final String ADVICE = "give the pool a directory of its own";

  private final Path path;
  private final LockFile lockFile;

  private LockedDirectory(Path path, LockFile lockFile) {
    this.path = path;
    this.lockFile = lockFile;
  }

  static LockedDirectory open(Path path, PoolVisibility use) throws IOException {
    PrivateDirectory.create(path, use, ADVICE);
    checkContent(path);
    PrivateDirectory.close(path);
    return new LockedDirectory(path, lock(path));
  }

  Path path() {
    return path;
  }

  /**
   * Creates a file that only its owner can open; it must not exist. The channel is for the creating
   * thread alone: what others use is a {@link SharedFile}.
   */
  static FileChannel createFile(Path file) throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return FileChannel.open(file, options, OWNER_ONLY_FILE);
  }

  /** Creates a file as {@link #createFile} does, for any thread. */
  static SharedFile createShared(Path file) throws IOException {
    createFile(file).close();
    return SharedFile.open(file);
  }

  /** The names of a pool's segments that lie here, by id and incarnation. */
  List<SegmentName> segments(UUID poolId) throws IOException {
    return files().stream()
        .map(SegmentName::parse)
        .flatMap(Optional::stream)
        .filter(name -> name.isOf(poolId))
        .sorted(
            Comparator.comparingInt(SegmentName::segmentId)
                .thenComparingInt(SegmentName::incarnation))
        .toList();
  }

  /** The files of this directory except the lock. */
  List<Path> files() throws IOException {
    List<Path> files = entries(path);
    files.removeIf(
        file -> {
          String name = file.getFileName().toString();
          return name.equals(LOCK_FILE) || LockFile.isBeside(LOCK_FILE, name);
        });
    return files;
  }

  /** Deletes every file except the lock. */
  void clear() throws IOException {
    for (Path file : files()) {
      Files.delete(file);
    }
  }

  /** Deletes what a process left half done when it died. */
  void deleteTemporaries() throws IOException {
    for (Path file : files()) {
      if (file.toString().endsWith(".tmp")) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Makes the names of its files safe, on a thread that may be interrupted. */
  void forceNames() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try (FileChannel names = FileChannel.open(path, StandardOpenOption.READ)) {
          names.force(true);
          return;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted(); // the pool is for others too: once more
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void checkContent(Path path) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
      for (Path entry : entries) { // ends at the first foreign one: there may be millions
        if (!OWN_FILES.matcher(entry.getFileName().toString()).matches()) {
          throw new IOException(
              path + " holds " + entry.getFileName() + ", which is no file of a pool; " + ADVICE);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  private static List<Path> entries(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(found::add);
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  private static LockFile lock(Path path) throws IOException {
    Path lockPath = path.resolve(LOCK_FILE);
    return LockFile.tryLock(lockPath)
        .orElseThrow(
            () ->
                new IOException(
                    ("%s is in use by another store, which holds %s; give each service a directory"
                            + " of its own, or stop the other one")
                        .formatted(path, lockPath)));
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
