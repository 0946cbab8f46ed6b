package io.sluice.tools.doctor;

import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.tools.doctor.Finding.ByteSize;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks how many files and mappings a process may have, and how many huge pages there are. A pool
 * maps each of its segments.
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
