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

/** A soft RDMA device of the lab's guest and the interface below it, to break and mend. */
public final class SoftDevice {
  private static final String LABS_OWN = "rxe0";

  private final String name;
  private final String interfaceName;
  private final InetAddress address;
  private final Path sys;

  private SoftDevice(String name, String interfaceName, InetAddress address) {
    this.name = name;
    this.interfaceName = interfaceName;
    this.address = address;
    this.sys = sys(name);
  }

  private static Path sys(String name) {
    return Path.of("/sys/class/infiniband", name);
  }

  /** Why faults cannot be injected here; empty in the lab. */
  public static Optional<String> whyNot() {
    if (System.getProperty("sluice.lab.tmpfs") == null) {
      return Optional.of("breaks the machine's RDMA device, so only in the lab: ./sluice lab");
    }
    return Files.isDirectory(sys(LABS_OWN))
        ? Optional.empty()
        : Optional.of("no soft RDMA device " + LABS_OWN + " in /sys/class/infiniband");
  }

  /** The device that the guest has by itself. */
  public static SoftDevice find() {
    try {
      String interfaceName = Files.readString(sys(LABS_OWN).resolve("parent")).strip();
      InetAddress address =
          NetworkInterface.getByName(interfaceName)
              .inetAddresses()
              .filter(Inet4Address.class::isInstance)
              .findFirst()
              .orElseThrow();
      return new SoftDevice(LABS_OWN, interfaceName, address);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes another one, which works; whoever makes it removes it, and then the interface. */
  public static SoftDevice add(String name, DummyInterface below) {
    SoftDevice added = new SoftDevice(name, below.name(), below.address());
    try {
      added.mend();
      return added;
    } catch (RuntimeException | Error e) {
      added.remove();
      throw e;
    }
  }

  /** Removes it, if it is there; fails if a process has it open. */
  public void remove() {
    if (Files.isDirectory(sys)) {
      Commands.run("rdma", "link", "delete", name);
    }
  }

  public String name() {
    return name;
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
    return Commands.start("rdma", "link", "delete", name);
  }

  /** Whether a process could open it now; one that is being deleted has no file any more. */
  public boolean canBeOpened() {
    try (Stream<Path> files = Files.list(Path.of("/sys/class/infiniband_verbs"))) {
      return files.anyMatch(file -> read(file.resolve("ibdev")).equals(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Everything as when it was made. */
  public void mend() {
    if (!Files.isDirectory(sys)) {
      Commands.run("rdma", "link", "add", name, "type", "rxe", "netdev", interfaceName);
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
    try (Stream<Path> gids = Files.list(sys.resolve("ports/1/gids"))) {
      String suffix = HexFormat.of().formatHex(address.getAddress());
      return gids.anyMatch(gid -> read(gid).replace(":", "").endsWith("ffff" + suffix));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      return ""; // an empty entry of a table, or what is no directory of a device
    }
  }

  private boolean isActive() {
    try {
      Path state = sys.resolve("ports/1/state");
      return Files.exists(state) && Files.readString(state).contains("ACTIVE");
    } catch (IOException e) {
      return false; // it went away meanwhile
    }
  }
}
