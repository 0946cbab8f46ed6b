package io.sluice.it.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reads from {@code /proc} what processes are and use: command lines, users, processor time, open
 * files.
 *
 * <p>Containers are children of children that can outlive their NodeManager, so a cluster finds its
 * own by its directory, which is in every command line it causes.
 */
public final class ProcessTable {
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

  /** The user of a process, and its capabilities. */
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

  /**
   * Files and threads of a process, which could leak, as the kernel counts them.
   *
   * @param files of some directories that it has open or mapped, deleted ones too
   * @param threads whose names begin as Sluice's do
   */
  public record ProcessHoldings(long files, long threads) {
    private static final String THREADS = "sluice";

    /** Of a process of this host that this one may look into. */
    public static ProcessHoldings of(long pid, List<Path> directories) throws IOException {
      Path process = Path.of("/proc", Long.toString(pid));
      List<String> prefixes = directories.stream().map(directory -> directory + "/").toList();
      long open = count(process.resolve("fd"), fd -> startsWith(target(fd), prefixes));
      long mapped = count(process.resolve("map_files"), map -> startsWith(target(map), prefixes));
      long threads =
          count(process.resolve("task"), task -> name(task.resolve("comm")).startsWith(THREADS));
      return new ProcessHoldings(open + mapped, threads);
    }

    private interface Test {
      boolean matches(Path entry) throws IOException;
    }

    private static long count(Path directory, Test test) throws IOException {
      long count = 0;
      try (Stream<Path> entries = Files.list(directory)) {
        for (Path entry : entries.toList()) {
          if (test.matches(entry)) {
            count++;
          }
        }
      }
      return count;
    }

    private static boolean startsWith(String target, List<String> prefixes) {
      return prefixes.stream().anyMatch(target::startsWith);
    }

    /** Nothing for what went meanwhile. */
    private static String target(Path link) throws IOException {
      try {
        return Files.readSymbolicLink(link).toString();
      } catch (NoSuchFileException e) {
        return "";
      }
    }

    private static String name(Path file) throws IOException {
      try {
        return Files.readString(file);
      } catch (NoSuchFileException e) {
        return "";
      }
    }
  }

  /**
   * The user of a process and its capabilities, as the kernel shows them.
   *
   * @param uids its real, effective, saved and file system user
   * @param capabilities its effective ones, a bit for each
   */
  public record ProcessRights(List<Integer> uids, long capabilities) {
    private static final String UIDS = "Uid:";
    private static final String CAPABILITIES = "CapEff:";

    /** Of a process that is this user in every respect and may do what that one may. */
    public static ProcessRights ordinary(int uid) {
      return with(uid, 0);
    }

    /** Of one that may do more. */
    static ProcessRights with(int uid, long capabilities) {
      return new ProcessRights(List.of(uid, uid, uid, uid), capabilities);
    }

    /** Reads the lines of {@code /proc/<pid>/status}. */
    static ProcessRights parse(List<String> status) {
      return new ProcessRights(
          Arrays.stream(value(status, UIDS).split("\\s+")).map(Integer::valueOf).toList(),
          Long.parseUnsignedLong(value(status, CAPABILITIES), 16));
    }

    private static String value(List<String> status, String name) {
      return status.stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(name.length()).strip())
          .findFirst()
          .orElseThrow(() -> new ClusterException("no line %s in %s".formatted(name, status)));
    }
  }

  /**
   * The use of processes, with those that they started and that have ended.
   *
   * @param cpuMs processor time
   * @param writtenBytes to files on disks, whether the kernel has written them out yet or not
   */
  public record ProcessUse(long cpuMs, long writtenBytes) {
    static final ProcessUse NONE = new ProcessUse(0, 0);

    /** This and something else. */
    public ProcessUse plus(ProcessUse other) {
      return new ProcessUse(cpuMs + other.cpuMs, writtenBytes + other.writtenBytes);
    }

    /** The use since then. */
    public ProcessUse since(ProcessUse before) {
      return new ProcessUse(cpuMs - before.cpuMs, writtenBytes - before.writtenBytes);
    }
  }
}
