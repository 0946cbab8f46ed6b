package io.sluice.tools.doctor;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The state of one port of an RDMA device in {@code /sys/class/infiniband}. Thread contract:
 * immutable.
 *
 * @param device such as {@code mlx5_0}
 * @param port its number on the device
 * @param nodeType such as {@code CA} (InfiniBand, RoCE) or {@code RNIC} (iWARP)
 * @param state such as {@code ACTIVE}, {@code INIT}, {@code DOWN}
 * @param physicalState such as {@code LinkUp}, {@code Polling}, {@code Disabled}
 * @param linkLayer {@code InfiniBand} or {@code Ethernet}
 * @param rate its speed, in the kernel's words
 * @param networkInterfaces the network interfaces that have its addresses; those of InfiniBand only
 *     if this process sees them
 * @param gids its addresses
 */
record RdmaPort(
    String device,
    String port,
    String nodeType,
    String state,
    String physicalState,
    String linkLayer,
    String rate,
    List<String> networkInterfaces,
    List<Gid> gids) {
  private static final String CLASS = "/sys/class/infiniband";
  private static final String NETWORK = "/sys/class/net/";

  /**
   * An address of a port.
   *
   * @param index its number in the port's table, by which programs name it
   * @param address its 128 bits, which are an IP address on Ethernet
   * @param type such as {@code RoCE v2}
   */
  record Gid(int index, InetAddress address, String type) {
    /** Whether routers forward its packets; those of RoCE v1 stay in one Ethernet segment. */
    boolean isRouted() {
      return type.equals("RoCE v2");
    }
  }

  /** Its name in RDMA tools, such as {@code mlx5_0:1}. */
  String name() {
    return device + ":" + port;
  }

  boolean isActive() {
    return state.equals("ACTIVE");
  }

  boolean isInfiniBand() {
    return linkLayer.equals(RdmaDevices.INFINIBAND);
  }

  /** The first network interface, or a word for it. */
  String networkInterface() {
    return networkInterfaces.isEmpty() ? "INTERFACE" : networkInterfaces.get(0);
  }

  static List<RdmaPort> read(SystemFiles files) {
    List<RdmaPort> ports = new ArrayList<>();
    for (String device : files.names(CLASS)) {
      String deviceDirectory = CLASS + "/" + device;
      for (String port : files.names(deviceDirectory + "/ports")) {
        ports.add(read(files, deviceDirectory, device, port));
      }
    }
    return ports;
  }

  private static RdmaPort read(
      SystemFiles files, String deviceDirectory, String device, String port) {
    String directory = deviceDirectory + "/ports/" + port;
    String linkLayer = linkLayer(files, device, port);
    return new RdmaPort(
        device,
        port,
        named(files, deviceDirectory + "/node_type"),
        named(files, directory + "/state"),
        named(files, directory + "/phys_state"),
        linkLayer,
        files.line(directory + "/rate").orElse("unknown"),
        linkLayer.equals(RdmaDevices.INFINIBAND)
            ? ofInfiniBand(files, device, port)
            : ofEthernet(files, deviceDirectory, directory).stream().toList(),
        gids(files, directory));
  }

  private static String linkLayer(SystemFiles files, String device, String port) {
    try {
      return new RdmaDevices(files.path("/sys/class")).linkLayer(device, port).orElse("unknown");
    } catch (IOException e) {
      return "unknown";
    }
  }

  /** The word of a line such as {@code 4: ACTIVE}. */
  private static String named(SystemFiles files, String file) {
    return files.line(file).map(line -> line.replaceFirst("^\\d+:\\s*", "")).orElse("unknown");
  }

  /** The kernel numbers ports from 1, and those of network interfaces from 0. */
  private static List<String> ofInfiniBand(SystemFiles files, String device, String port) {
    return files.names(NETWORK).stream()
        .filter(name -> files.exists(NETWORK + name + "/device/infiniband/" + device))
        .filter(
            name ->
                files
                    .line(NETWORK + name + "/dev_port")
                    .map(number -> Integer.decode(number) + 1 == Integer.parseInt(port))
                    .orElse(false))
        .toList();
  }

  private static Optional<String> ofEthernet(
      SystemFiles files, String deviceDirectory, String directory) {
    return files
        .line(deviceDirectory + "/parent") // software devices
        .or(
            () ->
                files.names(directory + "/gid_attrs/ndevs").stream()
                    .flatMap(i -> files.line(directory + "/gid_attrs/ndevs/" + i).stream())
                    .findFirst())
        .or(() -> files.names(deviceDirectory + "/device/net").stream().findFirst());
  }

  private static List<Gid> gids(SystemFiles files, String directory) {
    List<Gid> gids = new ArrayList<>();
    for (String index : files.names(directory + "/gids")) {
      String digits = files.line(directory + "/gids/" + index).orElse("").replace(":", "");
      if (digits.matches("[0-9a-f]{32}") && !digits.matches("0*")) {
        String type = files.line(directory + "/gid_attrs/types/" + index).orElse("");
        gids.add(new Gid(Integer.parseInt(index), address(digits), type));
      }
    }
    gids.sort((a, b) -> Integer.compare(a.index(), b.index()));
    return gids;
  }

  /** An IPv4 address if the bits are one that is mapped to IPv6. */
  private static InetAddress address(String digits) {
    try {
      return InetAddress.getByAddress(HexFormat.of().parseHex(digits));
    } catch (UnknownHostException e) {
      throw new IllegalStateException("16 bytes are an address", e);
    }
  }
}
