package io.sluice.it.pod;

import io.sluice.it.limit.LimitDirectory;
import io.sluice.it.limit.ResourceGroup;
import io.sluice.it.limit.ResourceGroups;
import io.sluice.it.pod.PodNetwork.Netns;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * A pod's container: a process and its children in namespaces and a control group of their own, as
 * Kubernetes starts a container that has no say in it. {@code /dev/shm} has 64 MiB, the root cannot
 * be written, the user has only a number for its name, and the limit is that of the pod.
 *
 * <p>Thread contract: safe from any thread. Its maker closes it, which kills what runs in it.
 */
public final class PodProcess implements AutoCloseable {
  static final List<String> PROGRAMS =
      List.of("nsenter", "unshare", "setpriv", "chroot", "mount", "sh");

  private static final String SCRIPT = "pod-root.sh";
  private static final String SHM_SIZE = "64m";
  private static final String USER = "123456";

  /** Hadoop's login needs a name. The entry point of Spark's image adds this one. */
  private static final String SPARK_ENTRY =
      "%s:x:%s:0:anonymous uid:/opt/spark:/bin/false%n".formatted(USER, USER);

  private static final String LISTENS = "0A";

  private final String name;
  private final LimitDirectory directory;
  private final ResourceGroup group;
  private final Process process;

  private PodProcess(String name, LimitDirectory directory, ResourceGroup group, Process process) {
    this.name = name;
    this.directory = directory;
    this.group = group;
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param directory becomes the pod's, and is removed with it
   * @param readable directories and files that the container sees, by where it sees them
   * @param writable those that it may also write
   * @param workDirectory where the command begins
   */
  static PodProcess start(
      LimitDirectory directory,
      Netns netns,
      PodSpec spec,
      Map<Path, Path> readable,
      Map<Path, Path> writable,
      Path workDirectory,
      List<String> command,
      Path log) {
    try {
      ResourceGroup group = ResourceGroups.make(directory.path());
      group.limitMemory(spec.memoryMib() << 20);
      Path root = Files.createDirectory(directory.path().resolve("root"));
      Path script = directory.path().resolve(SCRIPT);
      Files.copy(PodProcess.class.getResourceAsStream(SCRIPT), script);
      Path hosts = directory.path().resolve("hosts");
      Files.writeString(
          hosts, "127.0.0.1 localhost%n%s %s%n".formatted(netns.address(), spec.name()));
      List<String> all = new ArrayList<>(group.enter());
      all.addAll(List.of("nsenter", "--net=" + netns.file(), "unshare", "--mount", "--pid"));
      all.addAll(List.of("--fork", "--kill-child", "--uts", "--ipc", "sh", script.toString()));
      all.addAll(List.of(root.toString(), spec.name(), USER, SHM_SIZE));
      Path users = directory.path().resolve("passwd");
      Files.writeString(users, Files.readString(Path.of("/etc/passwd")) + SPARK_ENTRY);
      all.addAll(List.of(hosts.toString(), "/etc/hosts", "ro"));
      all.addAll(List.of(users.toString(), "/etc/passwd", "ro"));
      readable.forEach((place, file) -> all.addAll(List.of(file + "", place + "", "ro")));
      writable.forEach((place, file) -> all.addAll(List.of(file + "", place + "", "rw")));
      all.addAll(List.of("--", workDirectory.toString()));
      all.addAll(command);
      ProcessBuilder builder =
          new ProcessBuilder(all).redirectErrorStream(true).redirectOutput(log.toFile());
      String path = builder.environment().get("PATH");
      builder.environment().clear(); // neither HOME nor USER
      builder.environment().put("PATH", path + ":/usr/sbin:/sbin");
      builder.environment().putAll(spec.environment());
      return new PodProcess(spec.name(), directory, group, builder.start());
    } catch (IOException | RuntimeException e) {
      Closer.after(e, directory::close); // with its group
      throw new IllegalStateException("cannot start the pod " + spec.name(), e);
    }
  }

  public String name() {
    return name;
  }

  /** Its memory and what became of its processes. */
  public ResourceGroup group() {
    return group;
  }

  /** Its exit status, once it has ended. */
  CompletableFuture<Integer> exit() {
    return process.onExit().thenApply(Process::exitValue);
  }

  /** Asks what runs in it to end. */
  void requestStop() {
    process.descendants().forEach(ProcessHandle::destroy);
  }

  /** The TCP ports at which it listens for others. */
  public SortedSet<Integer> listeningPorts() {
    SortedSet<Integer> ports = new TreeSet<>();
    for (String family : List.of("tcp", "tcp6")) {
      Path table = Path.of("/proc", Long.toString(process.pid()), "net", family);
      try {
        for (String line : Files.readAllLines(table)) {
          String[] fields = line.strip().split("\\s+"); // number, local address:port, remote, state
          if (fields[3].equals(LISTENS)) {
            ports.add(Integer.parseInt(fields[1].replaceFirst(".*:", ""), 16));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + table, e);
      }
    }
    return ports;
  }

  @Override
  public void close() {
    Closer.all(Stream.of(group::close, directory::close));
  }

  @Override
  public String toString() {
    return name;
  }
}
