package io.sluice.it.scenario;

import io.sluice.it.cluster.NodeManager;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Flips bits in map output that lies in a pool, as a broken memory module would. */
final class PoolDamage {
  /** How {@link io.sluice.it.jobs.ScenarioConf.KeyType#TEXT} keys begin. */
  private static final byte[] KEY = "key-".getBytes(StandardCharsets.UTF_8);

  private static final byte[] DAMAGED = {(byte) (KEY[0] ^ 0x10)};

  private PoolDamage() {}

  /**
   * Flips one bit of every key, so that records stay parseable and only a checksum can tell.
   *
   * @return how many keys were damaged
   */
  static int flipABitOfEveryKey(NodeManager node) {
    int damaged = 0;
    Path pool = node.place().pool().resolve("pool");
    try (DirectoryStream<Path> segments = Files.newDirectoryStream(pool, "segment-*")) {
      for (Path segment : segments) {
        damaged += flip(segment);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot damage the segments in " + pool, e);
    }
    return damaged;
  }

  private static int flip(Path segment) throws IOException {
    int damaged = 0;
    byte[] bytes = Files.readAllBytes(segment);
    try (FileChannel channel = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      for (int at = 0; at <= bytes.length - KEY.length; at++) {
        if (Arrays.equals(bytes, at, at + KEY.length, KEY, 0, KEY.length)) {
          channel.write(ByteBuffer.wrap(DAMAGED), at);
          damaged++;
        }
      }
    }
    return damaged;
  }
}
