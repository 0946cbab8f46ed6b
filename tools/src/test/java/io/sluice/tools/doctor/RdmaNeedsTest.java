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

  private RdmaNeeds needs() {
    return new RdmaNeeds(machine.files());
  }

  private List<Finding> access() {
    return needs().access();
  }

  @Test
  void withoutADeviceNothingIsSaidOfAccess() {
    assertEquals(List.of(), access());
    assertEquals(List.of(), needs().connections());
    assertEquals(List.of(), needs().ucxLibraries());
  }

  @Test
  void deviceFilesAreFound() {
    machine.withRxe().withDeviceFiles();
    assertEquals(List.of(Finding.ok("RDMA from programs", "possible, through uverbs0")), access());
    assertEquals(
        List.of(Finding.ok("RDMA connections of ucx and disni", "possible, through rdma_cm")),
        needs().connections());
  }

  @Test
  void missingModulesAreNamed() {
    machine.withRxe().withDirectory("/dev/infiniband");
    Finding finding = access().get(0);
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("kernel module ib_uverbs is not loaded", finding.cause());
    assertTrue(finding.remedy().startsWith("modprobe ib_uverbs;"), finding.remedy());
    Finding others = needs().connections().get(0);
    assertEquals(Level.INFO, others.level());
    assertEquals(
        "kernel module rdma_ucm is not loaded; transport verbs does without", others.cause());
    assertTrue(others.remedy().startsWith("modprobe rdma_ucm;"), others.remedy());
  }

  @Test
  void verbsDoesWithoutTheFileByWhichOthersConnect() {
    machine.withRxe().withDeviceFiles().without("/dev/infiniband/rdma_cm");
    assertEquals(Level.OK, access().get(0).level());
    Finding others = needs().connections().get(0);
    assertEquals(Level.INFO, others.level());
    assertTrue(others.cause().endsWith("; transport verbs does without"), others.cause());
  }

  @Test
  void aContainerWithoutDeviceFiles() {
    machine.withRxe().withDeviceFiles().without("/dev/infiniband/uverbs0");
    Finding finding = access().get(0);
    assertEquals(Level.PROBLEM, finding.level());
    assertTrue(finding.remedy().contains("--device=/dev/infiniband"), finding.remedy());
  }

  @Test
  void deviceFilesOfOthers() throws Exception {
    machine.withRxe().withDeviceFiles();
    Path file = root.resolve("dev/infiniband/uverbs0");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    Assumptions.assumeFalse(Files.isWritable(file), "root may write to everything");
    assertTrue(access().get(0).remedy().endsWith("chmod 666 /dev/infiniband/uverbs0"));
  }

  @Test
  void librariesAreFoundWhereSystemsKeepThem() {
    machine.withRxe().withRdmaCore();
    assertEquals(Level.OK, needs().libraries().level());
    machine.with("/lib64/librdmacm.so.1", "").with("/usr/local/lib/libucp.so.0", "");
    assertEquals(Level.OK, needs().ucxLibraries().get(0).level());
  }

  @Test
  void librariesOfRedHatAreFound() {
    machine
        .withRxe()
        .with("/usr/lib64/libibverbs.so.1", "")
        .with("/usr/lib64/libibverbs/libmlx5-rdmav57.so", "");
    assertEquals(Level.OK, needs().libraries().level());
  }

  @Test
  void missingLibrariesAreAProblemOnlyWithADevice() {
    machine.with("/usr/lib/libibverbs.so.1", "");
    assertEquals(Level.INFO, needs().libraries().level());
    machine.withRxe();
    Finding finding = needs().libraries();
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals("missing: the library of the NIC (libibverbs/lib*-rdmav*.so)", finding.what());
    assertTrue(
        finding.remedy().startsWith("apt-get install rdma-core ibverbs-providers"),
        finding.remedy());
  }

  @Test
  void missingLibrariesOfUcxAreNoProblem() {
    machine.withRxe().withRdmaCore();
    Finding finding = needs().ucxLibraries().get(0);
    assertEquals(Level.INFO, finding.level());
    assertEquals("missing: librdmacm.so.1, libucp.so.0", finding.what());
    assertTrue(finding.cause().endsWith("transport verbs does without"), finding.cause());
    assertTrue(finding.remedy().startsWith("apt-get install libucx0"), finding.remedy());
  }

  private Finding lockedMemory() {
    return needs().lockedMemory();
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
  void thePoolCountsForEachDevice() {
    machine
        .withRxe()
        .withPort("mlx5_0", "4: ACTIVE", "5: LinkUp", "Ethernet")
        .withPort("mlx5_1", "1: DOWN", "3: Disabled", "Ethernet")
        .withMemlock("2147483647");
    String cause = lockedMemory().cause();
    assertTrue(cause.contains("pool of 1 GiB, which counts for each of 2 devices;"), cause);
    machine.withMemlock("2147483648");
    assertEquals(Level.OK, lockedMemory().level());
  }

  @Test
  void whatCannotBeReadIsAFinding() {
    assertEquals("cannot be read", lockedMemory().what());
  }
}
