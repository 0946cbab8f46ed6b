package io.sluice.mapreduce.map;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;

/**
 * Where serializers write one record before it enters the sort buffer: key, then value, contiguous.
 *
 * <p>It is a {@link DataOutputStream} itself, because Hadoop's serializers would wrap any other
 * stream in one, and it drops the locks that {@code DataOutputStream} takes for every byte.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory, grown to the largest record since
 * the last {@link #shrink}.
 */
final class SerializedRecord extends DataOutputStream {
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

  /** Empties it and lets go of what a large record took; for a while there may be no other. */
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

  /** {@code ByteArrayOutputStream} without its locks, and open to look into. */
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
