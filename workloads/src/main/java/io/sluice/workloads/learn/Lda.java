package io.sluice.workloads.learn;

import io.sluice.workloads.input.GenerateDocuments.Document;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import io.sluice.workloads.run.TextFiles;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Finds topics in documents, latent Dirichlet allocation by variational Bayes, a job for each
 * round: Hone 5.2, whose program is Mr. LDA (Zhai and others, 2012), of the same kind. In:
 * documents. Out: each word, and its count in each topic, in millionths. Maps read the model from
 * the output of the job before. With a combiner. Most of the time is the maps' arithmetic.
 */
public final class Lda extends Program {
  private static final String TOPICS = "workloads.lda.topics";
  private static final String MODEL = "workloads.lda.model";

  public Lda() {
    super("documents", "output", "topics", "rounds");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[1]);
    int topics = positive(arguments[2]);
    int rounds = positive(arguments[3]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path model = null;
      for (int round = 1; round <= rounds; round++) {
        Path next = round < rounds ? steps.next() : output;
        runRound(new Path(arguments[0]), topics, model, next);
        model = next;
      }
    }
  }

  private void runRound(Path documents, int topics, Path model, Path output) throws Exception {
    Job job = newJob("lda", documents, output);
    job.getConfiguration().setInt(TOPICS, topics);
    if (model != null) {
      job.getConfiguration().set(MODEL, model.toString());
    }
    job.setMapperClass(Expectation.class);
    job.setCombinerClass(Longs.Add.class);
    job.setReducerClass(Longs.Add.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Longs.class);
    finish(job);
  }

  /** Each word of a document, and its count of each topic there. */
  static final class Expectation extends Mapper<LongWritable, Text, Text, Longs> {
    private final Text word = new Text();
    private TopicModel model;

    @Override
    protected void setup(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      int topics = conf.getInt(TOPICS, 0);
      String before = conf.get(MODEL);
      if (before == null) {
        model = TopicModel.unknown(topics);
      } else {
        try (Stream<String> lines = TextFiles.lines(conf, new Path(before))) {
          model = TopicModel.parse(topics, lines);
        }
      }
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Document document = Document.parse(line.toString());
      for (Map.Entry<String, long[]> counts : model.counts(document).entrySet()) {
        word.set(counts.getKey());
        context.write(word, new Longs(counts.getValue()));
      }
    }
  }
}
