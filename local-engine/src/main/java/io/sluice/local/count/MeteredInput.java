package io.sluice.local.count;

import io.sluice.local.count.IoMeter.ThreadBytes;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * An input format whose reader is measured. Hadoop makes it by its class, so it gets the job's own
 * format from {@link JobInput}.
 *
 * <p>Thread contract: that of the job's format.
 */
public final class MeteredInput<K, V> extends InputFormat<K, V> implements Configurable {
  private Configuration conf;
  private IoMeter meter;
  private InputFormat<K, V> real;

  /** Made by the map task. */
  public MeteredInput() {}

  @Override
  @SuppressWarnings("unchecked")
  public void setConf(Configuration of) {
    JobInput input = (JobInput) of;
    conf = of;
    meter = input.inputMeter();
    real = (InputFormat<K, V>) input.newInputFormat();
  }

  @Override
  public Configuration getConf() {
    return conf;
  }

  @Override
  public List<InputSplit> getSplits(JobContext context) throws IOException, InterruptedException {
    return real.getSplits(context);
  }

  @Override
  public RecordReader<K, V> createRecordReader(InputSplit split, TaskAttemptContext context)
      throws IOException, InterruptedException {
    if (!(split instanceof FileSplit file)) {
      return real.createRecordReader(split, context);
    }
    ThreadBytes bytes = ThreadBytes.of(file.getPath(), conf);
    meter.begin(bytes.scheme());
    RecordReader<K, V> reader =
        meter.<RecordReader<K, V>, InterruptedException>measure(
            bytes::read, () -> real.createRecordReader(split, context));
    return new Reader<>(reader, bytes, meter);
  }

  private static final class Reader<K, V> extends RecordReader<K, V> {
    private final RecordReader<K, V> real;
    private final ThreadBytes bytes;
    private final IoMeter meter;

    Reader(RecordReader<K, V> real, ThreadBytes bytes, IoMeter meter) {
      this.real = real;
      this.bytes = bytes;
      this.meter = meter;
    }

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context)
        throws IOException, InterruptedException {
      meter.<Void, InterruptedException>measure(
          bytes::read,
          () -> {
            real.initialize(split, context);
            return null;
          });
    }

    @Override
    public boolean nextKeyValue() throws IOException, InterruptedException {
      return meter.<Boolean, InterruptedException>measure(bytes::read, real::nextKeyValue);
    }

    @Override
    public K getCurrentKey() throws IOException, InterruptedException {
      return real.getCurrentKey();
    }

    @Override
    public V getCurrentValue() throws IOException, InterruptedException {
      return real.getCurrentValue();
    }

    @Override
    public float getProgress() throws IOException, InterruptedException {
      return real.getProgress();
    }

    @Override
    public void close() throws IOException {
      meter.<Void, IOException>measure(
          bytes::read,
          () -> {
            real.close();
            return null;
          });
    }
  }

  /** The job's input format and the meter of a task; its settings implement it. */
  interface JobInput {
    /** The job's own format, of the new API. */
    InputFormat<?, ?> newInputFormat();

    /** The meter of the task's input. */
    IoMeter inputMeter();
  }
}
