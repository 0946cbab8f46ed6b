package io.sluice.spill.store;

import io.sluice.spill.disk.Device;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.IoClass;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BiConsumer;

/**
 * What one thread writes to the disk tier, with {@link Device#UNITS_UNDER_WAY} units under way. A
 * thread that waits for each unit before it makes the next gets half of a device that others want
 * too, however urgent it is.
 *
 * <p>Thread contract: one thread. It waits for a buffer while units of its own are under way; their
 * buffers are the device's until it has done them, so no two threads wait for each other.
 * Ownership: the caller that opens it closes it, which waits for the units under way. Failure: the
 * first one of a unit, at the latest from {@link #await}, after {@code onFailure} was told of its
 * segment; or {@link io.sluice.spill.disk.BufferSet.NoBufferException}, and {@code onFailure} is
 * not told.
 */
final class InFlightWrites implements AutoCloseable {
  private final BiConsumer<DiskSegment, IOException> onFailure;
  private final Deque<Unit> units = new ArrayDeque<>(); // oldest first

  private record Unit(DiskSegment segment, DeviceFile.Write write) {}

  InFlightWrites(BiConsumer<DiskSegment, IOException> onFailure) {
    this.onFailure = onFailure;
  }

  /** Begins to write all that remains in a buffer to a file of the disk tier. */
  void write(DiskSegment segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    for (long atBytes = offsetBytes; bytes.hasRemaining(); ) {
      int unitBytes = Math.min(bytes.remaining(), Device.UNIT_BYTES);
      awaitAllBut(
          ioClass == IoClass.COPY ? 0 : Device.UNITS_UNDER_WAY - 1); // for copies nobody waits
      begin(segment, ioClass, atBytes, bytes.slice(bytes.position(), unitBytes));
      bytes.position(bytes.position() + unitBytes);
      atBytes += unitBytes;
    }
  }

  /** The device is asked for nothing until it has the bytes: what fails here is not its failure. */
  private void begin(DiskSegment segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
      throws IOException {
    try (DeviceFile.Write write = segment.beginWrite(ioClass, offsetBytes, bytes.remaining())) {
      write.bytes().put(bytes);
      units.add(new Unit(segment, write)); // first: nothing that has begun may be forgotten
      try {
        write.begin();
      } catch (RuntimeException | Error e) {
        units.removeLast();
        throw e;
      }
    }
  }

  /** Returns when everything is written. */
  void await() throws IOException {
    awaitAllBut(0);
  }

  private void awaitAllBut(int count) throws IOException {
    while (units.size() > count) {
      Unit unit = units.remove();
      try {
        unit.write().await();
      } catch (IOException e) {
        onFailure.accept(unit.segment(), e);
        throw e;
      }
    }
  }

  /**
   * Waits for the units still under way; the caller has failed before, so their failures are
   * dropped.
   */
  @Override
  public void close() {
    while (!units.isEmpty()) {
      try {
        await();
      } catch (IOException e) {
        continue; // its segment was told
      }
    }
  }
}
