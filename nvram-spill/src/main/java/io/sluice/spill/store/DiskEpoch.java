package io.sluice.spill.store;

import io.sluice.rdma.memory.SharedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The file in which a directory of the disk tier names its pool, where that pool lies, and the
 * epoch up to which the directory has followed it. The epoch of a pool rises with every start, and
 * when a directory is left behind later. A directory that did not follow may hold outputs whose
 * blocks in memory belong to others by now, so nothing in it is believed.
 *
 * <pre>
 *  0       8         24      32          40      44
 *  +-------+---------+-------+-----------+-------+
 *  | magic | pool id | epoch | path hash | CRC   |    CRC-32C of all before it; integers are big-endian
 *  +-------+---------+-------+-----------+-------+
 * </pre>
 *
 * It is overwritten, which needs no room on a full file system. A file that is half written counts
 * as none.
 *
 * @param poolId the pool
 * @param epoch a generation of that pool
 * @param pathHash digits of its directory's path: no other pool may take it for lost
 */
record DiskEpoch(UUID poolId, long epoch, long pathHash) {
  private static final String FILE = "pool.epoch";

  /** "SLCEDSK2". */
  private static final long MAGIC = 0x534c434544534b32L;

  private static final int CRC_OFFSET = 40;
  private static final int LENGTH_BYTES = 44;

  /** Of a pool in that directory. */
  static DiskEpoch of(UUID poolId, long epoch, Path pool) {
    return new DiskEpoch(poolId, epoch, hashOf(pool));
  }

  /** Whether the pool lies in that directory. */
  boolean isOf(Path pool) {
    return pathHash == hashOf(pool);
  }

  private static long hashOf(Path pool) {
    byte[] path = pool.toAbsolutePath().normalize().toString().getBytes(StandardCharsets.UTF_8);
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(path)).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** Reads what a directory says; empty if it says nothing that can be understood. */
  static Optional<DiskEpoch> read(Path directory) throws IOException {
    Path path = directory.resolve(FILE);
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    try (SharedFile file = SharedFile.open(path)) {
      file.read(0, bytes);
    }
    if (bytes.hasRemaining() || bytes.getInt(CRC_OFFSET) != crc(bytes)) {
      return Optional.empty();
    }
    bytes.flip();
    if (bytes.getLong() != MAGIC) {
      return Optional.empty();
    }
    UUID poolId = new UUID(bytes.getLong(), bytes.getLong());
    return Optional.of(new DiskEpoch(poolId, bytes.getLong(), bytes.getLong()));
  }

  /** The file of a directory in which it is written, and which the caller closes. */
  static SharedFile open(Path directory) throws IOException {
    Path path = directory.resolve(FILE);
    return Files.exists(path) ? SharedFile.open(path) : LockedDirectory.createShared(path);
  }

  /** Writes it; {@code forced} where the pool outlives the loss of power. */
  void write(SharedFile file, boolean forced) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH_BYTES);
    bytes.putLong(MAGIC);
    bytes.putLong(poolId.getMostSignificantBits()).putLong(poolId.getLeastSignificantBits());
    bytes.putLong(epoch).putLong(pathHash);
    bytes.putInt(crc(bytes)).flip();
    file.write(0, bytes);
    if (forced) {
      file.force();
    }
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 0, CRC_OFFSET);
    return (int) crc.getValue();
  }
}
