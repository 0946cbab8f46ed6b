package io.sluice.workloads.record;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;

/** Reads what a sort has put out. */
final class SortedRecordFiles {
  private SortedRecordFiles() {}

  /**
   * How many records there are, and the sum of what they are.
   *
   * @throws IOException also if a file is not in order
   */
  static String sum(Configuration conf, Path output) throws IOException {
    FileSystem files = output.getFileSystem(conf);
    RecordSum sum = new RecordSum();
    for (FileStatus part : files.globStatus(new Path(output, "part-*"))) {
      BytesWritable last = null;
      BytesWritable key = new BytesWritable();
      BytesWritable value = new BytesWritable();
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(part.getPath()))) {
        while (reader.next(key, value)) {
          if (last != null && last.compareTo(key) > 0) {
            throw new IOException(part.getPath() + " is not in order");
          }
          last = last == null ? new BytesWritable() : last;
          last.set(key);
          sum.add(key, value);
        }
      }
    }
    return sum.count() + " " + sum.sum();
  }
}
