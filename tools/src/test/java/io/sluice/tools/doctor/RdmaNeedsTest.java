package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Finding.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What RDMA needs beside a device: device nodes, libraries, environment, locked memory. */
class RdmaNeedsTest {
  @TempDir Path root;
  private Tree machine;

  @BeforeEach
  void create() {
    machine = new Tree(root);
  }

  private Tree withDeviceNodes() {
    return machine
        .withRxe()
        .withDirectory("/sys/class/infiniband_verbs/uverbs0")
        .with("/sys/class/infiniband_verbs/abi_version", "6")
        .withDirectory("/sys/class/misc/rdma_cm")
        .with("/dev/infiniband/uverbs0", "")
        .with("/dev/infiniband/rdma_cm", "");
  }

  private List<Finding> access() {
    return new RdmaNeeds(machine.files()).access();
  }

  @Test
  void withoutADeviceNothingIsSaidOfAccess() {
    assertEquals(List.of(), access());
  }

  @Test
  void deviceNodesAreFound() {
    withDeviceNodes();
    assertEquals(
        List.of(Finding.ok("RDMA from programs", "possible, through uverbs0, rdma_cm")), access());
  }

  @Test
  void missingModulesAreNamed() {
    machine.withRxe().withDirectory("/dev/infiniband");
    List<Finding> findings = access();
    assertEquals(
        List.of("kernel module ib_uverbs is not loaded", "kernel module rdma_ucm is not loaded"),
        findings.stream().map(Finding::cause).toList());
    assertTrue(findings.get(1).remedy().startsWith("modprobe rdma_ucm;"), findings.toString());
  }

  @Test
  void aContainerWithoutDeviceNodes() throws Exception {
    withDeviceNodes();
    Files.delete(root.resolve("dev/infiniband/rdma_cm"));
    Finding finding = access().get(0);
    assertEquals(Level.PROBLEM, finding.level());
    assertTrue(finding.remedy().contains("--device=/dev/infiniband"), finding.remedy());
  }

  @Test
  void deviceNodesOfOthers() throws Exception {
    withDeviceNodes();
    Path node = root.resolve("dev/infiniband/uverbs0");
    Files.setPosixFilePermissions(node, PosixFilePermissions.fromString("r--r--r--"));
    Assumptions.assumeFalse(Files.isWritable(node), "root may write to everything");
    assertTrue(access().get(0).remedy().startsWith("chmod 666 /dev/infiniband/uverbs0"));
  }

  private Finding libraries() {
    return new RdmaNeeds(machine.files()).libraries();
  }

  @Test
  void librariesAreFoundWhereSystemsKeepThem() {
    machine
        .with("/usr/lib/x86_64-linux-gnu/libibverbs.so.1", "")
        .with("/lib64/librdmacm.so.1", "")
        .with("/usr/local/lib/libucp.so.0", "");
    assertEquals(Level.OK, libraries().level());
  }

  @Test
  void missingLibrariesAreAProblemOnlyWithADevice() {
    machine.with("/usr/lib/libibverbs.so.1", "");
    assertEquals(Level.INFO, libraries().level());
    machine.withRxe();
    Finding finding = libraries();
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("missing: librdmacm.so.1, libucp.so.0", finding.what());
    assertTrue(finding.remedy().startsWith("apt-get install libucx0"), finding.remedy());
  }

  private Finding lockedMemory() {
    return new RdmaNeeds(machine.files()).lockedMemory();
  }

  @Test
  void aSmallMemlockIsAProblemOnlyWithADevice() {
    machine.withMemlock("65536");
    assertEquals(Level.INFO, lockedMemory().level());
    machine.withRxe();
    Finding finding = lockedMemory();
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("64 KiB may be pinned for a NIC", finding.what());
    assertTrue(finding.remedy().contains("LimitMEMLOCK=infinity"), finding.remedy());
  }

  @Test
  void enoughMemlock() {
    machine.withRxe().withMemlock("unlimited");
    assertEquals(Finding.ok("locked memory", "unlimited"), lockedMemory());
    machine.withMemlock("2147483648");
    assertEquals(Finding.ok("locked memory", "2 GiB may be pinned for a NIC"), lockedMemory());
  }

  @Test
  void whatCannotBeReadIsAFinding() {
    assertEquals("cannot be read", lockedMemory().what());
  }
}
