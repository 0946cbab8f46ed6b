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
 * The identity and geometry of a pool. In a directory of ordinary files it has a file of its own.
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
          "the pool at %s %s; open it without recovery, which empties it"
              .formatted(directory, ofAnotherRelease(format, FORMAT)));
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
          "%s is damaged (%s); delete %s to start with an empty pool"
              .formatted(file, e.getMessage(), directory),
          e);
    }
  }

  /** Checks that the pool has the geometry of the configuration. */
  void check(StoreConfig config) throws IOException {
    check(config.directory(), "segmentBytes", segmentBytes, config.segmentBytes());
    check(config.directory(), "blockBytes", blockBytes, config.blockBytes());
  }

  private static void check(Path directory, String what, int actual, int expected)
      throws IOException {
    if (actual != expected) {
      throw new IOException(
          ("%s says %s = %s, expected %s; open the pool with the settings it was created with, or"
                  + " without recovery, which empties it")
              .formatted(directory, what, actual, expected));
    }
  }

  /** Says of a pool that another release has made it. */
  static String ofAnotherRelease(Object format, Object ownFormat) {
    return "is of another release of Sluice: it has format %s, this release %s"
        .formatted(format, ownFormat);
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

  /** A pool was left by a release that laid it out otherwise. */
  static final class OtherFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    OtherFormatException(String message) {
      super(message);
    }
  }
}
