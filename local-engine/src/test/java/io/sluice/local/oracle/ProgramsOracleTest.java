package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.workloads.graph.AdjacencyList;
import io.sluice.workloads.graph.ConnectedComponents;
import io.sluice.workloads.graph.DegreeDistribution;
import io.sluice.workloads.graph.PageRank;
import io.sluice.workloads.graph.Radius;
import io.sluice.workloads.input.GenerateAssociations;
import io.sluice.workloads.input.GenerateDocuments;
import io.sluice.workloads.input.GenerateGraph;
import io.sluice.workloads.input.GeneratePoints;
import io.sluice.workloads.input.GenerateTables;
import io.sluice.workloads.input.GenerateText;
import io.sluice.workloads.learn.KMeans;
import io.sluice.workloads.learn.Lda;
import io.sluice.workloads.table.Aggregation;
import io.sluice.workloads.table.Join;
import io.sluice.workloads.table.SelfJoin;
import io.sluice.workloads.text.InvertedIndex;
import io.sluice.workloads.text.RankedInvertedIndex;
import io.sluice.workloads.text.SequenceCount;
import io.sluice.workloads.text.Synthetic;
import io.sluice.workloads.text.WordCount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.BaileyBorweinPlouffe;
import org.apache.hadoop.examples.Grep;
import org.apache.hadoop.examples.QuasiMonteCarlo;
import org.apache.hadoop.examples.WordMean;
import org.apache.hadoop.examples.WordMedian;
import org.apache.hadoop.examples.WordStandardDeviation;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraSort;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.util.ReflectionUtils;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The papers' programs and Hadoop's examples, each a chain of unmodified jobs. */
@Tag("slow")
class ProgramsOracleTest extends OracleTestBase {
  private static final String REDUCES = "3";

  /** One of each kind; campaigns run all, in every exchange. */
  private static final Set<String> QUICK =
      Set.of("wordcount", "kmeans", "pagerank", "rankedinvertedindex", "join", "grep", "terasort");

  /** Makes a program. */
  private interface Made {
    Tool make() throws Exception;
  }

  /** One of a chain, whose arguments name directories by {@code @}. */
  private record Step(Made program, String... arguments) {}

  /** Steps before the last are of stock; what the last puts out is compared. */
  record Chain(String name, Step... steps) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Step step(Made program, String... arguments) {
    return new Step(program, arguments);
  }

  /** Its constructor is private. */
  private static Tool grep() {
    return ReflectionUtils.newInstance(Grep.class, null);
  }

  static List<Chain> programs() {
    Step text = step(GenerateText::new, "200", "@in");
    Step documents = step(GenerateDocuments::new, "60", "@in");
    Step graph = step(GenerateGraph::new, "120", "@in");
    Step edges = step(GenerateGraph::new, "-Dworkloads.graph.edges=true", "60", "@in");
    Step tables = step(GenerateTables::new, "300", "@in");
    return List.of(
        new Chain("wordcount", text, step(WordCount::new, "@in", "@out")),
        new Chain("invertedindex", documents, step(InvertedIndex::new, "@in", "@out")),
        new Chain(
            "kmeans",
            step(GeneratePoints::new, "300", "@in"),
            step(KMeans::new, "@in", "@out", "3", "2")),
        new Chain("pagerank", graph, step(PageRank::new, "@in", "@out", "2")),
        new Chain("lda", documents, step(Lda::new, "@in", "@out", "3", "1")),
        new Chain("adjacencylist", edges, step(AdjacencyList::new, "@in", "@out")),
        new Chain(
            "selfjoin",
            step(GenerateAssociations::new, "200", "@in"),
            step(SelfJoin::new, "@in", "@out")),
        new Chain("sequencecount", text, step(SequenceCount::new, "@in", "@out")),
        new Chain(
            "rankedinvertedindex",
            text,
            step(SequenceCount::new, "@in", "@sequences"),
            step(RankedInvertedIndex::new, "@sequences", "@out")),
        new Chain("synthetic", text, step(Synthetic::new, "@in", "@out")),
        new Chain("connectedcomponents", edges, step(ConnectedComponents::new, "@in", "@out", "3")),
        new Chain("degreedistribution", edges, step(DegreeDistribution::new, "@in", "@out")),
        new Chain("radius", edges, step(Radius::new, "@in", "@out", "3")),
        new Chain("aggregation", tables, step(Aggregation::new, "@in/uservisits", "@out")),
        new Chain("join", tables, step(Join::new, "@in/rankings", "@in/uservisits", "@out")),
        new Chain("grep", text, step(ProgramsOracleTest::grep, "@in", "@out", "[aeo]")),
        new Chain("wordmean", text, step(WordMean::new, "@in", "@out")),
        new Chain("wordmedian", text, step(WordMedian::new, "@in", "@out")),
        new Chain("wordstandarddeviation", text, step(WordStandardDeviation::new, "@in", "@out")),
        new Chain("pi", step(QuasiMonteCarlo::new, "3", "100")),
        new Chain("bbp", step(BaileyBorweinPlouffe::new, "1", "20", "3", "@out")),
        new Chain("teragen", step(TeraGen::new, "1000", "@out")),
        new Chain(
            "terasort", step(TeraGen::new, "3000", "@in"), step(TeraSort::new, "@in", "@out")),
        new Chain(
            "teravalidate",
            step(TeraGen::new, "1000", "@in"),
            step(TeraSort::new, "@in", "@sorted"),
            step(TeraValidate::new, "@sorted", "@out")));
  }

