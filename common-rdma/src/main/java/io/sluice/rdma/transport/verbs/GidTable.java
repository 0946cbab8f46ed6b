package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The GIDs of a port, as {@code /sys/class/infiniband} shows them, and the one that belongs to an
 * IP address. On RoCE the kernel makes GIDs of the addresses of the port's network interface. On
 * InfiniBand the interface of the address leads to the port.
 *
 * <p>RoCE v2 is preferred to v1, because it can be routed. Thread contract: immutable; reads {@code
 * /sys} at every call. Failure: {@link IOException} from reading it.
 */
final class GidTable {
  private static final String ROCE_V2 = "RoCE v2";
  private static final int IPV4_OFFSET = 12;

  /** A GID and its index at the port. */
  record Gid(int index, byte[] bytes) {}

  private final Path sysClass;
  private final String device;
  private final int port;

  /**
   * The table of one port.
   *
   * @param sysClass {@code /sys/class}
   */
  GidTable(Path sysClass, String device, int port) {
    this.sysClass = sysClass;
    this.device = device;
    this.port = port;
  }

  /** The GID of an Ethernet port that belongs to an address of this host. */
  Optional<Gid> find(InetAddress address) throws IOException {
    byte[] wanted = gid(address);
    Gid found = null;
    for (Path file : entries()) {
      int index = Integer.parseInt(file.getFileName().toString());
      if (Arrays.equals(bytes(file), wanted)) {
        if (ROCE_V2.equals(type(index))) {
          return Optional.of(new Gid(index, wanted));
        }
        found = found == null ? new Gid(index, wanted) : found;
      }
    }
    return Optional.ofNullable(found);
  }

  /** Whether an InfiniBand port has the network interface of an address of this host. */
  boolean isInterfaceOf(InetAddress address) throws IOException {
    NetworkInterface owner = NetworkInterface.getByInetAddress(address);
    if (owner == null) {
      return false;
    }
    Path net = sysClass.resolve("net").resolve(owner.getName());
    Path number = net.resolve("dev_port");
    return Files.exists(net.resolve("device/infiniband").resolve(device))
        && Files.exists(number)
        && Integer.decode(Files.readString(number).strip()) + 1 == port;
  }

  /** The first GID of the port, which identifies an InfiniBand port. */
  Gid first() throws IOException {
    return new Gid(0, bytes(directory().resolve("gids/0")));
  }

  /** An address as a GID: IPv6, or IPv4 mapped to IPv6. */
  static byte[] gid(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (!(address instanceof Inet4Address)) {
      return bytes;
    }
    byte[] gid = new byte[QueuePairAddress.GID_BYTES];
    gid[IPV4_OFFSET - 2] = (byte) 0xFF;
    gid[IPV4_OFFSET - 1] = (byte) 0xFF;
    System.arraycopy(bytes, 0, gid, IPV4_OFFSET, bytes.length);
    return gid;
  }

  private Path directory() {
    return sysClass
        .resolve("infiniband")
        .resolve(device)
        .resolve("ports")
        .resolve(Integer.toString(port));
  }

  /** In the order of the index. */
  private List<Path> entries() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(directory().resolve("gids"))) {
      all.forEach(files::add);
    }
    files.sort(Comparator.comparingInt(file -> Integer.parseInt(file.getFileName().toString())));
    return files;
  }

  private static byte[] bytes(Path file) throws IOException {
    return HexFormat.of().parseHex(Files.readString(file).strip().replace(":", ""));
  }

  /** Only a used entry has a type; reading that of another one fails. */
  private String type(int index) throws IOException {
    return Files.readString(directory().resolve("gid_attrs/types/" + index)).strip();
  }
}
