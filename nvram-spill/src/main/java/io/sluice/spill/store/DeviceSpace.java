package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.spill.medium.DevDaxMedium.DaxDevice;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.segment.TrustedPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * A whole device-DAX device, locked: the meta area, then a slot per segment.
 *
 * <p>Thread contract, ownership: as {@link MappedPool.Backing} says. Failure: {@link IOException}
 * when another store has the device or it is too small.
 */
final class DeviceSpace implements MappedPool.Backing {
  private static final int ZEROS_BYTES = 1 << 20;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final DaxDevice device;
  private final NativeFile file;

  private DeviceSpace(DaxDevice device, NativeFile file) {
    this.device = device;
    this.file = file;
  }

  /** Locks the device, and closes it to other users. */
  static DeviceSpace open(DaxDevice device) throws IOException {
    TrustedPath.requireOwned(device.path());
    Files.setPosixFilePermissions(device.path(), OWNER_ONLY);
    NativeFile file = NativeFile.open(device.path(), device.alignmentBytes(), true);
    try {
      if (!file.tryLock()) {
        throw new IOException(
            device.path()
                + " is in use by another store; give each service a device of its own, or stop the"
                + " other one");
      }
      return new DeviceSpace(device, file);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  @Override
  public String path() {
    return device.path().toString();
  }

  @Override
  public int unitBytes() {
    return device.alignmentBytes();
  }

  @Override
  public MappedLayout layout(int segmentBytes, int blockBytes, long capacityBytes)
      throws IOException {
    int slots = (int) Math.min(1 << 30, device.sizeBytes() / segmentBytes);
    MappedLayout layout = new MappedLayout(unitBytes(), segmentBytes, blockBytes, slots);
    while (slots > 0 && layout.totalBytes() > device.sizeBytes()) {
      slots--;
      layout = new MappedLayout(unitBytes(), segmentBytes, blockBytes, slots);
    }
    return layout;
  }

  @Override
  public boolean exists() {
    return true;
  }

  @Override
  public Mapping mapMeta(int lengthBytes) throws IOException {
    if (lengthBytes > device.sizeBytes()) {
      throw new IOException(
          device.path() + " has " + device.sizeBytes() + " bytes, expected " + lengthBytes);
    }
    return file.map(0, lengthBytes);
  }

  @Override
  public void clear() {
    // the device stays as large as it is
  }

  @Override
  public boolean renewsMemory() {
    return false;
  }

  @Override
  public void createMeta(int lengthBytes) {
    // it is there
  }

  @Override
  public SegmentInfo segment(UUID poolId, int segmentId, MappedLayout layout) throws IOException {
    long offsetBytes = layout.metaBytes() + (long) segmentId * layout.segmentBytes();
    if (offsetBytes + layout.segmentBytes() > device.sizeBytes()) {
      throw new IOException(
          "%s has %s bytes, its pool was made for %s; open it without recovery, which empties it"
              .formatted(device.path(), device.sizeBytes(), layout.totalBytes()));
    }
    return new SegmentInfo(
        segmentId, 0, Tier.MEMORY, device.path(), offsetBytes, layout.segmentBytes(), unitBytes());
  }

  @Override
  public boolean create(SegmentInfo segment, Medium medium, BooleanSupplier stopped)
      throws IOException {
    // What a former pool left here must neither be seen nor recovered.
    try (Mapping mapping = file.map(segment.fileOffsetBytes(), (int) segment.lengthBytes())) {
      ByteBuffer zeros = ByteBuffer.allocate(ZEROS_BYTES);
      int lengthBytes = mapping.buffer().capacity();
      for (int offset = 0; offset < lengthBytes; offset += ZEROS_BYTES) {
        if (stopped.getAsBoolean()) {
          return false;
        }
        int n = Math.min(ZEROS_BYTES, lengthBytes - offset);
        medium.write(mapping, offset, zeros.slice(0, n));
      }
      return true;
    }
  }

  @Override
  public void delete(SegmentInfo segment) {
    // its slot is free to be used again
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
