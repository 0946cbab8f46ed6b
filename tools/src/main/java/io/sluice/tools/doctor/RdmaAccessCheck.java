package io.sluice.tools.doctor;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/**
 * Whether programs of this user get at the RDMA devices: two kernel modules and what they put into
 * {@code /dev/infiniband}.
 *
 * @param files where the kernel shows them
 */
record RdmaAccessCheck(SystemFiles files) implements Check {
  private static final String SUBJECT = "RDMA from programs";
  private static final String DEVICES = "/dev/infiniband/";

  @Override
  public List<Finding> look() {
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
      findings.add(missing("ib_uverbs", "programs cannot talk to the devices"));
    }
    if (files.exists("/sys/class/misc/rdma_cm")) {
      devices.add("rdma_cm");
    } else {
      findings.add(missing("rdma_ucm", "programs cannot connect by IP address, as Sluice does"));
    }
    devices.forEach(device -> look(device, findings));
    return findings.isEmpty()
        ? List.of(Finding.ok(SUBJECT, "possible, through " + String.join(", ", devices)))
        : findings;
  }

  private void look(String device, List<Finding> findings) {
    if (!files.exists(DEVICES + device)) {
      findings.add(
          Finding.problem(
              SUBJECT,
              "the kernel has %s, but there is no %s%s".formatted(device, DEVICES, device),
              "this is a container that was given no devices, or udev does not run",
              "give the container /dev/infiniband (docker run --device=/dev/infiniband)"));
    } else if (!Files.isWritable(files.path(DEVICES + device))) {
      findings.add(
          Finding.problem(
              SUBJECT,
              "%s%s is not open to this user".formatted(DEVICES, device),
              "its permissions",
              "chmod 666 %s%s, and a udev rule that keeps it so".formatted(DEVICES, device)));
    }
  }

  private static Finding missing(String module, String what) {
    return Finding.problem(
        SUBJECT,
        what,
        "kernel module %s is not loaded".formatted(module),
        "modprobe %s; for every boot: echo %s > /etc/modules-load.d/%s.conf"
            .formatted(module, module, module));
  }
}
