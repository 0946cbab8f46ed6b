package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Which directories a store takes, and what it makes of them. */
class PoolDirectoryTest extends PoolTestBase {
  @Test
  void twoStoresNeverShareADirectory() throws Exception {
    SpillStore store = SpillStore.open(configWithDisk(1).build());
    assertRefused(config(1).build(), "in use by another store");
    StoreConfig sameDisk =
        StoreConfig.builder(directory.resolve("pool2"), SEGMENT_BYTES)
            .geometry(SEGMENT_BYTES, BLOCK_BYTES)
            .disk(List.of(disk()), 0, 0)
            .build();
    assertRefused(sameDisk, "in use by another store");
    store.close();
    SpillStore.open(config(1).build()).close();
  }

  @Test
  void filesAndDirectoriesAreTheOwnersAlone() throws Exception {
    Files.createDirectories(
        pool(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
    try (SpillStore store = SpillStore.open(configWithDisk(1).build());
        Lease lease = store.openLease(APP)) {
      lease.lease(2 * SEGMENT_BYTES);
      for (Path each : new Path[] {pool(), disk()}) {
        assertEquals("rwx------", permissions(each));
        try (var files = Files.list(each)) {
          for (Path file : files.toList()) {
            assertEquals("rw-------", permissions(file), file.toString());
          }
        }
      }
    }
  }

  @Test
  void aDirectoryWithForeignFilesIsRefusedAndUntouched() throws Exception {
    Path foreign = Files.createDirectories(pool()).resolve("thesis.txt");
    Files.writeString(foreign, "42");
    assertRefused(config(1).build(), "thesis.txt");
    assertEquals("42", Files.readString(foreign));
    Files.delete(foreign);
    SpillStore.open(config(1).build()).close();
  }

  @Test
  void onlyOwnTemporariesAreRemoved() throws Exception {
    SpillStore.open(config(1).build()).close();
    Path foreign = Files.createFile(pool().resolve("thesis.tmp"));
    assertRefused(config(1).build(), "thesis.tmp");
    Files.move(foreign, pool().resolve("probe-123.tmp"));
    SpillStore.open(config(1).recover(Set.of()).build()).close();
    assertTrue(Files.notExists(pool().resolve("probe-123.tmp")));
  }

  @Test
  void aLinkIsRefused() throws Exception {
    Files.createSymbolicLink(pool(), Files.createDirectories(directory.resolve("elsewhere")));
    assertRefused(config(1).build(), "is a symbolic link to ");
  }

  @Test
  void aDirectoryOfAnotherUserIsRefused() throws Exception {
    Files.createDirectories(pool());
    try {
      Files.setAttribute(pool(), "unix:uid", 65534);
    } catch (IOException e) {
      Assumptions.abort("giving a directory to another user needs root: " + e);
    }
    assertRefused(config(1).build(), "belongs to user id 65534");
    Files.setAttribute(pool(), "unix:uid", Files.getAttribute(directory, "unix:uid"));
  }

  @Test
  void aPoolOfAnotherGeometryIsNotRecovered() throws Exception {
    SpillStore.open(config(1).build()).close();
    StoreConfig other =
        StoreConfig.builder(pool(), SEGMENT_BYTES)
            .geometry(SEGMENT_BYTES, 2 * BLOCK_BYTES)
            .recover(Set.of())
            .build();
    assertRefused(other, "blockBytes = " + BLOCK_BYTES + ", expected " + 2 * BLOCK_BYTES);
    StoreConfig another =
        StoreConfig.builder(pool(), SEGMENT_BYTES)
            .geometry(2 * SEGMENT_BYTES, BLOCK_BYTES)
            .recover(Set.of())
            .build();
    assertRefused(another, "segmentBytes = " + SEGMENT_BYTES + ", expected " + 2 * SEGMENT_BYTES);
  }

  @Test
  void aDamagedHeaderIsNamed() throws Exception {
    SpillStore.open(config(1).build()).close();
    Path header = pool().resolve("pool.properties");
    String text = Files.readString(header);
    Files.writeString(header, text.replaceAll("poolId=.*", "poolId=x"));
    assertRefused(config(1).recover(Set.of()).build(), "damaged");
    Files.writeString(header, text.replaceAll("format=.*", ""));
    assertRefused(config(1).recover(Set.of()).build(), "names no format");
    SpillStore.open(config(1).build()).close();
  }

  /** A service is upgraded while its jobs go on: they make their outputs again. */
  @Test
  void aPoolOfAnotherReleaseIsEmptied() throws Exception {
    UUID former;
    try (SpillStore store = SpillStore.open(config(1).build())) {
      former = store.poolId();
      commit(store.openLease(APP), id(1), new Random(1), 100_000);
    }
    // As an older one called them.
    Files.createFile(pool().resolve("segment-0"));
    Files.createFile(pool().resolve("segment-1.tmp"));
    Path header = pool().resolve("pool.properties");
    Files.writeString(header, Files.readString(header).replaceAll("format=.*", "format=5"));
    try (SpillStore store = SpillStore.open(config(1).recover(Set.of()).build())) {
      assertNotEquals(former, store.poolId());
      assertEquals(0, store.stats().outputs());
      assertFalse(Files.exists(pool().resolve("segment-0")));
    }
  }

  /** It has the path of what it was granted, and opens it when it comes to it. */
  @Test
  void aTaskThatOutlivesItsPoolDoesNotFindTheNextOne() throws Exception {
    List<Extent> granted;
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      granted = store.openLease(APP).lease(SEGMENT_BYTES + BLOCK_BYTES);
    }
    assertEquals(2, granted.size());
    try (SpillStore store = SpillStore.open(configWithDisk(1).build());
        Lease lease = store.openLease(APP)) {
      List<Extent> others = lease.lease(SEGMENT_BYTES + BLOCK_BYTES);
      for (int i = 0; i < 2; i++) {
        SegmentInfo former = granted.get(i).segment();
        assertEquals(former.segmentId(), others.get(i).segment().segmentId());
        assertThrows(IOException.class, () -> SegmentFile.open(former, true).close());
      }
    }
  }

  @Test
  void aSegmentOfWrongLengthIsNamed() throws Exception {
    SpillStore store = SpillStore.open(config(1).build());
    try (Lease lease = store.openLease(APP)) {
      lease.lease(1);
    }
    store.close();
    Files.write(store.paths().path(0, 0, 0), new byte[5]);
    assertRefused(config(1).recover(Set.of()).build(), "has 5 bytes, expected " + SEGMENT_BYTES);
  }

  @Test
  void withoutRecoveryEverythingStartsAnew() throws Exception {
    Random random = seeded("withoutRecoveryEverythingStartsAnew");
    UUID former;
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      former = store.poolId();
      commit(store.openLease(APP), id(1), random, 2_000_000);
    }
    Files.write(pool().resolve("segment-5.tmp"), new byte[5]);
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      assertNotEquals(former, store.poolId());
      assertEquals(0, store.stats().outputs());
      assertAllFree(store);
    }
  }

  @Test
  void recoveringAPoolThatIsGoneStartsAnew() throws Exception {
    Random random = seeded("recoveringAPoolThatIsGoneStartsAnew");
    try (SpillStore store = SpillStore.open(configWithDisk(0).build())) {
      commit(store.openLease(APP), id(1), random, 200_000);
    }
    try (var files = Files.list(pool())) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    StoreConfig config = configWithDisk(1).recover(Set.of(APP)).build();
    try (SpillStore store = SpillStore.open(config)) {
      assertEquals(0, store.stats().outputs());
      assertAllFree(store);
    }
  }

  private static void assertRefused(StoreConfig config, String reason) {
    String message = assertThrows(IOException.class, () -> SpillStore.open(config)).getMessage();
    assertTrue(message.contains(reason), message);
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
