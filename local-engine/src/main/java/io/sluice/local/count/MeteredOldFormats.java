package io.sluice.local.count;

import io.sluice.local.count.IoMeter.ThreadBytes;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputFormat;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Progressable;

/** Input and output formats of the old API whose readers and writers are measured. */
final class MeteredOldFormats {
  private MeteredOldFormats() {}

  record Input<K, V>(InputFormat<K, V> real, IoMeter meter) implements InputFormat<K, V> {
    @Override
    public InputSplit[] getSplits(JobConf job, int splits) throws IOException {
      return real.getSplits(job, splits);
    }

    @Override
    public RecordReader<K, V> getRecordReader(InputSplit split, JobConf job, Reporter reporter)
        throws IOException {
      if (!(split instanceof FileSplit file)) {
        return real.getRecordReader(split, job, reporter);
      }
      ThreadBytes bytes = ThreadBytes.of(file.getPath(), job);
      meter.begin(bytes.scheme());
      RecordReader<K, V> reader =
          meter.<RecordReader<K, V>, IOException>measure(
              bytes::read, () -> real.getRecordReader(split, job, reporter));
      return new Reader<>(reader, bytes, meter);
    }
  }

  private record Reader<K, V>(RecordReader<K, V> real, ThreadBytes bytes, IoMeter meter)
      implements RecordReader<K, V> {
    @Override
    public boolean next(K key, V value) throws IOException {
      return meter.<Boolean, IOException>measure(bytes::read, () -> real.next(key, value));
    }

    @Override
    public K createKey() {
      return real.createKey();
    }

    @Override
    public V createValue() {
      return real.createValue();
    }

    @Override
    public long getPos() throws IOException {
      return real.getPos();
    }

    @Override
    public void close() throws IOException {
      meter.<IOException>run(bytes::read, () -> real.close());
    }

    @Override
    public float getProgress() throws IOException {
      return real.getProgress();
    }
  }

  record Output<K, V>(OutputFormat<K, V> real, IoMeter meter) implements OutputFormat<K, V> {
    @Override
    public void checkOutputSpecs(FileSystem ignored, JobConf job) throws IOException {
      real.checkOutputSpecs(ignored, job);
    }

    @Override
    public RecordWriter<K, V> getRecordWriter(
        FileSystem ignored, JobConf job, String name, Progressable progress) throws IOException {
      ThreadBytes bytes = ThreadBytes.of(FileOutputFormat.getOutputPath(job), job);
      meter.begin(bytes.scheme());
      RecordWriter<K, V> writer =
          meter.<RecordWriter<K, V>, IOException>measure(
              bytes::written, () -> real.getRecordWriter(ignored, job, name, progress));
      return new Writer<>(writer, bytes, meter);
    }
  }

  private record Writer<K, V>(RecordWriter<K, V> real, ThreadBytes bytes, IoMeter meter)
      implements RecordWriter<K, V> {
    @Override
    public void write(K key, V value) throws IOException {
      meter.<IOException>run(bytes::written, () -> real.write(key, value));
    }

    @Override
    public void close(Reporter reporter) throws IOException {
      meter.<IOException>run(bytes::written, () -> real.close(reporter));
    }
  }
}
