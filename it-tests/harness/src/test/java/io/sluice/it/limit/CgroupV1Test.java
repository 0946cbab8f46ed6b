package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupV1Test {
  private static final String MEMORY = "/cg/memory/box/one/group";
  private static final String UNIFIED = "/cg/unified/group";

  private final FakeKernel kernel = FakeKernel.hybrid();
  @TempDir private Path directory;

  @Test
  void liesBelowTheGroupOfItsMakerAndIsNotedFirst() throws Exception {
    try (ResourceGroup group = ResourceGroups.make(kernel, directory, "group")) {
      assertEquals("cgroup v1", group.title());
      assertEquals(List.of("mkdir " + MEMORY, "mkdir " + UNIFIED), kernel.log);
      assertEquals(
          List.of(MEMORY, UNIFIED), Files.readAllLines(directory.resolve("groups")), "the note");
      assertEquals(
          List.of(
              "sh",
              "-c",
              "echo $$ > %s/cgroup.procs && echo $$ > %s/cgroup.procs && exec \"$@\""
                  .formatted(MEMORY, UNIFIED),
              "sh"),
          group.enter());
    }
  }

  @Test
  void killsBeforeItRemoves() {
    ResourceGroups.make(kernel, directory, "group").close();
    assertEquals(
        List.of(
            "1 > " + UNIFIED + "/cgroup.kill",
            "1 > " + MEMORY + "/cgroup.kill",
            "rmdir " + UNIFIED,
            "rmdir " + MEMORY),
        kernel.log.subList(2, kernel.log.size()));
  }

  /** A process starts outside and enters by itself, perhaps after the others were killed. */
  @Test
  void killsAlsoWhatEntersWhileItIsRemoved() {
    ResourceGroup group = ResourceGroups.make(kernel, directory, "group");
    kernel.log.clear();
    kernel.withLateProcess();
    group.close();
    assertEquals(
        List.of(
            "1 > " + UNIFIED + "/cgroup.kill",
            "1 > " + MEMORY + "/cgroup.kill",
            "1 > " + UNIFIED + "/cgroup.kill",
            "rmdir " + UNIFIED,
            "rmdir " + MEMORY),
        kernel.log);
  }

  @Test
  void boundsMemoryInTheGroupAndDevicesAtTheRoot() {
    try (ResourceGroup group = ResourceGroups.make(kernel, directory, "group")) {
      kernel.log.clear();
      group.limitMemory(4096);
      group.limitDevice("7:3", new DeviceRate(1000, 5));
      assertEquals(
          List.of(
              "4096 > " + MEMORY + "/memory.limit_in_bytes",
              "7:3 1000 > /cg/blkio/blkio.throttle.read_bps_device",
              "7:3 5 > /cg/blkio/blkio.throttle.read_iops_device",
              "7:3 1000 > /cg/blkio/blkio.throttle.write_bps_device",
              "7:3 5 > /cg/blkio/blkio.throttle.write_iops_device"),
          kernel.log);
    }
  }

  @Test
  void readsWhatTheKernelCounts() {
    try (ResourceGroup group = ResourceGroups.make(kernel, directory, "group")) {
      kernel
          .with(UNIFIED + "/cpu.stat", "usage_usec 900\nuser_usec 600\n")
          .with(UNIFIED + "/io.pressure", "some avg10=0.00 total=70\nfull avg10=0.00 total=30\n")
          .with(UNIFIED + "/memory.pressure", "some avg10=0.00 total=8\nfull avg10=0.00 total=2\n")
          .with(MEMORY + "/memory.oom_control", "under_oom 0\noom_kill 1\n")
          .with(MEMORY + "/memory.usage_in_bytes", "500\n")
          .with(
              MEMORY + "/memory.stat",
              """
              cache 1
              total_cache 400
              total_rss 90
              total_rss_huge 7
              total_shmem 50
              total_mapped_file 60
              """);
      assertEquals(new GroupUse(900, 70, 30, 8, 2, 1), group.use());
      assertEquals(new GroupMemory(500, 400, 90, 50, 60), group.memory());
    }
  }

  @Test
  void saysWhyThereCanBeNone() {
    assertEquals(true, ResourceGroups.unavailableBecause(FakeKernel.hybrid()).isEmpty());
    String readOnly =
        ResourceGroups.unavailableBecause(FakeKernel.hybrid().readOnly()).orElseThrow();
    assertTrue(readOnly.contains("/cg/memory/box/one is not this user's to write"), readOnly);
    FakeKernel none =
        new FakeKernel().with("/proc/self/cgroup", "0::/\n").with("/proc/self/mounts", "");
    String nothing = ResourceGroups.unavailableBecause(none).orElseThrow();
    assertTrue(nothing.contains("no cgroup v2 with memory and io, nor v1"), nothing);
  }
}
