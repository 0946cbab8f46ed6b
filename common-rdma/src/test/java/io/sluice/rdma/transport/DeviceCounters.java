package io.sluice.rdma.transport;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The first RDMA device of this host and what it counts, to prove that bytes went over it: a
 * transport that took TCP in silence would pass every other check.
 *
 * @param port the device's port in sysfs
 */
public record DeviceCounters(Path port) {
  private static final Path DEVICES = Path.of("/sys/class/infiniband");

  /** What one packet of a read carries at most: the largest MTU there is. */
  private static final int MAX_PAYLOAD_BYTES = 4096;

  /** The first device that there is; fails without one. */
  public static DeviceCounters ofFirstDevice() throws IOException {
    try (DirectoryStream<Path> devices = Files.newDirectoryStream(DEVICES)) {
      return new DeviceCounters(devices.iterator().next().resolve("ports/1"));
    }
  }

  /** The address of the network device behind it; rdmacm does no loopback. */
  public InetAddress address() throws IOException {
    String netDevice = Files.readString(port.resolve("gid_attrs/ndevs/0")).trim();
    return NetworkInterface.getByName(netDevice)
        .inetAddresses()
        .filter(Inet4Address.class::isInstance)
        .findFirst()
        .orElseThrow();
  }

  /** Packets received so far, those it sent to itself included. */
  public long receivedPackets() throws IOException {
    return Long.parseLong(Files.readString(port.resolve("hw_counters/rcvd_pkts")).trim());
  }

  /** How many packets reads of so many bytes take at least. */
  public static long packetsFor(long lengthBytes) {
    return lengthBytes / MAX_PAYLOAD_BYTES;
  }
}
