package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import jdk.nio.mapmode.ExtendedMapMode;

/**
 * Non-volatile memory through the JDK's synchronous mapping (JEP 352): stores reach the medium by
 * flushing cache lines, without a system call. Unlike {@link PlainMedium} it works only where the
 * mount is DAX.
 *
 * <p>Thread contract: stateless.
 */
public final class SyncMedium implements Medium {
  private static final int PROBE_BYTES = 4096;

  @Override
  public String name() {
    return "sync";
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
    if (!Files.isDirectory(pool)) {
      return Optional.of("no synchronous mapping of " + pool + ", which is no directory");
    }
    try {
      Path probe = Files.createTempFile(pool, "probe-", ".tmp");
      try (FileChannel file =
          FileChannel.open(probe, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        Mapping.ofFile(file, ExtendedMapMode.READ_WRITE_SYNC, 0, PROBE_BYTES).close();
        return Optional.empty();
      } finally {
        Files.deleteIfExists(probe); // a service that starts may delete the probes of others
      }
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.of(
          String.format(
              "no synchronous mapping in %s (%s); it needs a file system mounted with DAX on"
                  + " persistent memory",
              pool, ErrorText.of(e)));
    }
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return file.map(ExtendedMapMode.READ_WRITE_SYNC, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    ((MappedByteBuffer) mapping.buffer()).force(offsetBytes, lengthBytes);
  }
}
