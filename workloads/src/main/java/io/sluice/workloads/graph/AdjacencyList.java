package io.sluice.workloads.graph;

import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Lists for each vertex from which vertices edges come, and to which they go: PUMA's, in RMR-NVM
 * IV-D. In: edges, {@code from,to}. Out: {@code vertex from{a,b}:to{c,d}}, each vertex of a list
 * once, in the order of their texts.
 */
public final class AdjacencyList extends Program {
  private static final char FROM = '<';
  private static final char TO = '>';

  public AdjacencyList() {
    super("edges", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Job job = newJob("adjacency list", arguments);
    job.setMapperClass(Ends.class);
    job.setReducerClass(Lists.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** Each edge for both of its vertices. */
  static final class Ends extends Mapper<LongWritable, Text, Text, Text> {
    private final Text vertex = new Text();
    private final Text other = new Text();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String[] ends = line.toString().split(",");
      write(ends[0], TO, ends[1], context);
      write(ends[1], FROM, ends[0], context);
    }

    private void write(String end, char direction, String otherEnd, Context context)
        throws IOException, InterruptedException {
      vertex.set(end);
      other.set(direction + otherEnd);
      context.write(vertex, other);
    }
  }

  /** Both lists of a vertex. */
  static final class Lists extends Reducer<Text, Text, Text, Text> {
    private final Text lists = new Text();

    @Override
    protected void reduce(Text vertex, Iterable<Text> others, Context context)
        throws IOException, InterruptedException {
      SortedSet<String> from = new TreeSet<>();
      SortedSet<String> to = new TreeSet<>();
      for (Text other : others) {
        String name = other.toString();
        (name.charAt(0) == FROM ? from : to).add(name.substring(1));
      }
      lists.set("from{" + String.join(",", from) + "}:to{" + String.join(",", to) + "}");
      context.write(vertex, lists);
    }
  }
}
