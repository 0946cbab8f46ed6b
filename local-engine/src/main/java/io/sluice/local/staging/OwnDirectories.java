package io.sluice.local.staging;

import io.sluice.rdma.memory.Closing;
import io.sluice.spill.segment.ProcessDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories of this process for the files of its jobs: what was submitted, and what tasks find on
 * local disks. They are removed when the process ends, and by the next process if it was killed.
 *
 * <pre>
 * BASE/sluice-local-USER/process-PID-STARTED        of this process
 * BASE/sluice-local-USER/process-PID-STARTED.lock   locked while it lives
 * </pre>
 *
 * <p>Thread contract: safe from any thread. Ownership: they live until the process ends; a job
 * removes what it has in them. Failure: {@link IOException} that names the setting of the base.
 */
public final class OwnDirectories {
  private static final Logger LOG = LoggerFactory.getLogger(OwnDirectories.class);
  private static final String KIND = "sluice-local";
  private static final String NAME =
      "process-" + ProcessHandle.current().pid() + "-" + System.currentTimeMillis();
  private static final Pattern NAMES = Pattern.compile("process-([0-9]{1,10})-[0-9]+");

  /** After Hadoop's file systems are closed, which may remove files here. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static final Map<Path, ProcessDirectory> BY_BASE =
      new HashMap<>(); // guarded by the class

  private OwnDirectories() {}

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
    own = ProcessDirectory.create(local, KIND, NAME, setting);
    if (BY_BASE.isEmpty()) {
      ShutdownHookManager.get().addShutdownHook(OwnDirectories::removeAll, END_PRIORITY);
    }
    BY_BASE.put(local, own);
    return own.directory();
  }

  private static synchronized void removeAll() {
    try {
      Closing.all(BY_BASE.values());
    } catch (IOException | RuntimeException e) {
      LOG.warn("Something is left in {}; the next process removes it", BY_BASE.keySet(), e);
    }
  }

  /**
   * A process with such directories.
   *
   * @param directory its own, for {@link ProcessDirectory#ifDead}
   */
  public record Owner(long pid, Path directory) {}

  /** Whose a path is; empty if it is not in such a directory. */
  public static Optional<Owner> ownerOf(Path path) {
    for (Path each = path; each.getParent() != null; each = each.getParent()) {
      Path in = each.getParent().getFileName();
      Matcher name = NAMES.matcher(String.valueOf(each.getFileName()));
      if (in != null && in.toString().startsWith(KIND + "-") && name.matches()) {
        return Optional.of(new Owner(Long.parseLong(name.group(1)), each));
      }
    }
    return Optional.empty();
  }
}
