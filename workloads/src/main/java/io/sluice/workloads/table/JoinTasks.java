package io.sluice.workloads.table;

import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/** The tasks of {@link Join}'s jobs. */
final class JoinTasks {
  private static final String FIRST_DAY = "1999-01-01";
  private static final String LAST_DAY = "2000-01-01";

  /** Before what is of a visit; what is of a page begins with a digit. */
  private static final char VISIT = '@';

  private JoinTasks() {}

  /** A page's rank. */
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

  /** A page's visits of the year. */
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

  /** Each visit, with the rank of its page: one, the rank, the revenue. */
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

  /** A visitor's sums, by the revenue. */
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

  /** Rows; of the same revenue, in the order of their texts. */
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
