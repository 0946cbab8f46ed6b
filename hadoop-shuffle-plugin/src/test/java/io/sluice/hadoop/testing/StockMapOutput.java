package io.sluice.hadoop.testing;

import io.sluice.mapreduce.testing.Pair;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;
import org.apache.hadoop.util.ReflectionUtils;

/** The oracle: reads what stock's collector has left in files. */
public final class StockMapOutput {
  private StockMapOutput() {}

  /** The records of a partition, in stock's order. */
  public static List<Pair> read(MapSide task, JobConf job, int partition) throws Exception {
    FileSystem files = FileSystem.getLocal(job).getRaw();
    Path output = task.getMapOutputFile().getOutputFile();
    IndexRecord index =
        new SpillRecord(task.getMapOutputFile().getOutputIndexFile(), job).getIndex(partition);
    CompressionCodec codec =
        job.getCompressMapOutput()
            ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
            : null;
    List<Pair> records = new ArrayList<>();
    FSDataInputStream in = files.open(output);
    in.seek(index.startOffset);
    IFile.Reader<Object, Object> reader =
        new IFile.Reader<>(job, in, index.partLength, codec, null);
    DataInputBuffer key = new DataInputBuffer();
    DataInputBuffer value = new DataInputBuffer();
    while (reader.nextRawKey(key)) {
      reader.nextRawValue(value);
      records.add(
          Pair.copy(
              key.getData(),
              key.getPosition(),
              key.getLength() - key.getPosition(),
              value.getData(),
              value.getPosition(),
              value.getLength() - value.getPosition()));
    }
    reader.close();
    return records;
  }
}
