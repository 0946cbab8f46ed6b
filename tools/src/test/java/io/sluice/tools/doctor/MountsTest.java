package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.PoolCandidate.Mounts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountsTest {
  @TempDir Path root;

  private Mounts mounts(String... lines) {
    return Mounts.read(new Tree(root).with("/proc/self/mounts", String.join("\n", lines)).files());
  }

  @Test
  void aPathIsOnItsDeepestMount() {
    Mounts mounts =
        mounts("/dev/vda / ext4 rw 0 0", "tmpfs /mnt tmpfs rw 0 0", "none /mnt/h hugetlbfs rw 0 0");
    assertEquals("ext4", mounts.of(Path.of("/mnt2/x")).orElseThrow().type());
    assertEquals("tmpfs", mounts.of(Path.of("/mnt/other")).orElseThrow().type());
    assertEquals("hugetlbfs", mounts.of(Path.of("/mnt/h")).orElseThrow().type());
  }

  @Test
  void aLaterMountHidesAnEarlierOne() {
    Mounts mounts = mounts("tmpfs /mnt tmpfs rw 0 0", "/dev/pmem0 /mnt xfs ro,dax=always 0 0");
    assertEquals(1, mounts.all().size());
    assertTrue(mounts.all().get(0).isDax());
    assertTrue(mounts.all().get(0).isReadOnly());
  }

  @Test
  void theOptionSaysWhetherItIsDax() {
    Mounts mounts =
        mounts(
            "/dev/pmem0 /a ext4 rw,dax 0 0",
            "/dev/pmem1 /b ext4 rw,dax=never 0 0",
            "/dev/pmem2 /c xfs rw,dax=inode 0 0");
    assertEquals(
        List.of(true, false, false), mounts.all().stream().map(Mounts.Mount::isDax).toList());
    assertFalse(mounts.all().get(0).isReadOnly());
  }

  @Test
  void blanksInNamesAreUnescaped() {
    Mounts mounts = mounts("tmpfs /my\\040pool\\134x tmpfs rw 0 0");
    assertEquals(Path.of("/my pool\\x"), mounts.all().get(0).point());
  }
}
