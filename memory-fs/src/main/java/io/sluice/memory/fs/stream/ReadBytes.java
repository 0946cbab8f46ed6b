package io.sluice.memory.fs.stream;

import java.util.function.IntConsumer;

/**
 * Counts what a stream reads; single bytes many at a time, because the statistics are looked up for
 * each thread, which costs more than such a read.
 *
 * <p>Thread contract: that of the stream; what several threads read at once may be counted for one
 * of them. Ownership: the stream closes it.
 */
public final class ReadBytes {
  private static final int MOST_WAITING_BYTES = 4 << 10;

  private final IntConsumer statistics;
  private int waitingBytes;
  private long sumBytes;

  /** Adds to those of the calling thread. */
  public ReadBytes(IntConsumer statistics) {
    this.statistics = statistics;
  }

  /** All so far. */
  long sumBytes() {
    return sumBytes;
  }

  void addSingle() {
    sumBytes++;
    if (++waitingBytes == MOST_WAITING_BYTES) {
      close();
    }
  }

  void add(int bytes) {
    sumBytes += bytes;
    statistics.accept(bytes);
  }

  void close() {
    statistics.accept(waitingBytes);
    waitingBytes = 0;
  }
}
