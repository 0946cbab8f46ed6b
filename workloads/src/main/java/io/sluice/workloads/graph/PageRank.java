package io.sluice.workloads.graph;

import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/**
 * Ranks the pages of a web, a job a round behind one that finds them all: Hone 5.2, Pegasus' in
 * Flame-MR 3 and Mammoth 6.4, HiBench's in RMR-NVM IV-D. In: lists of links. Out: {@code page
 * rank}; the mean rank is 1. Pages without links give to all pages alike; how much that is, the job
 * before has counted.
 */
public final class PageRank extends Program {
  private static final String DANGLING = "workloads.pagerank.dangling";
  private static final String PAGES = "workloads.pagerank.pages";

  /** What the next job needs to know. */
  enum Count {
    /** How many there are. */
    PAGES,
    /** Sum of the ranks of those without links. */
    DANGLING
  }

  public PageRank() {
    super("graph", "output", "rounds");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[1]);
    int rounds = positive(arguments[2]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path pages = steps.next();
      Counters counted = findPages(new Path(arguments[0]), pages);
      for (int round = 1; round < rounds; round++) {
        Path next = steps.next();
        Job job = round(pages, counted, next);
        job.setReducerClass(Ranks.class);
        job.setOutputValueClass(Page.class);
        job.setOutputFormatClass(SequenceFileOutputFormat.class);
        counted = finish(job);
        pages = next;
      }
      Job last = round(pages, counted, output);
      last.setReducerClass(LastRanks.class);
      last.setOutputValueClass(Text.class);
      last.setOutputFormatClass(TextOutputFormat.class);
      finish(last);
    }
  }

  private Counters findPages(Path graph, Path pages) throws Exception {
    Job job = newJob("page rank: pages");
    job.setMapperClass(Named.class);
    job.setCombinerClass(Merge.class);
    job.setReducerClass(FirstRanks.class);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Page.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    FileInputFormat.addInputPath(job, graph);
    FileOutputFormat.setOutputPath(job, pages);
    return finish(job);
  }

  private Job round(Path from, Counters counted, Path to) throws IOException {
    Job job = newJob("page rank");
    Configuration conf = job.getConfiguration();
    conf.setLong(PAGES, counted.findCounter(Count.PAGES).getValue());
    conf.setLong(DANGLING, counted.findCounter(Count.DANGLING).getValue());
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Shares.class);
    job.setCombinerClass(Merge.class);
    job.setMapOutputValueClass(Page.class);
    job.setOutputKeyClass(LongWritable.class);
    FileInputFormat.addInputPath(job, from);
    FileOutputFormat.setOutputPath(job, to);
    return job;
  }

  /** Every page that is named, and where it links to. */
  static final class Named extends Mapper<LongWritable, Text, LongWritable, Page> {
    private final LongWritable key = new LongWritable();
    private final Page page = new Page();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Links links = Links.parse(line.toString());
      key.set(links.vertex());
      context.write(key, page.set(0, links.targets()));
      for (long target : links.targets()) {
        key.set(target);
        context.write(key, page.setShare(0));
      }
    }
  }

  /** A page with its links, and what each of these gets of it. */
  static final class Shares extends Mapper<LongWritable, Page, LongWritable, Page> {
    private final LongWritable key = new LongWritable();
    private final Page part = new Page();

    @Override
    protected void map(LongWritable vertex, Page page, Context context)
        throws IOException, InterruptedException {
      long[] links = page.links();
      context.write(vertex, part.set(0, links));
      for (long link : links) {
        key.set(link);
        context.write(key, part.setShare(Rank.share(page.rank(), links.length)));
      }
    }
  }

  /** Puts the parts of a page together. */
  private static Page merged(Iterable<Page> parts) {
    Page merged = new Page();
    parts.forEach(merged::add);
    return merged;
  }

  /** As a combiner. */
  static final class Merge extends Reducer<LongWritable, Page, LongWritable, Page> {
    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      context.write(vertex, merged(parts));
    }
  }

  /** Every page, with the same rank. */
  static final class FirstRanks extends Reducer<LongWritable, Page, LongWritable, Page> {
    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      write(vertex, merged(parts), Rank.FIRST, context);
    }
  }

  /** Those of a round. */
  static final class Ranks extends Reducer<LongWritable, Page, LongWritable, Page> {
    private Totals totals;

    @Override
    protected void setup(Context context) {
      totals = Totals.of(context.getConfiguration());
    }

    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      Page page = merged(parts);
      write(vertex, page, totals.next(page), context);
    }
  }

  /** Those of the last one, without links, for people. */
  static final class LastRanks extends Reducer<LongWritable, Page, LongWritable, Text> {
    private Totals totals;

    @Override
    protected void setup(Context context) {
      totals = Totals.of(context.getConfiguration());
    }

    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      long rank = totals.next(merged(parts));
      context.write(vertex, new Text(Decimal.NANO.format(rank)));
    }
  }

  /** What the round before has counted. */
  private record Totals(long dangling, long pages) {
    static Totals of(Configuration conf) {
      return new Totals(conf.getLong(DANGLING, 0), conf.getLong(PAGES, 0));
    }

    long next(Page merged) {
      return Rank.next(merged.rank(), dangling, pages);
    }
  }

  private static void write(
      LongWritable vertex,
      Page page,
      long rank,
      Reducer<LongWritable, Page, LongWritable, Page>.Context context)
      throws IOException, InterruptedException {
    context.getCounter(Count.PAGES).increment(1);
    if (page.links().length == 0) {
      context.getCounter(Count.DANGLING).increment(rank);
    }
    context.write(vertex, page.set(rank, page.links()));
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new PageRank(), arguments));
  }
}
