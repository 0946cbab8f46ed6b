package io.sluice.workloads.text;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.StringTokenizer;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * Counts words: Hone 5.2, Flame-MR 4, Mammoth 6.1. In: text. Out: {@code word count}. It differs
 * from Hadoop's example in that {@code workloads.wordcount.combine=false} leaves the combiner out.
 */
public final class WordCount extends Program {
  private static final String COMBINE = "workloads.wordcount.combine";

  public WordCount() {
    super("text", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("word count", arguments);
    job.setMapperClass(Words.class);
    if (getConf().getBoolean(COMBINE, true)) {
      job.setCombinerClass(LongSumReducer.class);
    }
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    finish(job);
  }

  /** Each word, once. */
  static final class Words extends Mapper<LongWritable, Text, Text, LongWritable> {
    private static final LongWritable ONE = new LongWritable(1);

    private final Text word = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (StringTokenizer words = new StringTokenizer(line.toString()); words.hasMoreTokens(); ) {
        word.set(words.nextToken());
        context.write(word, ONE);
      }
    }
  }
}
