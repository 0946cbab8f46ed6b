package io.sluice.rdma.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.support.RdmaDevices;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the RDMA devices of this machine have received, by the kernel's count: the witness that
 * bytes went over verbs, which a transport that fell back in silence cannot give.
 *
 * <p>Software devices count packets ({@code hw_counters/rcvd_pkts}), adapters count words of four
 * bytes ({@code counters/port_rcv_data}).
 */
public final class DeviceCounters {
  private static final Path DEVICES = Path.of("/sys/class/infiniband");
  private static final long MAX_PACKET_BYTES = 4096; // the largest MTU there is
  private static final long WORD_BYTES = 4;

  private final Optional<String> device; // empty for all
  private final long beforeBytes;

  /** Those of all devices whose ports are up. */
  public DeviceCounters() {
    this(Optional.empty());
  }

  private DeviceCounters(Optional<String> device) {
    this.device = device;
    this.beforeBytes = receivedBytes();
  }

  /** Those of one device, its ports up or down. */
  public static DeviceCounters of(String device) {
    return new DeviceCounters(Optional.of(device));
  }

  /** At most so many bytes of payload were received since this object was made. */
  public long receivedSinceBytes() {
    return receivedBytes() - beforeBytes;
  }

  /** Fails unless the devices received at least so much since this object was made. */
  public void assertReceived(long bytes) {
    long receivedBytes = receivedSinceBytes();
    assertTrue(
        receivedBytes >= bytes,
        bytes
            + " bytes were read, but the RDMA devices received at most "
            + receivedBytes
            + " in that time: they went another way");
  }

  /** What was asked for and what the devices carried, in words. */
  public String since(long bytes) {
    return "%,d bytes were read; the devices received packets for up to %,d bytes"
        .formatted(bytes, receivedSinceBytes());
  }

  private long receivedBytes() {
    RdmaDevices devices = new RdmaDevices();
    List<String> ports = device.isEmpty() ? devices.activePorts() : devices.ports();
    return ports.stream()
        .map(port -> port.split(":"))
        .filter(port -> device.isEmpty() || port[0].equals(device.get()))
        .map(port -> DEVICES.resolve(port[0]).resolve("ports").resolve(port[1]))
        .mapToLong(DeviceCounters::receivedBytes)
        .sum();
  }

  private static long receivedBytes(Path port) {
    try {
      Path packets = port.resolve("hw_counters/rcvd_pkts");
      return Files.exists(packets)
          ? MAX_PACKET_BYTES * number(packets)
          : WORD_BYTES * number(port.resolve("counters/port_rcv_data"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long number(Path file) throws IOException {
    return Long.parseLong(Files.readString(file).strip());
  }
}
