package io.sluice.workloads.table;

import io.sluice.workloads.input.GenerateTables.Visit;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Program;
import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * HiBench's Hive query of that name, as a job: {@code SELECT sourceIP, SUM(adRevenue) FROM
 * uservisits GROUP BY sourceIP}. In: that table. Out: {@code sourceIP sum}. With a combiner.
 */
public final class Aggregation extends Program {
  public Aggregation() {
    super("uservisits", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("aggregation", arguments);
    job.setMapperClass(Revenues.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(Sums.class);
    job.setOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The revenue of each visit. */
  static final class Revenues extends Mapper<LongWritable, Text, Text, LongWritable> {
    private final Text address = new Text();
    private final LongWritable revenue = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Visit visit = Visit.parse(line.toString());
      address.set(visit.address());
      revenue.set(visit.revenue());
      context.write(address, revenue);
    }
  }

  /** The sum of each visitor. */
  static final class Sums extends Reducer<Text, LongWritable, Text, Text> {
    private final Text result = new Text();

    @Override
    protected void reduce(Text address, Iterable<LongWritable> revenues, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable revenue : revenues) {
        sum = Math.addExact(sum, revenue.get());
      }
      result.set(Decimal.MICRO.format(sum));
      context.write(address, result);
    }
  }
}
