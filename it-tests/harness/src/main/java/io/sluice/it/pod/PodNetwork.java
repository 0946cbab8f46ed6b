package io.sluice.it.pod;

import io.sluice.it.limit.LimitException;
import io.sluice.it.limit.LoopVolume.Programs;
import io.sluice.rdma.memory.Closer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Addresses of pods: network namespaces that are connected by a bridge, which this machine reaches
 * too. The bridge lies in a namespace of its own, so that no rule of this machine's firewall is
 * between pods. Namespaces have the number of the process that made them in their names, by which
 * the next one finds what a killed one left.
 *
 * <p>Not thread-safe. Its maker closes it, after the processes in the namespaces. A failure is that
 * of the system's program.
 */
final class PodNetwork implements AutoCloseable {
  static final List<String> PROGRAMS = List.of("ip");

  private static final Path LINKS = Path.of("/sys/class/net");
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final long OWN_PID = ProcessHandle.current().pid();
  private static final String BRIDGE = "pods";
  private static final String HUB = "hub";
  private static final int MOST_PODS = 250; // of the addresses of a subnet

  /** Processes of another container may have the same numbers. */
  private static final String PREFIX = "sluice-test-" + pidNamespace() + "-";

  private final String hub = PREFIX + OWN_PID + "-" + HUB;
  private final String subnet = freeSubnet();
  private int pods;

  private PodNetwork() {}

  private static String pidNamespace() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString().replaceAll("\\D", "");
    } catch (IOException e) {
      throw new UncheckedIOException("this process's namespace cannot be read", e);
    }
  }

  /** Of the network for tests of devices, which is on no other (RFC 2544). */
  private static String freeSubnet() {
    String taken = ip("-4", "-o", "address", "show");
    for (long i = 0; i < 256; i++) {
      String subnet = "198.18." + (OWN_PID + i) % 256 + ".";
      if (!taken.contains(" " + subnet)) {
        return subnet;
      }
    }
    throw new LimitException("all of 198.18.0.0/16 is taken here");
  }

  /** Why there can be none here; empty if there can. */
  static Optional<String> unavailableBecause() {
    try {
      create().close();
      return Optional.empty();
    } catch (LimitException e) {
      return Optional.of("no network for pods can be made: " + e.getMessage());
    }
  }

  /** Makes the bridge. */
  static PodNetwork create() {
    removeLeft();
    PodNetwork network = new PodNetwork();
    try {
      network.connect();
      return network;
    } catch (RuntimeException | Error e) {
      Closer.after(e, network::close);
      throw e;
    }
  }

  private void connect() {
    String link = hostLink(OWN_PID);
    ip("netns", "add", hub);
    ip("link", "add", link, "type", "veth", "peer", "name", "host", "netns", hub);
    ip("address", "add", hostAddress() + "/24", "dev", link);
    ip("link", "set", link, "up");
    ip("-n", hub, "link", "add", BRIDGE, "type", "bridge");
    ip("-n", hub, "link", "set", BRIDGE, "up");
    ip("-n", hub, "link", "set", "host", "master", BRIDGE, "up");
  }

  /** Of 15 characters at most. */
  private static String hostLink(long pid) {
    return "slpod" + pid;
  }

  /** This machine's address in the network. */
  String hostAddress() {
    return subnet + 1;
  }

  /** Makes a namespace. */
  Netns add() {
    if (pods == MOST_PODS) {
      throw new LimitException("a network of pods has addresses for " + MOST_PODS);
    }
    pods++;
    String name = PREFIX + OWN_PID + "-" + pods;
    Netns made = new Netns(NAMESPACES.resolve(name), subnet + (1 + pods));
    String link = "pod" + pods;
    ip("netns", "add", name);
    ip("-n", hub, "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    ip("-n", hub, "link", "set", link, "master", BRIDGE, "up");
    ip("-n", name, "address", "add", made.address() + "/24", "dev", "eth0");
    ip("-n", name, "link", "set", "eth0", "up");
    ip("-n", name, "link", "set", "lo", "up");
    return made;
  }

  /**
   * A network namespace.
   *
   * @param file by which a process enters it
   * @param address its only one but loopback
   */
  record Netns(Path file, String address) {}

  @Override
  public void close() {
    remove(OWN_PID);
  }

  private static void removeLeft() {
    namespaces()
        .filter(name -> name.matches(PREFIX + "\\d+-\\w+"))
        .map(name -> Long.parseLong(name.substring(PREFIX.length()).replaceFirst("-.*", "")))
        .distinct()
        .filter(pid -> ProcessHandle.of(pid).isEmpty())
        .forEach(PodNetwork::remove);
  }

  /** The kernel takes a namespace away some time after its name. */
  private static void remove(long pid) {
    List<String> left = namespaces().filter(name -> name.startsWith(PREFIX + pid + "-")).toList();
    if (!left.isEmpty() && Files.exists(LINKS.resolve(hostLink(pid)))) {
      ip("link", "delete", hostLink(pid));
    }
    left.forEach(name -> ip("netns", "delete", name));
  }

  private static Stream<String> namespaces() {
    if (!Files.isDirectory(NAMESPACES)) {
      return Stream.of();
    }
    try (Stream<Path> files = Files.list(NAMESPACES)) {
      return files.map(file -> file.getFileName().toString()).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + NAMESPACES, e);
    }
  }

  private static String ip(String... arguments) {
    return Programs.run("ip", arguments);
  }
}
