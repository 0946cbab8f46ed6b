package io.sluice.spark.persist;

import io.sluice.spark.persist.BlockPool.StoredBytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.internal.config.package$;
import org.apache.spark.network.util.JavaUtils;
import org.apache.spark.security.CryptoStreamUtils;
import org.apache.spark.storage.BlockData;
import org.apache.spark.storage.ReadableChannelFileRegion;
import org.apache.spark.util.io.ChunkedByteBuffer;
import scala.Function1;
import scala.Option;

/**
 * A block in the pool, in the form in which Spark passes blocks on.
 *
 * <p>Thread contract: immutable; each stream or buffer belongs to one thread. It owns nothing: the
 * disk store frees the bytes. Failure: after the pool is closed, as for a deleted file.
 *
 * @param pool that holds the bytes
 * @param bytes in the pool, encrypted if the cipher encrypts
 * @param cipher that encrypted them
 * @param size number of bytes that Spark wrote
 */
record StoredBlock(BlockPool pool, StoredBytes bytes, Cipher cipher, long size)
    implements BlockData {

  private ReadableByteChannel open() {
    try {
      return cipher.decrypt(pool.open(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public InputStream toInputStream() {
    return Channels.newInputStream(open());
  }

  @Override
  public Object toNetty() {
    return new ReadableChannelFileRegion(open(), size);
  }

  @Override
  public Object toNettyForSsl() {
    return toChunkedByteBuffer(length -> ByteBuffer.allocate((int) length)).toNettyForSsl();
  }

  @Override
  public ChunkedByteBuffer toChunkedByteBuffer(Function1<Object, ByteBuffer> allocator) {
    List<ByteBuffer> chunks = new ArrayList<>();
    try (ReadableByteChannel source = open()) {
      for (long leftBytes = size; leftBytes > 0; ) {
        int n = (int) Math.min(leftBytes, mostBytes());
        ByteBuffer chunk = allocator.apply(n);
        JavaUtils.readFully(source, chunk);
        chunks.add(chunk.flip());
        leftBytes -= n;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ChunkedByteBuffer(chunks.toArray(ByteBuffer[]::new));
  }

  @Override
  public ByteBuffer toByteBuffer() {
    if (size >= mostBytes()) {
      throw new IllegalArgumentException(
          "a block of " + size + " bytes does not fit into one buffer, which has " + mostBytes());
    }
    return toChunkedByteBuffer(length -> ByteBuffer.allocate((int) length)).toByteBuffer();
  }

  /** Most bytes of one buffer; Spark's tests make it small. */
  private long mostBytes() {
    return (long) cipher.conf().get(package$.MODULE$.MEMORY_MAP_LIMIT_FOR_TESTS());
  }

  @Override
  public void dispose() {}

  /**
   * Encrypts blocks as Spark encrypts its files, if {@code spark.io.encryption.enabled} is set.
   *
   * <p>Thread contract: immutable.
   */
  record Cipher(SparkConf conf, Option<byte[]> key) {

    static Cipher of(SparkConf conf, SecurityManager security) {
      return new Cipher(conf, security.getIOEncryptionKey());
    }

    WritableByteChannel encrypt(WritableByteChannel sink) throws IOException {
      return key.isEmpty() ? sink : CryptoStreamUtils.createWritableChannel(sink, conf, key.get());
    }

    ReadableByteChannel decrypt(ReadableByteChannel source) throws IOException {
      return key.isEmpty()
          ? source
          : CryptoStreamUtils.createReadableChannel(source, conf, key.get());
    }
  }
}
