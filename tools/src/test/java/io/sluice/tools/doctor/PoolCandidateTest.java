package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.tools.doctor.PoolCandidate.Mounts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolCandidateTest {
  @TempDir Path root;

  private List<String> find(Tree machine) {
    SystemFiles files = machine.files();
    return PoolCandidate.find(files, Mounts.read(files)).stream().map(Path::toString).toList();
  }

  @Test
  void theDefaultIsLookedAtEvenWhereItIsMissing() {
    assertEquals(List.of("/dev/shm"), find(new Tree(root)));
  }

  @Test
  void memoryAndPersistentMemoryAreFound() {
    Tree machine =
        new Tree(root)
            .with(
                "/proc/self/mounts",
                """
                /dev/vda / ext4 rw 0 0
                tmpfs /dev/shm tmpfs rw 0 0
                tmpfs /run tmpfs rw 0 0
                tmpfs /run/user/1000 tmpfs rw 0 0
                tmpfs /run/mnt/pool tmpfs rw 0 0
                tmpfs /var/log tmpfs rw 0 0
                tmpfs /readonly tmpfs ro 0 0
                tmpfs /gone tmpfs rw 0 0
                none /huge hugetlbfs rw,pagesize=2M 0 0
                /dev/pmem0 /pmem ext4 rw,dax=always 0 0
                /dev/pmem1 /slow xfs rw 0 0
                /dev/vdb /data ext4 rw 0 0""");
    for (String directory :
        "/dev/shm /run/user/1000 /run/mnt/pool /var/log /readonly /huge /pmem /slow /data"
            .split(" ")) {
      machine.withDirectory(directory);
    }
    machine.with("/dev/dax0.0", "").with("/dev/daxctl", "");
    assertEquals(
        List.of("/dev/shm", "/run/mnt/pool", "/huge", "/pmem", "/slow", "/dev/dax0.0"),
        find(machine));
  }
}
