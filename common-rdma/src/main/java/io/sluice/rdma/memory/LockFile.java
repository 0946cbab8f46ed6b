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
 * A locked file: as long as it is open, nobody else locks it, in this process or in another. A
 * process that dies lets go of it.
 *
 * <p>The kernel's lock ({@code fcntl}, which the JDK takes) is against other processes only, and a
 * process loses it as soon as it closes any descriptor of the file. So a file that this process
 * holds must not even be opened by it to see whether it is locked. An empty file beside it says
 * that, by its name, for as long as the lock is held:
 *
 * <pre>
 *   pool.lock                      locked
 *   pool.lock.1234-1700000000000   by process 1234, which was started then
 * </pre>
 *
 * <p>That works for everybody in the process, whatever loader their classes have, and without
 * native code, unlike {@link NativeFile#tryLock}, which a device needs because each of its segments
 * is the same file.
 *
 * <p>Thread contract: safe from any thread, an interrupted one too. Ownership: whoever has locked
 * it closes it. Failure: {@link IOException} of the directory.
 */
public final class LockFile implements Closeable {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final String THIS_PROCESS = thisProcess();

  private final Path path;
  private final FileChannel channel; // for its lock alone
  private final Object gate;

  private LockFile(Path path, FileChannel channel, Object gate) {
    this.path = path;
    this.channel = channel;
    this.gate = gate;
  }

  /**
   * What is held while a lock file is taken or let go of: one for all class loaders of this
   * process, and one for each directory, because a file system may hang.
   */
  private static Object gate(Path path) throws IOException {
    return (LockFile.class.getName() + path.toAbsolutePath().getParent().toRealPath()).intern();
  }

  private static String thisProcess() {
    ProcessHandle self = ProcessHandle.current();
    Instant start = self.info().startInstant().orElse(Instant.EPOCH);
    return self.pid() + "-" + start.toEpochMilli();
  }

  /** Locks a file, which is made if it is not there; empty if it is locked. */
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
          deleteBeside(path); // of processes that have died
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

  /** Whether a file of this name says who holds the lock file {@code lockName}. */
  public static boolean isBeside(String lockName, String name) {
    return name.startsWith(lockName + ".")
        && name.substring(lockName.length() + 1).matches("\\d+-\\d+");
  }

  /** The file. */
  public Path path() {
    return path;
  }

  /** Lets go of it; the file stays. Idempotent. */
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
