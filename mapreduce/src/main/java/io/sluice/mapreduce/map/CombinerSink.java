package io.sluice.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.Progressable;

/**
 * Serializes what a combiner emits, for the sink of the current run.
 *
 * <p>Thread contract: a combiner may call {@link #collect} from several threads, as it may stock's.
 * Ownership: plain heap memory. Failure: {@link IOException} of the serializer or the sink, or for
 * another class than the map's.
 */
final class CombinerSink<K, V> implements OutputCollector<K, V> {
  private final RecordSerializer<K, V> record;
  private final Progressable progressable;
  private final long recordsPerProgress;
  private RecordSink out = CombinerSink::refuse;
  private long records;
  private long recordsOfRun;

  CombinerSink(JobConf job, Progressable progressable) throws IOException {
    record = new RecordSerializer<>(job);
    this.progressable = progressable;
    this.recordsPerProgress =
        Math.max(1, job.getLong(MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS, 10_000));
  }

  /** Sends what follows to {@code out}. */
  synchronized void begin(RecordSink out) {
    this.out = out;
    recordsOfRun = 0;
    record.shrink();
  }

  /** Takes no more, and returns how many records came since {@link #begin}. */
  synchronized long end() {
    out = CombinerSink::refuse;
    return recordsOfRun;
  }

  private static void refuse(byte[] record, int keyLength, int valueLength) throws IOException {
    throw new IOException("a combiner emits a record after it has ended");
  }

  @Override
  public synchronized void collect(K key, V value) throws IOException {
    recordsOfRun++;
    // In the order and the words of stock's CombineOutputCollector and its IFile.Writer.
    requireClass("key", record.keyClass(), key);
    requireClass("value", record.valueClass(), value);
    record.serialize(key, value);
    out.append(record.bytes(), record.keyLength(), record.valueLength());
    if (++records % recordsPerProgress == 0) {
      progressable.progress();
    }
  }

  private static void requireClass(String what, Class<?> expected, Object actual)
      throws IOException {
    if (actual.getClass() != expected) {
      throw new IOException(
          "wrong " + what + " class: " + actual.getClass() + " is not " + expected);
    }
  }
}
