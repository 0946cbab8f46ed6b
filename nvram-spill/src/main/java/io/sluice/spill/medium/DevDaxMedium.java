package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.medium.LibpmemMedium.Libpmem;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Non-volatile memory as a device: stored to like {@link SyncMedium}, but flushed by libpmem,
 * because the JDK flushes only its own mappings.
 *
 * <p>Thread contract: stateless. Failure: an absent library is a cause of unavailability, never an
 * error.
 */
public final class DevDaxMedium implements Medium {
  @Override
  public String name() {
    return "devdax";
  }

  @Override
  public boolean isPersistent() {
    return true;
  }

  @Override
  public boolean isStoredDirectly() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    try {
      if (PoolKind.of(pool) != PoolKind.DEVICE) {
        return Optional.of(pool + " is no device-DAX device");
      }
    } catch (IOException e) {
      return Optional.of(ErrorText.of(e));
    }
    return NativeFile.unavailabilityCause().or(LibpmemMedium::libraryCause);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return file.map(FileChannel.MapMode.READ_WRITE, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    Libpmem.persist(mapping.buffer(), offsetBytes, lengthBytes);
  }

  /**
   * A device-DAX device, such as {@code /dev/dax0.0}, as sysfs describes it.
   *
   * @param path the device
   * @param sizeBytes its size
   * @param alignmentBytes unit of the offset and length of mappings
   */
  public record DaxDevice(Path path, long sizeBytes, int alignmentBytes) {
    private static final String SUBSYSTEM = "dax";

    /**
     * Looks up a device.
     *
     * @throws IOException in plain words if it is no device of this kind
     */
    public static DaxDevice of(Path path) throws IOException {
      long device = ((Number) Files.getAttribute(path, "unix:rdev")).longValue();
      Path sysfs = Path.of("/sys/dev/char", major(device) + ":" + minor(device));
      Path subsystem = sysfs.resolve("subsystem");
      if (!Files.exists(subsystem)
          || !subsystem.toRealPath().getFileName().toString().equals(SUBSYSTEM)) {
        throw new IOException(
            path
                + " is neither a directory nor a device-DAX device; make one with"
                + " 'ndctl create-namespace --mode=devdax', or give the pool a directory");
      }
      return new DaxDevice(
          path, number(sysfs.resolve("size")), Math.toIntExact(number(sysfs.resolve("align"))));
    }

    private static long number(Path attribute) throws IOException {
      String text = Files.readString(attribute, StandardCharsets.US_ASCII).trim();
      try {
        return Long.decode(text);
      } catch (NumberFormatException e) {
        throw new IOException(attribute + " says '" + text + "', expected a number", e);
      }
    }

    private static long major(long device) {
      return device >>> 32 & 0xfffff000L | device >>> 8 & 0xfff;
    }

    private static long minor(long device) {
      return device >>> 12 & 0xffffff00L | device & 0xff;
    }
  }
}
