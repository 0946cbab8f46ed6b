package io.sluice.workloads.text;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * Counts every three words that follow each other in a line, in each file: PUMA's, in RMR-NVM IV-D.
 * In: text. Out: {@code word|word|word|file count}. With a combiner.
 */
public final class SequenceCount extends Program {
  static final char SEPARATOR = '|';

  public SequenceCount() {
    super("text", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("sequence count", arguments);
    job.setMapperClass(Sequences.class);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    finish(job);
  }

  /** Each three words with the file's name, once. */
  static final class Sequences extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);

    private final Text sequence = new Text();
    private String file;

    @Override
    protected void setup(Context context) {
      file = ((FileSplit) context.getInputSplit()).getPath().getName();
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      StringTokenizer words = new StringTokenizer(line.toString());
      String first = null;
      String second = null;
      while (words.hasMoreTokens()) {
        String third = words.nextToken();
        if (first != null) {
          sequence.set(first + SEPARATOR + second + SEPARATOR + third + SEPARATOR + file);
          context.write(sequence, ONE);
        }
        first = second;
        second = third;
      }
    }
  }
}
