package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.spill.medium.DevDaxMedium;
import io.sluice.spill.medium.DevDaxMedium.DaxDevice;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.medium.SyncMedium;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where a test can put a pool: on any machine, and where the lab says by a system property that
 * there is something better.
 */
enum TestPlace {
  FILES("", 1 << 20, new PlainMedium()),
  /** The layout of a device in an ordinary file, for machines without one. */
  FILE_AS_DEVICE("", 2 << 20, new PlainMedium()),
  FS_DAX("sluice.lab.fsdax", 1 << 20, new SyncMedium()),
  HUGE_PAGES("sluice.lab.hugetlbfs", 2 << 20, new PlainMedium()),
  DEVICE("sluice.lab.devdax", 2 << 20, new DevDaxMedium());

  static final int UNIT_BYTES = 2 << 20;
  private static final long FILE_AS_DEVICE_BYTES = 16 << 20;

  private final String property;
  private final int segmentBytes;
  private final Medium medium;

  TestPlace(String property, int segmentBytes, Medium medium) {
    this.property = property;
    this.segmentBytes = segmentBytes;
    this.medium = medium;
  }

  int segmentBytes() {
    return segmentBytes;
  }

  Medium medium() {
    return medium;
  }

  /** Why there is no such place here; wipes a device before the first store. */
  Optional<String> whyNot(Path directory) {
    if (!property.isEmpty() && System.getProperty(property, "").isEmpty()) {
      return Optional.of("there is no " + this + " here: the property " + property + " is not set");
    }
    try {
      if (this == DEVICE) {
        wipe(pool(directory));
      } else if (this == FILE_AS_DEVICE) {
        try (RandomAccessFile file = new RandomAccessFile(pool(directory).toFile(), "rw")) {
          file.setLength(FILE_AS_DEVICE_BYTES);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isFiles() {
    return this == FILES || this == FS_DAX || this == HUGE_PAGES;
  }

  /** The directory that the pool's is made in. */
  Path parent(Path directory) {
    return property.isEmpty() ? directory : Path.of(System.getProperty(property));
  }

  Path pool(Path directory) {
    return switch (this) {
      case FILES, FILE_AS_DEVICE -> directory.resolve("pool");
      case FS_DAX, HUGE_PAGES -> parent(directory).resolve("pool-" + directory.getFileName());
      case DEVICE -> parent(directory);
    };
  }

  PoolSpace open(StoreConfig config) throws IOException {
    if (this != FILE_AS_DEVICE) {
      return PoolSpace.open(config);
    }
    Path file = config.directory();
    return new MappedPool(
        config,
        DeviceSpace.open(new DaxDevice(file, Files.size(file), UNIT_BYTES)),
        Owner.ofThisProcess());
  }

  /** Gives back what outlives a test's own directory. */
  void clean(Path directory) throws IOException {
    if (this != FS_DAX && this != HUGE_PAGES || whyNot(directory).isPresent()) {
      return;
    }
    Path pool = pool(directory);
    if (!Files.exists(pool)) {
      return;
    }
    try (Stream<Path> files = Files.walk(pool)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Hands the lab's property to another JVM. */
  List<String> options() {
    return property.isEmpty()
        ? List.of()
        : List.of("-D" + property + "=" + System.getProperty(property));
  }

  private static void wipe(Path device) throws IOException {
    try (NativeFile file = NativeFile.open(device, UNIT_BYTES, true);
        Mapping first = file.map(0, MappedLayout.FIRST_PAGE_BYTES)) {
      first.buffer().put(0, new byte[MappedLayout.FIRST_PAGE_BYTES]);
    }
  }
}
