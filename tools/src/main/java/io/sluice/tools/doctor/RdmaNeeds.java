package io.sluice.tools.doctor;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.doctor.RdmaDevicesCheck.RdmaPort;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks what a process needs to use an RDMA device: access to the device files, the libraries of
 * transport ucx, and locked memory. {@link RdmaDevicesCheck} checks the devices themselves. On a
 * host without a device nothing here is a problem.
 *
 * <p>Thread contract: immutable; reads the files at every call.
 *
 * @param files where the kernel and the system show devices, libraries and limits
 */
record RdmaNeeds(SystemFiles files) {
  private static final String ACCESS = "RDMA from programs";
  private static final String DEVICES = "/dev/infiniband/";
  private static final String LIBRARIES = "RDMA libraries";
  private static final List<String> UCX_LIBRARIES =
      List.of("libibverbs.so.1", "librdmacm.so.1", "libucp.so.0");
  private static final String LOCKED_MEMORY = "locked memory";
  private static final long POOL_BYTES = 1L << 30; // the default pool, registered as a whole

  /**
   * Whether programs of this user can open the devices. That takes two kernel modules and their
   * files in {@code /dev/infiniband}. Without a device there is no finding.
   */
  List<Finding> access() {
    if (RdmaPort.read(files).isEmpty()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    List<String> devices =
        new ArrayList<>(
            files.names("/sys/class/infiniband_verbs").stream()
                .filter(name -> name.startsWith("uverbs"))
                .toList());
    if (devices.isEmpty()) {
      findings.add(missing("ib_uverbs", "programs cannot use the RDMA devices"));
    }
    if (files.exists("/sys/class/misc/rdma_cm")) {
      devices.add("rdma_cm");
    } else {
      findings.add(missing("rdma_ucm", "programs cannot connect by IP address, as Sluice does"));
    }
    devices.forEach(device -> addDeviceFile(device, findings));
    return findings.isEmpty()
        ? List.of(Finding.ok(ACCESS, "possible, through " + String.join(", ", devices)))
        : findings;
  }

  private void addDeviceFile(String device, List<Finding> findings) {
    String path = DEVICES + device;
    if (!files.exists(path)) {
      findings.add(
          Finding.problem(
              ACCESS,
              "the kernel has %s, but %s does not exist".formatted(device, path),
              "this container was given no devices, or udev does not run",
              "give the container /dev/infiniband (docker run --device=/dev/infiniband)"));
    } else if (!Files.isWritable(files.path(path))) {
      findings.add(
          Finding.problem(
              ACCESS,
              "this user may not open %s for writing".formatted(path),
              "the permissions of %s".formatted(path),
              "chmod 666 %s, and add a udev rule that keeps it so".formatted(path)));
    }
  }

  private static Finding missing(String module, String what) {
    return Finding.problem(
        ACCESS,
        what,
        "kernel module %s is not loaded".formatted(module),
        "modprobe %s; for every boot: echo %s > /etc/modules-load.d/%s.conf"
            .formatted(module, module, module));
  }

  /** Whether the libraries that transport ucx loads are in the system's library directories. */
  Finding libraries() {
    List<String> directories =
        Stream.of("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib")
            .flatMap(
                directory ->
                    Stream.concat(
                        Stream.of(directory),
                        files.names(directory).stream()
                            .filter(name -> name.endsWith("-linux-gnu"))
                            .map(name -> directory + "/" + name)))
            .toList();
    List<String> missing =
        UCX_LIBRARIES.stream()
            .filter(library -> directories.stream().noneMatch(d -> files.exists(d + "/" + library)))
            .toList();
    return missing.isEmpty()
        ? Finding.ok(LIBRARIES, String.join(", ", UCX_LIBRARIES))
        : problemWithDevice(
            LIBRARIES,
            "missing: " + String.join(", ", missing),
            "not in the system's library directories",
            "apt-get install libucx0 ibverbs-providers (Fedora, RHEL: dnf install ucx ucx-ib"
                + " ucx-rdmacm)");
  }

  /** Whether a process may pin a pool of the default size for a NIC. */
  Finding lockedMemory() {
    LockedMemoryLimit limit =
        new LockedMemoryLimit(files.path("/proc/self/limits"), files.path("/proc/self/status"));
    long allowedBytes;
    try {
      allowedBytes = limit.allowedBytes();
    } catch (IOException e) {
      return Finding.info(LOCKED_MEMORY, "cannot be read", ErrorText.of(e), "");
    }
    if (allowedBytes == Long.MAX_VALUE) {
      return Finding.ok(LOCKED_MEMORY, "unlimited");
    }
    String what = "%s may be pinned for a NIC".formatted(ByteSize.of(allowedBytes));
    return allowedBytes >= POOL_BYTES
        ? Finding.ok(LOCKED_MEMORY, what)
        : problemWithDevice(
            LOCKED_MEMORY,
            what,
            "RLIMIT_MEMLOCK (ulimit -l) is smaller than the default pool of %s; only RDMA needs it"
                .formatted(ByteSize.of(POOL_BYTES)),
            "ulimit -l unlimited before the process starts; permanently: LimitMEMLOCK=infinity in"
                + " the NodeManager's systemd unit, or \"USER - memlock unlimited\" in"
                + " /etc/security/limits.conf");
  }

  private Finding problemWithDevice(String subject, String what, String cause, String remedy) {
    return RdmaPort.read(files).isEmpty()
        ? Finding.info(subject, what, cause, remedy)
        : Finding.problem(subject, what, cause, remedy);
  }
}
