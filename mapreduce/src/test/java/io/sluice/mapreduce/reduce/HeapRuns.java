package io.sluice.mapreduce.reduce;

import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.stage.StageArea;
import io.sluice.mapreduce.stage.StagedRun;
import io.sluice.mapreduce.testing.FewWindows;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.record.RunEncoder;
import io.sluice.spill.sort.KeyOrder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;

/** Runs on the heap, a stage on the heap, and how many of them are open. */
final class HeapRuns {
  static final int WINDOWS = 16;
  static final KeyOrder ORDER = order();

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
    List<Integer> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(random.nextInt(keys.size() + 1), i);
    }
    List<MergeRun> runs = new ArrayList<>();
    for (int key : keys) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      RunEncoder encoder = new RunEncoder(bytes::write);
      byte[] encoded = ByteBuffer.allocate(4).putInt(key).array();
      byte[] value = new byte[random.nextInt(50)];
      encoder.append(encoded, 0, 4, value, 0, value.length);
      encoder.finish();
      runs.add(
          new ReduceMerge.MergedRun(
              "run " + key, bytes.size(), new HeapInput(bytes.toByteArray())));
    }
    return runs;
  }

  /** A merge of at most so many runs. */
  ReduceMerge merge(int maxRuns) {
    MergeMemory memory = new MergeMemory(null, new Configuration(false), false, TaskMemory.alone());
    return new ReduceMerge(
        new FewWindows(Math.min(maxRuns, WINDOWS)), stage, null, ORDER, () -> {}, memory);
  }
}
