package io.sluice.it.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The RDMA devices the kernel shows. */
final class RdmaDevicesCheck implements Check {
  private static final Path DEVICES = Path.of("/sys/class/infiniband");

  @Override
  public Finding look() {
    if (!Files.isDirectory(DEVICES)) {
      return Finding.limited(
          "RDMA devices",
          "none: this kernel shows no %s; bytes between nodes go over TCP".formatted(DEVICES));
    }
    try (Stream<Path> entries = Files.list(DEVICES)) {
      List<String> devices = entries.map(entry -> entry.getFileName().toString()).sorted().toList();
      return devices.isEmpty()
          ? Finding.limited(
              "RDMA devices", "none, though the kernel could; bytes between nodes go over TCP")
          : Finding.ok("RDMA devices", String.join(", ", devices));
    } catch (IOException e) {
      return Finding.limited("RDMA devices", "cannot be listed: " + e);
    }
  }
}
