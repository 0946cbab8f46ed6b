package io.sluice.local.count;

import io.sluice.local.count.IoMeter.ThreadBytes;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * An output format whose writer is measured. It is no file output format itself. Else Hadoop's task
 * code would measure it too, and add up the counters of all threads twice for each record.
 *
 * <p>Thread contract: that of the job's format.
 */
public final class MeteredOutput<K, V> extends OutputFormat<K, V> {
  private final OutputFormat<K, V> real;
  private final IoMeter meter;

  private MeteredOutput(OutputFormat<K, V> real, IoMeter meter) {
    this.real = real;
    this.meter = meter;
  }

  /** Measures the format if it writes files. */
  public static OutputFormat<?, ?> of(OutputFormat<?, ?> real, Configuration conf) {
    return real instanceof FileOutputFormat<?, ?> && conf instanceof MeteredConf task
        ? new MeteredOutput<>(real, task.meters().output())
        : real;
  }

  @Override
  public void checkOutputSpecs(JobContext context) throws IOException, InterruptedException {
    real.checkOutputSpecs(context);
  }

  @Override
  public OutputCommitter getOutputCommitter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    return real.getOutputCommitter(context);
  }

  @Override
  public RecordWriter<K, V> getRecordWriter(TaskAttemptContext context)
      throws IOException, InterruptedException {
    ThreadBytes bytes =
        ThreadBytes.of(FileOutputFormat.getOutputPath(context), context.getConfiguration());
    meter.begin(bytes.scheme());
    RecordWriter<K, V> writer =
        meter.<RecordWriter<K, V>, InterruptedException>measure(
            bytes::written, () -> real.getRecordWriter(context));
    return new Writer<>(writer, bytes, meter);
  }

  private static final class Writer<K, V> extends RecordWriter<K, V> {
    private final RecordWriter<K, V> real;
    private final ThreadBytes bytes;
    private final IoMeter meter;

    Writer(RecordWriter<K, V> real, ThreadBytes bytes, IoMeter meter) {
      this.real = real;
      this.bytes = bytes;
      this.meter = meter;
    }

    @Override
    public void write(K key, V value) throws IOException, InterruptedException {
      meter.<Void, InterruptedException>measure(
          bytes::written,
          () -> {
            real.write(key, value);
            return null;
          });
    }

    @Override
    public void close(TaskAttemptContext context) throws IOException, InterruptedException {
      meter.<Void, InterruptedException>measure(
          bytes::written,
          () -> {
            real.close(context);
            return null;
          });
    }
  }
}
