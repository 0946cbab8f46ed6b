package io.sluice.workloads.record;

import io.sluice.workloads.run.Program;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/** Writes records of a hundred bytes into sequence files, by a job without reduces. */
public final class GenerateRecords extends Program {
  private static final String FILES = "workloads.generate.files";

  public GenerateRecords() {
    super("records", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("generate-records");
    RecordInput.set(
        job.getConfiguration(), getConf().getInt(FILES, 4), Long.parseLong(arguments[0]));
    job.setInputFormatClass(RecordInput.class);
    job.setNumReduceTasks(0);
    job.setOutputKeyClass(BytesWritable.class);
    job.setOutputValueClass(BytesWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileOutputFormat.setOutputPath(job, new Path(arguments[1]));
    finish(job);
  }
}
