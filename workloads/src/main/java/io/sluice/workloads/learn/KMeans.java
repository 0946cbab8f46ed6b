package io.sluice.workloads.learn;

import io.sluice.workloads.run.AddLongs;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import io.sluice.workloads.run.TextFiles;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * Clusters points with Lloyd's algorithm, a job a round: Hone 5.2, HiBench's in RMR-NVM IV-D,
 * Mahout's in Flame-MR 4. In: points. Out: {@code number count x,y,...} of each cluster. It starts
 * from the first points; maps read the centres from a file beside the job; with a combiner.
 */
public final class KMeans extends Program {
  private static final String CENTRES = "workloads.kmeans.centres";

  public KMeans() {
    super("points", "output", "clusters", "rounds");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path points = new Path(arguments[0]);
    Path output = new Path(arguments[1]);
    Centres centres;
    try (Stream<String> lines = TextFiles.lines(getConf(), points)) {
      centres = Centres.first(positive(arguments[2]), lines);
    }
    try (Steps steps = new Steps(getConf(), output)) {
      for (int left = positive(arguments[3]); left > 0; left--) {
        Path before = steps.next();
        TextFiles.write(getConf(), new Path(before, "centres"), centres.lines());
        Path sums = steps.next();
        runRound(points, before, sums);
        centres = centres.moved(sums(sums));
      }
    }
    TextFiles.write(getConf(), new Path(output, "centres"), centres.lines());
  }

  private void runRound(Path points, Path centres, Path sums) throws Exception {
    Job job = newJob("k-means");
    job.getConfiguration().set(CENTRES, centres.toString());
    job.setMapperClass(Nearest.class);
    job.setCombinerClass(AddLongs.class);
    job.setReducerClass(AddLongs.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(Longs.class);
    FileInputFormat.addInputPath(job, points);
    FileOutputFormat.setOutputPath(job, sums);
    finish(job);
  }

  private Map<Integer, long[]> sums(Path directory) throws IOException {
    try (Stream<String> lines = TextFiles.lines(getConf(), directory)) {
      return lines
          .map(line -> line.split("\t"))
          .collect(
              Collectors.toMap(
                  fields -> Integer.parseInt(fields[0]), fields -> Longs.parse(fields[1])));
    }
  }

  /** Each point, to the centre next to it. */
  static final class Nearest extends Mapper<LongWritable, Text, IntWritable, Longs> {
    private final IntWritable cluster = new IntWritable();
    private Centres centres;

    @Override
    protected void setup(Context context) throws IOException {
      Configuration conf = context.getConfiguration();
      try (Stream<String> lines = TextFiles.lines(conf, new Path(conf.get(CENTRES)))) {
        centres = Centres.parse(lines);
      }
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      long[] point = Centres.point(line.toString());
      cluster.set(centres.nearest(point));
      context.write(cluster, new Longs(Centres.part(point)));
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new KMeans(), arguments));
  }
}