  private void run(Configuration conf, Step step, String output) throws Exception {
    String[] arguments =
        Arrays.stream(step.arguments)
            .map(each -> each.startsWith("@out") ? "@" + output : each)
            .map(
                each ->
                    each.startsWith("@") ? directory.resolve(each.substring(1)).toString() : each)
            .toArray(String[]::new);
    assertEquals(0, ToolRunner.run(new Configuration(conf), step.program.make(), arguments));
  }

  private Configuration conf() {
    Configuration conf = new Configuration(oracle.conf());
    conf.set("fs.defaultFS", "file:///");
    conf.setInt("mapreduce.job.maps", 1); // as stock has it where it runs jobs in the process
    conf.set("mapreduce.job.reduces", REDUCES);
    return conf;
  }

  private TreeMap<String, String> stock(Chain chain) throws Exception {
    return Stock.ask(
        () -> {
          FileUtil.fullyDeleteContents(directory.toFile());
          Configuration conf = conf();
          conf.set("mapreduce.framework.name", "local");
          for (Step step : chain.steps) {
            run(conf, step, "stock");
          }
          return output("stock");
        });
  }

  private void runWithOurs(Step step, String exchange) throws Exception {
    Configuration conf = conf();
    Oracle.oursIn(conf, exchange);
    run(conf, step, exchange);
  }

  private TreeMap<String, String> output(String name) throws IOException {
    TreeMap<String, String> all = new TreeMap<>();
    Path output = directory.resolve(name);
    if (Files.exists(output)) {
      try (Stream<Path> files = Files.walk(output)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String base = file.getFileName().toString();
          if (!base.endsWith(".crc") && !base.startsWith("_partition")) {
            all.put(
                output.relativize(file).toString(),
                Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1));
          }
        }
      }
    }
    return all;
  }

  private void sameAsStock(Chain chain, String... exchanges) throws Exception {
    Step last = chain.steps[chain.steps.length - 1];
    TreeMap<String, String> stock = stock(chain);
    for (String exchange : exchanges) {
      runWithOurs(last, exchange);
      assertEquals(stock.keySet(), output(exchange).keySet(), exchange);
      assertEquals(stock, output(exchange), exchange);
    }
  }

  static List<Chain> quickPrograms() {
    return programs().stream().filter(chain -> QUICK.contains(chain.name)).toList();
  }

  @ParameterizedTest
  @MethodSource("quickPrograms")
  void aProgramPutsOutWhatItDoesWithStock(Chain chain) throws Exception {
    sameAsStock(chain, "auto");
  }

  @ParameterizedTest
  @MethodSource("programs")
  @Tag("campaign")
  void aProgramPutsOutTheSameInAnyExchange(Chain chain) throws Exception {
    sameAsStock(chain, Oracle.EXCHANGES.toArray(String[]::new));
  }
}
