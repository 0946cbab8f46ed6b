package io.sluice.workloads.input;

import io.sluice.workloads.run.Program;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;

/**
 * Writes a directed graph like that of the web: up to 99 links go out of a vertex, one of five has
 * none, and few vertices get most of the links (Zipf, both). A line is a vertex, a tab and the
 * vertices that it links to, with commas between them; or with {@code workloads.graph.edges} an
 * edge, {@code from,to}.
 */
public final class GenerateGraph extends Program {
  private static final String EDGES = "workloads.graph.edges";
  private static final int LINKS = 100;

  /** A prime above any number of vertices: what is linked to most lies all over them. */
  private static final long STRIDE = 2_654_435_761L;

  public GenerateGraph() {
    super("vertices", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    int vertices = Integer.parseInt(arguments[0]);
    Zipf counts = new Zipf(LINKS, 1);
    Zipf targets = new Zipf(vertices, 1);
    boolean edges = getConf().getBoolean(EDGES, false);
    new SeededFiles(getConf())
        .write(
            new Path(arguments[1]),
            vertices,
            (number, random, lines) -> {
              Set<Long> links = new TreeSet<>();
              for (int left = counts.draw(random); left > 0; left--) {
                links.add(vertex(targets, vertices, random));
              }
              links.remove(number);
              append(lines, number, links, edges);
            });
  }

  private static long vertex(Zipf targets, int vertices, SplittableRandom random) {
    return targets.draw(random) * STRIDE % vertices;
  }

  private static void append(StringBuilder lines, long from, Set<Long> links, boolean edges) {
    if (edges) {
      links.forEach(to -> lines.append(from).append(',').append(to).append('\n'));
    } else {
      StringJoiner list = new StringJoiner(",");
      links.forEach(to -> list.add(Long.toString(to)));
      lines.append(from).append('\t').append(list).append('\n');
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new GenerateGraph(), arguments));
  }
}
