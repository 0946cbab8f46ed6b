package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose key registers a comparator that two threads must not use at a time. */
@Timeout(300)
class ComparatorStateTest {
  private static final int MAPS = 4;
  private static final int KEYS = 50;
  private static final int RECORDS = 400;

  /** By comparator. */
  private static final Map<Number.Order, Set<Thread>> USERS = new ConcurrentHashMap<>();

  private static volatile CyclicBarrier together;

  @TempDir private Path directory;

  /** The key. */
  public static class Number implements WritableComparable<Number> {
    static {
      WritableComparator.define(Number.class, new Order());
    }

    private int number;

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readInt();
    }

    @Override
    public int compareTo(Number other) {
      return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Number of && of.number == number;
    }

    @Override
    public int hashCode() {
      return number;
    }

    /** Has two keys and a buffer, as Hadoop's class has. */
    static final class Order extends WritableComparator {
      Order() {
        super(Number.class, true);
      }

      @Override
      public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
        USERS
            .computeIfAbsent(this, order -> ConcurrentHashMap.newKeySet())
            .add(Thread.currentThread());
        return super.compare(a, aOff, aLen, b, bOff, bLen);
      }
    }
  }

  /** All sort at the same time. */
  public static class Numbers extends Mapper<LongWritable, Text, Number, LongWritable> {
    private final Number key = new Number();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      key.number = Integer.parseInt(line.toString());
      context.write(key, new LongWritable(1));
    }

    @Override
    protected void cleanup(Context context) throws InterruptedException {
      try {
        together.await();
      } catch (BrokenBarrierException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Combines. */
  public static class Sum extends Reducer<Number, LongWritable, Number, LongWritable> {
    @Override
    protected void reduce(Number key, Iterable<LongWritable> counts, Context context)
        throws IOException, InterruptedException {
      context.write(key, new LongWritable(sum(counts)));
    }

    static long sum(Iterable<LongWritable> counts) {
      long sum = 0;
      for (LongWritable count : counts) {
        sum += count.get();
      }
      return sum;
    }
  }

  /** Each key once, in order. */
  public static class Groups extends Reducer<Number, LongWritable, Text, NullWritable> {
    private int last = -1;

    @Override
    protected void reduce(Number key, Iterable<LongWritable> counts, Context context)
        throws IOException, InterruptedException {
      assertTrue(key.number > last, key.number + " comes after " + last);
      last = key.number;
      context.getCounter("job", "groups").increment(1);
      context.getCounter("job", "sum").increment(Sum.sum(counts));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pull", "push", "hybrid"})
  void noTwoTasksUseOneComparator(String exchange) throws Exception {
    Path input = Files.createDirectory(directory.resolve("input"));
    for (int map = 0; map < MAPS; map++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < RECORDS; i++) {
        text.append((i * 7 + map) % KEYS).append('\n');
      }
      Files.writeString(input.resolve("part" + map), text);
    }
    Configuration conf = new Jobs(directory).conf();
    conf.set("mapreduce.framework.name", "sluice");
    conf.set("sluice.local.exchange", exchange);
    conf.set("sluice.local.isolation", "none"); // all tasks share the classes
    conf.setInt("mapreduce.map.maxattempts", 1); // another would wait for the others
    conf.setInt("sluice.local.map-threads", MAPS);
    conf.setInt("sluice.local.sort-threads", MAPS);
    Job job = Job.getInstance(conf);
    job.setMapperClass(Numbers.class);
    job.setCombinerClass(Sum.class);
    job.setReducerClass(Groups.class);
    job.setMapOutputKeyClass(Number.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    job.setNumReduceTasks(2);
    FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path(input.toUri()));
    FileOutputFormat.setOutputPath(
        job, new org.apache.hadoop.fs.Path(directory.resolve("output").toUri()));
    together = new CyclicBarrier(MAPS);
    USERS.clear();
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    assertEquals(KEYS, job.getCounters().findCounter("job", "groups").getValue());
    assertEquals((long) MAPS * RECORDS, job.getCounters().findCounter("job", "sum").getValue());
    USERS.forEach((order, users) -> assertEquals(1, users.size(), users::toString));
  }
}
