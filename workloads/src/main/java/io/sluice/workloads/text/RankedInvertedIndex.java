package io.sluice.workloads.text;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Ranks the files of each sequence of three words by its count: PUMA's, in RMR-NVM IV-D. In: the
 * output of {@link SequenceCount}. Out: {@code word|word|word count|file count|file ...}, the
 * greatest count first; of the same counts, in the order of the files' names.
 */
public final class RankedInvertedIndex extends Program {
  public RankedInvertedIndex() {
    super("sequences", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("ranked inverted index", arguments);
    job.setMapperClass(Parts.class);
    job.setReducerClass(Ranked.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The words alone, and the file with its count. */
  static final class Parts extends Mapper<LongWritable, Text, Text, Text> {
    private final Text words = new Text();
    private final Text file = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int tab = text.lastIndexOf('\t');
      int end = text.lastIndexOf(SequenceCount.SEPARATOR, tab);
      if (end < 0) {
        throw new IOException("not three words, a file and a count: " + text);
      }
      words.set(text.substring(0, end));
      file.set(text.substring(tab + 1) + SequenceCount.SEPARATOR + text.substring(end + 1, tab));
      context.write(words, file);
    }
  }

  /** The files of the same words. */
  static final class Ranked extends Reducer<Text, Text, Text, Text> {
    private static final Comparator<String> ORDER =
        Comparator.comparingLong(Ranked::count).reversed().thenComparing(Comparator.naturalOrder());

    private final Text list = new Text();

    private static long count(String file) {
      return Long.parseLong(file.substring(0, file.indexOf(SequenceCount.SEPARATOR)));
    }

    @Override
    protected void reduce(Text words, Iterable<Text> files, Context context)
        throws IOException, InterruptedException {
      List<String> all = new ArrayList<>();
      for (Text file : files) {
        all.add(file.toString());
      }
      all.sort(ORDER);
      list.set(String.join(" ", all));
      context.write(words, list);
    }
  }
}
