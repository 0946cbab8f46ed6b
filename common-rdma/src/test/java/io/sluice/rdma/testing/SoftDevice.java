package io.sluice.rdma.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;

/** The lab's soft RDMA device and the interface below it, to break and mend. */
public final class SoftDevice {
  private static final String NAME = "rxe0";
  private static final Path SYS = Path.of("/sys/class/infiniband", NAME);

  private final String interfaceName;
  private final InetAddress address;

  private SoftDevice(String interfaceName, InetAddress address) {
    this.interfaceName = interfaceName;
    this.address = address;
  }

  /** Why faults cannot be injected here; empty in the lab. */
  public static Optional<String> whyNot() {
    if (System.getProperty("sluice.lab.tmpfs") == null) {
      return Optional.of("breaks the machine's RDMA device, so only in the lab: ./sluice lab");
    }
    return Files.isDirectory(SYS)
        ? Optional.empty()
        : Optional.of("no soft RDMA device " + NAME + " in /sys/class/infiniband");
  }

  public static SoftDevice find() {
    try {
      String interfaceName = Files.readString(SYS.resolve("parent")).strip();
      InetAddress address =
          NetworkInterface.getByName(interfaceName)
              .inetAddresses()
              .filter(Inet4Address.class::isInstance)
              .findFirst()
              .orElseThrow();
      return new SoftDevice(interfaceName, address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The address that RDMA connections are made to. */
  public InetAddress address() {
    return address;
  }

  /** Takes the link away; the interface keeps its addresses. */
  public void linkDown() {
    keepAddresses();
    Commands.run("ip", "link", "set", interfaceName, "down");
    Await.until("the port is down", () -> !isActive());
  }

  private void keepAddresses() {
    try {
      Path setting = Path.of("/proc/sys/net/ipv6/conf", interfaceName, "keep_addr_on_down");
      Files.writeString(setting, "1");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void linkUp() {
    Commands.run("ip", "link", "set", interfaceName, "up");
    Await.until("the port is up", this::isActive);
    Await.until("the port has its addresses again", this::hasGids);
  }

  /** Starts to delete the device; the kernel may wait for those who have it open. */
  public Process startDelete() {
    return Commands.start("rdma", "link", "delete", NAME);
  }

  /** Everything as the lab made it. */
  public void mend() {
    if (!Files.isDirectory(SYS)) {
      Commands.run("rdma", "link", "add", NAME, "type", "rxe", "netdev", interfaceName);
    }
    linkUp();
  }

  /** Whether this process has an RDMA device open. */
  public static boolean isOpenHere() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.anyMatch(
          file -> Files.exists(file) && target(file).startsWith("/dev/infiniband/uverbs"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** The interface's own address, which link events add and remove, has the last of the GIDs. */
  private boolean hasGids() {
    try (Stream<Path> gids = Files.list(SYS.resolve("ports/1/gids"))) {
      String suffix = HexFormat.of().formatHex(address.getAddress());
      return gids.anyMatch(gid -> read(gid).replace(":", "").endsWith("ffff" + suffix));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path gid) {
    try {
      return Files.readString(gid).strip();
    } catch (IOException e) {
      return ""; // an empty entry cannot be read
    }
  }

  private boolean isActive() {
    try {
      Path state = SYS.resolve("ports/1/state");
      return Files.exists(state) && Files.readString(state).contains("ACTIVE");
    } catch (IOException e) {
      return false; // it went away meanwhile
    }
  }
}
