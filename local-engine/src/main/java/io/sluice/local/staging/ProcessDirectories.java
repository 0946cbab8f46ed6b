package io.sluice.local.staging;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.ProcessDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

  /**
   * The name of a process's directory. It is unique among all processes that may see the directory,
   * because processes of other hosts and containers may have the same process number.
   *
   * <pre>
   * process-PID-STARTED-BOOT-PIDS.MOUNTS-DEVICE.INODE-HOST
   * </pre>
   *
   * <p>Thread contract: immutable.
   *
   * @param pid the process number
   * @param startedMs start time, since 1970
   * @param boot id of the host's boot
   * @param pids its namespace of process numbers
   * @param mounts its namespace of mounted file systems
   * @param base device and inode of the base directory
   * @param host its host's name
   */
  public record ProcessName(
      long pid, long startedMs, String boot, String pids, String mounts, String base, String host) {
    private static final Pattern FORM =
        Pattern.compile(
            "process-([0-9]{1,10})-([0-9]{1,18})-([0-9a-f]+)-([0-9]+)[.]([0-9]+)"
                + "-([0-9]+[.][0-9]+)-([A-Za-z0-9.-]+)");
    private static final long STARTED_MS = System.currentTimeMillis();
    private static final String UNKNOWN = "0"; // if the kernel does not tell
    private static final String BOOT =
        read("/proc/sys/kernel/random/boot_id").replaceAll("[^0-9a-f]", "");
    private static final String PIDS = namespace("pid");
    private static final String MOUNTS = namespace("mnt");
    private static final String HOST =
        read("/proc/sys/kernel/hostname").replaceAll("[^A-Za-z0-9.-]", "-");

    /** The name of this process, in an existing directory. */
    static ProcessName here(Path base) throws IOException {
      return new ProcessName(
          ProcessHandle.current().pid(), STARTED_MS, BOOT, PIDS, MOUNTS, inode(base), HOST);
    }

    private static String read(String file) {
      try {
        String text = Files.readString(Path.of(file), StandardCharsets.ISO_8859_1).strip();
        return text.isEmpty() ? UNKNOWN : text;
      } catch (IOException e) {
        return UNKNOWN;
      }
    }

    private static String namespace(String kind) {
      try {
        String link = Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)).toString();
        return link.replaceAll("[^0-9]", "");
      } catch (IOException e) {
        return UNKNOWN;
      }
    }

    private static String inode(Path directory) throws IOException {
      Map<String, Object> found = Files.readAttributes(directory, "unix:dev,ino");
      return Long.toUnsignedString((long) found.get("dev"))
          + "."
          + Long.toUnsignedString((long) found.get("ino"));
    }

    /** Parses a name; empty if it has another form. */
    static Optional<ProcessName> parse(String name) {
      Matcher form = FORM.matcher(name);
      return form.matches()
          ? Optional.of(
              new ProcessName(
                  Long.parseLong(form.group(1)),
                  Long.parseLong(form.group(2)),
                  form.group(3),
                  form.group(4),
                  form.group(5),
                  form.group(6),
                  form.group(7)))
          : Optional.empty();
    }

    /** Whether it was started in this boot; a container may have its own boot id. */
    public boolean isOfThisBoot() {
      return boot.equals(BOOT);
    }

    /**
     * Whether its host has the name of this host; hosts without a configured name may have the same
     * one.
     */
    public boolean isOfThisHost() {
      return host.equals(HOST);
    }

    /** Whether its process number is valid here. */
    public boolean sharesPids() {
      return isOfThisBoot() && pids.equals(PIDS);
    }

    /**
     * Whether its base directory is this one. Then its files and its lock are visible from here.
     */
    boolean sharesBase(Path directory) {
      if (sharesPids() && mounts.equals(MOUNTS)) {
        return true; // a missing file was removed
      }
      try {
        return isOfThisBoot() && base.equals(inode(directory));
      } catch (IOException e) {
        return false;
      }
    }

    /** The name of the directory. */
    public String text() {
      return String.join(
          "-",
          "process",
          Long.toString(pid),
          Long.toString(startedMs),
          boot,
          pids + "." + mounts,
          base,
          host);
    }

    /** Text for messages. */
    @Override
    public String toString() {
      return "process " + pid + (sharesPids() ? "" : " of host " + host);
    }
  }
}
