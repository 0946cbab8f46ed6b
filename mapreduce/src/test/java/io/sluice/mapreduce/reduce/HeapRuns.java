package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.MergeMemory.ChunkLength;
import io.sluice.mapreduce.merge.RunCodec;
import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.mapreduce.merge.RunForm;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.reduce.ReduceMerge.MergedRun;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.mapreduce.testing.FewWindows;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.sort.KeyOrder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.JobConf;

/** Runs on the heap, a stage on the heap, and how many of them are open. */
final class HeapRuns {
  static final int WINDOWS = 16;
  static final KeyOrder ORDER = order();

  private static final int LONG_VALUE_BYTES = 25_000;

  final HeapStage stage = new HeapStage();
  int open;
  int mostOpen;
  int closed;

  private static KeyOrder order() {
    JobConf job = new JobConf();
    job.setMapOutputKeyClass(IntWritable.class);
    return KeyOrders.of(job);
  }

  /** A run on the heap that counts as open from its first byte to its end. */
  private final class HeapInput implements RunInput {
    private final ByteBuffer bytes;
    private boolean begun;
    private boolean ended;

    HeapInput(byte[] bytes) {
      this.bytes = ByteBuffer.wrap(bytes);
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) {
      if (!begun) {
        begun = true;
        mostOpen = Math.max(mostOpen, ++open);
      }
      if (!bytes.hasRemaining()) {
        return -1;
      }
      bytes.get(dst, offset, 1); // as little as allowed
      return 1;
    }

    @Override
    public long remainingBytes() {
      return bytes.remaining();
    }

    @Override
    public void close() {
      if (!ended) {
        ended = true;
        closed++;
        open -= begun ? 1 : 0;
      }
    }
  }

  final class HeapStage implements StageArea {
    int created;
    long writtenBytes;
    int failAt = Integer.MAX_VALUE;

    @Override
    public StagedRun create(String name) {
      created++;
      return new HeapRun(name, created == failAt);
    }

    @Override
    public void trim() {}

    @Override
    public void close() {}

    @Override
    public long memoryBytes() {
      return 0;
    }

    @Override
    public long diskBytes() {
      return 0;
    }
  }

  private final class HeapRun implements StagedRun {
    private final String name;
    private final boolean failing;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    HeapRun(String name, boolean failing) {
      this.name = name;
      this.failing = failing;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void expect(long lengthBytes) {}

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      if (failing) {
        throw new IOException("no room");
      }
      bytes.write(from, offset, length);
      stage.writtenBytes += length;
    }

    @Override
    public void finish() {}

    @Override
    public long lengthBytes() {
      return bytes.size();
    }

    @Override
    public RunInput open() {
      return new HeapInput(bytes.toByteArray());
    }

    @Override
    public void close() {}
  }

  /** Runs of one record each, with the numbers from 0 on as keys, in any order. */
  List<MergeRun> runs(int count, Random random) throws IOException {
    return runs(count, random, null);
  }

