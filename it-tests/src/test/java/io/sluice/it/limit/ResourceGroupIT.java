package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.limit.ResourceGroup.GroupMemory;
import io.sluice.it.limit.ResourceGroup.GroupUse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real group of the kernel: page cache counts and is reclaimed, what cannot be is killed. */
class ResourceGroupIT {
  private static final long MIB = 1 << 20;
  private static final long BOUND_BYTES = 128 * MIB;

  /** Fills so many bytes of a process's own memory. */
  private static final String FILL = "head -c %d /dev/zero | tail -c %d > /dev/null";

  @BeforeAll
  static void canBound() {
    Limited.require(ResourceGroups.unavailableBecause());
  }

  @Test
  void aLargeFileIsReadWithinTheBound() throws Exception {
    try (LimitDirectory directory = Limited.directory();
        ResourceGroup group = ResourceGroups.make(directory.path())) {
      Path file = directory.path().resolve("file");
      group.limitMemory(BOUND_BYTES);
      GroupUse before = group.use();
      assertEquals(
          0,
          Limited.run(
              group,
              "head -c %d /dev/zero > %s && cat %s > /dev/null && ".formatted(200 * MIB, file, file)
                  + FILL.formatted(64 * MIB, 64 * MIB)));
      GroupUse use = group.use().minus(before);
      assertEquals(0, use.oomKills(), "killed");
      assertTrue(use.cpuUs() > 0, "no processor time in " + use);
      GroupMemory memory = group.memory();
      assertTrue(memory.usedBytes() <= BOUND_BYTES, "more than the bound: " + memory);
      assertTrue(memory.cacheBytes() > 16 * MIB, "the file's pages do not count: " + memory);
      assertEquals(200 * MIB, Files.size(file));
    }
  }

  @Test
  void whatNeedsMoreIsKilledAndCounted() throws Exception {
    try (LimitDirectory directory = Limited.directory();
        ResourceGroup group = ResourceGroups.make(directory.path())) {
      group.limitMemory(BOUND_BYTES);
      long before = group.use().oomKills();
      assertNotEquals(
          0, Limited.run(group, "set -e; " + FILL.formatted(256 * MIB, 256 * MIB)), "status");
      assertTrue(group.use().oomKills() > before, "nothing was killed: " + group.use());
    }
  }

  @Test
  void closingEndsWhatIsLeft() throws Exception {
    Process left;
    try (LimitDirectory directory = Limited.directory();
        ResourceGroup group = ResourceGroups.make(directory.path())) {
      List<String> command = new ArrayList<>(group.enter());
      command.addAll(List.of("sleep", "600"));
      left = new ProcessBuilder(command).start();
    }
    assertTrue(left.waitFor(30, TimeUnit.SECONDS), "it still runs");
  }
}
