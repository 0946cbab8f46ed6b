package io.sluice.spark.write;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.apache.spark.io.LZ4CompressionCodec;

/**
 * Spark's LZ4, which counts the streams that are open and can fail, as codecs with native memory
 * do: what was opened and never closed is lost to the process.
 *
 * <p>Thread contract: safe from any thread. Ownership: tests reset it.
 */
public final class CountingCodec extends LZ4CompressionCodec {
  static final String FAILS_TO_OPEN = "spark.test.codec.failsToOpen";
  static final String FAILS_TO_CLOSE = "spark.test.codec.failsToClose";
  static final AtomicInteger OPENED = new AtomicInteger();
  static final AtomicInteger OPEN = new AtomicInteger();

  private final int failsToOpen;
  private final boolean failsToClose;

  /** Called by Spark. */
  public CountingCodec(SparkConf conf) {
    super(conf);
    this.failsToOpen = conf.getInt(FAILS_TO_OPEN, Integer.MAX_VALUE);
    this.failsToClose = conf.getBoolean(FAILS_TO_CLOSE, false);
  }

  @Override
  public OutputStream compressedOutputStream(OutputStream to) {
    if (OPENED.incrementAndGet() >= failsToOpen) {
      throw new IllegalStateException("a codec that does not open");
    }
    OPEN.incrementAndGet();
    return new Counted(super.compressedOutputStream(to));
  }

  private final class Counted extends FilterOutputStream {
    private boolean closed;

    Counted(OutputStream to) {
      super(to);
    }

    @Override
    public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
      out.write(bytes, offset, lengthBytes);
    }

    /** Gives its memory back if its last bytes can be written. */
    @Override
    public void close() throws IOException {
      if (!closed) {
        out.close();
        closed = true;
        OPEN.decrementAndGet();
        if (failsToClose) {
          throw new IOException("a codec that does not close");
        }
      }
    }
  }
}
