package io.sluice.mapreduce.map;

import io.sluice.spill.record.RunEncoder;
import java.io.IOException;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.Progressable;

/**
 * Serializes what a combiner emits into the current run.
 *
 * <p>Thread contract: a combiner may call {@link #collect} from several threads, as it may stock's.
 * Ownership: plain heap memory. Failure: {@link IOException} of the serializer or the run, or for
 * another class than the map's.
 */
final class CombinerSink<K, V> implements OutputCollector<K, V> {
  private final RecordSerializer<K, V> record;
  private final Counters.Counter outputRecords;
  private final Progressable progressable;
  private final long recordsPerProgress;
  private RunEncoder encoder;
  private long records;

  CombinerSink(JobConf job, Counters.Counter outputRecords, Progressable progressable)
      throws IOException {
    record = new RecordSerializer<>(job);
    this.outputRecords = outputRecords;
    this.progressable = progressable;
    this.recordsPerProgress =
        Math.max(1, job.getLong(MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS, 10_000));
  }

  /** Sends what follows to {@code encoder}. */
  synchronized void begin(RunEncoder encoder) {
    this.encoder = encoder;
    record.shrink();
  }

  @Override
  public synchronized void collect(K key, V value) throws IOException {
    outputRecords.increment(1);
    // In the order and the words of stock's CombineOutputCollector and its IFile.Writer.
    requireClass("key", record.keyClass(), key);
    requireClass("value", record.valueClass(), value);
    record.serialize(key, value);
    byte[] bytes = record.bytes();
    int keyLength = record.keyLength();
    encoder.append(bytes, 0, keyLength, bytes, keyLength, record.valueLength());
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
