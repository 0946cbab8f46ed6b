package io.sluice.workloads.table;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Joins every two associations that differ only in their last item to one with one item more, as
 * the a-priori algorithm does for its candidates: PUMA's, in RMR-NVM IV-D. In: {@code
 * A1;A2;...;A12}. Out: {@code A1;...;A11 A12;B12} for every two last items, in the order of their
 * texts. A combiner drops duplicates.
 */
public final class SelfJoin extends Program {
  private static final char SEPARATOR = ';';

  public SelfJoin() {
    super("associations", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("self join", arguments);
    job.setMapperClass(LastItems.class);
    job.setCombinerClass(Distinct.class);
    job.setReducerClass(Pairs.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The last item behind the others. */
  static final class LastItems extends Mapper<LongWritable, Text, Text, Text> {
    private final Text others = new Text();
    private final Text last = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int end = text.lastIndexOf(SEPARATOR);
      if (end < 0) {
        throw new IOException("only one item: " + text);
      }
      others.set(text.substring(0, end));
      last.set(text.substring(end + 1));
      context.write(others, last);
    }
  }

  private static SortedSet<String> distinct(Iterable<Text> items) {
    SortedSet<String> distinct = new TreeSet<>();
    items.forEach(item -> distinct.add(item.toString()));
    return distinct;
  }

  /** Each last item once. */
  static final class Distinct extends Reducer<Text, Text, Text, Text> {
    private final Text last = new Text();

    @Override
    protected void reduce(Text others, Iterable<Text> items, Context context)
        throws IOException, InterruptedException {
      for (String item : distinct(items)) {
        last.set(item);
        context.write(others, last);
      }
    }
  }

  /** Every two of them. */
  static final class Pairs extends Reducer<Text, Text, Text, Text> {
    private final Text pair = new Text();

    @Override
    protected void reduce(Text others, Iterable<Text> items, Context context)
        throws IOException, InterruptedException {
      List<String> all = new ArrayList<>(distinct(items));
      for (int first = 0; first < all.size(); first++) {
        for (int second = first + 1; second < all.size(); second++) {
          pair.set(all.get(first) + SEPARATOR + all.get(second));
          context.write(others, pair);
        }
      }
    }
  }
}
