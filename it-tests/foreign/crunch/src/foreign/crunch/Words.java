package foreign.crunch;

import org.apache.crunch.DoFn;
import org.apache.crunch.Emitter;
import org.apache.crunch.MapFn;
import org.apache.crunch.PCollection;
import org.apache.crunch.PTable;
import org.apache.crunch.Pair;
import org.apache.crunch.PipelineResult;
import org.apache.crunch.fn.Aggregators;
import org.apache.crunch.impl.mr.MRPipeline;
import org.apache.crunch.io.To;
import org.apache.crunch.lib.Join;
import org.apache.crunch.lib.Sort;
import org.apache.crunch.types.writable.Writables;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Counts words, joins the counts with the words' lengths, and sorts what comes of it. */
public final class Words extends Configured implements Tool {
  /** The words of a line. */
  private static final class Split extends DoFn<String, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(String line, Emitter<String> emitter) {
      for (String word : line.split(" ")) {
        increment("words", "all");
        emitter.emit(word);
      }
    }
  }

  /** A word and a number of characters. */
  private static final class Length extends MapFn<String, Pair<String, Long>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Pair<String, Long> map(String word) {
      return Pair.of(word, (long) word.length());
    }
  }

  /** A line of output. */
  private static final class Line extends MapFn<Pair<String, Pair<Long, Long>>, String> {
    private static final long serialVersionUID = 1L;

    @Override
    public String map(Pair<String, Pair<Long, Long>> row) {
      return row.first() + " " + row.second().first() + " " + row.second().second();
    }
  }

  @Override
  public int run(String[] arguments) {
    MRPipeline pipeline = new MRPipeline(Words.class, getConf());
    PCollection<String> words =
        pipeline.readTextFile(arguments[0]).parallelDo(new Split(), Writables.strings());
    PTable<String, Long> counts = words.count();
    PTable<String, Long> lengths =
        words
            .parallelDo(
                new Length(), Writables.tableOf(Writables.strings(), Writables.longs()))
            .groupByKey(3)
            .combineValues(Aggregators.MAX_LONGS());
    PCollection<String> lines =
        Join.join(counts, lengths).parallelDo(new Line(), Writables.strings());
    pipeline.write(Sort.sort(lines), To.textFile(arguments[1]));
    PipelineResult result = pipeline.done();
    result.getStageResults().forEach(stage -> System.out.println(stage.getCounters()));
    return result.succeeded() ? 0 : 1;
  }

  /** Input, output. */
  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new Words(), arguments));
  }
}
