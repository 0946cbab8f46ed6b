package io.sluice.memory.fs;

import io.sluice.hadoop.fs.SluiceFileSystem;
import io.sluice.memory.conf.MemorySettings;
import io.sluice.memory.fs.behind.WriteBehind;
import io.sluice.memory.fs.space.FileSpace;
import io.sluice.memory.fs.tree.ChangeListener;
import io.sluice.memory.fs.tree.Namespace;
import io.sluice.memory.store.ProcessStore;
import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The namespaces of this process: one for each authority in a URI, and one for URIs without an
 * authority. They share the process's store.
 *
 * <p>Thread contract: safe from any thread. Ownership: they live until the JVM ends; its end waits
 * for write-behind.
 */
final class Namespaces {
  private static final Logger LOG = LoggerFactory.getLogger(Namespaces.class);

  /** Runs after Hadoop has closed its file systems, and before the store ends. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 2;

  /** The limit that Hadoop needs; write-behind without progress gives up much earlier. */
  private static final long END_TIMEOUT_HOURS = 12;

  private static final Map<String, Files> BY_AUTHORITY = new HashMap<>(); // guarded by the class

  private static FileSpace space; // guarded by the class

  private Namespaces() {}

  /**
   * The files of one authority.
   *
   * @param behind copies them to another file system, or null
   */
  record Files(Namespace namespace, WriteBehind behind) {
    /** Returns when all changes are copied. */
    void await() throws IOException {
      if (behind != null) {
        behind.await();
      }
    }
  }

  /**
   * The files of an authority; the first call makes an empty namespace.
   *
   * @param authority empty for a URI without an authority
   * @param user the owner of the root, if the namespace is new
   */
  static synchronized Files of(String authority, Configuration conf, String user)
      throws IOException {
    Files files = BY_AUTHORITY.get(authority);
    if (files == null) {
      if (space == null) {
        space = new FileSpace(ProcessStore.of(conf).store());
      }
      WriteBehind behind = behind(authority, conf);
      files =
          new Files(
              new Namespace(space, user, behind == null ? ChangeListener.NONE : behind), behind);
      BY_AUTHORITY.put(authority, files);
    }
    return files;
  }

  private static WriteBehind behind(String authority, Configuration conf) throws IOException {
    String directory = MemorySettings.WRITE_BEHIND.get(conf::getTrimmed);
    if (directory.isEmpty()) {
      return null;
    }
    String scheme = new Path(directory).toUri().getScheme();
    if (scheme == null || scheme.equals(SluiceFileSystem.SCHEME)) {
      throw new IOException(
          MemorySettings.WRITE_BEHIND.name()
              + " is "
              + directory
              + ", expected a path with another file system's scheme, such as file:///data");
    }
    Path base = authority.isEmpty() ? new Path(directory) : new Path(directory, authority);
    WriteBehind behind = WriteBehind.start(base, conf);
    ShutdownHookManager.get()
        .addShutdownHook(() -> end(behind), END_PRIORITY, END_TIMEOUT_HOURS, TimeUnit.HOURS);
    return behind;
  }

  private static void end(WriteBehind behind) {
    try {
      behind.close();
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "The process ends before these changes of sluice: files were copied: {}",
          ErrorText.of(e),
          e);
    }
  }
}
