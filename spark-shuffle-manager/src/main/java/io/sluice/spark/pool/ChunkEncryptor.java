package io.sluice.spark.pool;

import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes of the pieces of one writer's output what the pool gets: each is a run of its own,
 * encrypted.
 *
 * <p>Thread contract: one thread. Ownership: the output closes it; it owns the key.
 */
final class ChunkEncryptor implements Closeable {
  private final OutputKey key;
  private final RunEncryptor encryptor;
  private byte[] encrypted = {};
  private int lengthBytes;

  ChunkEncryptor(OutputKey key) {
    this.key = key;
    this.encryptor = new RunEncryptor(key, this::append);
  }

  OutputKey key() {
    return key;
  }

  /** The next run of a partition; its bytes are good until the next call. */
  PartitionChunk encrypt(int partition, ByteBuffer plain, long records) throws IOException {
    int storedBytes = Math.toIntExact(RunEncryptor.storedBytes(plain.remaining()));
    if (encrypted.length < storedBytes) {
      encrypted = new byte[storedBytes];
    }
    lengthBytes = 0;
    encryptor.beginRun(partition);
    encryptor.write(plain.array(), plain.arrayOffset() + plain.position(), plain.remaining());
    encryptor.endRun();
    return PartitionChunk.of(ByteBuffer.wrap(encrypted, 0, lengthBytes), records);
  }

  private void append(byte[] frame, int offset, int frameBytes) {
    System.arraycopy(frame, offset, encrypted, lengthBytes, frameBytes);
    lengthBytes += frameBytes;
  }

  @Override
  public void close() {
    key.close();
  }
}
