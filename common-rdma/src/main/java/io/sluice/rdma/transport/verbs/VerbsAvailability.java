package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.LockedMemoryLimit;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.support.HostAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Finds out once whether verbs can work on this host: first what the kernel shows, then by opening
 * the devices. Each cause comes with its remedy.
 *
 * <p>Thread contract: safe from any thread. Failure: none; whatever fails is a cause.
 */
final class VerbsAvailability {
  /** The memory that must be free to pin: for the first windows and the queues. */
  private static final long LEAST_PINNED_BYTES = 16L << 20;

  /** The library, or a function of it that is not there, as JNA's messages name them. */
  private static final Pattern OF_LIBIBVERBS = Pattern.compile("'(lib)?ibv");

  private final Path sysClass;
  private final Path devices;
  private final LockedMemoryLimit limit;
  private Optional<String> cause; // null before it is known

  /**
   * Nothing is checked yet.
   *
   * @param sysClass {@code /sys/class}
   * @param devices {@code /dev/infiniband}
   */
  VerbsAvailability(Path sysClass, Path devices, LockedMemoryLimit limit) {
    this.sysClass = sysClass;
    this.devices = devices;
    this.limit = limit;
  }

  /**
   * Why verbs do not work here; empty if they do.
   *
   * @param verbs asked only where the kernel shows an active port, so that no process on another
   *     host loads libraries for native calls
   */
  synchronized Optional<String> cause(Supplier<Verbs> verbs) {
    if (cause == null) {
      cause = find(verbs);
    }
    return cause;
  }

  private Optional<String> find(Supplier<Verbs> verbs) {
    try {
      Map<String, List<Integer>> ports = VerbsDevices.activePorts(sysClass);
      if (ports.isEmpty()) {
        return Optional.of(
            names(sysClass.resolve("infiniband")).isEmpty()
                ? "no RDMA device in /sys/class/infiniband; install the NIC's driver, or in a"
                    + " container pass the device in"
                : "no RDMA device has an active port; check `rdma link` and the cable, or set the"
                    + " network interface up");
      }
      Optional<String> library = libraryCause();
      if (library.isPresent()) {
        return library;
      }
      Optional<String> permission = permissionCause();
      if (permission.isPresent()) {
        return permission;
      }
      Optional<String> refusal = limit.refusal(LEAST_PINNED_BYTES);
      if (refusal.isPresent()) {
        return refusal;
      }
      return trialCause(verbs.get(), ports);
    } catch (IOException | RuntimeException e) {
      return Optional.of("the RDMA devices cannot be examined: " + ErrorText.of(e));
    } catch (LinkageError e) {
      return Optional.of("libibverbs cannot be called: " + e);
    }
  }

  private static Optional<String> libraryCause() {
    Optional<String> calls = NativeCalls.unavailabilityCause();
    if (calls.isPresent()) {
      return calls;
    }
    return LibVerbs.loadFailure().map(VerbsAvailability::libraryCause);
  }

  /** JNA works, but may fail at what is not libibverbs'; rdma-core is not to blame then. */
  static String libraryCause(Throwable e) {
    return OF_LIBIBVERBS.matcher(e.toString()).find()
        ? "libibverbs.so.1 does not load ("
            + reason(e)
            + "); install rdma-core (Debian: libibverbs1 and ibverbs-providers; Red Hat:"
            + " libibverbs)"
        : "libibverbs cannot be called through JNA (" + ErrorText.of(e) + ")";
  }

  /**
   * What the system's loader says. JNA puts it into the second of many lines, which name the class
   * path.
   */
  static String reason(Throwable e) {
    return e.toString().lines().skip(1).findFirst().orElseGet(e::toString);
  }

  private Optional<String> permissionCause() throws IOException {
    List<String> found = names(devices).stream().filter(name -> name.startsWith("uverbs")).toList();
    if (found.isEmpty()) {
      return Optional.of(
          devices
              + " has no uverbs device; load the kernel module ib_uverbs, or in a container pass"
              + " that directory in");
    }
    for (String name : found) {
      Path device = devices.resolve(name);
      if (Files.isReadable(device) && Files.isWritable(device)) {
        return Optional.empty();
      }
    }
    return Optional.of(
        "this process may not open "
            + devices.resolve(found.get(0))
            + "; give its user read and write access (the udev rules of rdma-core give it to all"
            + " users)");
  }

  private Optional<String> trialCause(Verbs verbs, Map<String, List<Integer>> ports)
      throws IOException {
    List<String> drivers = verbs.deviceNames();
    if (drivers.stream().noneMatch(ports::containsKey)) {
      return Optional.of(
          "libibverbs has no driver for "
              + ports.keySet()
              + "; install its providers (Debian: ibverbs-providers; Red Hat: libibverbs)");
    }
    try (VerbsDevices opened = VerbsDevices.openAll(verbs, sysClass)) {
      VerbsDomains.allocate(opened).close();
      return hasAddress(opened)
          ? Optional.empty()
          : Optional.of(
              "no active RDMA port has a GID for an IP address of this host; give the port's"
                  + " network interface an IPv4 or IPv6 address");
    } catch (TransportException e) {
      return Optional.of(e.getMessage());
    }
  }

  private static boolean hasAddress(VerbsDevices opened) throws IOException {
    List<InetAddress> addresses = HostAddresses.all();
    for (VerbsDevice device : opened.all()) {
      if (device.hasAny(addresses)) {
        return true;
      }
    }
    return false;
  }

  private static List<String> names(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      List<String> names = new ArrayList<>();
      entries.forEach(entry -> names.add(entry.getFileName().toString()));
      names.sort(null);
      return names;
    }
  }
}
