package io.sluice.mapreduce.map;

import io.sluice.spill.record.RecordFormat;
import io.sluice.spill.sort.KeyOrder;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progressable;

/**
 * Combines a map's records a {@link CombineWindow} at a time before they reach the sort buffer, so
 * that fewer do: there, each costs a look at memory that no cache holds. What comes out of it is
 * sorted, and combined again, as any other record.
 *
 * <p>Where that does not make records much fewer, it lets them pass for a while and then looks
 * again.
 *
 * <p>Thread contract: single thread at a time. Ownership: its owner closes it, which frees the
 * window; the combiner is shared, and must not be at work otherwise. Failure: what the combiner or
 * the sort buffer throws, after which only {@link #close} is left.
 */
final class EarlyCombining implements AutoCloseable {
  /** Longer ones leave the processor's cache. */
  private static final int MAX_WINDOW_BYTES = 256 << 10;

  private static final int MIN_WINDOW_BYTES = 64 << 10;

  /** A window's share of the sort buffer. */
  private static final int SORT_BUFFER_SHARE = 64;

  /** What a record takes in the sort buffer beside its bytes: its entry in the index. */
  private static final int INDEX_BYTES = 16;

  /** What is left of the room that records would take is at most so much of it, or it is no use. */
  private static final double USEFUL_SHARE = 0.7;

  /** Fewer are not worth a run of the combiner, which makes a new one and sets it up. */
  private static final int MIN_RECORDS_OF_RUN = 256;

  /** So many windows pass before the next look. */
  private static final int PAUSE_WINDOWS = 32;

  private final Combining<?, ?> combining;
  private final int partitions;
  private final Kept kept;
  private final Progressable progressable;
  private final CombineWindow window;
  private final long pauseBytes;
  private long pausedBytes; // still to pass
  private byte[] passing = new byte[256];
  private long keptBytes;
  private long keptRecords;
  private long combinedRecords; // among those that wait to be sorted
  private long elapsedNs;

  /** Where records are kept until they are sorted. */
  interface Kept {
    /**
     * Makes room for so many records, of so many bytes as a run has them, unless they never fit.
     */
    void reserve(long encodedBytes, int records)
        throws IOException, InterruptedException, ClassNotFoundException;

    /**
     * Takes a record, which may be one that the combiner emits in this very moment.
     *
     * @param record key and value from its beginning on
     * @return false if it was too large to be sorted and combined with others
     */
    boolean append(byte[] record, int keyLength, int valueLength, int partition) throws IOException;
  }

  /**
   * Combines nothing yet.
   *
   * @param sortBytes length of the sort buffer before which it stands
   */
  EarlyCombining(
      Combining<?, ?> combining,
      KeyOrder order,
      int partitions,
      long sortBytes,
      Kept kept,
      Progressable progressable) {
    this.combining = combining;
    this.partitions = partitions;
    this.kept = kept;
    this.progressable = progressable;
    int windowBytes = windowBytes(sortBytes);
    window = new CombineWindow(windowBytes, partitions, order);
    pauseBytes = (long) PAUSE_WINDOWS * windowBytes;
  }

  private static int windowBytes(long sortBytes) {
    long share = Long.highestOneBit(sortBytes / SORT_BUFFER_SHARE);
    return (int) Math.max(MIN_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, share));
  }

  /**
   * Takes a record in, if it is one to be combined early.
   *
   * @param record key and value from its beginning on
   * @return false if it is to be sorted as it is
   */
  boolean take(byte[] record, int keyLength, int valueLength, int partition)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (pausedBytes > 0) {
      pausedBytes -= keyLength + valueLength;
      return false;
    }
    if (window.isLarge(keyLength, valueLength)) {
      return false;
    }
    if (window.add(record, keyLength, valueLength, partition)) {
      return true;
    }
    flush();
    return pausedBytes <= 0 && window.add(record, keyLength, valueLength, partition);
  }

  /** Combines what is in the window, or lets it pass if there is too little of it. */
  void flush() throws IOException, InterruptedException, ClassNotFoundException {
    int records = window.recordCount();
    if (records == 0) {
      return;
    }
    kept.reserve(window.encodedBytes(), records);
    long startNs = System.nanoTime();
    window.sort();
    int runs = 0;
    for (int partition = 0; partition < partitions; partition++) {
      runs += window.hasRecords(partition) ? 1 : 0;
    }
    keptBytes = 0;
    keptRecords = 0;
    boolean combines = records >= (long) runs * MIN_RECORDS_OF_RUN;
    for (int partition = 0; partition < partitions; partition++) {
      if (window.hasRecords(partition)) {
        move(partition, combines);
        progressable.progress();
      }
    }
    long roomBytes = window.encodedBytes() + (long) records * INDEX_BYTES;
    if (keptBytes + keptRecords * INDEX_BYTES > USEFUL_SHARE * roomBytes) {
      pausedBytes = pauseBytes;
    }
    window.reset();
    elapsedNs += System.nanoTime() - startNs;
  }

  private void move(int partition, boolean combines)
      throws IOException, InterruptedException, ClassNotFoundException {
    RawKeyValueIterator records = window.records(partition);
    RecordSink sink =
        (record, keyLength, valueLength) -> {
          boolean waits = kept.append(record, keyLength, valueLength, partition);
          combinedRecords += combines && waits ? 1 : 0;
          keptBytes += RecordFormat.encodedLength(keyLength, valueLength);
          keptRecords++;
        };
    if (combines) {
      combining.combineEarly(records, sink);
    } else {
      pass(records, sink);
    }
  }

  private void pass(RawKeyValueIterator records, RecordSink sink) throws IOException {
    while (records.next()) {
      DataInputBuffer key = records.getKey();
      DataInputBuffer value = records.getValue();
      int keyLength = key.getLength() - key.getPosition();
      int valueLength = value.getLength() - value.getPosition();
      if (keyLength + valueLength > passing.length) {
        passing = Arrays.copyOf(passing, Math.max(keyLength + valueLength, 2 * passing.length));
      }
      System.arraycopy(key.getData(), key.getPosition(), passing, 0, keyLength);
      System.arraycopy(value.getData(), value.getPosition(), passing, keyLength, valueLength);
      sink.append(passing, keyLength, valueLength);
    }
  }

  /**
   * What waited to be sorted was written.
   *
   * @param combined whether the combiner has had all of it, so that some counts twice
   */
  void spilled(boolean combined) {
    if (combined) {
      combining.combinedAgain(combinedRecords);
    }
    combinedRecords = 0;
  }

  /** Time in which windows were sorted and combined. */
  long elapsedNs() {
    return elapsedNs;
  }

  @Override
  public void close() {
    window.close();
  }
}
