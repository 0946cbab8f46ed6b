package io.sluice.bench.codecs;

import io.sluice.bench.codecs.SortedRuns.RunsMerge;
import io.sluice.bench.codecs.SortedRuns.RunsMerge.RecordsDigest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Merger;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * Stock's Merger over runs in files, as a reduce of stock's merges what it has on disk: no more
 * than a factor at once, and what merges before the last one have made lies in files again,
 * compressed.
 *
 * <p>One thread. Ownership: the directory is its caller's, with all files.
 */
final class StockMerge implements RunsMerge {
  private final JobConf job;
  private final CompressionCodec codec;
  private final int factor;
  private final FileSystem files;
  private final Path directory;
  private final List<Path> runs = new ArrayList<>();
  private long rawBytes;
  private long storedBytes;

  /**
   * Has no runs yet.
   *
   * @param job where its local directories are, and how keys are compared
   * @param codec null for none
   * @param factor most runs that are merged at once
   * @param directory for the runs
   */
  StockMerge(JobConf job, CompressionCodec codec, int factor, java.nio.file.Path directory)
      throws IOException {
    this.job = job;
    this.codec = codec;
    this.factor = factor;
    this.files = FileSystem.getLocal(job).getRaw(); // as stock's tasks read and write
    this.directory = files.makeQualified(new Path(directory.toUri()));
  }

  @Override
  public void add(int number, List<SortedRuns.KeyValue> run) throws IOException {
    Path file = new Path(directory, "run-" + number);
    IFile.Writer<Text, Text> writer =
        new IFile.Writer<>(job, files.create(file), Text.class, Text.class, codec, null, true);
    for (SortedRuns.KeyValue record : run) {
      writer.append(record.key(), record.value());
    }
    writer.close();
    runs.add(file);
    rawBytes += writer.getRawLength();
    storedBytes += writer.getCompressedLength();
  }

  @Override
  public long rawBytes() {
    return rawBytes;
  }

  @Override
  public long storedBytes() {
    return storedBytes;
  }

  @Override
  public int chunkBytes() {
    return 0;
  }

  @Override
  public Outcome merge() throws IOException {
    Counters.Counter rewritten = new Counters.Counter();
    @SuppressWarnings("unchecked") // that of the job's keys, which are texts
    RawComparator<Text> comparator = job.getOutputKeyComparator();
    RawKeyValueIterator merge =
        Merger.merge(
            job,
            files,
            Text.class,
            Text.class,
            codec,
            runs.toArray(Path[]::new),
            false, // they are merged again
            factor,
            new Path("merges"), // below a local directory
            comparator,
            () -> {},
            null,
            rewritten,
            new Progress());
    RecordsDigest digest = new RecordsDigest();
    try {
      while (merge.next()) {
        DataInputBuffer key = merge.getKey();
        DataInputBuffer value = merge.getValue();
        digest.add(
            key.getData(),
            key.getPosition(),
            key.getLength() - key.getPosition(), // its length is where it ends
            value.getData(),
            value.getPosition(),
            value.getLength() - value.getPosition());
      }
    } finally {
      merge.close();
    }
    return new Outcome(digest.sum(), rewritten.getValue());
  }
}
