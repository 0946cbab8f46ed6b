package io.sluice.workloads.input;

import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeSet;

/**
 * Writes a directed graph like that of the web: up to 99 links go out of a vertex, one of five has
 * none, and few vertices get most of the links (Zipf, both). A line is a vertex, a tab and the
 * vertices that it links to, with commas between them; or with {@code workloads.graph.edges} an
 * edge, {@code from,to}.
 */
public final class GenerateGraph extends Generator {
  private static final String EDGES = "workloads.graph.edges";
  private static final int LINKS = 100;

  /** A prime above any number of vertices: it spreads the most linked vertices over all numbers. */
  private static final long STRIDE = 2_654_435_761L;

  public GenerateGraph() {
    super("vertices");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    int vertices = Integer.parseInt(arguments[0]);
    Zipf counts = new Zipf(LINKS, 1);
    Zipf targets = new Zipf(vertices, 1);
    boolean edges = getConf().getBoolean(EDGES, false);
    write(
        arguments,
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

  /** A line of the input: a vertex and the vertices that it links to, perhaps none. */
  public record Links(long vertex, long[] targets) {
    /** Parses a line. */
    public static Links parse(String line) {
      int tab = line.indexOf('\t');
      if (tab < 0) {
        throw new IllegalArgumentException("no tab behind a vertex: " + line);
      }
      String list = line.substring(tab + 1);
      long[] targets =
          list.isEmpty()
              ? new long[0]
              : Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
      return new Links(Long.parseLong(line.substring(0, tab)), targets);
    }
  }
}
