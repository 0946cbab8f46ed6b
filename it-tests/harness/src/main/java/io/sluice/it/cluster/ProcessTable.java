package io.sluice.it.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What {@code /proc} tells about processes: command lines and processor time.
 *
 * <p>Containers are children of children that can outlive their NodeManager, so a cluster finds its
 * own by its directory, which is in every command line it causes.
 */
final class ProcessTable {
  private static final long MS_PER_TICK = 10; // USER_HZ is 100 on every Linux platform of ours
  private static final int UTIME_FIELD = 11; // counted after the command name's closing bracket
  private static final int OWN_FIELDS = 2; // user's and the kernel's
  private static final int WITH_CHILDREN_FIELDS = 4; // both of its children follow
  private static final String WRITTEN = "write_bytes: "; // the kernel adds its children's

  private ProcessTable() {}

  /** The command line of a process; nothing if it is gone or not ours to see. */
  static Optional<String> commandLine(long pid) {
    try {
      byte[] raw = Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline"));
      return Optional.of(new String(raw, StandardCharsets.UTF_8).replace('\0', ' '));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }

  static List<ProcessHandle> whoseCommandLineHas(String part) {
    return ProcessHandle.allProcesses()
        .filter(process -> process.pid() != ProcessHandle.current().pid())
        .filter(
            process -> commandLine(process.pid()).filter(line -> line.contains(part)).isPresent())
        .toList();
  }

  /** Whom a process runs as and what it may do besides. */
  static ProcessRights rights(long pid) {
    try {
      return ProcessRights.parse(Files.readAllLines(Path.of("/proc/" + pid + "/status")));
    } catch (IOException e) {
      throw new ClusterException("process " + pid + " is gone: cannot read whom it runs as", e);
    }
  }

  /** Processes of these users whose working directory is, or was, in that directory. */
  static List<Long> workingIn(Path directory, Set<Integer> uids) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> isWorkingIn(pid, directory, uids))
        .toList();
  }

  private static boolean isWorkingIn(long pid, Path directory, Set<Integer> uids) {
    Path process = Path.of("/proc/" + pid);
    try {
      return uids.contains((Integer) Files.getAttribute(process, "unix:uid"))
          && Files.readSymbolicLink(process.resolve("cwd")).toString().startsWith(directory + "/");
    } catch (IOException gone) {
      return false;
    }
  }

  static long cpuMs(long pid) {
    return ticks(pid, OWN_FIELDS) * MS_PER_TICK;
  }

  /** With all that its children took which it has waited for, and theirs. */
  static ProcessUse useWithEndedChildren(long pid) {
    return new ProcessUse(ticks(pid, WITH_CHILDREN_FIELDS) * MS_PER_TICK, writtenBytes(pid));
  }

  private static long ticks(long pid, int fields) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return Arrays.stream(stat.substring(stat.lastIndexOf(')') + 2).split(" "))
          .skip(UTIME_FIELD)
          .limit(fields)
          .mapToLong(Long::parseLong)
          .sum();
    } catch (IOException e) {
      throw new ClusterException("process " + pid + " is gone: cannot read its processor time", e);
    }
  }

  private static long writtenBytes(long pid) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/io"))) {
      return lines
          .filter(line -> line.startsWith(WRITTEN))
          .mapToLong(line -> Long.parseLong(line.substring(WRITTEN.length())))
          .sum();
    } catch (IOException e) {
      throw new ClusterException("process " + pid + " is gone: cannot read what it wrote", e);
    }
  }
}
