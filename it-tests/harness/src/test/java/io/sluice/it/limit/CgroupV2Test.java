package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.it.limit.ResourceGroup.DeviceRate;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CgroupV2Test {
  private static final String OWN = "/cg/user/scope";
  private static final String GROUP = OWN + "/group";
  private static final String OTHERS = OWN + "/group-others";

  private final FakeKernel kernel = FakeKernel.pure();
  @TempDir private Path directory;

  @Test
  void makesRoomForControllersBeforeItDivides() {
    try (ResourceGroup group = ResourceGroups.make(kernel, directory, "group")) {
      assertEquals("cgroup v2", group.title());
      assertEquals(
          List.of(
              "mkdir " + OTHERS,
              "11 > " + OTHERS + "/cgroup.procs",
              "12 > " + OTHERS + "/cgroup.procs",
              "+memory +io > " + OWN + "/cgroup.subtree_control",
              "mkdir " + GROUP),
          kernel.log);
    }
  }

  @Test
  void killsItsOwnAloneAndPutsTheOthersBack() {
    ResourceGroup group = ResourceGroups.make(kernel, directory, "group");
    kernel.log.clear();
    group.close();
    assertEquals(
        List.of(
            "1 > " + GROUP + "/cgroup.kill",
            "rmdir " + GROUP,
            "-memory -io > " + OWN + "/cgroup.subtree_control",
            "11 > " + OWN + "/cgroup.procs",
            "12 > " + OWN + "/cgroup.procs",
            "rmdir " + OTHERS),
        kernel.log);
  }

  @Test
  void boundsDevicesForItselfAlone() {
    try (ResourceGroup group = ResourceGroups.make(kernel, directory, "group")) {
      kernel.log.clear();
      group.limitMemory(4096);
      group.limitDevice("7:3", new DeviceRate(1000, 5));
      assertEquals(
          List.of(
              "4096 > " + GROUP + "/memory.max",
              "7:3 rbps=1000 wbps=1000 riops=5 wiops=5 > " + GROUP + "/io.max"),
          kernel.log);
    }
  }
}
