package io.sluice.tools.doctor;

import java.util.ArrayList;
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
 * @param networkInterface the network interface that has its addresses, if there is one
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
    Optional<String> networkInterface,
    List<Gid> gids) {
  private static final String CLASS = "/sys/class/infiniband";

  /**
   * An address of a port.
   *
   * @param index its number in the port's table, by which programs name it
   * @param address 128 bits in the notation of IPv6
   * @param type such as {@code RoCE v2}
   */
  record Gid(int index, String address, String type) {
    private static final String MAPPED_IPV4 = "0000:0000:0000:0000:0000:ffff:";

    /** Whether it is an IP address that other networks can reach, not one of the link alone. */
    boolean isRoutable() {
      return type.equals("RoCE v2") && !address.startsWith("fe80:");
    }

    /** The IP address; in dotted notation if it is an IPv4 address. */
    String ip() {
      if (!address.startsWith(MAPPED_IPV4)) {
        return address;
      }
      long bits = Long.parseLong(address.substring(MAPPED_IPV4.length()).replace(":", ""), 16);
      return "%s.%s.%s.%s".formatted(bits >> 24, bits >> 16 & 255, bits >> 8 & 255, bits & 255);
    }
  }

  /** Its name in RDMA tools, such as {@code mlx5_0:1}. */
  String name() {
    return device + ":" + port;
  }

  boolean isActive() {
    return state.equals("ACTIVE");
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
    return new RdmaPort(
        device,
        port,
        named(files, deviceDirectory + "/node_type"),
        named(files, directory + "/state"),
        named(files, directory + "/phys_state"),
        files.line(directory + "/link_layer").orElse("unknown"),
        files.line(directory + "/rate").orElse("unknown"),
        networkInterface(files, deviceDirectory, directory),
        gids(files, directory));
  }

  /** The word of a line such as {@code 4: ACTIVE}. */
  private static String named(SystemFiles files, String file) {
    return files.line(file).map(line -> line.replaceFirst("^\\d+:\\s*", "")).orElse("unknown");
  }

  private static Optional<String> networkInterface(
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
      String address = files.line(directory + "/gids/" + index).orElse("");
      String type = files.line(directory + "/gid_attrs/types/" + index).orElse("");
      if (!address.replace(":", "").matches("0*")) {
        gids.add(new Gid(Integer.parseInt(index), address, type));
      }
    }
    gids.sort((a, b) -> Integer.compare(a.index(), b.index()));
    return gids;
  }
}
