package io.sluice.node.service;

import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A copy of an {@link ApplicationRegistry} in a directory on disk. Outputs that outlive the loss of
 * the memory need it: the registry lies beside the pool, in memory too.
 *
 * <p>Thread contract: safe from any thread; what changes is written on a thread of its own, since a
 * disk may hang. Ownership: {@link NodeService} closes it. Failure: what could not be written, or
 * read at a start, is logged; that application's outputs do not outlive the loss of the memory
 * then.
 */
final class RegistryBackup implements Closeable {
  private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  /** Ends the name of a file that is half written. */
  static final String TEMPORARY = ".new";

  private static final long IDLE_MS = 10_000;
  private static final long END_MS = 5_000;
  private static final Logger LOG = LoggerFactory.getLogger(RegistryBackup.class);

  private final Path directory;
  private final ThreadPoolExecutor executor =
      DaemonThreads.executor("sluice-application-copies", IDLE_MS);

  private RegistryBackup(Path directory) {
    this.directory = directory;
  }

  /** Opens, or makes, a directory for this process's user alone. */
  static RegistryBackup open(Path directory) throws IOException {
    PrivateDirectory.prepare(directory, PoolVisibility.ANNOUNCED, "remove it");
    return new RegistryBackup(directory);
  }

  /** The copies, by application; one that is half written or cannot be read is left out. */
  Map<String, byte[]> all() {
    Map<String, byte[]> all = new HashMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        if (!name.endsWith(TEMPORARY)) {
          read(file).ifPresent(known -> all.put(name, known));
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warn("The copies of the registry in {} cannot be read", directory, e);
    }
    return all;
  }

  private static Optional<byte[]> read(Path file) {
    try {
      return Optional.of(Files.readAllBytes(file));
    } catch (IOException e) { // a directory is none of ours, such as lost+found
      LOG.warn("The copy {} of an application cannot be read", file, e);
      return Optional.empty();
    }
  }

  /** Keeps one. It has its name only when the disk has it: a power cut takes the memory alone. */
  void keep(String applicationId, byte[] known) {
    Path file = directory.resolve(applicationId);
    later(
        applicationId,
        () -> replace(file, known, StandardOpenOption.WRITE, StandardOpenOption.SYNC));
  }

  /** It has ended. */
  void forget(String applicationId) {
    later(applicationId, () -> Files.deleteIfExists(directory.resolve(applicationId)));
  }

  /** Makes a file that this process's user alone can open, or replaces it, all at once. */
  static void replace(Path file, byte[] bytes, OpenOption... options) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
    Files.deleteIfExists(temporary);
    Files.createFile(temporary, OWNER_ONLY);
    Files.write(temporary, bytes, options);
    Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private interface Change {
    void run() throws IOException;
  }

  private void later(String applicationId, Change change) {
    try {
      executor.execute(() -> run(applicationId, change));
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      LOG.warn("The registry's entry of {} could not be copied to {}", applicationId, directory, e);
    }
  }

  private void run(String applicationId, Change change) {
    try {
      change.run();
    } catch (IOException e) {
      LOG.warn("The registry's entry of {} could not be copied to {}", applicationId, directory, e);
    }
  }

  /** Waits for copies that are still to be written, but not for a disk that hangs. */
  @Override
  public void close() {
    executor.shutdown();
    try {
      if (!executor.awaitTermination(END_MS, TimeUnit.MILLISECONDS)) {
        LOG.warn("{} does not answer; it is not up to date", directory);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
