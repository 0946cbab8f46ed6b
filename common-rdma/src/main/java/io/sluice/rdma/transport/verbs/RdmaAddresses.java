package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.support.HostAddresses;
import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The IP addresses of this host by which other hosts reach its RDMA ports, as the kernel shows
 * them. A port of RoCE has those that it has a GID for, one of InfiniBand those of its network
 * interface.
 *
 * <p>Thread contract: immutable; reads {@code /sys} at every call. Failure: {@link IOException}
 * from reading it.
 */
public final class RdmaAddresses {
  private final Path sysClass;
  private final Collection<InetAddress> host;

  /**
   * Those of a host.
   *
   * @param sysClass {@code /sys/class}
   * @param host all addresses of the host
   */
  public RdmaAddresses(Path sysClass, Collection<InetAddress> host) {
    this.sysClass = sysClass;
    this.host = List.copyOf(host);
  }

  /** Those of this host now. */
  public static RdmaAddresses ofThisHost() throws IOException {
    return new RdmaAddresses(Path.of("/sys/class"), HostAddresses.all());
  }

  /**
   * Why a reader that finds the host by its name does not reach its RDMA ports.
   *
   * @param cause the name's addresses, and those of the RDMA ports
   * @param fix what to set
   */
  public record Missed(String cause, String fix) {}

  /**
   * Why a reader that connects to the host by a name reaches no RDMA port. Empty if one of the
   * name's addresses is one of a port. Empty too where nobody can tell: no RDMA port has an
   * address, or the name means no address of this host but loopback, as it may in a container or
   * where readers resolve it otherwise.
   *
   * @param named says the host's name or address, if there is an RDMA port
   * @param setting the setting that names another address
   */
  public Optional<Missed> missedBy(Supplier<String> named, String setting) throws IOException {
    Map<String, List<InetAddress>> ports = byPort();
    if (ports.isEmpty()) {
      return Optional.empty(); // nobody is asked for a name, which may take long
    }
    String name = named.get();
    List<InetAddress> means =
        resolve(name).stream().filter(address -> !address.isLoopbackAddress()).toList();
    if (means.isEmpty()
        || !host.containsAll(means)
        || ports.values().stream().anyMatch(some -> means.stream().anyMatch(some::contains))) {
      return Optional.empty();
    }
    String ofPorts =
        ports.entrySet().stream()
            .map(port -> "RDMA port " + port.getKey() + " has " + text(port.getValue()))
            .collect(Collectors.joining(", "));
    return Optional.of(
        new Missed(
            "readers find this host at %s, which is no address of an RDMA port; %s"
                .formatted(
                    text(means).equals(name) ? name : name + " (" + text(means) + ")", ofPorts),
            "set %s to %s, or to its subnet"
                .formatted(setting, best(ports).get(0).getHostAddress())));
  }

  /** The addresses of the first port that is up; of the first one if none is. */
  private List<InetAddress> best(Map<String, List<InetAddress>> ports) {
    return new RdmaDevices(sysClass)
        .activePorts().stream()
            .filter(ports::containsKey)
            .findFirst()
            .map(ports::get)
            .orElseGet(() -> ports.values().iterator().next());
  }

  private static List<InetAddress> resolve(String name) {
    try {
      return List.of(InetAddress.getAllByName(name));
    } catch (UnknownHostException e) {
      return List.of();
    }
  }

  private static String text(List<InetAddress> addresses) {
    return addresses.stream().map(InetAddress::getHostAddress).collect(Collectors.joining(" and "));
  }

  /** The addresses of each port that has any, IPv4 first; a port that is down may come up. */
  private Map<String, List<InetAddress>> byPort() throws IOException {
    Map<String, List<InetAddress>> result = new LinkedHashMap<>();
    for (Map.Entry<String, List<Integer>> device :
        VerbsDevices.byDevice(new RdmaDevices(sysClass).ports()).entrySet()) {
      for (int port : device.getValue()) {
        List<InetAddress> addresses =
            new GidTable(sysClass, device.getKey(), port)
                .of(host, isInfiniband(device.getKey(), port)).stream()
                    .sorted(Comparator.comparingInt(address -> address.getAddress().length))
                    .toList();
        if (!addresses.isEmpty()) {
          result.put(device.getKey() + ":" + port, addresses);
        }
      }
    }
    return result;
  }

  private boolean isInfiniband(String device, int port) throws IOException {
    return new RdmaDevices(sysClass)
        .linkLayer(device, Integer.toString(port))
        .filter(RdmaDevices.INFINIBAND::equals)
        .isPresent();
  }
}
