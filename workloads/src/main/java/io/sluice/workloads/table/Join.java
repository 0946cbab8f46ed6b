package io.sluice.workloads.table;

import io.sluice.workloads.run.AddLongs;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * HiBench's Hive query of that name, as three jobs: the visits of 1999 with the ranks of their
 * pages; of each visitor the mean rank and the sum of the revenues, with a combiner; all in one
 * reduce, the greatest revenue first. In: both tables. Out: {@code sourceIP avgPageRank
 * totalRevenue}; the mean is rounded down.
 */
public final class Join extends Program {
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
    MultipleInputs.addInputPath(job, rankings, TextInputFormat.class, JoinTasks.Rankings.class);
    MultipleInputs.addInputPath(job, visits, TextInputFormat.class, JoinTasks.Visits.class);
    job.setMapOutputValueClass(Text.class);
    job.setReducerClass(JoinTasks.Joined.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Longs.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileOutputFormat.setOutputPath(job, joined);
    finish(job);
  }

  private void sum(Path joined, Path sums) throws Exception {
    Job job = newJob("sums of visitors");
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Mapper.class);
    job.setCombinerClass(AddLongs.class);
    job.setReducerClass(AddLongs.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Longs.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileInputFormat.addInputPath(job, joined);
    FileOutputFormat.setOutputPath(job, sums);
    finish(job);
  }

  private void sort(Path sums, Path output) throws Exception {
    Job job = newJob("order by revenue");
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(JoinTasks.ByRevenue.class);
    job.setMapOutputKeyClass(LongWritable.class);
    job.setMapOutputValueClass(Text.class);
    job.setSortComparatorClass(LongWritable.DecreasingComparator.class);
    job.setReducerClass(JoinTasks.Rows.class);
    job.setNumReduceTasks(1);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileInputFormat.addInputPath(job, sums);
    FileOutputFormat.setOutputPath(job, output);
    finish(job);
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Join(), arguments));
  }
}
