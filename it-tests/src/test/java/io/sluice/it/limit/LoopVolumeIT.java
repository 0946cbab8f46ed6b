package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.limit.LoopVolume.Programs;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.it.limit.ResourceGroups.OwnGroups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real loop device with a real bound. */
class LoopVolumeIT {
  private static final int MIB = 1 << 20;
  private static final long SIZE_BYTES = 256L * MIB;
  private static final DeviceRate RATE = new DeviceRate(20L * MIB, 200);

  @BeforeAll
  static void canBound() {
    Limited.require(LoopVolume.unavailableBecause());
    Limited.require(ResourceGroups.unavailableBecause());
  }

  /** The one upper bound on work in a time: that the device does not do more than it may. */
  @Test
  void bufferedWritesAndReadsGoNoFasterThanTheBound() throws Exception {
    try (LimitDirectory directory = Limited.directory();
        LoopVolume volume = LoopVolume.create(directory.path(), "bound", SIZE_BYTES);
        ResourceGroup group = ResourceGroups.make(directory.path())) {
      volume.limit(group, RATE);
      volume.limitDirty(8L * MIB);
      DeviceUse before = volume.use();
      long startNs = System.nanoTime();
      Files.write(Limited.file(volume, "file"), new byte[100 * MIB]);
      volume.sync();
      double seconds = (System.nanoTime() - startNs) / 1e9;
      DeviceUse wrote = volume.use().minus(before);
      assertTrue(wrote.writtenBytes() >= 100 * MIB, "not all is counted: " + wrote);
      assertTrue(
          wrote.writtenBytes() / seconds <= 1.2 * RATE.bytesPerS(),
          "%s in %.1f s".formatted(wrote, seconds));
      volume.dropCache();
      before = volume.use();
      assertEquals(100 * MIB, Files.readAllBytes(Limited.file(volume, "file")).length);
      DeviceUse read = volume.use().minus(before);
      assertTrue(read.readBytes() >= 100 * MIB, "the cache was not dropped: " + read);
    }
  }

  @Test
  void nothingOfItIsLeft() throws Exception {
    Path mount;
    String device;
    try (LimitDirectory directory = Limited.directory();
        LoopVolume volume = LoopVolume.create(directory.path(), "left", SIZE_BYTES)) {
      mount = volume.mount();
      device = volume.device();
      Files.write(Limited.file(volume, "file"), new byte[MIB]);
      volume.empty();
      assertFalse(Files.exists(Limited.file(volume, "file")), "it is not empty");
    }
    requireNothing(mount, device);
  }

  /** As a killed owner leaves it: mounted and attached, and only the directory says so. */
  @Test
  void whatAKilledOwnerLeftIsRemovedByTheNext() throws Exception {
    Path parent;
    Path mount;
    String device;
    try (LimitDirectory others = Limited.directory()) {
      parent = others.path().resolve("parent");
      LimitDirectory killed = LimitDirectory.create(parent);
      LoopVolume volume = LoopVolume.create(killed.path(), "killed", SIZE_BYTES);
      mount = volume.mount();
      device = volume.device();
      ResourceGroup group = ResourceGroups.make(killed.path());
      volume.limit(group, RATE);
      Process running =
          new ProcessBuilder(
                  Stream.concat(
                          group.enter().stream(),
                          List.of("tail", "-f", Files.createFile(mount.resolve("held")).toString())
                              .stream())
                      .toList())
              .start();
      long gone = new ProcessBuilder("true").start().onExit().join().pid();
      Files.writeString(killed.path().resolve("owner.pid"), Long.toString(gone));
      try (LimitDirectory next = LimitDirectory.create(parent)) {
        assertFalse(Files.exists(killed.path()), "its directory is still there");
        assertTrue(Files.exists(next.path()));
      }
      assertTrue(running.waitFor(30, TimeUnit.SECONDS), "its process runs");
      requireNothing(mount, device);
    }
  }

  /** As where its whole checkout was deleted: the kernel gives the device, and its bounds, on. */
  @Test
  void aNewVolumeIsBoundByNobody() throws Exception {
    try (LimitDirectory directory = Limited.directory();
        ResourceGroup group = ResourceGroups.make(directory.path())) {
      LoopVolume former = LoopVolume.create(directory.path(), "former", SIZE_BYTES);
      former.limit(group, RATE);
      String device = former.device();
      Programs.run("umount", former.mount().toString());
      Path attached = Path.of("/sys/dev/block", device).toRealPath();
      Programs.run("losetup", "-d", "/dev/" + attached.getFileName());
      try (LoopVolume volume = LoopVolume.create(directory.path(), "next", SIZE_BYTES)) {
        assertEquals(device, volume.device());
        Path root = OwnGroups.find(KernelFiles.HERE).roots().get("blkio");
        if (root != null) {
          String bounds = Files.readString(root.resolve("blkio.throttle.write_bps_device"));
          assertFalse(bounds.contains(device + " "), bounds);
        }
      }
    }
  }

  private static void requireNothing(Path mount, String device) throws Exception {
    assertFalse(Files.readString(Path.of("/proc/self/mounts")).contains(mount.toString()), "mount");
    Path backing = Path.of("/sys/dev/block", device, "loop");
    assertFalse(Files.exists(backing), "the device is still attached");
  }
}
