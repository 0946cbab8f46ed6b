package foreign;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableName;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ExitUtil;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Programs that are right where each task has a process of its own, and that keep something of a
 * task where others can see it. Their package is nobody's whose classes are shared.
 */
public final class Programs {
  /** A property of the process with a barrier that as many tasks reach as run at a time. */
  public static final String BARRIER = "foreign.barrier";

  /** A property of the process with a set of the comparators that tasks use now. */
  public static final String ORDERS = "foreign.orders";

  private static final ThreadLocal<String> OF_THREAD = new ThreadLocal<>();

  private Programs() {}

  /** A task fails with it. */
  static void require(boolean holds, String what) throws IOException {
    if (!holds) {
      throw new IOException(what);
    }
  }

  static void meet() throws IOException, InterruptedException {
    try {
      ((CyclicBarrier) System.getProperties().get(BARRIER)).await();
    } catch (BrokenBarrierException e) {
      throw new IOException(e);
    }
  }

  /** A key that names a comparator with state for itself, and itself for old files. */
  public static final class Pair implements WritableComparable<Pair> {
    /** What files of an older release call it. */
    public static final String OLD_NAME = "foreign.old.Pair";

    static {
      WritableComparator.define(Pair.class, new Order());
      WritableName.addName(Pair.class, OLD_NAME);
    }

    private int first;

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(first);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      first = in.readInt();
    }

    @Override
    public int compareTo(Pair other) {
      return Integer.compare(first, other.first);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Pair pair && pair.first == first;
    }

    @Override
    public int hashCode() {
      return first;
    }

    /** Deserializes into fields of its own. */
    public static final class Order extends WritableComparator {
      Order() {
        super(Pair.class, true);
      }
    }
  }

  /** Looks for traces of other tasks. */
  public static class Looks extends Mapper<LongWritable, Text, Text, IntWritable> {
    private static Object current;

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      current = this;
      require(OF_THREAD.get() == null, "another task has been in this thread");
      OF_THREAD.set(context.getTaskAttemptID().toString());
      Class<?> pair = new Pair().getClass();
      meet();
      require(current == this, "the static field is another task's");
      require(
          WritableName.getClass(Pair.OLD_NAME, context.getConfiguration()) == pair,
          "the name is another task's");
      require(
          context.getConfiguration().getClassByNameOrNull(Pair.class.getName()) == pair,
          "the settings have another class");
      require(
          Thread.currentThread().getContextClassLoader() == Looks.class.getClassLoader(),
          "the thread has another class loader");
      require(
          Looks.class.getProtectionDomain().getCodeSource().getLocation() != null,
          "it does not know where it comes from");
      Object order = WritableComparator.get(Pair.class, context.getConfiguration());
      Set<Object> inUse = ordersInUse();
      require(inUse.add(order), "a task that runs now has the same comparator");
      meet();
      inUse.remove(order);
    }

    @SuppressWarnings("unchecked")
    private static Set<Object> ordersInUse() {
      return (Set<Object>) System.getProperties().get(ORDERS);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** Loads a native library, as the static block of a class with native methods does. */
  public static class LoadsLibrary extends Mapper<LongWritable, Text, Text, IntWritable> {
    static {
      System.loadLibrary("foreign");
    }

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      meet();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** Registers a source of metrics in each task, while another task has its own registered. */
  public static class HasMetrics extends Mapper<LongWritable, Text, Text, IntWritable> {
    /** What it registers its source as. */
    public static final String SOURCE = "foreign";

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      MetricsSource source = (collector, all) -> collector.addRecord(SOURCE);
      DefaultMetricsSystem.instance().register(SOURCE, "of a test", source);
      meet();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** The order of text, reversed. */
  public static class Descending extends Text.Comparator {
    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return super.compare(b, bOff, bLen, a, aOff, aLen);
    }
  }

  /** Does what Java allows to one class loader of a process. */
  public static class LoadsTwice extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void setup(Context context) {
      System.load(context.getConfiguration().get("foreign.library"));
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** Values of a class that only the program's own serialization knows. */
  public static class Copies extends Mapper<LongWritable, Text, Text, IntWritable> {
    /** Not a {@code Writable}. */
    public static final class Plain implements java.io.Serializable {
      private static final long serialVersionUID = 1;
      private final int number;

      Plain(int number) {
        this.number = number;
      }
    }

    @Override
    protected void setup(Context context) throws IOException, InterruptedException {
      meet();
      Plain copy = ReflectionUtils.copy(context.getConfiguration(), new Plain(7), null);
      require(copy.number == 7, "not copied");
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context) {}
  }

  /** Ends the process, in the way that its settings say. */
  public static class Exits extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String how = context.getConfiguration().get("foreign.exit");
      switch (how) {
        case "exit" -> System.exit(3);
        case "zero" -> System.exit(0);
        case "runtime" -> Runtime.getRuntime().exit(4);
        case "halt" -> Runtime.getRuntime().halt(5);
        case "hadoop" -> ExitUtil.terminate(6, "on purpose");
        case "reference" -> {
          java.util.function.IntConsumer exit = Runtime.getRuntime()::exit;
          exit.accept(7);
        }
        case "swallowed" -> swallowed();
        case "thread" -> {
          Thread ends = new Thread(Exits::swallowed);
          ends.start();
          ends.join();
        }
        default -> throw new IOException(how);
      }
      context.write(new Text("it goes on"), new IntWritable(1));
    }

    private static void swallowed() {
      try {
        System.exit(0);
      } catch (Throwable e) {
        // As a program does that means to go on whatever happens.
      }
    }
  }

  /** A combiner that wants to know in which task it is, and has what it works for in a field. */
  public static class Combines extends Reducer<Text, IntWritable, Text, IntWritable> {
    private static Object current;

    @Override
    protected void setup(Context context) throws IOException {
      current = this;
      for (String name :
          new String[] {
            "mapreduce.task.attempt.id", "mapreduce.task.id", "mapreduce.task.partition"
          }) {
        require(context.getConfiguration().get(name) != null, name + " is not set");
      }
      require(
          Thread.currentThread().getContextClassLoader() == Combines.class.getClassLoader(),
          "the thread has another class loader");
    }

    @Override
    protected void reduce(Text key, Iterable<IntWritable> values, Context context)
        throws IOException, InterruptedException {
      require(current == this, "the static field is another combiner's");
      int sum = 0;
      for (IntWritable value : values) {
        sum += value.get();
      }
      Thread.yield();
      context.write(key, new IntWritable(sum));
    }
  }

  /** Words, by a class that is not shared. */
  public static class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String word : line.toString().split(" ")) {
        context.write(new Text(word), new IntWritable(1));
      }
    }
  }
}
