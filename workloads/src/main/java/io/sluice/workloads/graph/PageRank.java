package io.sluice.workloads.graph;

import io.sluice.workloads.input.GenerateGraph.Links;
import io.sluice.workloads.run.Decimal;
import io.sluice.workloads.run.Longs;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * Ranks the pages of a web, a job for each round, after a job that finds all pages: Hone 5.2,
 * Pegasus' in Flame-MR 3 and Mammoth 6.4, HiBench's in RMR-NVM IV-D. In: lists of links. Out:
 * {@code page rank}; the mean rank is 1. Pages without links give to all pages alike; each job
 * counts their ranks for the next one.
 */
public final class PageRank extends Program {
  private static final String DANGLING = "workloads.pagerank.dangling";
  private static final String PAGES = "workloads.pagerank.pages";

  /** Counts for the next job. */
  enum Count {
    /** The number of pages. */
    PAGES,
    /** Sum of the ranks of pages without links. */
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
    Job job = newJob("page rank: pages", graph, pages);
    job.setMapperClass(Named.class);
    job.setCombinerClass(Merge.class);
    job.setReducerClass(FirstRanks.class);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(Page.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    return finish(job);
  }

  private Job round(Path from, Counters counted, Path to) throws IOException {
    Job job = newJob("page rank", from, to);
    Configuration conf = job.getConfiguration();
    conf.setLong(PAGES, counted.findCounter(Count.PAGES).getValue());
    conf.setLong(DANGLING, counted.findCounter(Count.DANGLING).getValue());
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Shares.class);
    job.setCombinerClass(Merge.class);
    job.setMapOutputValueClass(Page.class);
    job.setOutputKeyClass(LongWritable.class);
    return job;
  }

  /** Each page of a line: the one with links, and those that it links to. */
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

  /** A page with its links, and the share of its rank that each link gets. */
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

  /** Merges the parts of a page. */
  private static Page merged(Iterable<Page> parts) {
    Page merged = new Page();
    parts.forEach(merged::add);
    return merged;
  }

  /** Merges parts, as a combiner. */
  static final class Merge extends Reducer<LongWritable, Page, LongWritable, Page> {
    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      context.write(vertex, merged(parts));
    }
  }

  /** Gives each page the first rank. */
  static final class FirstRanks extends Reducer<LongWritable, Page, LongWritable, Page> {
    @Override
    protected void reduce(LongWritable vertex, Iterable<Page> parts, Context context)
        throws IOException, InterruptedException {
      write(vertex, merged(parts), Rank.FIRST, context);
    }
  }

  /** Computes the ranks of a round. */
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

  /** Computes the ranks of the last round, and writes them as text, without links. */
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

  /** The counts of the round before. */
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

  /**
   * The arithmetic of ranks, in thousand millionths of the mean rank. All sums are sums of longs,
   * which have no order, and each page is divided once; so ranks are the same on every engine. The
   * remainder of a division is lost.
   */
  public static final class Rank {
    /** The first rank of each page, which is the mean too. */
    public static final long FIRST = Decimal.NANO.one();

    private static final long PERCENT_BY_LINKS = 85;
    private static final long PERCENT = 100;

    private Rank() {}

    /** The share of a page's rank that each of its links gets. */
    public static long share(long rank, int links) {
      return rank / links;
    }

    /**
     * The next rank of a page.
     *
     * @param shares sum of the shares that links give it
     * @param dangling sum of the ranks of pages without links, which give to all pages alike
     * @param pages the number of pages
     */
    public static long next(long shares, long dangling, long pages) {
      long given = Math.multiplyExact(PERCENT_BY_LINKS, Math.addExact(shares, dangling / pages));
      return ((PERCENT - PERCENT_BY_LINKS) * FIRST + given) / PERCENT;
    }
  }

  /**
   * A page, or a part of it: a rank or shares of one, and the page's links.
   *
   * <p>Thread contract: not thread-safe. Ownership: links are not copied.
   */
  static final class Page implements Writable {
    private static final long[] NONE = {};

    private long rank;
    private Longs links = new Longs();

    long rank() {
      return rank;
    }

    long[] links() {
      return links.values();
    }

    Page set(long newRank, long[] newLinks) {
      rank = newRank;
      links = new Longs(newLinks);
      return this;
    }

    /** Sets a share, without links. */
    Page setShare(long share) {
      return set(share, NONE);
    }

    /** Adds another part; at most one part has links. */
    void add(Page part) {
      rank = Math.addExact(rank, part.rank);
      if (part.links().length > 0) {
        links = new Longs(part.links());
      }
    }

    @Override
    public void write(DataOutput out) throws IOException {
      WritableUtils.writeVLong(out, rank);
      links.write(out);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      rank = WritableUtils.readVLong(in);
      links.readFields(in);
    }
  }
}
