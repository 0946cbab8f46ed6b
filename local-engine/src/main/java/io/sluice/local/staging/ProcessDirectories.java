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
 * Directories of this process for submitted files and for the local directories of tasks. They are
 * removed when the process ends, or by the next process if it was killed.
 *
 * <pre>
 * BASE/sluice-local-USER/PROCESS        the files; PROCESS is a ProcessName
 * BASE/sluice-local-USER/PROCESS.lock   locked while the process is alive
 * </pre>
 *
 * <p>Thread contract: safe from any thread. Ownership: they stay until the process ends; a job
 * removes its own files. Failure: {@link IOException} that names the setting of the base.
 */
public final class ProcessDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessDirectories.class);
  private static final String KIND = "sluice-local";

  /** Runs after Hadoop's file systems are closed, because these may remove files here. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static final Map<Path, ProcessDirectory> BY_BASE =
      new HashMap<>(); // guarded by the class

  private ProcessDirectories() {}

  /**
   * The directory of this process in a base directory; makes both if they do not exist.
   *
   * @param base a path of Hadoop, which may be a URI
   * @param setting name of the setting of the base, for messages
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
      if (!Files.isDirectory(base)) { // the JDK would refuse a link to a directory
        Files.createDirectories(base);
      }
      return ProcessDirectory.create(base, KIND, ProcessName.here(base).text(), setting);
    } catch (IOException e) { // for example a file system without locks
      throw new IOException(
          base
              + " cannot be used for files of this process: "
              + e
              + ". Set another directory in "
              + setting,
          e);
    }
  }

  private static synchronized void removeAll() {
    try {
      Closer.all(BY_BASE.values());
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Files could not be removed in {}; the next process removes them", BY_BASE.keySet(), e);
    }
  }

  /**
   * A process and its directory.
   *
   * @param directory of the process, for {@link ProcessDirectory#ifDead}
   */
  public record Owner(ProcessName process, Path directory) {
    /** Whether its files and its lock are visible from here. */
    public boolean isSeen() {
      return process.sharesBase(directory.getParent().getParent());
    }
  }

  /** The owner of a path; empty if it is in no such directory. */
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
