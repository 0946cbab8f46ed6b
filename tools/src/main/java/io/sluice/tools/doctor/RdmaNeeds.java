package io.sluice.tools.doctor;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.text.ErrorText;
import io.sluice.tools.doctor.Finding.ByteSize;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Checks what a process needs to use an RDMA device: access to the device files, libraries, and
 * locked memory. Transport verbs needs the least. What only ucx and disni need is no problem.
 * {@link RdmaDevicesCheck} checks the devices themselves. On a host without a device nothing here
 * is a problem.
 *
 * <p>Thread contract: immutable; reads the files at every call.
 *
 * @param files where the kernel and the system show devices, libraries and limits
 */
record RdmaNeeds(SystemFiles files) {
  private static final String ACCESS = "RDMA from programs";
  private static final String DEVICES = "/dev/infiniband/";
  private static final String CONNECTIONS = "RDMA connections of ucx and disni";
  private static final String LIBRARIES = "RDMA libraries";
  private static final String VERBS_LIBRARY = "libibverbs.so.1";

  /** One for each kind of NIC, in a directory beside libibverbs. */
  private static final String PROVIDER_LIBRARY = "lib.+-rdmav\\d+\\.so";

  private static final String UCX = "libraries of ucx";
  private static final List<String> UCX_LIBRARIES = List.of("librdmacm.so.1", "libucp.so.0");
  private static final String LOCKED_MEMORY = "locked memory";
  private static final long POOL_BYTES = 1L << 30; // the default pool, registered as a whole

  /**
   * Whether programs of this user can open the devices. That takes kernel module {@code ib_uverbs}
   * and its files in {@code /dev/infiniband}. Without a device there is no finding.
   */
  List<Finding> access() {
    if (!hasDevice()) {
      return List.of();
    }
    List<String> devices =
        files.names("/sys/class/infiniband_verbs").stream()
            .filter(name -> name.startsWith("uverbs"))
            .toList();
    if (devices.isEmpty()) {
      return List.of(missing(ACCESS, "programs cannot use the RDMA devices", "ib_uverbs"));
    }
    List<Finding> closed =
        devices.stream().flatMap(device -> closed(ACCESS, device).stream()).toList();
    return closed.isEmpty()
        ? List.of(Finding.ok(ACCESS, "possible, through " + String.join(", ", devices)))
        : closed;
  }

  /**
   * Whether ucx and disni can connect, which takes kernel module {@code rdma_ucm} and its file.
   * Without a device there is no finding.
   */
  List<Finding> connections() {
    if (!hasDevice()) {
      return List.of();
    }
    Optional<Finding> problem =
        files.exists("/sys/class/misc/rdma_cm")
            ? closed(CONNECTIONS, "rdma_cm")
            : Optional.of(
                missing(CONNECTIONS, "programs cannot connect by IP address", "rdma_ucm"));
    return List.of(
        problem
            .map(
                it ->
                    Finding.info(
                        CONNECTIONS,
                        it.what(),
                        it.cause() + "; transport verbs does without",
                        it.remedy()))
            .orElseGet(() -> Finding.ok(CONNECTIONS, "possible, through rdma_cm")));
  }

  private boolean hasDevice() {
    return !RdmaPort.read(files).isEmpty();
  }

  /** Why this process cannot open a device file; empty if it can. */
  private Optional<Finding> closed(String subject, String device) {
    String path = DEVICES + device;
    if (!files.exists(path)) {
      return Optional.of(
          Finding.problem(
              subject,
              "the kernel has %s, but %s does not exist".formatted(device, path),
              "this container was given no devices, or udev does not run",
              "give the container /dev/infiniband (docker run --device=/dev/infiniband)"));
    }
    return Files.isReadable(files.path(path)) && Files.isWritable(files.path(path))
        ? Optional.empty()
        : Optional.of(
            Finding.problem(
                subject,
                "this user may not open %s for reading and writing".formatted(path),
                "the permissions of %s".formatted(path),
                "install rdma-core, whose udev rules open it to all users, or chmod 666 " + path));
  }

