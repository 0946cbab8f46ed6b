package io.sluice.workloads.table;

import io.sluice.workloads.input.GenerateTables.Visit;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * HiBench's Hive query of that name, as three jobs: the visits of 1999 with the ranks of their
 * pages; of each visitor the mean rank and the sum of the revenues, with a combiner; all in one
 * reduce, the greatest revenue first. In: both tables. Out: {@code sourceIP avgPageRank
 * totalRevenue}; the mean is rounded down.
 */
public final class Join extends Program {
  private static final String FIRST_DAY = "1999-01-01";
  private static final String LAST_DAY = "2000-01-01";

  /** Marks the values of visits; values of pages begin with a digit. */
  private static final char VISIT = '@';

  public Join() {
    super("rankings", "uservisits", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[2]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path joined = steps.next();
      join(new Path(arguments[0]), new Path(arguments[1]), joined);
      Path sums = steps.next();
      sum(joined, sums);
      sort(sums, output);
    }
  }

  private void join(Path rankings, Path visits, Path joined) throws Exception {
    Job job = newJob("join");
    MultipleInputs.addInputPath(job, rankings, TextInputFormat.class, Rankings.class);
    MultipleInputs.addInputPath(job, visits, TextInputFormat.class, Visits.class);
    job.setMapOutputValueClass(Text.class);
    job.setReducerClass(Joined.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Longs.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileOutputFormat.setOutputPath(job, joined);
    finish(job);
  }

  private void sum(Path joined, Path sums) throws Exception {
    Job job = newJob("sums of visitors", joined, sums);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Mapper.class);
    job.setCombinerClass(Longs.Add.class);
    job.setReducerClass(Longs.Add.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Longs.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    finish(job);
  }

  private void sort(Path sums, Path output) throws Exception {
    Job job = newJob("order by revenue", sums, output);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(ByRevenue.class);
    job.setMapOutputKeyClass(LongWritable.class);
    job.setMapOutputValueClass(Text.class);
    job.setSortComparatorClass(LongWritable.DecreasingComparator.class);
    job.setReducerClass(Rows.class);
    job.setNumReduceTasks(1);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The rank of a page. */
  static final class Rankings extends Mapper<LongWritable, Text, Text, Text> {
    private final Text url = new Text();
    private final Text rank = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] columns = line.toString().split(",");
      url.set(columns[0]);
      rank.set(columns[1]);
      context.write(url, rank);
    }
  }

  /** The visits of a page in 1999. */
  static final class Visits extends Mapper<LongWritable, Text, Text, Text> {
    private final Text url = new Text();
    private final Text visited = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Visit visit = Visit.parse(line.toString());
      if (visit.date().compareTo(FIRST_DAY) >= 0 && visit.date().compareTo(LAST_DAY) <= 0) {
        url.set(visit.url());
        visited.set(VISIT + visit.address() + "," + visit.revenue());
        context.write(url, visited);
      }
    }
  }

  /** Each visit with the rank of its page: one, the rank, the revenue. */
  static final class Joined extends Reducer<Text, Text, Text, Longs> {
    private final Text address = new Text();

    @Override
    protected void reduce(Text url, Iterable<Text> values, Context context)
        throws IOException, InterruptedException {
      List<String> visits = new ArrayList<>();
      String rank = null;
      for (Text value : values) {
        String text = value.toString();
        if (text.charAt(0) == VISIT) {
          visits.add(text.substring(1));
        } else {
          rank = text;
        }
      }
      if (rank != null) {
        for (String visit : visits) {
          String[] columns = visit.split(",");
          address.set(columns[0]);
          context.write(
              address, new Longs(new long[] {1, Long.parseLong(rank), Long.parseLong(columns[1])}));
        }
      }
    }
  }

  /** The sums of a visitor, by the revenue. */
  static final class ByRevenue extends Mapper<Text, Longs, LongWritable, Text> {
    private final LongWritable revenue = new LongWritable();
    private final Text visitor = new Text();

    @Override
    protected void map(Text address, Longs sums, Context context)
        throws IOException, InterruptedException {
      long[] values = sums.values();
      long meanRank = Math.multiplyExact(values[1], Decimal.MICRO.one()) / values[0];
      revenue.set(values[2]);
      visitor.set(address + "\t" + Decimal.MICRO.format(meanRank));
      context.write(revenue, visitor);
    }
  }

  /** The rows; those of the same revenue in the order of their texts. */
  static final class Rows extends Reducer<LongWritable, Text, Text, Text> {
    private final Text visitor = new Text();
    private final Text total = new Text();

    @Override
    protected void reduce(LongWritable revenue, Iterable<Text> visitors, Context context)
        throws IOException, InterruptedException {
      List<String> all = new ArrayList<>();
      visitors.forEach(each -> all.add(each.toString()));
      all.sort(null);
      total.set(Decimal.MICRO.format(revenue.get()));
      for (String each : all) {
        visitor.set(each);
        context.write(visitor, total);
      }
    }
  }
}
