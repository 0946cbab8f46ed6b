package io.sluice.tools.doctor;

import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.support.HostAddresses;
import io.sluice.spill.medium.SyncMedium;
import io.sluice.tools.doctor.Finding.ByteSize;
import io.sluice.tools.doctor.PoolCandidate.Mounts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Runs all checks of this machine and returns their findings in the order in which people read
 * them. {@code ClusterDoctor} does the same for configuration files.
 *
 * <p>Thread contract: stateless. Failure: no check throws; a fact that cannot be found out is a
 * finding too.
 */
public final class Doctor {
  private Doctor() {}

  /**
   * Examines this machine.
   *
   * @param pools directories and devices to examine as candidates for a pool, in addition to those
   *     that are found
   */
  public static List<Finding> examine(List<Path> pools) {
    SystemFiles files = SystemFiles.ofThisMachine();
    TransportChooser chooser = TransportChooser.standard();
    Trial trial = TrialProcess.with(chooser);
    Finding nativeCalls = JavaCheck.nativeCalls();
    List<Finding> findings = new ArrayList<>();
    findings.add(JavaCheck.release());
    findings.add(nativeCalls);
    Map<String, List<InetAddress>> addresses = addresses();
    findings.addAll(new HostTransports(files, addresses, nativeCalls, chooser, trial).look());
    findings.addAll(new HostNameCheck(files, addresses, HostAddresses::name).look());
    findings.addAll(pools(pools, files, trial));
    findings.addAll(new LimitsCheck(files).look());
    return findings;
  }

  /** As {@link HostAddresses} says; none if they cannot be read. */
  private static Map<String, List<InetAddress>> addresses() {
    try {
      return HostAddresses.byInterface();
    } catch (SocketException e) {
      return Map.of();
    }
  }

  private static List<Finding> pools(List<Path> more, SystemFiles files, Trial trial) {
    Mounts mounts = Mounts.read(files);
    Set<Path> candidates = new LinkedHashSet<>(more);
    candidates.addAll(PoolCandidate.find(files, mounts));
    Predicate<Path> hasMapSync =
        directory -> new SyncMedium().unavailabilityCause(directory).isEmpty();
    return candidates.stream()
        .flatMap(
            path -> new PoolCandidateCheck(path, files, mounts, hasMapSync, trial).look().stream())
        .toList();
  }

  /** Tries a transport, and tries to register the memory of a candidate for a pool with a NIC. */
  interface Trial {
    /**
     * The outcome of a trial with one candidate.
     *
     * @param transport the transport that tried to register it
     * @param refusal why that failed; empty if it worked
     */
    record Outcome(String transport, Optional<String> refusal) {}

    /**
     * Returns why an available transport cannot listen and register memory; empty if it can.
     *
     * @throws IOException if the trial itself failed, which says nothing about the transport
     */
    Optional<String> failureOf(String transport) throws IOException;

    /**
     * Tries to register memory of a candidate. Empty if no transport with a NIC works here, or if
     * this candidate cannot be tried.
     *
     * @throws IOException if the trial itself failed, which says nothing about the candidate
     */
    Optional<Outcome> of(Path candidate) throws IOException;
  }

  /**
   * Checks the JVM of this process: its release, the module that maps persistent memory, and native
   * calls. JNA unpacks a library for native calls into a directory. A container with a read-only
   * root has no such directory, and it may be mounted {@code noexec}.
   *
   * <p>Thread contract: stateless.
   */
  static final class JavaCheck {
    private static final String JAVA = "Java";
    private static final int OLDEST = 17;
    private static final String SYNC_MODULE = "jdk.nio.mapmode";
    private static final String NATIVE_CALLS = "native calls";

    private JavaCheck() {}

    static Finding release() {
      String what = "%s from %s".formatted(Runtime.version(), System.getProperty("java.home"));
      if (Runtime.version().feature() < OLDEST) {
        return Finding.broken(
            JAVA,
            what,
            "Sluice needs Java %s or later".formatted(OLDEST),
            "apt-get install openjdk-17-jdk-headless, and set JAVA_HOME");
      }
      if (ModuleLayer.boot().findModule(SYNC_MODULE).isEmpty()) {
        return Finding.problem(
            JAVA,
            what,
            "it lacks the module " + SYNC_MODULE + ", which maps persistent memory",
            "set JAVA_HOME to a complete JDK");
      }
      return Finding.ok(JAVA, what);
    }

