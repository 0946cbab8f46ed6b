package io.sluice.it.limit;

import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Directories that are one group in the trees of control groups, and the files in them.
 *
 * <p>Stateless. If the kernel refuses something, that is a {@link LimitException} with the file.
 */
final class GroupFiles {
  private static final Duration END_DEADLINE = Duration.ofSeconds(30);
  private static final long PAUSE_MS = 20;
  private static final String MEMBERS = "cgroup.procs";
  private static final String KILL = "cgroup.kill";

  private final KernelFiles files;

  GroupFiles(KernelFiles files) {
    this.files = files;
  }

  void write(Path file, String text) {
    try {
      files.write(file, text);
    } catch (IOException e) {
      throw new LimitException("cannot write \"%s\" to %s".formatted(text, file), e);
    }
  }

  private long number(Path file) {
    return Long.parseLong(read(file).strip());
  }

  /**
   * The use and the waits of the processes of a group.
   *
   * @param group in the v2 tree
   * @param kills the file that counts whom the kernel killed
   */
  GroupUse use(Path group, Path kills) {
    Path io = group.resolve("io.pressure");
    Path memory = group.resolve("memory.pressure");
    return new GroupUse(
        number(group.resolve("cpu.stat"), "usage_usec"),
        stalledUs(io, "some"),
        stalledUs(io, "full"),
        stalledUs(memory, "some"),
        stalledUs(memory, "full"),
        number(kills, "oom_kill"));
  }

  /** The memory of a group, by the names that its controller has for each figure. */
  GroupMemory memory(
      Path group, String used, String cache, String anonymous, String shared, String mapped) {
    Path statistics = group.resolve("memory.stat");
    return new GroupMemory(
        number(group.resolve(used)),
        number(statistics, cache),
        number(statistics, anonymous),
        number(statistics, shared),
        number(statistics, mapped));
  }

  /** The number behind a name in a file that has a pair in each line. */
  private long number(Path file, String name) {
    for (String line : read(file).split("\n")) {
      if (line.startsWith(name + " ")) {
        return Long.parseLong(line.substring(name.length() + 1).strip());
      }
    }
    throw new LimitException("no %s in %s: %s".formatted(name, file, read(file)));
  }

  /** Stalled time in µs; {@code kind} is some or full. */
  private long stalledUs(Path file, String kind) {
    for (String line : read(file).split("\n")) {
      if (line.startsWith(kind + " ")) {
        return Long.parseLong(line.substring(line.indexOf("total=") + "total=".length()).strip());
      }
    }
    throw new LimitException("no line %s in %s: %s".formatted(kind, file, read(file)));
  }

  /** Processes write their own number into these files and become the command that follows. */
  static List<String> enter(List<Path> groups) {
    StringBuilder script = new StringBuilder();
    groups.forEach(
        group -> script.append("echo $$ > ").append(group.resolve(MEMBERS)).append(" && "));
    return List.of("sh", "-c", script + "exec \"$@\"", "sh");
  }

  /**
   * Kills the processes of a group and removes its directories, those that are there; also one that
   * enters meanwhile is killed.
   */
  void remove(List<Path> groups) {
    List<Path> there = groups.stream().filter(files::exists).toList();
    for (Path group : there) {
      kill(group);
    }
    for (Path group : there) {
      removeOnceEmpty(group, () -> kill(group));
    }
  }

  private void kill(Path group) {
    if (files.exists(group.resolve(KILL))) {
      write(group.resolve(KILL), "1");
    } else {
      members(group)
          .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }
  }

  /** Moves all processes of a group to another; one that ends meanwhile is no error. */
  void move(Path from, Path to) {
    for (long pid : members(from)) {
      try {
        files.write(to.resolve(MEMBERS), Long.toString(pid));
      } catch (IOException e) {
        if (members(from).contains(pid)) {
          throw new LimitException("cannot move process %d to %s".formatted(pid, to), e);
        }
      }
    }
  }

  boolean isThere(Path group) {
    return files.exists(group);
  }

  private List<Long> members(Path group) {
    return read(group.resolve(MEMBERS)).lines().map(Long::valueOf).toList();
  }

  /** Removes one directory of a group; waits for processes that are ending. */
  void removeOnceEmpty(Path group) {
    removeOnceEmpty(group, () -> {});
  }

  private void removeOnceEmpty(Path group, Runnable whileBusy) {
    long endNs = System.nanoTime() + END_DEADLINE.toNanos();
    while (true) {
      try {
        files.removeDirectory(group);
        return;
      } catch (IOException busy) {
        if (System.nanoTime() > endNs) {
          throw new LimitException(
              "cannot remove the group %s; its processes are %s".formatted(group, members(group)),
              busy);
        }
      }
      whileBusy.run();
      try {
        Thread.sleep(PAUSE_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new LimitException("interrupted while the processes of " + group + " were ending", e);
      }
    }
  }

  private String read(Path file) {
    try {
      return files.read(file);
    } catch (IOException e) {
      throw new LimitException("cannot read " + file, e);
    }
  }
}
