package io.sluice.workloads.text;

import io.sluice.workloads.input.Zipf;
import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.math.BigInteger;
import java.util.SplittableRandom;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Hone's synthetic workload (7.1, Table 9): for each token of a text, pairs of a key from 1 to
 * 10,000 and a random string; reduces count the pairs of a key. In: text. Out: {@code key count}.
 * Each line has its own random, of its file's name and its place there, so the pairs depend on
 * nothing else; but for biased keys, whose special reduce depends on the number of reduces.
 */
public final class Synthetic extends Program {
  private static final String PAYLOAD = "workloads.synthetic.payload-size";
  private static final String PI_DIGITS = "workloads.synthetic.pi-digits";

  /** Uses results of no use, so that the compiler does not leave the arithmetic out. */
  enum Count {
    /** Sum of the last digits of pi. */
    LAST_DIGITS
  }

  public Synthetic() {
    super("text", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("synthetic", arguments);
    job.setMapperClass(Pairs.class);
    job.setReducerClass(Counts.class);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(Text.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(LongWritable.class);
    finish(job);
  }

  /** The pairs of each token. */
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

  /** The number of pairs of a key. */
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

  /** Arithmetic that only takes time. Thread contract: stateless. */
  static final class Pi {
    private static final int GUARD_DIGITS = 10;
    private static final BigInteger FOUR = BigInteger.valueOf(4);

    private Pi() {}

    /** The first digits, including the three, without the point: by Machin's formula. */
    static BigInteger digits(int count) {
      BigInteger one = BigInteger.TEN.pow(count - 1 + GUARD_DIGITS);
      BigInteger quarter = FOUR.multiply(arcCotangent(5, one)).subtract(arcCotangent(239, one));
      return FOUR.multiply(quarter).divide(BigInteger.TEN.pow(GUARD_DIGITS));
    }

    private static BigInteger arcCotangent(int x, BigInteger one) {
      BigInteger square = BigInteger.valueOf((long) x * x);
      BigInteger power = one.divide(BigInteger.valueOf(x));
      BigInteger sum = BigInteger.ZERO;
      for (int odd = 1; power.signum() != 0; odd += 2) {
        BigInteger term = power.divide(BigInteger.valueOf(odd));
        sum = odd % 4 == 1 ? sum.add(term) : sum.subtract(term);
        power = power.divide(square);
      }
      return sum;
    }
  }

  /** The number of pairs of a token: Table 9's d_m. Thread contract: safe from any thread. */
  @FunctionalInterface
  interface EmitCount {
    String KIND = "workloads.synthetic.emit";
    String LAMBDA = "workloads.synthetic.lambda";
    String PSI = "workloads.synthetic.psi";

    /** Above this mean the probability of no pair is too small for a double. */
    double GREATEST_LAMBDA = 700;

    int draw(SplittableRandom random);

    /** The configured distribution. */
    static EmitCount of(Configuration conf) {
      String kind = conf.get(KIND, "one-to-one");
      return switch (kind) {
        case "one-to-one" -> random -> 1;
        case "many-to-one" -> {
          double psi = conf.getDouble(PSI, 0.1);
          yield random -> random.nextDouble() < psi ? 1 : 0;
        }
        case "one-to-many" -> poisson(conf.getDouble(LAMBDA, 10));
        default ->
            throw new IllegalArgumentException(
                KIND + " is one-to-one, many-to-one or one-to-many, not " + kind);
      };
    }

    /** Knuth's: counts the factors until their product is at most the probability of none. */
    private static EmitCount poisson(double lambda) {
      if (!(lambda > 0 && lambda <= GREATEST_LAMBDA)) {
        throw new IllegalArgumentException(
            LAMBDA + " is above 0 and at most " + GREATEST_LAMBDA + ", not " + lambda);
      }
      double none = StrictMath.exp(-lambda);
      return random -> {
        int count = 0;
        for (double product = random.nextDouble(); product > none; product *= random.nextDouble()) {
          count++;
        }
        return count;
      };
    }
  }

  /** The key of a pair: Table 9's d_i. Thread contract: safe from any thread. */
  @FunctionalInterface
  interface KeyChoice {
    String KIND = "workloads.synthetic.keys";
    String SKEW = "workloads.synthetic.zipf-skew";
    String ALPHA = "workloads.synthetic.alpha";

    /** Keys are from 1 to this. */
    int KEYS = 10_000;

    int draw(SplittableRandom random);

    /**
     * The configured distribution.
     *
     * @param reduces their number; Hadoop's partitioner divides keys by it
     */
    static KeyChoice of(Configuration conf, int reduces) {
      String kind = conf.get(KIND, "uniform");
      return switch (kind) {
        case "uniform" -> KeyChoice::uniform;
        case "zipfian" -> {
          Zipf zipf = new Zipf(KEYS, conf.getDouble(SKEW, 10));
          yield random -> 1 + zipf.draw(random);
        }
        case "biased" -> biased(conf.getDouble(ALPHA, 0.7), reduces);
        default ->
            throw new IllegalArgumentException(
                KIND + " is uniform, zipfian or biased, not " + kind);
      };
    }

    private static int uniform(SplittableRandom random) {
      return 1 + random.nextInt(KEYS);
    }

    /** The first reduce is special. If it is the only one, it gets all. */
    private static KeyChoice biased(double alpha, int reduces) {
      return random -> {
        if (reduces <= 1) {
          return uniform(random);
        }
        boolean special = random.nextDouble() < alpha;
        int key = uniform(random);
        while (key % reduces == 0 != special) {
          key = uniform(random);
        }
        return key;
      };
    }
  }
}
