package io.sluice.bench.hadoop;

import io.sluice.bench.CostPlot;
import io.sluice.bench.hadoop.WordCountJob.TextSource;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.tools.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The main job: TeraSort and WordCount, unmodified, first stock and then through Sluice, with equal
 * output and a table of what each cost.
 *
 * <p>Not thread-safe; the cluster is its caller's. A failed job or an output that differs is a
 * {@link ClusterException}.
 */
public final class Demo {
  private final PseudoCluster cluster;
  private final Console console;
  private final long sizeBytes;
  private final List<HadoopVariant> variants;

  public Demo(PseudoCluster cluster, Console console, long sizeBytes) {
    this.cluster = cluster;
    this.console = console;
    this.sizeBytes = sizeBytes;
    this.variants = HadoopVariant.available(cluster.spec().sluice());
  }

  /** Runs everything and writes the results. */
  public void run(ResultFiles results) {
    if (!variants.contains(HadoopVariant.SLUICE)) {
      console.say("SKIPPED: Sluice, because the plugin jar has not been built; only stock runs");
    }
    Map<String, JobCosts> sorts = teraSort();
    Map<String, JobCosts> counts = wordCount();
    console.say("");
    console.say(table("TeraSort", sorts).toText());
    console.say(table("WordCount", counts).toText());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("hadoop", cluster.spec().distribution().version());
    all.put("machine", Machine.here());
    all.put("teraSortBytes", sizeBytes);
    all.put("teraSort", sorts);
    all.put("wordCount", counts);
    console.say("results: " + results.json("demo", all));
    console.say(
        "plot:    "
            + results.write("demo.png", plot("TeraSort, " + Size.show(sizeBytes), sorts)::draw));
  }

  private Map<String, JobCosts> teraSort() {
    TeraSort tera = new TeraSort(cluster, "/tera", sizeBytes);
    String checksum = console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    Map<String, JobCosts> costs = new LinkedHashMap<>();
    for (HadoopVariant variant : variants) {
      costs.put(
          variant.title(),
          console.job(
              "TeraSort, " + variant.title(), progress -> tera.sort(variant, Map.of(), progress)));
    }
    for (HadoopVariant variant : variants) {
      console.job("TeraValidate, " + variant.title(), progress -> tera.validate(variant, progress));
    }
    console.say(
        "TeraSort: %d outputs sorted, all checksums %s as TeraGen's"
            .formatted(variants.size(), checksum));
    return costs;
  }

  private Map<String, JobCosts> wordCount() {
    WordCountJob words = new WordCountJob(cluster, "/words");
    TextSource text = TextSource.prepare(cluster.localDirectory("text"));
    console.say("WordCount's text: %s, %s".formatted(text.title(), Size.show(text.lengthBytes())));
    words.upload(text);
    Map<String, JobCosts> costs = new LinkedHashMap<>();
    for (HadoopVariant variant : variants) {
      if (variant != HadoopVariant.TUNED) {
        costs.put(
            variant.title(),
            console.job(
                "WordCount, " + variant.title(), progress -> words.count(variant, progress)));
      }
    }
    if (variants.contains(HadoopVariant.SLUICE)) {
      words.requireEqual(HadoopVariant.STOCK, HadoopVariant.SLUICE);
      console.say("WordCount: both outputs are the same bytes");
    }
    return costs;
  }

  /** One column per variant, in the map's order; one row per figure. */
  private static TextTable table(String job, Map<String, JobCosts> byVariant) {
    List<String> header = new ArrayList<>(List.of(job));
    header.addAll(byVariant.keySet());
    TextTable table = new TextTable(header);
    for (JobFigure figure : JobFigure.values()) {
      if (figure != JobFigure.LOCAL && !JobFigure.OF_THE_HOST.contains(figure)) {
        add(table, figure.title(), byVariant, figure::show);
      }
    }
    add(table, "transport", byVariant, costs -> costs.path().transport());
    add(table, "tier", byVariant, costs -> costs.path().tier());
    add(table, "fallbacks", byVariant, Demo::fallbacks);
    return table;
  }

  /** The costs of one run of each variant in per cent of the map's first one. */
  private static CostPlot plot(String title, Map<String, JobCosts> byVariant) {
    JobCosts first = byVariant.values().iterator().next();
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    byVariant.forEach(
        (variant, costs) ->
            bars.put(
                variant,
                JobFigure.PLOTTED.stream()
                    .map(figure -> new CostPlot.Bar(percent(figure, costs, first), 0))
                    .toList()));
    return new CostPlot(
        title,
        JobFigure.PLOTTED_UNIT,
        JobFigure.PLOTTED.stream().map(JobFigure::title).toList(),
        bars);
  }

  private static double percent(JobFigure figure, JobCosts costs, JobCosts first) {
    long base = figure.of(first);
    return base == 0 ? 0 : 100.0 * figure.of(costs) / base;
  }

  private static String fallbacks(JobCosts costs) {
    return costs.path().fallbacks().isEmpty()
        ? "none"
        : costs.path().fallbacks().toString().replaceAll("[{}]", "");
  }

  private static void add(
      TextTable table,
      String title,
      Map<String, JobCosts> byVariant,
      Function<JobCosts, String> cell) {
    List<String> row = new ArrayList<>(List.of(title));
    byVariant.values().forEach(costs -> row.add(cell.apply(costs)));
    table.add(row);
  }
}
