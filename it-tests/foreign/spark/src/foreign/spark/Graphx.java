package foreign.spark;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.GraphLoader;
import org.apache.spark.graphx.PartitionStrategy;
import org.apache.spark.graphx.lib.ConnectedComponents;
import org.apache.spark.graphx.lib.LabelPropagation;
import org.apache.spark.graphx.lib.PageRank;
import org.apache.spark.graphx.lib.TriangleCount;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** GraphX's algorithms over a generated graph of islands. */
public final class Graphx {
  private static final int NODES = 3_000;

  private Graphx() {}

  /** Where to write. */
  public static void main(String[] arguments) throws Exception {
    Path out = Files.createDirectories(Path.of(arguments[0]));
    Path edges = out.resolveSibling("edges");
    Random random = new Random(11);
    List<String> lines = new ArrayList<>();
    for (int edge = 0; edge < 12_000; edge++) {
      int from = random.nextInt(NODES);
      lines.add(from + " " + (from / 100 * 100 + random.nextInt(100)));
    }
    Files.write(edges, lines);
    SparkSession spark = SparkSession.builder().appName("GraphX").getOrCreate();
    ClassTag<Object> any = ClassTag$.MODULE$.apply(Integer.TYPE);
    StorageLevel memory = StorageLevel.MEMORY_AND_DISK();
    Graph<Object, Object> graph =
        GraphLoader.edgeListFile(
                spark.sparkContext(), edges.toUri().toString(), true, 4, memory, memory)
            .partitionBy(PartitionStrategy.EdgePartition2D$.MODULE$);
    List<String> found = new ArrayList<>();
    for (Tuple2<Object, Object> vertex :
        ConnectedComponents.run(graph, any, any).vertices().toJavaRDD().collect()) {
      found.add("component " + vertex._1() + " " + vertex._2());
    }
    for (Tuple2<Object, Object> vertex :
        TriangleCount.run(graph, any, any).vertices().toJavaRDD().collect()) {
      found.add("triangles " + vertex._1() + " " + vertex._2());
    }
    found.add("labels " + LabelPropagation.run(graph, 3, any).vertices().count());
    double sum = 0;
    for (Tuple2<Object, Object> vertex :
        PageRank.run(graph, 4, 0.15, any, any).vertices().toJavaRDD().collect()) {
      sum += (Double) vertex._2();
    }
    found.add("ranks %.1f".formatted(sum));
    found.sort(null);
    Files.write(out.resolve("graph"), found);
    spark.stop();
  }
}