    static Finding nativeCalls() {
      return nativeCalls(NativeCalls.unavailabilityCause());
    }

    /** The finding for a process in which native calls fail for this cause; empty if they work. */
    static Finding nativeCalls(Optional<String> failure) {
      return failure
          .map(
              cause ->
                  Finding.problem(
                      NATIVE_CALLS,
                      "do not work: no RDMA, no pool on a DAX device or in huge pages,"
                          + " and a NodeManager's service cannot serve tasks of other users",
                      cause,
                      "set -Djna.tmpdir=DIR to a directory that is writable and not mounted noexec:"
                          + " in YARN_NODEMANAGER_OPTS, in the JVM options of tasks and executors,"
                          + " and after \"java\" for this doctor"))
          .orElseGet(() -> Finding.ok(NATIVE_CALLS, "work"));
    }
  }

  /**
   * Checks how many files and mappings a process may have, and how many huge pages there are. A
   * pool maps each of its segments.
   *
   * @param files where the kernel shows limits
   */
  record LimitsCheck(SystemFiles files) {
    private static final long FILES_NEEDED = 4096;
    private static final ConnectionLimits CONNECTIONS = ConnectionLimits.DEFAULT;
    private static final int TRANSPORTS =
        1; // with more of them, a service takes fewer connections over each
    private static final String RAISE_FILES =
        "ulimit -n %s before the process starts; permanently: LimitNOFILE=%s in its systemd unit";
    private static final long MAPS_NEEDED = 65_530; // the kernel's default

    List<Finding> look() {
      List<Finding> findings = new ArrayList<>();
      findings.add(openFiles());
      limit(
          findings,
          "memory mappings",
          files.line("/proc/sys/vm/max_map_count").orElse("unknown"),
          MAPS_NEEDED,
          "sysctl -w vm.max_map_count=%s".formatted(MAPS_NEEDED));
      findings.add(hugePages());
      return findings;
    }

    /** A service takes as many connections as its limit on open files allows. */
    private Finding openFiles() {
      String value = files.field("/proc/self/limits", "Max open files").orElse("unknown");
      String what = value + " in a process";
      long suffice = CONNECTIONS.filesNeeded(TRANSPORTS);
      long open = value.matches("\\d{1,18}") ? Long.parseLong(value) : suffice;
      if (open >= suffice) {
        return Finding.ok("open files", what);
      }
      String served =
          "a service takes up to %s connections of each kind then, not %s"
              .formatted(
                  CONNECTIONS.within(open, TRANSPORTS).maxConnections(),
                  CONNECTIONS.maxConnections());
      return open < FILES_NEEDED
          ? Finding.problem(
              "open files",
              what,
              "fewer than %s: %s".formatted(FILES_NEEDED, served),
              RAISE_FILES.formatted(FILES_NEEDED, FILES_NEEDED))
          : Finding.info("open files", what, served, RAISE_FILES.formatted(suffice, suffice));
    }

    private static void limit(
        List<Finding> findings, String subject, String value, long needed, String remedy) {
      if (value.matches("\\d+") && Long.parseLong(value) < needed) {
        findings.add(
            Finding.problem(
                subject, value + " in a process", "fewer than %s".formatted(needed), remedy));
      } else {
        findings.add(Finding.ok(subject, value + " in a process"));
      }
    }

    private Finding hugePages() {
      String subject = "huge pages";
      String total = files.field("/proc/meminfo", "HugePages_Total:").orElse("0");
      if (total.equals("0")) {
        return Finding.info(
            subject,
            "none reserved",
            "only a pool on hugetlbfs needs them",
            "sysctl -w vm.nr_hugepages=512 reserves 1 GiB where they have 2 MiB");
      }
      String free = files.field("/proc/meminfo", "HugePages_Free:").orElse("unknown");
      String sizeKiB = files.field("/proc/meminfo", "Hugepagesize:").orElse("0");
      return Finding.ok(
          subject,
          "%s of %s free, of %s each"
              .formatted(free, total, ByteSize.of(Long.parseLong(sizeKiB) << 10)));
    }
  }
}
