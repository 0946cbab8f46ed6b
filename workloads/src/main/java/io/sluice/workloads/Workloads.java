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
import io.sluice.workloads.synthetic.Synthetic;
import io.sluice.workloads.table.Aggregation;
import io.sluice.workloads.table.Join;
import io.sluice.workloads.table.SelfJoin;
import io.sluice.workloads.text.InvertedIndex;
import io.sluice.workloads.text.RankedInvertedIndex;
import io.sluice.workloads.text.SequenceCount;
import io.sluice.workloads.text.WordCount;
import java.util.List;
import org.apache.hadoop.util.ProgramDriver;

/** Starts a program by its name: {@code hadoop jar workloads.jar NAME [-Dkey=value ...] ARGS}. */
public final class Workloads {
  static final List<Named> PROGRAMS =
      List.of(
          new Named(
              "generate-text",
              GenerateText.class,
              "Text for wordcount, sequencecount and synthetic"),
          new Named(
              "generate-documents", GenerateDocuments.class, "Documents for invertedindex and lda"),
          new Named("generate-points", GeneratePoints.class, "Points for kmeans"),
          new Named(
              "generate-graph",
              GenerateGraph.class,
              "Graphs for pagerank; with edges, for adjacencylist and others"),
          new Named(
              "generate-associations", GenerateAssociations.class, "Associations for selfjoin"),
          new Named("generate-tables", GenerateTables.class, "Tables for aggregation and join"),
          new Named("generate-records", GenerateRecords.class, "Records for sortchain"),
          new Named("wordcount", WordCount.class, "Counts words"),
          new Named("invertedindex", InvertedIndex.class, "Says in which documents a word is"),
          new Named("kmeans", KMeans.class, "Clusters points"),
          new Named("pagerank", PageRank.class, "Ranks the pages of a web"),
          new Named("lda", Lda.class, "Finds topics in documents"),
          new Named("adjacencylist", AdjacencyList.class, "Lists the neighbours of vertices"),
          new Named(
              "selfjoin", SelfJoin.class, "Joins associations that differ in their last item"),
          new Named(
              "sequencecount", SequenceCount.class, "Counts three words that follow each other"),
          new Named(
              "rankedinvertedindex",
              RankedInvertedIndex.class,
              "Ranks the files that these are in"),
          new Named("synthetic", Synthetic.class, "Hone's synthetic workload"),
          new Named(
              "connectedcomponents",
              ConnectedComponents.class,
              "Finds which vertices are connected"),
          new Named(
              "degreedistribution",
              DegreeDistribution.class,
              "Says how many vertices have how many edges"),
          new Named("radius", Radius.class, "Says how far it is to most others from a vertex"),
          new Named("aggregation", Aggregation.class, "Adds revenues by visitor"),
          new Named("join", Join.class, "Joins visits with the ranks of their pages"),
          new Named("sortchain", SortChain.class, "Sorts records again and again"),
          new Named("shuffle", Shuffle.class, "Shuffles records that nobody reads or writes"));

  private Workloads() {}

  /** A program, and what it is for, in a line. */
  record Named(String name, Class<? extends Program> program, String purpose) {}

  public static void main(String[] arguments) throws Throwable {
    ProgramDriver driver = new ProgramDriver();
    for (Named named : PROGRAMS) {
      driver.addClass(named.name(), named.program(), named.purpose());
    }
    System.exit(driver.run(arguments));
  }
}
