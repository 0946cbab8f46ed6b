package io.sluice.spill.store;

import io.sluice.rdma.memory.SharedFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;

/**
 * What kind of pool a place holds; in a directory of ordinary files, a file of its own says it.
 *
 * @param poolId drawn when the pool was created
 * @param segmentBytes length of its segments
 * @param blockBytes length of its blocks
 * @param firstIncarnation of segments: more than 0 if the pool has lost its memory, whose segments
 *     tasks may still open by their names
 */
record PoolHeader(UUID poolId, int segmentBytes, int blockBytes, int firstIncarnation) {
  private static final String FILE = "pool.properties";
  private static final String FORMAT = "6";

  /** Of a pool with no past. */
  PoolHeader(UUID poolId, int segmentBytes, int blockBytes) {
    this(poolId, segmentBytes, blockBytes, 0);
  }

  /** Reads the header of a directory; empty if there is none. */
  static Optional<PoolHeader> read(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Properties properties = new Properties();
    properties.load(new StringReader(Files.readString(file, StandardCharsets.US_ASCII)));
    String format = properties.getProperty("format");
    if (format != null && !format.equals(FORMAT)) {
      throw new OtherFormatException(
          "the pool at "
              + directory
              + " is of another release of Sluice: it has format "
              + format
              + ", this release "
              + FORMAT
              + "; open it without recovery, which empties it");
    }
    try {
      if (format == null) {
        throw new IllegalArgumentException("it names no format");
      }
      return Optional.of(
          new PoolHeader(
              UUID.fromString(properties.getProperty("poolId", "none")),
              Integer.parseInt(properties.getProperty("segmentBytes")),
              Integer.parseInt(properties.getProperty("blockBytes")),
              Integer.parseInt(properties.getProperty("firstIncarnation", "0"))));
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file
              + " is damaged ("
              + e.getMessage()
              + "); delete "
              + directory
              + " to start with an empty pool",
          e);
    }
  }

  /** Checks that the pool has the geometry of the configuration. */
  void check(StoreConfig config) throws IOException {
    Path place = config.directory();
    if (segmentBytes != config.segmentBytes()) {
      throw new IOException(
          mismatch(
              place, "segmentBytes", String.valueOf(segmentBytes), "" + config.segmentBytes()));
    }
    if (blockBytes != config.blockBytes()) {
      throw new IOException(
          mismatch(place, "blockBytes", String.valueOf(blockBytes), "" + config.blockBytes()));
    }
  }

  /** Writes the header of a new pool, atomically. */
  void write(Path directory) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("format", FORMAT);
    properties.setProperty("poolId", poolId.toString());
    properties.setProperty("segmentBytes", String.valueOf(segmentBytes));
    properties.setProperty("blockBytes", String.valueOf(blockBytes));
    properties.setProperty("firstIncarnation", String.valueOf(firstIncarnation));
    StringWriter text = new StringWriter();
    properties.store(text, "Sluice spill pool");
    Path temporary = directory.resolve(FILE + ".tmp");
    try (SharedFile file = LockedDirectory.createShared(temporary)) {
      file.write(0, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII)));
      file.force();
    }
    Files.move(temporary, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Makes a directory no pool, first of all when it is emptied. */
  static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }

  private static String mismatch(Path place, String what, String actual, String expected) {
    return place
        + " says "
        + what
        + " = "
        + actual
        + ", expected "
        + expected
        + "; open the pool with the settings it was created with, or without recovery, which"
        + " empties it";
  }
}
