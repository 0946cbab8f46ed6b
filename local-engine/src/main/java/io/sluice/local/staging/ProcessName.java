package io.sluice.local.staging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

  /** Whether its base directory is this one. Then its files and its lock are visible from here. */
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
