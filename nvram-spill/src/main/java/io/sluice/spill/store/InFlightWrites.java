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
 * What one thread writes to the disk tier, with {@link Device#UNITS_UNDER_WAY} units under way:
 * whoever waits for each before he makes the next has half of a device that others want too,
 * however urgent he is.
 *
 * <p>Thread contract: one thread. It waits for memory while units of its own are under way, which
 * is the device's until it has done them, so that this waits for nobody who waits for it.
 * Ownership: whoever opens it closes it, which waits for what is under way. Failure: the first one
 * of a unit, at the latest from {@link #await}, once its segment was told to {@code onFailure};
 * {@link io.sluice.spill.disk.NoBufferException}, of which {@code onFailure} is not told.
 */
final class InFlightWrites implements AutoCloseable {
  private final BiConsumer<SegmentHandle, IOException> onFailure;
  private final Deque<Unit> units = new ArrayDeque<>(); // oldest first

  private record Unit(SegmentHandle segment, DeviceFile.Write write) {}

  InFlightWrites(BiConsumer<SegmentHandle, IOException> onFailure) {
    this.onFailure = onFailure;
  }

  /** Begins to write all that remains in a buffer to a file of the disk tier. */
  void write(SegmentHandle segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
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
  private void begin(SegmentHandle segment, IoClass ioClass, long offsetBytes, ByteBuffer bytes)
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

  /** What is still under way then has no more to say: whoever wrote it has failed before. */
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
