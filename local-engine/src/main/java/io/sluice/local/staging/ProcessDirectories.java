package io.sluice.local.staging;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.ProcessDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories of this process for the files of its jobs: what was submitted, and what tasks find on
 * local disks. They are removed when the process ends, and by the next process if it was killed.
 *
 * <pre>
 * BASE/sluice-local-USER/PROCESS        of this process, by its ProcessName
 * BASE/sluice-local-USER/PROCESS.lock   locked while it lives
 * </pre>
 *
 * <p>Thread contract: safe from any thread. Ownership: they live until the process ends; a job
 * removes what it has in them. Failure: {@link IOException} that names the setting of the base.
 */
public final class ProcessDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDirectories.class);
  private static final String KIND = "sluice-local";

  /** After Hadoop's file systems are closed, which may remove files here. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static final Map<Path, ProcessDirectory> BY_BASE =
      new HashMap<>(); // guarded by the class

  private ProcessDirectories() {}

  /**
   * The one of this process in a base, which is made with all above it if it is not there.
   *
   * @param base a path of Hadoop's, which may be a URI
   * @param setting that names another base, for messages
   */
  public static synchronized Path in(String base, String setting) throws IOException {
    Path local =
        Path.of(new org.apache.hadoop.fs.Path(base).toUri().getPath()).toAbsolutePath().normalize();
    ProcessDirectory own = BY_BASE.get(local);
    if (own != null) {
      own.restore();
      return own.directory();
    }
    own = create(local, setting);
    if (BY_BASE.isEmpty()) {
      ShutdownHookManager.get().addShutdownHook(ProcessDirectories::removeAll, END_PRIORITY);
    }
    BY_BASE.put(local, own);
    return own.directory();
  }

  private static ProcessDirectory create(Path base, String setting) throws IOException {
    try {
      if (!Files.isDirectory(base)) { // a link to one is good, and the JDK would refuse it
        Files.createDirectories(base);
      }
      return ProcessDirectory.create(base, KIND, ProcessName.here(base).text(), setting);
    } catch (IOException e) { // perhaps its file system has no locks
      throw new IOException(
          base + " cannot have files of this process: " + e + ". " + setting + " names another", e);
    }
  }

  private static synchronized void removeAll() {
    try {
      Closer.all(BY_BASE.values());
    } catch (IOException | RuntimeException e) {
      LOG.warn("Something is left in {}; the next process removes it", BY_BASE.keySet(), e);
    }
  }

  /**
   * A process with such directories.
   *
   * @param directory its own, for {@link ProcessDirectory#ifDead}
   */
  public record Owner(ProcessName process, Path directory) {
    /** Whether what it has there is seen from here, and that it lives. */
    public boolean isSeen() {
      return process.sharesBase(directory.getParent().getParent());
    }
  }

  /** Whose a path is; empty if it is not in such a directory. */
  public static Optional<Owner> ownerOf(Path path) {
    for (Path each = path; each.isAbsolute() && each.getNameCount() > 1; each = each.getParent()) {
      String in = each.getParent().getFileName().toString();
      Optional<ProcessName> name = ProcessName.parse(each.getFileName().toString());
      if (in.startsWith(KIND + "-") && name.isPresent()) {
        return Optional.of(new Owner(name.get(), each));
      }
    }
    return Optional.empty();
  }
}
