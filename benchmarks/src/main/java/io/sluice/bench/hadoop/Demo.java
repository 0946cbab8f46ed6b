package io.sluice.bench.hadoop;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.hadoop.HadoopBench.JobFigure;
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
 *
 * @param cluster with Sluice's jar, if that is built
 * @param console says what runs
 * @param sizeBytes TeraSort's input
 */
public record Demo(PseudoCluster cluster, Console console, long sizeBytes) {

  /** Runs everything and writes the results. */
  public void run(ResultFiles results) {
    List<HadoopVariant> variants = HadoopVariant.available(cluster.spec().sluice());
    if (!variants.contains(HadoopVariant.SLUICE)) {
      console.say("SKIPPED: Sluice, because the plugin jar has not been built; only stock runs");
    }
    Map<HadoopVariant, JobCosts> sorts = teraSort(variants);
    Map<HadoopVariant, JobCosts> counts = wordCount(variants);
    console.say("");
    console.say(table("TeraSort", sorts).toText());
    console.say(table("WordCount", counts).toText());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("hadoop", cluster.spec().distribution().version());
    all.put("machine", Machine.here());
    all.put("teraSortBytes", sizeBytes);
    all.put("teraSort", byTitle(sorts));
    all.put("wordCount", byTitle(counts));
    console.say("results: " + results.json("demo", all));
    Comparison<HadoopVariant, JobCosts> round = new Comparison<>(List.of());
    round.add(sorts);
    console.say(
        "plot:    "
            + results.write(
                "demo.png",
                round.against(
                        HadoopVariant.STOCK,
                        variants,
                        "TeraSort, " + Size.show(sizeBytes),
                        JobFigure.PLOTTED_UNIT,
                        JobFigure.PLOTTED)
                    ::draw));
  }

  private Map<HadoopVariant, JobCosts> teraSort(List<HadoopVariant> variants) {
    TeraSort tera = new TeraSort(cluster, "/tera", sizeBytes);
    String checksum = console.job("TeraGen, " + Size.show(sizeBytes), tera::generate);
    Map<HadoopVariant, JobCosts> costs =
        Bench.inTurn(
            variants,
            variant ->
                console.job(
                    "TeraSort, " + variant.title(),
                    progress -> tera.sort(variant, Map.of(), progress)));
    for (HadoopVariant variant : variants) {
      console.job("TeraValidate, " + variant.title(), progress -> tera.validate(variant, progress));
    }
    console.say(
        "TeraSort: %d outputs sorted, all checksums %s as TeraGen's"
            .formatted(variants.size(), checksum));
    return costs;
  }

  private Map<HadoopVariant, JobCosts> wordCount(List<HadoopVariant> variants) {
    WordCountJob words = new WordCountJob(cluster, "/words");
    TextSource text = TextSource.prepare(cluster.localDirectory("text"));
    console.say("WordCount's text: %s, %s".formatted(text.title(), Size.show(text.lengthBytes())));
    words.upload(text);
    List<HadoopVariant> counting = new ArrayList<>(variants);
    counting.remove(HadoopVariant.TUNED);
    Map<HadoopVariant, JobCosts> costs =
        Bench.inTurn(
            counting,
            variant ->
                console.job(
                    "WordCount, " + variant.title(), progress -> words.count(variant, progress)));
    if (variants.contains(HadoopVariant.SLUICE)) {
      words.requireEqual(HadoopVariant.STOCK, HadoopVariant.SLUICE);
      console.say("WordCount: both outputs are the same bytes");
    }
    return costs;
  }

  private static Map<String, JobCosts> byTitle(Map<HadoopVariant, JobCosts> costs) {
    Map<String, JobCosts> byTitle = new LinkedHashMap<>();
    costs.forEach((variant, ofVariant) -> byTitle.put(variant.title(), ofVariant));
    return byTitle;
  }

  /** One column per variant, one row per figure. */
  private static TextTable table(String job, Map<HadoopVariant, JobCosts> costs) {
    List<String> header = new ArrayList<>(List.of(job));
    costs.keySet().forEach(variant -> header.add(variant.title()));
    TextTable table = new TextTable(header);
    JobFigure.SHOWN.forEach(
        figure ->
            table.add(
                row(
                    figure.title(),
                    costs,
                    each -> figure.show().apply(figure.value().applyAsDouble(each)))));
    table.add(row("transport", costs, each -> each.path().transport()));
    table.add(row("tier", costs, each -> each.path().tier()));
    table.add(row("fallbacks", costs, Demo::fallbacks));
    return table;
  }

  private static List<String> row(
      String title, Map<HadoopVariant, JobCosts> costs, Function<JobCosts, String> cell) {
    List<String> row = new ArrayList<>(List.of(title));
    costs.values().forEach(ofVariant -> row.add(cell.apply(ofVariant)));
    return row;
  }

  private static String fallbacks(JobCosts costs) {
    return costs.path().fallbacks().isEmpty()
        ? "none"
        : costs.path().fallbacks().toString().replaceAll("[{}]", "");
  }
}
