package io.sluice.local.count;

import io.sluice.local.count.IoMeter.ThreadBytes;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Formats of the new API whose readers and writers are measured. {@link MeteredOldFormats} has
 * those of the old one.
 *
 * <p>Thread contract: that of the job's formats.
 */
public final class MeteredFormats {
  private MeteredFormats() {}

  /** Measures an output format if it writes files. */
  public static OutputFormat<?, ?> output(OutputFormat<?, ?> real, Configuration conf) {
    return real instanceof FileOutputFormat<?, ?> && conf instanceof MeteredConf task
        ? new Output<>(real, task.meters().output())
        : real;
  }

  /** Hadoop makes it by its class, so it gets the job's own format from {@link MeteredConf}. */
  public static final class Input<K, V> extends InputFormat<K, V> implements Configurable {
    private MeteredConf conf;
    private InputFormat<K, V> real;

    /** Made by the map task. */
    public Input() {}

    @Override
    @SuppressWarnings("unchecked")
    public void setConf(Configuration of) {
      conf = (MeteredConf) of;
      real = (InputFormat<K, V>) conf.newInputFormat();
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
      IoMeter meter = conf.meters().input();
      ThreadBytes bytes = ThreadBytes.of(file.getPath(), conf);
      meter.begin(bytes.scheme());
      RecordReader<K, V> reader =
          meter.<RecordReader<K, V>, InterruptedException>measure(
              bytes::read, () -> real.createRecordReader(split, context));
      return new Reader<>(reader, bytes, meter);
    }
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
      meter.<InterruptedException>run(bytes::read, () -> real.initialize(split, context));
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
      meter.<IOException>run(bytes::read, real::close);
    }
  }

  /**
   * It is no file output format itself. Else Hadoop's task code would measure it too, and add up
   * the counters of all threads twice for each record.
   */
  private static final class Output<K, V> extends OutputFormat<K, V> {
    private final OutputFormat<K, V> real;
    private final IoMeter meter;

    Output(OutputFormat<K, V> real, IoMeter meter) {
      this.real = real;
      this.meter = meter;
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
      meter.<InterruptedException>run(bytes::written, () -> real.write(key, value));
    }

    @Override
    public void close(TaskAttemptContext context) throws IOException, InterruptedException {
      meter.<InterruptedException>run(bytes::written, () -> real.close(context));
    }
  }
}
