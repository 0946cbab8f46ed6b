package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A locked file. While it is open, no other owner can lock it, in this process or in another. The
 * lock ends when the process ends.
 *
 * <p>The kernel's lock ({@code fcntl}, used by the JDK) excludes other processes only, and a
 * process loses it when it closes any descriptor of the file. So a process must not open a file
 * that it has locked, not even to check the lock. While the lock is held, an empty file beside it
 * shows that by its name:
 *
 * <pre>
 *   pool.lock                      locked
 *   pool.lock.1234-1700000000000   by process 1234, which was started then
 * </pre>
 *
 * <p>This works across all class loaders of the process and without native code. {@link
 * NativeFile#tryLock} needs native code; devices use it, because all their segments are in one
 * file.
 *
 * <p>Thread contract: safe from any thread, also from an interrupted one. Ownership: the caller of
 * {@link #tryLock} closes it. Failure: {@link IOException} of the directory.
 */
public final class LockFile implements Closeable {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final String THIS_PROCESS = thisProcess();

  private final Path path;
  private final FileChannel channel; // only for its lock
  private final Object gate;

  private LockFile(Path path, FileChannel channel, Object gate) {
    this.path = path;
    this.channel = channel;
    this.gate = gate;
  }

  /**
   * The monitor that is held while a lock file is locked or released. All class loaders of this
   * process share it. Each directory has its own, because a file system may hang.
   */
  private static Object gate(Path path) throws IOException {
    return (LockFile.class.getName() + path.toAbsolutePath().getParent().toRealPath()).intern();
  }

  private static String thisProcess() {
    ProcessHandle self = ProcessHandle.current();
    Instant start = self.info().startInstant().orElse(Instant.EPOCH);
    return self.pid() + "-" + start.toEpochMilli();
  }

  /** Locks a file, and creates it if it does not exist; empty if it is locked already. */
  public static Optional<LockFile> tryLock(Path path) throws IOException {
    Object gate = gate(path);
    synchronized (gate) {
      Path holder = holder(path);
      if (Files.exists(holder, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      Set<OpenOption> options =
          Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      FileChannel channel = FileChannel.open(path, options, OWNER_ONLY);
      boolean held = false;
      try {
        if (channel.tryLock() != null) {
          deleteBeside(path); // files of processes that have ended
          Files.createFile(holder, OWNER_ONLY);
          held = true;
        }
      } finally {
        if (!held) {
          channel.close();
        }
      }
      return held ? Optional.of(new LockFile(path, channel, gate)) : Optional.empty();
    }
  }

  private static Path holder(Path path) {
    return path.resolveSibling(path.getFileName() + "." + THIS_PROCESS);
  }

  private static void deleteBeside(Path path) throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (isBeside(path.getFileName().toString(), entry.getFileName().toString())) {
          Files.deleteIfExists(entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /** Whether a file of this name shows the holder of the lock file {@code lockName}. */
  public static boolean isBeside(String lockName, String name) {
    return name.startsWith(lockName + ".")
        && name.substring(lockName.length() + 1).matches("\\d+-\\d+");
  }

  /** The path of the locked file. */
  public Path path() {
    return path;
  }

  /** Releases the lock; the file stays. Idempotent. */
  @Override
  public void close() throws IOException {
    synchronized (gate) {
      if (channel.isOpen()) {
        channel.close();
        Files.deleteIfExists(holder(path));
      }
    }
  }
}