  /** The same, in chunks of a codec unless that is null. */
  List<MergeRun> runs(int count, Random random, CompressionCodec hadoops) throws IOException {
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(random.nextInt(keys.size() + 1), i);
    }
    List<MergeRun> runs = new ArrayList<>();
    try (Writer writer = new Writer(hadoops)) {
      for (int key : keys) {
        int valueBytes = random.nextInt(50);
        runs.add(writer.run(key, encoder -> append(encoder, key, valueBytes)));
      }
    }
    return runs;
  }

  /**
   * Runs that are longer than their blocks, so that all of a merge are open at once, as maps store
   * them with this codec. Of two records each: the numbers up to twice their number are the keys.
   */
  List<MergeRun> longRuns(int count, CompressionCodec hadoops) throws IOException {
    List<MergeRun> runs = new ArrayList<>();
    try (Writer writer = new Writer(hadoops)) {
      for (int i = 0; i < count; i++) {
        int key = i;
        runs.add(
            writer.run(
                key,
                encoder -> {
                  append(encoder, key, LONG_VALUE_BYTES);
                  append(encoder, count + key, LONG_VALUE_BYTES);
                }));
      }
    }
    return runs;
  }

  private interface Records {
    void writeTo(RunEncoder encoder) throws IOException;
  }

  /** Stores runs as a map does, in chunks where the codec takes them; null for none. */
  private final class Writer implements AutoCloseable {
    private final RunCodec codec;
    private final int chunkBytes;
    private final RunCompressor compressor;

    Writer(CompressionCodec hadoops) {
      codec = new RunCodec(hadoops);
      chunkBytes = RunForm.canBeChunks(hadoops) ? ChunkLength.LEAST_BYTES : 0;
      compressor = codec.compressor(chunkBytes);
    }

    MergeRun run(int key, Records records) throws IOException {
      ByteArrayOutputStream stored = new ByteArrayOutputStream();
      RunEncoder encoder = new RunEncoder(stored::write);
      if (compressor != null) {
        compressor.begin(stored::write);
        encoder = new RunEncoder(compressor::write);
      }
      records.writeTo(encoder);
      encoder.finish();
      if (compressor != null) {
        compressor.end();
      }
      return HeapRuns.this.run(key, stored, encoder.rawLengthBytes(), codec.form(chunkBytes));
    }

    @Override
    public void close() {
      if (compressor != null) {
        compressor.close();
      }
    }
  }

  /** One of one record, as stock stores it with this codec. */
  MergeRun stocks(int key, CompressionCodec codec) throws IOException {
    ByteArrayOutputStream stored = new ByteArrayOutputStream();
    try (OutputStream out = codec.createOutputStream(stored)) {
      RunEncoder encoder = new RunEncoder(out::write);
      append(encoder, key, 0);
      encoder.finish();
    }
    return run(key, stored, Long.MAX_VALUE, RunForm.STREAM);
  }

  private static void append(RunEncoder encoder, int key, int valueBytes) throws IOException {
    byte[] encoded = ByteBuffer.allocate(4).putInt(key).array();
    encoder.append(encoded, 0, 4, new byte[valueBytes], 0, valueBytes);
  }

  private MergeRun run(int key, ByteArrayOutputStream stored, long rawLengthBytes, RunForm form) {
    return new MergedRun(
        "run " + key,
        stored.size(),
        rawLengthBytes,
        form,
        form == RunForm.CHUNKS ? ChunkLength.LEAST_BYTES : 0,
        new HeapInput(stored.toByteArray()));
  }

  /** A merge of at most so many runs. */
  ReduceMerge merge(int maxRuns) {
    return merge(maxRuns, null);
  }

  /** The same, which compresses what its rounds write. */
  ReduceMerge merge(int maxRuns, CompressionCodec codec) {
    MergeMemory memory =
        new MergeMemory(codec, new Configuration(false), false, TaskMemory.alone());
    return new ReduceMerge(
        new FewWindows(Math.min(maxRuns, WINDOWS)), stage, codec, ORDER, () -> {}, memory);
  }

  /** A merge of as many as a task with ample memory may have open. */
  ReduceMerge ampleMerge(CompressionCodec codec) {
    return ampleMerge(codec, new Configuration(false));
  }

  /** The same, where a stream takes so much that one merge has room for 11. */
  ReduceMerge mergeOfElevenStreams(CompressionCodec codec) {
    Configuration conf = new Configuration(false);
    conf.setInt(CommonConfigurationKeys.IO_FILE_BUFFER_SIZE_KEY, 5 << 20);
    return ampleMerge(codec, conf);
  }

  private ReduceMerge ampleMerge(CompressionCodec codec, Configuration conf) {
    TaskMemory ample = new TaskMemory(100 << 20, 40 << 20, 64 << 20, Long.MAX_VALUE, 64 << 20);
    return new ReduceMerge(
        MergeWindows.UNBOUNDED,
        stage,
        codec,
        ORDER,
        () -> {},
        new MergeMemory(codec, conf, false, ample));
  }
}
