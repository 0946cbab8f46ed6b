package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Doctor.Trial;
import io.sluice.tools.doctor.Finding.Level;
import io.sluice.tools.doctor.PoolCandidate.Mounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolCandidateCheckTest {
  private static final Trial NO_NIC = new TrialProcess(Optional.empty());
  private static final Trial REGISTERS = new FakeTrial(Optional.empty());
  private static final Trial REFUSES = new FakeTrial(Optional.of("verbs: cannot pin"));

  @TempDir Path root;
  private Tree machine;
  private Path pool;

  @BeforeEach
  void create() throws IOException {
    machine = new Tree(root);
    pool = Files.createDirectory(root.toRealPath().resolve("pool"));
  }

  private List<Finding> lookAll(Path path, boolean hasMapSync, Trial trial) {
    SystemFiles files = machine.files();
    return new PoolCandidateCheck(path, files, Mounts.read(files), directory -> hasMapSync, trial)
        .look();
  }

  /** What it is; a second finding may say that it is small. */
  private Finding look(Path path, boolean hasMapSync, Trial trial) {
    return lookAll(path, hasMapSync, trial).get(0);
  }

  private Finding lookOn(String device, String type, String options, boolean sync, Trial trial) {
    machine.with("/proc/self/mounts", "%s %s %s %s 0 0".formatted(device, pool, type, options));
    return look(pool, sync, trial);
  }

  private static void assertContains(String part, String text) {
    assertTrue(text.contains(part), text);
  }

  @Test
  void tmpfsIsGoodAndRegisters() {
    Finding known = lookOn("tmpfs", "tmpfs", "rw", false, NO_NIC);
    assertEquals(Level.OK, known.level());
    assertContains("memory (tmpfs)", known.what());
    assertContains(
        "a NIC can register it (not tried here; true for this kind of storage)", known.what());
    Finding tried = lookOn("tmpfs", "tmpfs", "rw", false, REGISTERS);
    assertContains("a NIC can register it (tried over verbs)", tried.what());
  }

  @Test
  void aPlaceThatIsMountedReadOnlyIsCalledThat() {
    Finding finding = lookOn("tmpfs", "tmpfs", "ro,nosuid", false, NO_NIC);
    assertEquals("it is mounted read-only", finding.cause());
    assertContains("mount -o remount,rw " + pool, finding.remedy());
  }

  @Test
  void aPlaceThatCannotBeTriedIsNotCalledRefused() {
    Trial none =
        new Trial() {
          @Override
          public Optional<String> failureOf(String transport) {
            return Optional.empty();
          }

          @Override
          public Optional<Outcome> of(Path place) throws IOException {
            throw new IOException("no process can be started");
          }
        };
    Finding finding = lookOn("tmpfs", "tmpfs", "rw", false, none);
    assertEquals(Level.OK, finding.level());
    assertContains("not tried here; true for this kind", finding.what());
  }

  @Test
  void aRefusedRegistrationIsAProblem() {
    Finding finding = lookOn("tmpfs", "tmpfs", "rw", false, REFUSES);
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("a NIC did not register it (tried over verbs)", finding.what());
    assertEquals("verbs: cannot pin", finding.cause());
  }

  @Test
  void fewHugePagesAreAProblem() throws IOException {
    long pageKiB = Files.getFileStore(pool).getBlockSize() >> 10;
    machine.with("/sys/kernel/mm/hugepages/hugepages-%dkB/free_hugepages".formatted(pageKiB), "2");
    Finding what = lookOn("none", "hugetlbfs", "rw", false, NO_NIC);
    assertEquals(Level.OK, what.level());
    assertContains("hugetlbfs), %d KiB free".formatted(2 * pageKiB), what.what());
    Finding finding = lookAll(pool, false, NO_NIC).get(1);
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("too little for the default pool", finding.what());
    assertContains("sysctl -w vm.nr_hugepages=512", finding.remedy());
    assertContains("sluice.node.memory-mb", finding.remedy());
  }

  @Test
  void withoutAnyHugePageNothingIsTried() {
    String what = lookOn("none", "hugetlbfs", "rw", false, REFUSES).what();
    assertContains("0 bytes free", what);
    assertContains("not tried here", what);
  }

  @Test
  void daxWithMapSyncCannotBeRegistered() {
    Finding finding = lookOn("/dev/pmem0", "ext4", "rw,dax=always", true, NO_NIC);
    assertEquals(Level.INFO, finding.level());
    assertContains("fs-DAX with MAP_SYNC", finding.what());
    assertContains("a NIC cannot register it", finding.what());
    assertContains("--mode=devdax", finding.remedy());
    Finding tried = lookOn("/dev/pmem0", "ext4", "rw,dax=always", true, REFUSES);
    assertContains("a NIC did not register it (tried over verbs)", tried.what());
    assertEquals("verbs: cannot pin", tried.cause());
  }

  @Test
  void daxWithoutMapSyncIsAProblem() {
    Finding finding = lookOn("/dev/vdb", "ext4", "rw,dax", false, NO_NIC);
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("without MAP_SYNC", finding.what());
  }

  @Test
  void persistentMemoryMountedWithoutDaxIsAProblem() {
    Finding finding = lookOn("/dev/pmem0", "ext4", "rw", false, NO_NIC);
    assertEquals(Level.PROBLEM, finding.level());
    assertEquals(
        "umount %1$s; mount -o dax=always /dev/pmem0 %1$s".formatted(pool), finding.remedy());
  }

  @Test
  void pathsInCommandsAreQuotedForAShell() throws IOException {
    pool = Files.createDirectory(root.toRealPath().resolve("it's a pool"));
    machine.with(
        "/proc/self/mounts",
        "/dev/pmem0 %s ext4 rw 0 0".formatted(pool.toString().replace(" ", "\\040")));
    String quoted = "'" + root.toRealPath() + "/it'\\''s a pool'";
    assertEquals(
        "umount %1$s; mount -o dax=always /dev/pmem0 %1$s".formatted(quoted),
        look(pool, false, NO_NIC).remedy());
  }

  @Test
  void aDiskIsAProblem() {
    Finding finding = lookOn("/dev/vda", "ext4", "rw", false, NO_NIC);
    assertEquals(Level.PROBLEM, finding.level());
    assertContains("disk,", finding.what());
    assertContains("/dev/shm", finding.remedy());
  }

  @Test
  void aDeviceDaxSaysItsSize() throws IOException {
    Path device = Files.createFile(pool.resolve("dax0.0"));
    machine
        .with("/proc/self/mounts", "devtmpfs %s devtmpfs rw 0 0".formatted(pool))
        .with("/sys/bus/dax/devices/dax0.0/size", "4294967296");
    Finding finding = look(device, false, NO_NIC);
    assertEquals(Level.OK, finding.level());
    assertContains("(device-DAX), 4 GiB free; a NIC can register it", finding.what());
  }

  @Test
  void aDeviceTheKernelDoesNotShow() throws IOException {
    Path device = Files.createFile(pool.resolve("dax0.0"));
    machine.with("/proc/self/mounts", "devtmpfs %s devtmpfs rw 0 0".formatted(pool));
    assertContains("not show it as a DAX device", look(device, false, NO_NIC).cause());
  }

  @Test
  void whatIsMissingOrNoDirectoryIsAProblem() throws IOException {
    machine.with("/proc/self/mounts", "tmpfs / tmpfs rw 0 0");
    assertEquals("it does not exist", look(pool.resolve("nowhere"), false, NO_NIC).cause());
    Path file = Files.createFile(pool.resolve("file"));
    assertContains("neither a directory nor", look(file, false, NO_NIC).cause());
  }
}
