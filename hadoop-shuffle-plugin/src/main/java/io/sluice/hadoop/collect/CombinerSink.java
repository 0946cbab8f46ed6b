package io.sluice.hadoop.collect;

import io.sluice.spill.record.RunEncoder;
import java.io.IOException;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.Progressable;

/**
 * Serializes what a combiner emits into the current run.
 *
 * <p>Thread contract: one thread. Ownership: plain heap memory. Failure: {@link IOException} of the
 * serializer or the run.
 */
final class CombinerSink<K, V> implements OutputCollector<K, V> {
  private final RecordStaging staging = new RecordStaging();
  private final Serializer<K> keySerializer;
  private final Serializer<V> valueSerializer;
  private final Counters.Counter outputRecords;
  private final Progressable progressable;
  private final long recordsPerProgress;
  private RunEncoder encoder;
  private long records;

  @SuppressWarnings("unchecked")
  CombinerSink(JobConf job, Counters.Counter outputRecords, Progressable progressable)
      throws IOException {
    SerializationFactory factory = new SerializationFactory(job);
    keySerializer = factory.getSerializer((Class<K>) job.getMapOutputKeyClass());
    valueSerializer = factory.getSerializer((Class<V>) job.getMapOutputValueClass());
    keySerializer.open(staging);
    valueSerializer.open(staging);
    this.outputRecords = outputRecords;
    this.progressable = progressable;
    this.recordsPerProgress =
        Math.max(1, job.getLong(MRJobConfig.COMBINE_RECORDS_BEFORE_PROGRESS, 10_000));
  }

  /** Sends what follows to {@code encoder}. */
  void begin(RunEncoder encoder) {
    this.encoder = encoder;
    staging.shrink();
  }

  @Override
  public void collect(K key, V value) throws IOException {
    staging.reset();
    keySerializer.serialize(key);
    int keyLength = staging.lengthBytes();
    valueSerializer.serialize(value);
    byte[] bytes = staging.array();
    encoder.append(bytes, 0, keyLength, bytes, keyLength, staging.lengthBytes() - keyLength);
    outputRecords.increment(1);
    if (++records % recordsPerProgress == 0) {
      progressable.progress();
    }
  }
}
