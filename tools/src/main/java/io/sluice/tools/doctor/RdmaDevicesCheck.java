package io.sluice.tools.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks which RDMA devices the kernel shows, and whether each port is up and has an address.
 *
 * @param files where the kernel shows them
 */
record RdmaDevicesCheck(SystemFiles files) {
  private static final String SUBJECT = "RDMA devices";
  private static final int IFF_UP = 1;

  List<Finding> look() {
    List<RdmaPort> ports = RdmaPort.read(files);
    return ports.isEmpty() ? List.of(none()) : ports.stream().map(this::look).toList();
  }

  private Finding none() {
    if (files.exists("/sys/class/infiniband")) {
      return Finding.info(
          SUBJECT,
          "none",
          "the kernel can do RDMA, but no NIC's driver is loaded and no software device was made",
          "modprobe mlx5_ib (or the NIC's driver); without a NIC, over any Ethernet interface:"
              + " rdma link add rxe0 type rxe netdev INTERFACE");
    }
    String release = files.line("/proc/sys/kernel/osrelease").orElse("unknown");
    if (!files.exists("/lib/modules/" + release)) {
      return Finding.info(
          SUBJECT,
          "none",
          "kernel %s runs without RDMA, and /lib/modules has no modules for it".formatted(release),
          "boot a kernel with modules, such as the distribution's own");
    }
    return Finding.info(
        SUBJECT,
        "none",
        "no RDMA module is loaded (there is no /sys/class/infiniband)",
        "modprobe mlx5_ib (or the NIC's driver); without a NIC, over any Ethernet interface:"
            + " modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE");
  }

  private Finding look(RdmaPort port) {
    String subject = "RDMA port " + port.name();
    if (!port.nodeType().equals("CA")) {
      return Finding.problem(
          subject,
          "has node type %s, which Sluice does not use".formatted(port.nodeType()),
          "transports ucx and disni work with InfiniBand and RoCE only",
          "switch the NIC to RoCE if it can");
    }
    if (!port.isActive()) {
      return down(subject, port);
    }
    boolean ethernet = port.linkLayer().equals("Ethernet");
    List<RdmaPort.Gid> routable = port.gids().stream().filter(RdmaPort.Gid::isRoutable).toList();
    if (ethernet && routable.isEmpty()) {
      String netdev = port.networkInterface().orElse("INTERFACE");
      return Finding.problem(
          subject,
          "is up, but has no GID of an IP address (RoCE v2)",
          "network interface %s has no IP address".formatted(netdev),
          "ip addr add ADDRESS/PREFIX dev " + netdev);
    }
    String address =
        ethernet
            ? "RoCE v2, GID %s is %s".formatted(routable.get(0).index(), routable.get(0).ip())
            : port.linkLayer();
    String netdev = port.networkInterface().map(" on "::concat).orElse("");
    return Finding.ok(subject, "%s, %s%s, %s".formatted("up", address, netdev, port.rate()));
  }

  private Finding down(String subject, RdmaPort port) {
    String what = "is %s, physically %s".formatted(port.state(), port.physicalState());
    if (port.linkLayer().equals("InfiniBand")) {
      return port.state().equals("INIT")
          ? Finding.problem(
              subject,
              what,
              "no subnet manager has configured it",
              "systemctl start opensm on one host of the fabric, or enable the switch's own")
          : Finding.problem(
              subject, what, "it has no link", "check cable and switch; ibstat shows the state");
    }
    String netdev = port.networkInterface().orElse("INTERFACE");
    return isSetUp(netdev)
        ? Finding.problem(
            subject,
            what,
            "network interface %s has no link".formatted(netdev),
            "check cable and switch; ethtool %s shows the state".formatted(netdev))
        : Finding.problem(
            subject,
            what,
            "network interface %s is down".formatted(netdev),
            "ip link set %s up".formatted(netdev));
  }

  private boolean isSetUp(String networkInterface) {
    return files
        .line("/sys/class/net/%s/flags".formatted(networkInterface))
        .map(flags -> (Integer.decode(flags) & IFF_UP) != 0)
        .orElse(false);
  }

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
}
