package io.sluice.it.pod;

import io.sluice.it.limit.LoopVolume.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Addresses of pods: network namespaces that are connected by a bridge, at which this machine has
 * an address too. Their names have the number of the process that made them, by which the next one
 * finds what a killed one left.
 *
 * <p>Not thread-safe. Its maker closes it, after the processes in the namespaces. A failure is that
 * of the system's program.
 */
final class PodNetwork implements AutoCloseable {
  static final List<String> PROGRAMS = List.of("ip");

  private static final String PREFIX = "sluice";
  private static final Path BRIDGES = Path.of("/sys/class/net");
  private static final Path NAMESPACES = Path.of("/run/netns");
  private static final long OWN_PID = ProcessHandle.current().pid();

  private final String bridge = PREFIX + OWN_PID;
  private final String subnet = "198.18." + OWN_PID % 256 + "."; // is for tests, on no network
  private int pods;

  private PodNetwork() {}

  /** Makes the bridge. */
  static PodNetwork create() {
    removeLeft();
    PodNetwork network = new PodNetwork();
    ip("link", "add", network.bridge, "type", "bridge");
    ip("address", "add", network.hostAddress() + "/24", "dev", network.bridge);
    ip("link", "set", network.bridge, "up");
    return network;
  }

  /** This machine's address in the network. */
  String hostAddress() {
    return subnet + 1;
  }

  /** Makes a namespace. */
  Netns add() {
    pods++;
    String name = bridge + "-" + pods;
    Netns made = new Netns(NAMESPACES.resolve(name), subnet + (1 + pods));
    String link = "s" + OWN_PID + "-" + pods; // of 15 characters at most
    ip("netns", "add", name);
    ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", name);
    ip("link", "set", link, "master", bridge, "up");
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
    Stream.concat(list(BRIDGES).stream(), list(NAMESPACES).stream())
        .filter(name -> name.matches(PREFIX + "\\d+(-\\d+)?"))
        .map(name -> Long.parseLong(name.substring(PREFIX.length()).replaceFirst("-.*", "")))
        .distinct()
        .filter(pid -> ProcessHandle.of(pid).isEmpty())
        .forEach(PodNetwork::remove);
  }

  private static void remove(long pid) {
    list(NAMESPACES).stream()
        .filter(name -> name.startsWith(PREFIX + pid + "-"))
        .forEach(name -> ip("netns", "delete", name));
    if (Files.exists(BRIDGES.resolve(PREFIX + pid))) {
      ip("link", "delete", PREFIX + pid);
    }
  }

  private static List<String> list(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + directory, e);
    }
  }

  private static void ip(String... arguments) {
    Programs.run("ip", arguments);
  }
}
