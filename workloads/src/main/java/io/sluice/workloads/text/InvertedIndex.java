package io.sluice.workloads.text;

import io.sluice.workloads.input.GenerateDocuments.Document;
import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Lists the documents of each word: Hone 5.2; PUMA's, in RMR-NVM IV-D. In: documents. Out: {@code
 * word document:count document:count ...}, in the order of these texts.
 */
public final class InvertedIndex extends Program {
  public InvertedIndex() {
    super("documents", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("inverted index", arguments);
    job.setMapperClass(Postings.class);
    job.setReducerClass(Lists.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** The entry of a document in a word's list. */
  public static String posting(String document, long count) {
    return document + ":" + count;
  }

  /** Each word of a document, with its entry. */
  static final class Postings extends Mapper<LongWritable, Text, Text, Text> {
    private final Text word = new Text();
    private final Text posting = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Document document = Document.parse(line.toString());
      for (Map.Entry<String, Long> count : document.counts().entrySet()) {
        word.set(count.getKey());
        posting.set(posting(document.name(), count.getValue()));
        context.write(word, posting);
      }
    }
  }

  /** The list of a word. Its entries must fit into memory, as in the papers. */
  static final class Lists extends Reducer<Text, Text, Text, Text> {
    private final Text list = new Text();

    @Override
    protected void reduce(Text word, Iterable<Text> postings, Context context)
        throws IOException, InterruptedException {
      List<String> all = new ArrayList<>();
      for (Text posting : postings) {
        all.add(posting.toString());
      }
      all.sort(null);
      list.set(String.join(" ", all));
      context.write(word, list);
    }
  }
}
