package io.sluice.hadoop.node;

import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.PrivateDirectory.PrivateFile;
import io.sluice.spill.segment.TrustedPath;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Properties;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state of the service that a NodeManager with recovery keeps over a restart, in YARN's own
 * recovery directory: the name of the pool and the control port. Only a NodeManager that knows the
 * pool's applications may recover the pool. If YARN's state was removed, or the pool is that of
 * another NodeManager, YARN would never say that those applications end, and their outputs would
 * stay for ever.
 *
 * <pre>
 *   recovery directory/yarn-nm-state/LOCK               made with YARN's state, and not written later
 *   recovery directory/nm-aux-services/sluice_shuffle/
 *     service.properties                                name of the pool, that LOCK file, port
 *   directory of the service/
 *     recovered-by                                      name of the pool
 * </pre>
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} where it cannot be read or written.
 */
final class RecoveryState {
  private static final Logger LOG = LoggerFactory.getLogger(RecoveryState.class);
  private static final String FILE = "service.properties";
  private static final String MARK = "recovered-by";
  private static final int MAX_MARK_BYTES = 64; // a UUID has 36
  private static final String POOL = "pool";
  private static final String YARN_STATE = "yarn-state";
  private static final String PORT = "port";

  private final Path file;
  private final String yarnState;
  private final Properties former = new Properties();

  private RecoveryState(Path file, String yarnState) {
    this.file = file;
    this.yarnState = yarnState;
  }

  /**
   * Reads the state that the process before this one left.
   *
   * @param recoveryPath of the auxiliary service
   */
  static RecoveryState read(Configuration conf, Path recoveryPath) throws IOException {
    Path file = Files.createDirectories(recoveryPath, PrivateDirectory.OWNER_ONLY).resolve(FILE);
    RecoveryState state = new RecoveryState(file, yarnState(conf));
    if (Files.exists(file)) {
      try (Reader in = Files.newBufferedReader(file)) {
        state.former.load(in);
      }
    }
    return state;
  }

  /** Identifies YARN's state, to tell it from one that was made later; empty if there is none. */
  private static String yarnState(Configuration conf) throws IOException {
    String recoveryDirectory = conf.get(YarnConfiguration.NM_RECOVERY_DIR);
    if (recoveryDirectory == null) {
      return "";
    }
    Path lock =
        Path.of(new org.apache.hadoop.fs.Path(recoveryDirectory).toUri().getPath())
            .resolve("yarn-nm-state/LOCK");
    if (!Files.exists(lock)) {
      return "";
    }
    // Not the device's number: the same disk may have another one after a reboot.
    return Files.getAttribute(lock, "unix:ino") + " " + Files.getLastModifiedTime(lock);
  }

  /**
   * Whether the NodeManager knows the applications whose outputs may lie in the pool of a service
   * with this directory. If the directory is lost, so is the memory, and copies on disk are those
   * of the same pool. A directory that other users can write to is neither read nor trusted.
   */
  boolean knowsPoolOf(Path directory) throws IOException {
    if (!former.containsKey(POOL) || !yarnState.equals(former.getProperty(YARN_STATE))) {
      return false;
    }
    if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
      return true;
    }
    try {
      // Else the files in it may be anything, and reading them may hang.
      TrustedPath.require(directory);
    } catch (IOException e) {
      LOG.warn("The record of the pool in {} is not trusted: {}", directory, ErrorText.of(e));
      return false;
    }
    Path mark = directory.resolve(MARK);
    return Files.notExists(mark, LinkOption.NOFOLLOW_LINKS)
        || said(mark).equals(former.getProperty(POOL));
  }

  /** Marks the pool of this directory as one that no later process may recover. */
  static void keepNothing(Path directory) throws IOException {
    PrivateFile.replace(directory.resolve(MARK), UUID.randomUUID().toString());
  }

  /** Reads a mark; empty if it is not one of Sluice's. */
  private static String said(Path mark) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(mark, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isRegularFile() || attributes.size() > MAX_MARK_BYTES) {
      return "";
    }
    return Files.readString(mark, StandardCharsets.ISO_8859_1); // of any bytes
  }

  /** The control port before the restart, where readers still look; 0 if there was none. */
  int port() {
    String port = former.getProperty(PORT, "0");
    return port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
  }

  /**
   * Writes the state of the service that runs now.
   *
   * @param recovered whether its pool is the one from before the restart
   */
  void keep(Path directory, int port, boolean recovered) throws IOException {
    String pool = recovered ? former.getProperty(POOL) : UUID.randomUUID().toString();
    PrivateFile.replace(directory.resolve(MARK), pool);
    Properties now = new Properties();
    now.setProperty(POOL, pool);
    now.setProperty(YARN_STATE, yarnState);
    now.setProperty(PORT, Integer.toString(port));
    StringWriter text = new StringWriter();
    now.store(text, "of Sluice's service in this NodeManager");
    PrivateFile.replace(file, text.toString());
  }
}
