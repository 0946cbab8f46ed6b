package io.sluice.rdma.transport.support;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The RDMA devices that the kernel shows, read without any native library; and the check of locked
 * memory.
 *
 * <p>Only channel adapters (InfiniBand, RoCE) count: UCX refuses iWARP, and DiSNI was never tried
 * with it. Thread contract: immutable; reads /sys at every call.
 */
public final class RdmaDevices {
  /** The link layer of InfiniBand, in the kernel's words. */
  public static final String INFINIBAND = "InfiniBand";

  private static final String CHANNEL_ADAPTER = "1:";
  private static final String ACTIVE = "4:";

  private final Path sysClass;

  /** The devices of this machine. */
  public RdmaDevices() {
    this(Path.of("/sys/class"));
  }

  /** The devices in a directory of the form of {@code /sys/class}. */
  public RdmaDevices(Path sysClass) {
    this.sysClass = sysClass;
  }

  /** Why no transport can use the devices; empty if a transport can connect through a port. */
  public Optional<String> unusableCause() {
    if (activePorts().isEmpty()) {
      return Optional.of(
          "no RDMA device with an active port in /sys/class/infiniband; check `rdma link` and the"
              + " NIC's driver");
    }
    if (!Files.exists(sysClass.resolve("misc/rdma_cm"))) {
      return Optional.of(
          "programs cannot connect by IP address: kernel module rdma_ucm is not loaded; modprobe"
              + " rdma_ucm");
    }
    return Optional.empty();
  }

  /** Whether there is a device, its ports up or down. */
  public boolean areThere() {
    return children(sysClass.resolve("infiniband")).stream()
        .anyMatch(device -> says(device.resolve("node_type"), CHANNEL_ADAPTER));
  }

  /** Ports that are up, as {@code mlx5_0:1}. */
  public List<String> activePorts() {
    return ports(ACTIVE);
  }

  /** All ports, up or down. */
  public List<String> ports() {
    return ports("");
  }

  /** The link layer of a port, {@link #INFINIBAND} or Ethernet; empty if the kernel says none. */
  public Optional<String> linkLayer(String device, String port) throws IOException {
    Path layer = sysClass.resolve("infiniband/" + device + "/ports/" + port + "/link_layer");
    return Files.exists(layer) ? Optional.of(Files.readString(layer).strip()) : Optional.empty();
  }

  private List<String> ports(String state) {
    List<String> ports = new ArrayList<>();
    for (Path device : children(sysClass.resolve("infiniband"))) {
      if (says(device.resolve("node_type"), CHANNEL_ADAPTER)) {
        for (Path port : children(device.resolve("ports"))) {
          if (says(port.resolve("state"), state)) {
            ports.add(device.getFileName() + ":" + port.getFileName());
          }
        }
      }
    }
    return ports;
  }

  private static List<Path> children(Path dir) {
    if (!Files.isDirectory(dir)) {
      return List.of();
    }
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(dir)) {
      List<Path> children = new ArrayList<>();
      stream.forEach(children::add);
      children.sort(null);
      return children;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException(e.getCause());
    }
  }

  private static boolean says(Path file, String start) {
    try {
      return Files.isReadable(file) && Files.readString(file).startsWith(start);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns if so much more memory may be pinned for a NIC. It is asked before each registration:
   * see {@link LockedMemoryLimit}.
   *
   * @throws RegistrationException if not; it names the limit and the setting that raises it
   */
  public static void checkMayPin(String provider, long lengthBytes) throws RegistrationException {
    Optional<String> refusal;
    try {
      refusal = new LockedMemoryLimit().refusal(lengthBytes);
    } catch (IOException e) {
      throw new RegistrationException(
          provider + ": cannot find out how much memory may be pinned", e);
    }
    if (refusal.isPresent()) {
      throw new RegistrationException(provider + ": " + refusal.get());
    }
  }
}
