package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Doctor.LimitsCheck;
import io.sluice.tools.doctor.Finding.Level;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LimitsCheckTest {
  @TempDir Path root;

  @Test
  void smallLimitsAreProblemsWithTheCommandThatRaisesThem() {
    Tree machine =
        new Tree(root).withMemlock("unlimited").with("/proc/sys/vm/max_map_count", "1000");
    List<Finding> findings = new LimitsCheck(machine.files()).look();
    assertEquals("1024 in a process", findings.get(0).what());
    assertEquals(
        "ulimit -n 4096 before the process starts; permanently: LimitNOFILE=4096 in its systemd unit",
        findings.get(0).remedy());
    assertEquals("sysctl -w vm.max_map_count=65530", findings.get(1).remedy());
    assertEquals(Level.INFO, findings.get(2).level());
  }

  /** As the service says of itself when it starts. */
  @Test
  void whereFilesDoNotSufficeForAllConnectionsThatIsSaid() {
    Tree machine =
        new Tree(root).with("/proc/self/limits", "Max open files            4096   4096   files");
    Finding finding = new LimitsCheck(machine.files()).look().get(0);
    assertEquals(Level.INFO, finding.level());
    assertEquals(
        "a service takes up to 256 connections of each kind then, not 2048", finding.cause());
    assertTrue(finding.remedy().contains("LimitNOFILE=32768"), finding.remedy());
  }

  @Test
  void hugePagesAreCounted() {
    Tree machine =
        new Tree(root)
            .with("/proc/self/limits", "Max open files            unlimited   unlimited   files")
            .with("/proc/sys/vm/max_map_count", "65530")
            .with(
                "/proc/meminfo",
                "HugePages_Total:     128\nHugePages_Free:       96\nHugepagesize:       2048 kB");
    List<Finding> findings = new LimitsCheck(machine.files()).look();
    assertEquals(
        List.of(
            Finding.ok("open files", "unlimited in a process"),
            Finding.ok("memory mappings", "65530 in a process"),
            Finding.ok("huge pages", "96 of 128 free, of 2 MiB each")),
        findings);
  }
}
