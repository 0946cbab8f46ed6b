package io.sluice.tools.doctor;

import java.util.List;

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
}
