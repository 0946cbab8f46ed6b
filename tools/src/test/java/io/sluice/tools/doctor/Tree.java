package io.sluice.tools.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A made-up machine below a directory. */
final class Tree {
  private static final String CLASS = "/sys/class/infiniband/";
  private static final String NO_GID = "0000:0000:0000:0000:0000:0000:0000:0000";

  private final Path root;

  Tree(Path root) {
    this.root = root;
  }

  SystemFiles files() {
    return new SystemFiles(root);
  }

  /** A file with one line. */
  Tree with(String absolute, String content) {
    try {
      Path file = root.resolve(absolute.substring(1));
      Files.createDirectories(file.getParent());
      Files.writeString(file, content + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Tree withDirectory(String absolute) {
    try {
      Files.createDirectories(root.resolve(absolute.substring(1)));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A port in these states, without addresses. */
  Tree withPort(String device, String state, String physicalState, String linkLayer) {
    return with(CLASS + device + "/node_type", "1: CA")
        .with(CLASS + device + "/ports/1/state", state)
        .with(CLASS + device + "/ports/1/phys_state", physicalState)
        .with(CLASS + device + "/ports/1/link_layer", linkLayer)
        .with(CLASS + device + "/ports/1/rate", "2.5 Gb/sec (1X SDR)")
        .with(CLASS + device + "/ports/1/gids/3", NO_GID);
  }

  /** The port of a software device on dummy0 that is up. */
  Tree withRxe() {
    return withPort("rxe0", "4: ACTIVE", "5: LinkUp", "Ethernet")
        .with(CLASS + "rxe0/parent", "dummy0")
        .withGid("rxe0", 0, "fe80:0000:0000:0000:a866:21ff:fe67:2270", "RoCE v2");
  }

  /** A port on dummy0, as {@link #withRxe}, that has the IP address 10.77.0.1. */
  Tree withAddress() {
    return withRxe().withGid("rxe0", 1, "0000:0000:0000:0000:0000:ffff:0a4d:0001", "RoCE v2");
  }

  /** The kernel's modules and the files by which programs use devices. */
  Tree withDeviceFiles() {
    return withDirectory("/sys/class/infiniband_verbs/uverbs0")
        .with("/sys/class/infiniband_verbs/abi_version", "6")
        .withDirectory("/sys/class/misc/rdma_cm")
        .with("/dev/infiniband/uverbs0", "")
        .with("/dev/infiniband/rdma_cm", "");
  }

  /** The libraries of rdma-core, but none of UCX. */
  Tree withRdmaCore() {
    return with("/usr/lib/x86_64-linux-gnu/libibverbs.so.1", "")
        .with("/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so", "");
  }

  Tree without(String absolute) {
    try {
      Files.delete(root.resolve(absolute.substring(1)));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Tree withGid(String device, int index, String address, String type) {
    return with(CLASS + device + "/ports/1/gids/" + index, address)
        .with(CLASS + device + "/ports/1/gid_attrs/types/" + index, type);
  }

  /** What /proc/self shows of a process without privileges. */
  Tree withMemlock(String soft) {
    return with(
            "/proc/self/limits",
            """
            Limit                     Soft Limit           Hard Limit           Units
            Max locked memory         %s                unlimited            bytes
            Max open files            1024                 524288               files"""
                .formatted(soft))
        .with("/proc/self/status", "VmPin:\t       0 kB\nCapEff:\t0000000000000000");
  }
}
