package io.sluice.workloads.learn;

import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import io.sluice.workloads.run.TextFiles;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;

/**
 * Clusters points with Lloyd's algorithm, a job for each round: Hone 5.2, HiBench's in RMR-NVM
 * IV-D, Mahout's in Flame-MR 4. In: points. Out: {@code number count x,y,...} of each cluster. It
 * starts from the first points. Maps read the centres from a file beside the job. With a combiner.
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
    Job job = newJob("k-means", points, sums);
    job.getConfiguration().set(CENTRES, centres.toString());
    job.setMapperClass(Nearest.class);
    job.setCombinerClass(Longs.Add.class);
    job.setReducerClass(Longs.Add.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(Longs.class);
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

  /** Assigns each point to the nearest centre. */
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

  /**
   * The centres of clusters, and the number of points of each.
   *
   * <p>Coordinates are millionths. Sums of points are longs, whose sum has no order. A centre is
   * such a sum divided by the count and rounded down. The nearest centre of a point is decided in
   * doubles, from the same numbers in the same order. So the same points make the same centres on
   * every engine.
   *
   * <p>Thread contract: immutable.
   */
  public static final class Centres implements Serializable {
    private static final long serialVersionUID = 1;

    private final long[][] centres;
    private final long[] counts;

    private Centres(long[][] centres, long[] counts) {
      this.centres = centres;
      this.counts = counts;
    }

    /** The first points that differ, one for each cluster. */
    public static Centres first(int clusters, Stream<String> points) {
      List<String> chosen = points.distinct().limit(clusters).toList();
      if (chosen.size() < clusters) {
        throw new IllegalArgumentException(
            "only " + chosen.size() + " different points for " + clusters + " clusters");
      }
      return new Centres(
          chosen.stream().map(Centres::point).toArray(long[][]::new), new long[clusters]);
    }

    /** Parses what {@link #lines} wrote. */
    public static Centres parse(Stream<String> lines) {
      List<String[]> all = lines.map(line -> line.split("\t")).toList();
      return new Centres(
          all.stream().map(fields -> point(fields[2])).toArray(long[][]::new),
          all.stream().mapToLong(fields -> Long.parseLong(fields[1])).toArray());
    }

    /** Parses the line of a point. */
    public static long[] point(String line) {
      String[] coordinates = line.split(",");
      long[] point = new long[coordinates.length];
      Arrays.setAll(point, i -> Decimal.MICRO.parse(coordinates[i]));
      return point;
    }

    /** The numbers that are added for a point: one, and its coordinates. */
    public static long[] part(long[] point) {
      long[] part = new long[point.length + 1];
      part[0] = 1;
      System.arraycopy(point, 0, part, 1, point.length);
      return part;
    }

    /** The number of the centre nearest to a point; of several, the first. */
    public int nearest(long[] point) {
      int nearest = -1;
      double least = Double.POSITIVE_INFINITY;
      for (int i = 0; i < centres.length; i++) {
        double distance = 0;
        for (int j = 0; j < point.length; j++) {
          double along = point[j] - centres[i][j];
          distance += along * along;
        }
        if (distance < least) {
          least = distance;
          nearest = i;
        }
      }
      return nearest;
    }

    /**
     * The centres of the next round. A cluster without points stays where it is.
     *
     * @param sums of {@link #part}, by the number of the centre
     */
    public Centres moved(Map<Integer, long[]> sums) {
      long[][] moved = centres.clone();
      long[] made = new long[counts.length];
      sums.forEach(
          (cluster, sum) -> {
            made[cluster] = sum[0];
            long[] centre = new long[sum.length - 1];
            Arrays.setAll(centre, i -> Math.floorDiv(sum[i + 1], sum[0]));
            moved[cluster] = centre;
          });
      return new Centres(moved, made);
    }

    /** {@code number count x,y,...} of each centre. */
    public List<String> lines() {
      List<String> lines = new ArrayList<>();
      for (int i = 0; i < centres.length; i++) {
        StringJoiner point = new StringJoiner(",");
        for (long coordinate : centres[i]) {
          point.add(Decimal.MICRO.format(coordinate));
        }
        lines.add(i + "\t" + counts[i] + "\t" + point);
      }
      return lines;
    }
  }
}
