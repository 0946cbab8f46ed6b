package io.sluice.spill.store;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.BooleanSupplier;

/**
 * Creates and opens the segments of the memory tier.
 *
 * <p>A new segment is written from end to end before it gets its name: every page exists, so that a
 * store into a mapping never meets a full file system, which the kernel reports by killing the
 * process (SIGBUS).
 *
 * <p>Thread contract: one thread. Failure: {@link IOException} if there is no room, with nothing
 * left behind.
 */
final class SegmentCreator {
  private static final int FILL_BYTES = 1 << 20;
  private static final String PREFIX = "segment-";

  private final Path directory;
  private final int segmentBytes;
  private final Medium medium;

  SegmentCreator(StoreConfig config) {
    this.directory = config.directory();
    this.segmentBytes = config.segmentBytes();
    this.medium = config.medium();
  }

  /** Name of the file of a segment, on either tier. */
  static String fileName(int segmentId) {
    return PREFIX + segmentId;
  }

  /** Id of a segment from its file, -1 if the file is no segment. */
  static int segmentId(Path file) {
    String name = file.getFileName().toString();
    if (!name.startsWith(PREFIX)) {
      return -1;
    }
    try {
      return Integer.parseInt(name.substring(PREFIX.length()));
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Opens an existing segment; its length must be that of the pool. */
  SegmentHandle open(int segmentId) throws IOException {
    Path path = directory.resolve(fileName(segmentId));
    long lengthBytes = Files.size(path);
    if (lengthBytes != segmentBytes) {
      throw new IOException(
          path
              + " has "
              + lengthBytes
              + " bytes, expected "
              + segmentBytes
              + "; somebody else wrote to the pool: delete "
              + directory
              + " to start anew");
    }
    return handle(segmentId, path, PrivateDirectory.openFile(path));
  }

  /** Creates a segment; empty-handed (null) if {@code stopped} says so before it is done. */
  SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
    long usableBytes = Files.getFileStore(directory).getUsableSpace();
    if (usableBytes < segmentBytes) {
      throw new IOException(
          directory + " has " + usableBytes + " bytes left, a segment needs " + segmentBytes);
    }
    Path path = directory.resolve(fileName(segmentId));
    Path temporary = directory.resolve(fileName(segmentId) + ".tmp");
    FileChannel file = PrivateDirectory.createFile(temporary);
    try {
      if (!fill(file, stopped)) {
        file.close();
        Files.delete(temporary);
        return null;
      }
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      Files.deleteIfExists(temporary);
      throw e;
    }
    return handle(segmentId, path, file);
  }

  private boolean fill(FileChannel file, BooleanSupplier stopped) throws IOException {
    ByteBuffer zeros = OffHeap.allocate(Math.min(FILL_BYTES, segmentBytes));
    try {
      for (long offsetBytes = 0; offsetBytes < segmentBytes; ) {
        if (stopped.getAsBoolean()) {
          return false;
        }
        zeros.position(0);
        zeros.limit((int) Math.min(zeros.capacity(), segmentBytes - offsetBytes));
        offsetBytes += file.write(zeros, offsetBytes);
      }
      return true;
    } finally {
      OffHeap.free(zeros);
    }
  }

  private SegmentHandle handle(int segmentId, Path path, FileChannel file) throws IOException {
    try {
      MappedByteBuffer mapping = medium.map(file, 0, segmentBytes);
      SegmentInfo info = new SegmentInfo(segmentId, Tier.MEMORY, path, segmentBytes);
      return new SegmentHandle(info, file, mapping, medium);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }
}