  private static Finding missing(String subject, String what, String module) {
    return Finding.problem(
        subject,
        what,
        "kernel module %s is not loaded".formatted(module),
        "modprobe %s; for every boot: echo %s > /etc/modules-load.d/%s.conf"
            .formatted(module, module, module));
  }

  /** Whether rdma-core's libraries are in the system's library directories. */
  Finding libraries() {
    List<String> missing = new ArrayList<>();
    if (!has(VERBS_LIBRARY)) {
      missing.add(VERBS_LIBRARY);
    }
    if (directories().stream()
        .flatMap(directory -> files.names(directory + "/libibverbs").stream())
        .noneMatch(name -> name.matches(PROVIDER_LIBRARY))) {
      missing.add("the library of the NIC (libibverbs/lib*-rdmav*.so)");
    }
    return missing.isEmpty()
        ? Finding.ok(LIBRARIES, VERBS_LIBRARY + " and libraries of NICs")
        : problemWithDevice(
            LIBRARIES,
            "missing: " + String.join(", ", missing),
            "not in the system's library directories; rdma-core has them, and transport verbs needs"
                + " no others",
            "apt-get install rdma-core ibverbs-providers (Fedora, RHEL: dnf install rdma-core"
                + " libibverbs)");
  }

  /**
   * Whether the libraries that transport ucx needs beside those are in the system's library
   * directories. Without a device there is no finding.
   */
  List<Finding> ucxLibraries() {
    if (!hasDevice()) {
      return List.of();
    }
    List<String> missing = UCX_LIBRARIES.stream().filter(library -> !has(library)).toList();
    return List.of(
        missing.isEmpty()
            ? Finding.ok(UCX, String.join(", ", UCX_LIBRARIES))
            : Finding.info(
                UCX,
                "missing: " + String.join(", ", missing),
                "not in the system's library directories; transport verbs does without",
                "apt-get install libucx0 (Fedora, RHEL: dnf install ucx ucx-ib ucx-rdmacm)"));
  }

  private boolean has(String library) {
    return directories().stream().anyMatch(directory -> files.exists(directory + "/" + library));
  }

  private List<String> directories() {
    return Stream.of("/usr/lib", "/usr/lib64", "/lib", "/lib64", "/usr/local/lib")
        .flatMap(
            directory ->
                Stream.concat(
                    Stream.of(directory),
                    files.names(directory).stream()
                        .filter(name -> name.endsWith("-linux-gnu"))
                        .map(name -> directory + "/" + name)))
        .toList();
  }

  /** Whether a process may pin a pool of the default size for each device. */
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
    long devices =
        RdmaPort.read(files).stream()
            .filter(RdmaPort::isActive)
            .map(RdmaPort::device)
            .distinct()
            .count();
    return allowedBytes >= POOL_BYTES * Math.max(1, devices)
        ? Finding.ok(LOCKED_MEMORY, what)
        : problemWithDevice(
            LOCKED_MEMORY,
            what,
            "RLIMIT_MEMLOCK (ulimit -l) is smaller than the default pool of %s%s; only RDMA needs it"
                .formatted(
                    ByteSize.of(POOL_BYTES),
                    devices > 1 ? ", which counts for each of %s devices".formatted(devices) : ""),
            "ulimit -l unlimited before the process starts; permanently: LimitMEMLOCK=infinity in"
                + " the NodeManager's systemd unit, or \"USER - memlock unlimited\" in"
                + " /etc/security/limits.conf; in a container: docker run --ulimit memlock=-1");
  }

  private Finding problemWithDevice(String subject, String what, String cause, String remedy) {
    return hasDevice()
        ? Finding.problem(subject, what, cause, remedy)
        : Finding.info(subject, what, cause, remedy);
  }
}
