package io.sluice.tools.doctor;

import io.sluice.tools.doctor.RdmaPort.Gid;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Checks which RDMA devices the kernel shows, and whether each port is up and has an IP address of
 * this host. Hosts find each other's ports by such an address.
 *
 * @param files where the kernel shows devices
 * @param addresses this process's IP addresses by network interface, without those that are valid
 *     on one link only
 */
record RdmaDevicesCheck(SystemFiles files, Map<String, List<InetAddress>> addresses) {
  private static final String SUBJECT = "RDMA devices";
  private static final int IFF_UP = 1;

  /** With less, packets of RDMA carry less than 1,024 bytes: headers take up to 96. */
  private static final int LEAST_MTU_BYTES = 1024 + 96;

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
          "Sluice's transports work with InfiniBand and RoCE only",
          "switch the NIC to RoCE if it can");
    }
    if (!port.isActive()) {
      return down(subject, port);
    }
    return port.isInfiniBand() ? infiniBand(subject, port) : ethernet(subject, port);
  }

  private Finding infiniBand(String subject, RdmaPort port) {
    List<String> interfaces = port.networkInterfaces();
    if (interfaces.isEmpty()) {
      return Finding.problem(
          subject,
          "is up, but has no IP address",
          "it has no network interface: IP over InfiniBand is not set up, or this process runs in"
              + " a container with a network of its own",
          "modprobe ib_ipoib, and give its network interface an IP address; in a container: docker"
              + " run --network=host");
    }
    if (interfaces.stream().allMatch(name -> addresses.getOrDefault(name, List.of()).isEmpty())) {
      return withoutAddress(subject, port, "is up, but has no IP address");
    }
    return Finding.ok(
        subject,
        "up, %s on %s, %s".formatted(port.linkLayer(), port.networkInterface(), port.rate()));
  }

  private Finding ethernet(String subject, RdmaPort port) {
    Optional<Gid> own =
        port.gids().stream()
            .filter(
                gid -> addresses.values().stream().anyMatch(some -> some.contains(gid.address())))
            .min(Comparator.comparing(gid -> !gid.isRouted()));
    if (own.isEmpty()) {
      return withoutOwnGid(subject, port);
    }
    Gid gid = own.get();
    String what =
        "up, %s, GID %s is %s on %s, %s"
            .formatted(
                gid.isRouted() ? gid.type() : "RoCE v1 only",
                gid.index(),
                gid.address().getHostAddress(),
                port.networkInterface(),
                port.rate());
    int mtuBytes = mtuBytes(port.networkInterface());
    if (mtuBytes < LEAST_MTU_BYTES) {
      return Finding.problem(
          subject,
          what + ", but its packets are small",
          "network interface %s has an MTU of %s: a packet of RDMA carries less than 1024 bytes"
              .formatted(port.networkInterface(), mtuBytes),
          "ip link set %s mtu 1500 or more, on all hosts and switches"
              .formatted(port.networkInterface()));
    }
    return gid.isRouted()
        ? Finding.ok(subject, what)
        : Finding.info(
            subject,
            what,
            "no GID of the port is of RoCE v2; routers do not forward RoCE v1",
            "nothing, if all nodes are in one Ethernet segment and speak RoCE v1; else switch the"
                + " NIC to RoCE v2 if it can");
  }

  private static Finding withoutOwnGid(String subject, RdmaPort port) {
    List<Gid> others =
        port.gids().stream().filter(gid -> !gid.address().isLinkLocalAddress()).toList();
    if (others.isEmpty()) {
      return withoutAddress(subject, port, "is up, but has no GID of an IP address");
    }
    return Finding.problem(
        subject,
        "is up, but has no GID of an IP address of this process",
        "its GIDs are of %s; a container with a network of its own does not have them"
            .formatted(
                others.stream()
                    .map(gid -> gid.address().getHostAddress())
                    .distinct()
                    .collect(Collectors.joining(", "))),
        "docker run --network=host, or give the container the port's network interface");
  }

  private static Finding withoutAddress(String subject, RdmaPort port, String what) {
    return Finding.problem(
        subject,
        what,
        "network interface %s has no IP address".formatted(port.networkInterface()),
        "ip addr add ADDRESS/PREFIX dev " + port.networkInterface());
  }

  private Finding down(String subject, RdmaPort port) {
    String what = "is %s, physically %s".formatted(port.state(), port.physicalState());
    if (port.isInfiniBand()) {
      return port.state().equals("INIT")
          ? Finding.problem(
              subject,
              what,
              "no subnet manager has configured it",
              "systemctl start opensm on one host of the fabric, or enable the switch's own")
          : Finding.problem(
              subject, what, "it has no link", "check cable and switch; ibstat shows the state");
    }
    String netdev = port.networkInterface();
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

  private int mtuBytes(String networkInterface) {
    return files
        .line("/sys/class/net/%s/mtu".formatted(networkInterface))
        .map(Integer::parseInt)
        .orElse(Integer.MAX_VALUE); // it is not shown in a container
  }
}
