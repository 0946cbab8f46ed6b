package io.sluice.workloads.synthetic;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.math.BigInteger;
import java.util.SplittableRandom;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * Hone's synthetic workload (7.1, Table 9): for each token of a text, pairs of a key from 1 to
 * 10,000 and a random string; reduces count the pairs of a key. In: text. Out: {@code key count}.
 * Each line has its own random, of its file's name and its place there, so the pairs depend on
 * nothing else; but for biased keys, whose special reduce depends on the number of reduces.
 */
public final class Synthetic extends Program {
  private static final String PAYLOAD = "workloads.synthetic.payload-size";
  private static final String PI_DIGITS = "workloads.synthetic.pi-digits";

  /** What was computed for nothing, so that it is computed. */
  enum Count {
    /** Sum of the last digits of pi. */
    LAST_DIGITS
  }

  public Synthetic() {
    super("text", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("synthetic");
    job.setMapperClass(Pairs.class);
    job.setReducerClass(Counts.class);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(LongWritable.class);
    FileInputFormat.addInputPath(job, new Path(arguments[0]));
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    finish(job);
  }

  /** What tokens make. */
  static final class Pairs extends Mapper<LongWritable, Text, IntWritable, Text> {
    private static final int LETTERS = 26;

    private final IntWritable key = new IntWritable();
    private final Text value = new Text();
    private EmitCount counts;
    private KeyChoice keys;
    private byte[] payload;
    private int piDigits;
    private long seed;
    private long lastDigits;

    @Override
    protected void setup(Context context) {
      Configuration conf = context.getConfiguration();
      counts = EmitCount.of(conf);
      keys = KeyChoice.of(conf, context.getNumReduceTasks());
      payload = new byte[conf.getInt(PAYLOAD, 3)];
      piDigits = conf.getInt(PI_DIGITS, 2);
      String file = ((FileSplit) context.getInputSplit()).getPath().getName();
      seed = new SplittableRandom(file.hashCode()).nextLong();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      SplittableRandom random = new SplittableRandom(seed + offset.get());
      int tokens = new StringTokenizer(line.toString()).countTokens();
      for (int token = 0; token < tokens; token++) {
        if (piDigits > 0) {
          lastDigits += Pi.digits(piDigits).mod(BigInteger.TEN).intValue();
        }
        for (int left = counts.draw(random); left > 0; left--) {
          key.set(keys.draw(random));
          for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) ('a' + random.nextInt(LETTERS));
          }
          value.set(payload);
          context.write(key, value);
        }
      }
    }

    @Override
    protected void cleanup(Context context) {
      context.getCounter(Count.LAST_DIGITS).increment(lastDigits);
    }
  }

  /** How many there are of a key. */
  static final class Counts extends Reducer<IntWritable, Text, IntWritable, LongWritable> {
    private final LongWritable count = new LongWritable();

    @Override
    protected void reduce(IntWritable key, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (Text ignored : values) {
        sum++;
      }
      count.set(sum);
      context.write(key, count);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Synthetic(), arguments));
  }
}
