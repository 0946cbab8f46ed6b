package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The GIDs of a port, as {@code /sys/class/infiniband} shows them, and the one that belongs to an
 * IP address. On RoCE the kernel makes GIDs of the addresses of the port's network interface. On
 * InfiniBand the interface of the address leads to the port.
 *
 * <p>RoCE v2 is preferred to v1, because it can be routed. Thread contract: immutable; reads {@code
 * /sys} at every call. Failure: {@link IOException} from reading it.
 */
final class GidTable {
  private static final int IPV4_OFFSET = 12;

  /**
   * A GID of a port.
   *
   * @param index its index at the port
   * @param bytes 16 bytes in network order; must not be changed
   */
  record Gid(int index, LinkKind kind, byte[] bytes) {}

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
      if (Arrays.equals(bytes(file), wanted)) {
        int index = index(file);
        Gid gid = new Gid(index, kind(index), wanted);
        if (gid.kind() == LinkKind.ROCE_V2) {
          return Optional.of(gid); // a table may have a thousand entries, the used ones first
        }
        found = found == null ? gid : found;
      }
    }
    return Optional.ofNullable(found);
  }

  /** Whether an Ethernet port still has this GID at its index. */
  boolean has(Gid gid) throws IOException {
    Path file = directory().resolve("gids").resolve(Integer.toString(gid.index()));
    return Arrays.equals(bytes(file), gid.bytes()) && kind(gid.index()) == gid.kind();
  }

  /**
   * Those of the addresses of this host that belong to the port; reads the table of an Ethernet
   * port once.
   */
  List<InetAddress> of(Collection<InetAddress> addresses, boolean infiniband) throws IOException {
    Set<ByteBuffer> gids = new HashSet<>();
    if (!infiniband) {
      for (Path file : entries()) {
        gids.add(ByteBuffer.wrap(bytes(file)));
      }
    }
    List<InetAddress> result = new ArrayList<>();
    for (InetAddress address : addresses) {
      if (infiniband ? isInterfaceOf(address) : gids.contains(ByteBuffer.wrap(gid(address)))) {
        result.add(address);
      }
    }
    return result;
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

  /**
   * The GID of an InfiniBand port: the second one if routers know it, which subnet managers put
   * there, else the first one.
   */
  Gid ofInfiniband() throws IOException {
    Path routed = directory().resolve("gids/1");
    if (Files.exists(routed)) {
      Gid gid = new Gid(1, LinkKind.INFINIBAND, bytes(routed));
      if (VerbsRoute.forwardingLid(gid.bytes()) != 0) {
        return gid;
      }
    }
    return new Gid(0, LinkKind.INFINIBAND, bytes(directory().resolve("gids/0")));
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
    files.sort(Comparator.comparingInt(GidTable::index));
    return files;
  }

  private static int index(Path file) {
    return Integer.parseInt(file.getFileName().toString());
  }

  private static byte[] bytes(Path file) throws IOException {
    return HexFormat.of().parseHex(Files.readString(file).strip().replace(":", ""));
  }

  /** Only a used entry has a type; reading that of another one fails. */
  private LinkKind kind(int index) throws IOException {
    String type = Files.readString(directory().resolve("gid_attrs/types/" + index)).strip();
    return type.equals(LinkKind.ROCE_V2.toString()) ? LinkKind.ROCE_V2 : LinkKind.ROCE_V1;
  }
}
