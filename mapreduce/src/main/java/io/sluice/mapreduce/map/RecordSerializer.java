package io.sluice.mapreduce.map;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;

/**
 * Serializes keys and values, one record at a time, by the job's serializations.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory, see {@link SerializedRecord}.
 * Failure: the exceptions of the user's serializers; the next record is not affected.
 */
final class RecordSerializer<K, V> {
  private final SerializedRecord staging = new SerializedRecord();
  private final Class<?> keyClass;
  private final Class<?> valueClass;
  private final Serializer<K> keySerializer;
  private final Serializer<V> valueSerializer;
  private int keyLength;

  /** Serializes the map output records of {@code job}. */
  @SuppressWarnings("unchecked")
  RecordSerializer(JobConf job) throws IOException {
    SerializationFactory factory = new SerializationFactory(job);
    keyClass = job.getMapOutputKeyClass();
    valueClass = job.getMapOutputValueClass();
    keySerializer = factory.getSerializer((Class<K>) keyClass);
    valueSerializer = factory.getSerializer((Class<V>) valueClass);
    keySerializer.open(staging);
    valueSerializer.open(staging);
  }

  Class<?> keyClass() {
    return keyClass;
  }

  Class<?> valueClass() {
    return valueClass;
  }

  /** Serializes a record over the previous one. */
  void serialize(K key, V value) throws IOException {
    staging.reset();
    keySerializer.serialize(key);
    keyLength = staging.lengthBytes();
    valueSerializer.serialize(value);
  }

  /** The key, followed by the value; valid until the next record. */
  byte[] bytes() {
    return staging.array();
  }

  int keyLength() {
    return keyLength;
  }

  int valueLength() {
    return staging.lengthBytes() - keyLength;
  }

  /** The length of key and value. */
  int lengthBytes() {
    return staging.lengthBytes();
  }

  /** Drops the record, and the memory of a large one. */
  void shrink() {
    staging.shrink();
  }

  /**
   * Where serializers write one record before it enters the sort buffer: key, then value,
   * contiguous.
   *
   * <p>It is a {@link DataOutputStream} itself, because Hadoop's serializers would wrap any other
   * stream in one, and it drops the locks that {@code DataOutputStream} takes for every byte.
   *
   * <p>Thread contract: one thread. Ownership: plain heap memory, grown to the largest record since
   * the last {@link #shrink}.
   */
  static final class SerializedRecord extends DataOutputStream {
    private static final int INITIAL_BYTES = 1024;
    private static final int KEPT_BYTES = 1 << 20;

    private final Bytes bytes;

    SerializedRecord() {
      this(new Bytes());
    }

    private SerializedRecord(Bytes bytes) {
      super(bytes);
      this.bytes = bytes;
    }

    @Override
    public void write(int b) {
      bytes.write(b);
    }

    @Override
    public void write(byte[] b, int off, int len) {
      bytes.write(b, off, len);
    }

    void reset() {
      bytes.reset();
      written = 0;
    }

    /** Empties it, and drops the memory of a large record. */
    void shrink() {
      reset();
      bytes.shrink();
    }

    /** The bytes so far; valid until the next write. */
    byte[] array() {
      return bytes.array();
    }

    int lengthBytes() {
      return bytes.size();
    }

    /** A {@code ByteArrayOutputStream} without locks, whose array can be read. */
    private static final class Bytes extends ByteArrayOutputStream {
      private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

      Bytes() {
        super(INITIAL_BYTES);
      }

      @Override
      @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread, see the class
      public void write(int b) {
        ensure(1);
        buf[count++] = (byte) b;
      }

      @Override
      @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread, see the class
      public void write(byte[] b, int off, int len) {
        ensure(len);
        System.arraycopy(b, off, buf, count, len);
        count += len;
      }

      @Override
      @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread, see the class
      public int size() {
        return count;
      }

      @Override
      @SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread, see the class
      public void reset() {
        count = 0;
      }

      byte[] array() {
        return buf;
      }

      void shrink() {
        if (buf.length > KEPT_BYTES) {
          buf = new byte[INITIAL_BYTES];
        }
      }

      private void ensure(int moreBytes) {
        if (moreBytes > buf.length - count) {
          long needed = (long) count + moreBytes;
          if (needed > MAX_ARRAY_BYTES) {
            throw new OutOfMemoryError(
                "a record of more than " + MAX_ARRAY_BYTES + " bytes cannot be serialized");
          }
          buf =
              java.util.Arrays.copyOf(
                  buf, (int) Math.min(MAX_ARRAY_BYTES, Math.max(needed, 2L * buf.length)));
        }
      }
    }
  }
}
