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
import io.sluice.workloads.synthetic.Synthetic;
import io.sluice.workloads.table.Aggregation;
import io.sluice.workloads.table.Join;
import io.sluice.workloads.table.SelfJoin;
import io.sluice.workloads.text.InvertedIndex;
import io.sluice.workloads.text.RankedInvertedIndex;
import io.sluice.workloads.text.SequenceCount;
import io.sluice.workloads.text.WordCount;
import org.apache.hadoop.util.ProgramDriver;

/** Starts a program by its name: {@code hadoop jar workloads.jar NAME [-Dkey=value ...] ARGS}. */
public final class Workloads {
  private Workloads() {}

  public static void main(String[] arguments) throws Throwable {
    ProgramDriver programs = new ProgramDriver();
    programs.addClass("generate-text", GenerateText.class, "Text for wordcount");
    programs.addClass("generate-documents", GenerateDocuments.class, "For invertedindex and lda");
    programs.addClass("generate-points", GeneratePoints.class, "Points for kmeans");
    programs.addClass("generate-graph", GenerateGraph.class, "Graphs for pagerank and others");
    programs.addClass("wordcount", WordCount.class, "Counts words");
    programs.addClass("invertedindex", InvertedIndex.class, "Says in which documents a word is");
    programs.addClass("kmeans", KMeans.class, "Clusters points");
    programs.addClass("pagerank", PageRank.class, "Ranks the pages of a web");
    programs.addClass("lda", Lda.class, "Finds topics in documents");
    programs.addClass(
        "generate-associations", GenerateAssociations.class, "Associations for selfjoin");
    programs.addClass("adjacencylist", AdjacencyList.class, "Lists the neighbours of vertices");
    programs.addClass(
        "selfjoin", SelfJoin.class, "Joins associations that differ in their last item");
    programs.addClass(
        "sequencecount", SequenceCount.class, "Counts three words that follow each other");
    programs.addClass(
        "rankedinvertedindex", RankedInvertedIndex.class, "Ranks the files that these are in");
    programs.addClass("synthetic", Synthetic.class, "Hone's synthetic workload");
    programs.addClass(
        "connectedcomponents", ConnectedComponents.class, "Finds which vertices are connected");
    programs.addClass(
        "degreedistribution",
        DegreeDistribution.class,
        "Says how many vertices have how many edges");
    programs.addClass("radius", Radius.class, "Says how far it is to most others from a vertex");
    programs.addClass("generate-tables", GenerateTables.class, "Tables for aggregation and join");
    programs.addClass("aggregation", Aggregation.class, "Adds revenues by visitor");
    programs.addClass("join", Join.class, "Joins visits with the ranks of their pages");
    System.exit(programs.run(arguments));
  }
}
