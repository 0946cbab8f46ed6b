package io.sluice.workloads;

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
import io.sluice.workloads.record.GenerateRecords;
import io.sluice.workloads.record.Shuffle;
import io.sluice.workloads.record.SortChain;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.table.Aggregation;
import io.sluice.workloads.table.Join;
import io.sluice.workloads.table.SelfJoin;
import io.sluice.workloads.text.InvertedIndex;
import io.sluice.workloads.text.RankedInvertedIndex;
import io.sluice.workloads.text.SequenceCount;
import io.sluice.workloads.text.Synthetic;
import io.sluice.workloads.text.WordCount;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.util.ToolRunner;

/** Starts a program by its name: {@code hadoop jar workloads.jar NAME [-Dkey=value ...] ARGS}. */
public final class Workloads {
  static final List<Named> PROGRAMS =
      List.of(
          new Named("adjacencylist", AdjacencyList::new, "Lists the neighbours of vertices"),
          new Named("aggregation", Aggregation::new, "Adds revenues by visitor"),
          new Named(
              "connectedcomponents",
              ConnectedComponents::new,
              "Finds which vertices are connected"),
          new Named(
              "degreedistribution", DegreeDistribution::new, "Counts the vertices of each degree"),
          new Named("generate-associations", GenerateAssociations::new, "Input of selfjoin"),
          new Named("generate-documents", GenerateDocuments::new, "Input of invertedindex and lda"),
          new Named(
              "generate-graph",
              GenerateGraph::new,
              "Input of pagerank; with edges, of adjacencylist and others"),
          new Named("generate-points", GeneratePoints::new, "Input of kmeans"),
          new Named("generate-records", GenerateRecords::new, "Input of sortchain"),
          new Named("generate-tables", GenerateTables::new, "Input of aggregation and join"),
          new Named(
              "generate-text", GenerateText::new, "Input of wordcount, sequencecount, synthetic"),
          new Named("invertedindex", InvertedIndex::new, "Lists the documents of each word"),
          new Named("join", Join::new, "Joins visits with the ranks of their pages"),
          new Named("kmeans", KMeans::new, "Clusters points"),
          new Named("lda", Lda::new, "Finds topics in documents"),
          new Named("pagerank", PageRank::new, "Ranks the pages of a web"),
          new Named("radius", Radius::new, "Counts the steps from a vertex to most others"),
          new Named(
              "rankedinvertedindex",
              RankedInvertedIndex::new,
              "Ranks the files of each sequence of sequencecount"),
          new Named("selfjoin", SelfJoin::new, "Joins associations that differ in their last item"),
          new Named("sequencecount", SequenceCount::new, "Counts sequences of three words"),
          new Named("shuffle", Shuffle::new, "Shuffles records without input and output"),
          new Named("sortchain", SortChain::new, "Sorts records again and again"),
          new Named("synthetic", Synthetic::new, "Hone's synthetic workload"),
          new Named("wordcount", WordCount::new, "Counts words"));

  private Workloads() {}

  /** A program and its purpose, in a line. */
  record Named(String name, Supplier<Program> program, String purpose) {}

  public static void main(String[] arguments) throws Exception {
    System.exit(run(arguments));
  }

  /** Runs the program that the first argument names, and returns its exit status. */
  static int run(String[] arguments) throws Exception {
    for (Named named : PROGRAMS) {
      if (arguments.length > 0 && named.name().equals(arguments[0])) {
        return ToolRunner.run(
            named.program().get(), Arrays.copyOfRange(arguments, 1, arguments.length));
      }
    }
    System.out.println("The first argument must be the name of a program:");
    PROGRAMS.forEach(named -> System.out.println("  " + named.name() + ": " + named.purpose()));
    return -1;
  }
}
